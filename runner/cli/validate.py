"""`mcp-run validate`: every fault of the file at once, with no side effects."""

import os
from pathlib import Path

import click

from runner.app import check
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.reports import RENDERERS, count_line, counted, shown_from_here

EXAMPLES = """\b
Examples:
  mcp-run validate
  mcp-run validate -f servers/sales.yaml --format github
  mcp-run validate --connect        # prove every statement on the real databases
"""


@click.command(epilog=EXAMPLES)
@file_option
@click.option("--connect", "connects", is_flag=True, help="Prove on the real databases too.")
@click.option("--no-import", "without_import", is_flag=True, help="Import no Python callables.")
@output_options(*RENDERERS)
def validate(
    path: Path, *, connects: bool, without_import: bool, form: str, quiet: bool, verbose: bool,
    no_color: bool,
) -> int:  # fmt: skip
    """Prove the configuration right, without opening a socket or an existing database.

    Prints every fault as path:line:column: code: message, and ends with 0 if the file may be
    served, with 1 if not.
    """
    output = Output(form, quiet, verbose, not no_color)
    checked = check(path, os.environ, imports=not without_import, connects=connects)
    found = shown_from_here(checked.diagnostics, path)
    if found or form != "text":
        output.result(RENDERERS[form](found))
    elif not quiet:
        tools = len(checked.catalog.tools) if checked.catalog is not None else 0
        output.say(f"{path}: {count_line(())}, {counted(tools, 'tool')}", style="green")
    return EXIT_FAULTS if checked.has_errors else 0
