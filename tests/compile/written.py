"""A piece of a file as the compilers get it: its models with places, and a site that collects."""

from typing import TypeVar

from runner.compile.site import Site
from runner.config.source import parse
from runner.config.spec.leaves import tree_of
from runner.config.spec.model import Section
from runner.diagnostics import Diagnostic, Faults

Model = TypeVar("Model", bound=Section)
PATH = "mcp.yaml"


def written(text: str, model: type[Model]) -> tuple[Model, Site]:
    """The model that `text`, a YAML mapping, is read as, and its site."""
    document, faults = parse(text.encode(), PATH)
    assert (document is not None, faults) == (True, ())
    assert document is not None
    return model.model_validate(tree_of(document.root)), Site(document, Faults())


def told(site: Site) -> list[str]:
    """Every fault as `in_line` has it."""
    return [in_line(fault) for fault in site.faults.sorted()]


def in_line(fault: Diagnostic, *, before: int = 0) -> str:
    """`line:column code: message`; lines are counted after the first `before`."""
    place = fault.position
    return f"{place.line - before}:{place.column} {fault.code}: {fault.message}"
