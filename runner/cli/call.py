"""`mcp-run call`: one tool run from the shell, exactly as for a client."""

import asyncio
from pathlib import Path

import click

from runner.app import new_error_id, open_invoker, state_keys, utc_now
from runner.catalog.call import CallContext, RequestFacts
from runner.catalog.caller import Caller
from runner.catalog.catalog import Catalog
from runner.catalog.content import ContentBlock, TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.cli.arguments import Asked, call_arguments
from runner.cli.asking import Person
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.project import caller_named, read_catalog, tool_named
from runner.codec.json import decode, encode_indented
from runner.transport.descriptors import stray_output_aside

EXAMPLES = """\b
Examples:
  mcp-run call search_prompts query='cold email' limit=3
  mcp-run call get_prompt id=5b58b410-fa40-5567-9bcc-1527c00b54cb --as demo
  mcp-run call delete_prompt id=5b58b410-fa40-5567-9bcc-1527c00b54cb --yes
  mcp-run call create_prompt --json '{"title": "New", "text": "…"}'
  mcp-run call set_tags tags:='["a", "b"]' note=@note.txt --format json | jq .
"""


@click.command(epilog=EXAMPLES)
@call_arguments
@click.option("--yes", "agrees", is_flag=True, help="Confirm whatever the tool asks first.")
@file_option
@output_options("text", "json")
def call(*, asked: Asked, agrees: bool, path: Path, output: Output) -> int:
    """Run TOOL and print its result.

    What the tool asks first, to be confirmed or for values, is asked on the terminal. A tool that
    runs as a task for clients is waited for. Ends with 0 if the call succeeded, with 1 if the tool
    failed. With -q only a failure is told, unless the format is json.
    """
    catalog = read_catalog(path, output, connects=True)
    if catalog is None:
        return EXIT_FAULTS
    tool, caller = tool_named(catalog, asked.tool), caller_named(catalog, asked.who)
    with stray_output_aside():
        result = asyncio.run(_run(catalog, tool, asked.arguments, caller, agrees=agrees))
    _print(result, output)
    return EXIT_FAULTS if result.is_error else 0


async def _run(
    catalog: Catalog,
    tool: Tool,
    arguments: dict[str, object],
    caller: Caller,
    *,
    agrees: bool,
) -> CallResult:
    async with open_invoker(catalog, state_keys(catalog)) as invoker:
        facts = RequestFacts(id=new_error_id(), tool=tool.name)
        context = CallContext(utc_now(), caller, facts, ask=Person(tool.name, agrees).ask)
        return await invoker.call_tool(tool, arguments, context)


def _print(result: CallResult, output: Output) -> None:
    if result.is_error:
        output.fail("\n".join(_text(block) for block in result.content))
    if output.format == "json":
        output.result(_as_json(result))
    elif not result.is_error and not output.quiet:
        texts = _texts(result)
        note = texts.pop() if result.has_note else None
        for text in texts:
            output.result(text)
        if note is not None:
            output.say(note)


def _texts(result: CallResult) -> list[str]:
    long = [] if result.long is None else ["".join(result.long.text())]
    return long + [_text(block) for block in result.content]


def _text(block: ContentBlock) -> str:
    if isinstance(block, TextContent):
        return block.text
    return f"[{type(block).__name__}]"


def _as_json(result: CallResult) -> str:
    shown: dict[str, object] = {
        "content": _texts(result),
        "isError": result.is_error,
    }
    if result.long is not None:
        shown["structuredContent"] = decode(b"".join(result.long.structured()))
    elif result.structured is not None:
        shown["structuredContent"] = decode(result.structured)
    return encode_indented(shown).decode()
