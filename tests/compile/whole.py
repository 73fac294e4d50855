"""A whole file compiled in memory: text in, catalog and diagnostics out."""

from collections.abc import Mapping

from runner.catalog.catalog import Catalog
from runner.catalog.tool import Tool
from runner.compile.catalog import Material, compile_catalog
from runner.compile.proof import prove_catalog
from runner.compile.site import Site
from runner.config.check import check
from runner.config.interpolate import Interpolator
from runner.config.nodes import Scalar
from runner.config.source import parse
from runner.diagnostics import Diagnostic, Faults, Position
from tests.compile.written import in_line

HEAD = "mcp: 1\nserver: {name: probe, version: 1.0.0}\n"


def compiled(text: str, **files: str) -> tuple[Catalog, tuple[Diagnostic, ...]]:
    """The catalog of the file that begins with `HEAD`; `files` are texts by path."""
    document, faults = parse((HEAD + text).encode(), "mcp.yaml")
    assert document is not None
    spec, told = check(document, Interpolator({}, lambda _path: ""))
    assert spec is not None
    found = Faults()
    found.add(*faults, *told)
    texts = {path: Scalar(content, Position(path, 1, 1)) for path, content in files.items()}
    material = Material("/srv/probe", texts, {}, None, "digest")
    whole = compile_catalog(spec, Site(document, found), material)
    return prove_catalog(whole, {}), found.sorted()


def served(text: str, **files: str) -> Catalog:
    """The catalog of a file without any fault."""
    catalog, faults = compiled(text, **files)
    assert faults == ()
    return catalog


def the_tool(text: str, **files: str) -> Tool:
    """The tool `t` of a file without any fault; `text` is what stands under it, in braces."""
    return served(f"tools: {{t: {{description: A probe., {text}}}}}\n", **files).tools["t"]


def faults(text: str, **files: str) -> list[str]:
    """What was reported as `line:column code: message`, lines counted after `HEAD`."""
    return [in_line(item, before=HEAD.count("\n")) for item in compiled(text, **files)[1]]


def by_name(catalog: Catalog) -> Mapping[str, Tool]:
    """The tools of the only endpoint."""
    [endpoint] = catalog.endpoints
    return endpoint.tools
