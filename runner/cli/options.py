"""Options that the commands share: the file, the format, how much is said.

A command gets what they decide as one value each, by keyword.
"""

import functools
import os
from collections.abc import Callable
from pathlib import Path

import click

from runner.cli.console import Output
from runner.cli.logs import set_up_logging

Command = Callable[..., int]
"""What click calls with the options by keyword; gives the exit status."""

DEFAULT_FILE = "mcp.yaml"
EXIT_FAULTS = 1
EXIT_USAGE = 2


def file_option(command: Command) -> Command:
    """`-f/--file`: the root configuration, as `path`."""
    return click.option(
        "-f",
        "--file",
        "path",
        default=DEFAULT_FILE,
        show_default=True,
        type=click.Path(path_type=Path, dir_okay=False),
        help="The configuration.",
    )(command)


def output_options(*formats: str) -> Callable[[Command], Command]:
    """`--format`, `-q`, `-v`, `--no-color`, as one `output`; sets the log up as they say.

    Raises, when the command runs:
        click.UsageError: the environment asks for a log that there is not.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def with_output(
            *, form: str, quiet: bool, verbose: bool, no_color: bool, **others: object
        ) -> int:
            set_up_logging(os.environ, quiet=quiet, verbose=verbose)
            return command(output=Output(form, quiet, verbose, not no_color), **others)

        return _with_options(with_output, formats)

    return add


def _with_options(command: Command, formats: tuple[str, ...]) -> Command:
    for option in (
        click.option("--no-color", is_flag=True, help="No colours, also on a terminal."),
        click.option("-v", "--verbose", is_flag=True, help="Say more, and log everything."),
        click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong."),
        click.option(
            "--format",
            "form",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="How the result is written.",
        ),
    ):
        command = option(command)
    return command
