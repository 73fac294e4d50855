"""The command `mcp-run`: its subcommands, and where every failure gets a last word."""

import secrets
import sys
from collections.abc import Sequence

import click

from runner.cli.console import Output
from runner.cli.encoding import speak_utf8
from runner.cli.lazy import LazyGroup
from runner.cli.options import EXIT_FAULTS, EXIT_USAGE
from runner.errors import StartError
from runner.unexpected import place_of, traced

ISSUES = "https://github.com/mcp-run/mcp-run/issues"
EXIT_INTERRUPTED = 130
"""What a shell says of a command that Ctrl-C ended."""
ERROR_ID_BYTES = 6

COMMANDS = {
    "serve": "runner.cli.serve:serve",
    "validate": "runner.cli.validate:validate",
    "list": "runner.cli.listing:list_tools",
    "call": "runner.cli.call:call",
    "explain": "runner.cli.explain:explain",
    "health": "runner.cli.health:health",
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
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        status = group.main(given, prog_name="mcp-run", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort as error:
        return _aborted(error)
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except StartError as error:
        Output().fail(f"error: {error}", hint=error.hint)
        status = EXIT_FAULTS
    except Exception as error:
        status = _report(error, is_verbose=bool({"-v", "--verbose"} & set(given)))
    return status if isinstance(status, int) else 0


def _aborted(error: click.Abort) -> int:
    if isinstance(error.__cause__, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    Output().fail("aborted")
    return EXIT_FAULTS


def _report(error: Exception, *, is_verbose: bool) -> int:
    """Says that this is a bug and where; with -v the traceback, which may hold values."""
    if is_verbose:
        Output().fail(traced(error))
    Output().fail(
        f"error {secrets.token_hex(ERROR_ID_BYTES)}: unexpected {place_of(error)}",
        hint=f"please report it at {ISSUES}" + ("" if is_verbose else "; -v shows the traceback"),
    )
    return EXIT_FAULTS
