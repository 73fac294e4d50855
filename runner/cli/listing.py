"""`mcp-run list`: what the file serves, by kind."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from runner.catalog.catalog import Catalog, Endpoint
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource
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
    """Show the tools, resources and prompts of the file.

    Of a tool whether it writes and its parameters, of a resource its URI, of a prompt its
    arguments; those that are required have a star. With -q the names alone; with -v whole
    descriptions.
    """
    catalog = read_catalog(path, output, connects=False)
    if catalog is None:
        return EXIT_FAULTS
    offered = catalog if endpoint is None else endpoint_named(catalog, endpoint)
    if output.format == "json":
        shown = {
            "tools": [_tool(tool) for tool in offered.tools.values()],
            "resources": [_resource(resource) for resource in offered.resources.values()],
            "prompts": [_prompt(prompt) for prompt in offered.prompts.values()],
        }
        output.result(encode_indented(shown).decode())
        return 0
    rows = list(_rows(offered, whole=output.verbose))
    if output.quiet:
        output.table(("NAME",), [row[:1] for row in rows])
        return 0
    output.table(("NAME", "KIND", "EFFECT", "TAKES", "DESCRIPTION"), rows)
    return 0


def _rows(offered: Catalog | Endpoint, *, whole: bool) -> Iterator[tuple[str, ...]]:
    for tool in offered.tools.values():
        words = _description(tool, whole=whole)
        yield tool.name, "tool", effect(tool), _parameters(tool), words
    for resource in offered.resources.values():
        words = _description(resource, whole=whole)
        yield resource.name, "resource", effect(resource.tool), resource.uri, words
    for prompt in offered.prompts.values():
        words = _description(prompt, whole=whole)
        takes = (f"{item.name}{'*' if item.required else ''}" for item in prompt.arguments)
        yield prompt.name, "prompt", "", ", ".join(takes), words


def _tool(tool: Tool) -> Mapping[str, object]:
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


def _resource(resource: Resource) -> Mapping[str, object]:
    return {
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "uri" if resource.template is None else "uriTemplate": resource.uri,
        "mimeType": resource.mime,
    }


def _prompt(prompt: Prompt) -> Mapping[str, object]:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {
                "name": item.name,
                "title": item.title,
                "description": item.description,
                "required": item.required,
            }
            for item in prompt.arguments
        ],
    }


def _parameters(tool: Tool) -> str:
    """The names, required ones marked with a star as in the documentation."""
    required = tool.input.listed.get("required")
    needed = set(required) if isinstance(required, list) else set()
    return ", ".join(f"{name}{'*' if name in needed else ''}" for name in tool.input.parameters)


def _description(item: Tool | Resource | Prompt, *, whole: bool) -> str:
    """On one line; its first sentence where it is not wanted whole."""
    text = " ".join((item.description or "").split())
    head, separator, _ = text.partition(". ")
    return text if whole or not separator else head + "."
