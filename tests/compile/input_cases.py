"""Reads a tool written as YAML, as the configuration's reader does, for the tests of its input."""

import yaml

from runner.catalog.schema import InputSchema
from runner.compile.input import compile_input
from runner.compile.schema_source import node_of
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_, Node, Scalar, Sequence
from runner.config.spec.tools import ToolSpec
from runner.diagnostics import Diagnostic, Faults


def tree(node: Node) -> object:
    """What pydantic is given for a node."""
    match node:
        case Scalar():
            return node
        case Sequence(items):
            return [tree(item) for item in items]
        case Mapping_(entries):
            return {name: tree(entry.value) for name, entry in entries.items()}


def read(text: str) -> tuple[ToolSpec, Site]:
    """The tool that `text` describes, and its site; the text is the whole document."""
    composed = yaml.compose(text, Loader=yaml.CSafeLoader)
    assert composed is not None
    root = node_of(composed, "mcp.yaml")
    assert isinstance(root, Mapping_)
    spec = ToolSpec.model_validate(tree(root))
    return spec, Site(Document("mcp.yaml", root, ("mcp.yaml",)), Faults())


def attempt(text: str, **texts: str) -> tuple[InputSchema | None, tuple[Diagnostic, ...]]:
    """The compiled input of the tool in `text`, and all that was reported."""
    spec, site = read(text)
    schema = compile_input(spec, site, texts=texts, input_elements=10_000)
    return schema, site.faults.sorted()


def compiled(text: str, **texts: str) -> InputSchema:
    """The compiled input of a tool without any fault."""
    schema, reported = attempt(text, **texts)
    assert reported == ()
    assert schema is not None
    return schema


def faults(text: str, **texts: str) -> list[str]:
    """What was reported, as `line:column: code: message`, where nothing was compiled."""
    schema, reported = attempt(text, **texts)
    assert schema is None
    return [f"{d.position.line}:{d.position.column}: {d.code}: {d.message}" for d in reported]
