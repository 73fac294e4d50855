"""`mcp-run validate`: every fault of the file at once, with no side effects."""

import os
from pathlib import Path

import click

from runner.app import Checked, check
from runner.cli.options import EXIT_FAULTS, begin, file_option, output_options
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
    served, with 1 if not. With -q no warnings; with -v which databases it was proven on.
    """
    output = begin(form, quiet=quiet, verbose=verbose, no_color=no_color)
    checked = check(path, os.environ, imports=not without_import, connects=connects)
    found = shown_from_here(checked.diagnostics, path)
    if quiet and form == "text":
        found = [item for item in found if item.severity == "error"]
    if found or form != "text":
        output.result(RENDERERS[form](found))
    if verbose and checked.catalog is not None:
        for name in checked.catalog.databases:
            output.say(f"database '{name}': {_proof(name, checked, connects=connects)}")
    if checked.has_errors:
        output.fail(f"{path}: {count_line(found)}")
        return EXIT_FAULTS
    tools = len(checked.catalog.tools) if checked.catalog is not None else 0
    output.say(f"{path}: {count_line(found)}, {counted(tools, 'tool')}", color="green")
    return 0


def _proof(name: str, checked: Checked, *, connects: bool) -> str:
    if name in checked.proven:
        return "every statement was proven on it" if connects else "proven in memory"
    return "not proven" if connects else "not proven; --connect asks it"
