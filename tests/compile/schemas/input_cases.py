"""Reads a tool written as YAML, as the configuration's reader does, for the tests of its input."""

from runner.catalog.schema import InputSchema
from runner.compile.schemas.input import compile_input
from runner.config.json_text import as_yaml
from runner.config.nodes import Document, Mapping_
from runner.config.source import parse_node
from runner.config.spec.tools import ToolSpec
from runner.diagnostics import Diagnostic
from tests.compile.written import in_line, written


def document_of(name: str, text: str) -> Document:
    """The schema file of that name."""
    root, faults = parse_node(as_yaml(text.encode()), name)
    assert faults == ()
    assert isinstance(root, Mapping_)
    return Document(name, root, (name,))


def attempt(text: str, **texts: str) -> tuple[InputSchema | None, tuple[Diagnostic, ...]]:
    """The compiled input of the tool in `text`, and all that was reported."""
    spec, site = written(text, ToolSpec)
    schemas = {name: document_of(name, content) for name, content in texts.items()}
    schema = compile_input(spec, site, schemas=schemas, input_elements=10_000)
    return schema, site.faults.sorted()


def compiled(text: str, **texts: str) -> InputSchema:
    """The compiled input of a tool without any fault."""
    schema, reported = attempt(text, **texts)
    assert reported == ()
    assert schema is not None
    return schema


def faults(text: str, **texts: str) -> list[str]:
    """What was reported, as `line:column code: message`, where nothing was compiled."""
    schema, reported = attempt(text, **texts)
    assert schema is None
    return [in_line(fault) for fault in reported]
