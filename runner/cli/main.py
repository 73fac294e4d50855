"""The command `mcp-run`: its subcommands, and where every failure gets a last word."""

import sys
from collections.abc import Sequence

import click

from runner.cli.encoding import speak_utf8
from runner.cli.lazy import LazyGroup
from runner.cli.options import EXIT_FAULTS, EXIT_USAGE
from runner.errors import StartError

COMMANDS = {
    "serve": "runner.cli.serve:serve",
    "validate": "runner.cli.validate:validate",
    "list": "runner.cli.listing:list_tools",
    "call": "runner.cli.call:call",
    "explain": "runner.cli.explain:explain",
    "schema": "runner.cli.schema:schema",
}
"""Subcommand → where it is; each is imported when it is run."""


@click.group(
    cls=LazyGroup,
    commands_by_place=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: mcp-run validate, then mcp-run serve",
)
@click.version_option(package_name="mcp-runner", prog_name="mcp-run")
def group() -> None:
    """One file, mcp.yaml, becomes a safe, fast MCP server."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process: 0 good, 1 faults, 2 usage."""
    speak_utf8()
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status. Each status that is not 0 has said why."""
    try:
        status = group.main(arguments, prog_name="mcp-run", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except click.Abort:
        click.echo("aborted", err=True)
        return EXIT_FAULTS
    except StartError as error:
        click.secho(f"error: {error}", fg="red", err=True)
        if error.hint:
            click.echo(f"  hint: {error.hint}", err=True)
        return EXIT_FAULTS
    return status if isinstance(status, int) else 0
