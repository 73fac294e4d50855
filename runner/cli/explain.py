"""`mcp-run explain`: one call planned, without running it."""

from pathlib import Path

import click

from runner.app import new_error_id, utc_now
from runner.catalog.call import CallContext, RequestFacts
from runner.cli.arguments import Asked, call_arguments
from runner.cli.console import Output
from runner.cli.explained.call import explain_call
from runner.cli.explained.outline import outline
from runner.cli.explained.shown import as_json
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.project import caller_named, read_catalog, tool_named
from runner.codec.json import encode_indented
from runner.errors import CallError

EXAMPLES = """\b
Examples:
  mcp-run explain search_prompts query='cold email' --as demo
  mcp-run explain create_prompt --json '{"title": "New", "text": "…"}'
  mcp-run explain forecast city=Bern --format json | jq .http.url
"""


@click.command(epilog=EXAMPLES)
@call_arguments
@file_option
@output_options("text", "json")
def explain(*, asked: Asked, path: Path, output: Output) -> int:
    """Show what a call of TOOL would do, without doing it.

    Each SQL statement as it would be sent with what is bound where, each HTTP request with its
    credentials masked, each Python call with its arguments; and the limits of the call. No
    database is opened and nothing is sent. With -q only what keeps the call from running.
    """
    catalog = read_catalog(path, output, connects=False)
    if catalog is None:
        return EXIT_FAULTS
    tool = tool_named(catalog, asked.tool)
    facts = RequestFacts(id=new_error_id(), tool=tool.name)
    context = CallContext(utc_now(), caller_named(catalog, asked.who), facts)
    try:
        shown = explain_call(catalog, tool, asked.arguments, context)
    except CallError as error:
        output.fail(str(error))
        return EXIT_FAULTS
    if not output.quiet:
        is_json = output.format == "json"
        output.result(encode_indented(as_json(shown)).decode() if is_json else outline(shown))
    return 0
