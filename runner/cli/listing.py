"""`mcp-run list`: what the file serves."""

from collections.abc import Mapping
from pathlib import Path

import click

from runner.catalog.tool import Tool
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.project import endpoint_named, read_catalog
from runner.cli.words import effect
from runner.codec.json import encode_indented

EXAMPLES = """\b
Examples:
  mcp-run list
  mcp-run list --endpoint finder
  mcp-run list --format json | jq '.tools[].name'
"""


@click.command("list", epilog=EXAMPLES)
@file_option
@click.option("--endpoint", help="Only what this endpoint of the file offers.")
@output_options("text", "json")
def list_tools(*, path: Path, endpoint: str | None, output: Output) -> int:
    """Show the tools of the file: name, what it does, its parameters, whether it writes.

    Parameters that are required have a star. With -q the names alone; with -v whole descriptions.
    """
    catalog = read_catalog(path, output, connects=False)
    if catalog is None:
        return EXIT_FAULTS
    tools = catalog.tools if endpoint is None else endpoint_named(catalog, endpoint).tools
    if output.format == "json":
        shown = [_as_json(tool) for tool in tools.values()]
        output.result(encode_indented({"tools": shown}).decode())
        return 0
    if output.quiet:
        output.table(("TOOL",), [(name,) for name in tools])
        return 0
    rows = [
        (tool.name, effect(tool), _parameters(tool), _description(tool, whole=output.verbose))
        for tool in tools.values()
    ]
    output.table(("TOOL", "EFFECT", "PARAMETERS", "DESCRIPTION"), rows)
    return 0


def _as_json(tool: Tool) -> Mapping[str, object]:
    hints = tool.annotations
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input.listed,
        "outputSchema": tool.output.listed if tool.output is not None else None,
        "annotations": {
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    }


def _parameters(tool: Tool) -> str:
    """The names, required ones marked with a star as in the documentation."""
    required = tool.input.listed.get("required")
    needed = set(required) if isinstance(required, list) else set()
    return ", ".join(f"{name}{'*' if name in needed else ''}" for name in tool.input.parameters)


def _description(tool: Tool, *, whole: bool) -> str:
    """On one line; its first sentence where it is not wanted whole."""
    text = " ".join((tool.description or "").split())
    head, separator, _ = text.partition(". ")
    return text if whole or not separator else head + "."
