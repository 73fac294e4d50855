"""`mcp-run explain`: one call planned, without running it."""

from pathlib import Path

import click

from runner.app import new_error_id, utc_now
from runner.catalog.call import CallContext, RequestFacts
from runner.cli.arguments import read_arguments
from runner.cli.call import tool_named
from runner.cli.explained.call import explain_call
from runner.cli.explained.outline import outline
from runner.cli.options import EXIT_FAULTS, begin, file_option, output_options
from runner.cli.project import caller_named, read_catalog
from runner.codec.json import encode_indented
from runner.errors import CallError

EXAMPLES = """\b
Examples:
  mcp-run explain search_prompts query='cold email' --as demo
  mcp-run explain create_prompt --json '{"title": "New", "text": "…"}'
  mcp-run explain forecast city=Bern --format json | jq .http.url
"""


@click.command(epilog=EXAMPLES)
@click.argument("tool")
@click.argument("words", metavar="[NAME=VALUE]…", nargs=-1)
@click.option("--json", "whole", metavar="OBJECT", help="The arguments as JSON; - reads them.")
@click.option("--as", "who", metavar="CALLER", help="A name of `callers`, or a file of claims.")
@file_option
@output_options("text", "json")
def explain(
    tool: str, words: tuple[str, ...], *, whole: str | None, who: str | None, path: Path,
    form: str, quiet: bool, verbose: bool, no_color: bool,
) -> int:  # fmt: skip
    """Show what a call of TOOL would do, without doing it.

    Each SQL statement as it would be sent with what is bound where, each HTTP request with its
    credentials masked, each Python call with its arguments; and the limits of the call. No
    database is opened and nothing is sent. With -q only what keeps the call from running.
    """
    output = begin(form, quiet=quiet, verbose=verbose, no_color=no_color)
    arguments = read_arguments(words, whole)
    catalog = read_catalog(path, output, connects=False)
    if catalog is None:
        return EXIT_FAULTS
    found = tool_named(catalog, tool)
    facts = RequestFacts(id=new_error_id(), tool=found.name)
    context = CallContext(utc_now(), caller_named(catalog, who), facts)
    try:
        shown = explain_call(catalog, found, arguments, context)
    except CallError as error:
        output.fail(str(error))
        return EXIT_FAULTS
    if not quiet:
        output.result(encode_indented(shown).decode() if form == "json" else outline(shown))
    return 0
