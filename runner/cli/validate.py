"""`mcp-run validate`: every fault of the file at once, with no side effects."""

import os
from pathlib import Path

import click

from runner.app import Checked, check
from runner.bindings.sql.engines import ENGINES
from runner.catalog.plans import own_plans
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.cli.console import Output
from runner.cli.options import EXIT_FAULTS, file_option, output_options
from runner.cli.reports import RENDERERS, count_line, shown_from_here
from runner.cli.words import counted
from runner.transport.descriptors import stray_output_aside

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
def validate(*, path: Path, connects: bool, without_import: bool, output: Output) -> int:
    """Prove the configuration right, without opening a socket or an existing database.

    Prints every fault as path:line:column: code: message, and ends with 0 if the file may be
    served, with 1 if not. Says which databases nothing proved the SQL of. With -q no warnings;
    with -v also which databases it was proven on.
    """
    with stray_output_aside():
        checked = check(path, os.environ, imports=not without_import, connects=connects)
    found = shown_from_here(checked.diagnostics, path)
    is_text = output.format == "text"
    if output.quiet and is_text:
        found = [item for item in found if item.severity == "error"]
    if found or not is_text:
        output.result(RENDERERS[output.format](found))
    for database in _worth_telling(checked, all_of_them=output.verbose):
        output.say(f"database '{database.name}': {_proof(database, checked, connects=connects)}")
    if checked.has_errors:
        output.fail(f"{path}: {count_line(found)}")
        return EXIT_FAULTS
    tools = len(checked.catalog.tools) if checked.catalog is not None else 0
    output.say(f"{path}: {count_line(found)}, {counted(tools, 'tool')}", color="green")
    return 0


def _worth_telling(checked: Checked, *, all_of_them: bool) -> list[Database]:
    """The databases whose SQL nothing has proven: 'no faults' is not all there is to say."""
    if checked.catalog is None or (checked.has_errors and not all_of_them):
        return []
    asked = {
        plan.database
        for tool in checked.catalog.tools.values()
        for plan in own_plans(tool.plan)
        if isinstance(plan, SqlPlan)
    }
    return [
        database
        for name, database in checked.catalog.databases.items()
        if all_of_them or (name in asked and name not in checked.proven)
    ]


def _proof(database: Database, checked: Checked, *, connects: bool) -> str:
    if database.name in checked.proven:
        return "every statement was proven on it" if connects else "proven in memory"
    if database.dialect not in ENGINES:
        return f"its SQL is not proven: nothing can prove a statement of {database.dialect}"
    if database.is_lazy:
        return "its SQL is not proven: with 'startup: lazy' it is not asked"
    return "its SQL is not proven" if connects else "its SQL is not proven; --connect asks it"
