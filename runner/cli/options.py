"""Options that the commands share: the file, the format, how much is said."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from runner.cli.console import Output
from runner.cli.logs import set_up_logging

Command = TypeVar("Command", bound=Callable[..., object])

DEFAULT_FILE = "mcp.yaml"
EXIT_FAULTS = 1
EXIT_USAGE = 2


def file_option(command: Command) -> Command:
    """`-f/--file`: the root configuration."""
    return click.option(
        "-f",
        "--file",
        "path",
        default=DEFAULT_FILE,
        show_default=True,
        type=click.Path(path_type=Path, dir_okay=False),
        help="The configuration.",
    )(command)


def begin(form: str, *, quiet: bool, verbose: bool, no_color: bool) -> Output:
    """What a command that has the output options begins with: its log, and where it writes.

    Raises:
        click.UsageError: the environment asks for a log that there is not.
    """
    set_up_logging(os.environ, quiet=quiet, verbose=verbose)
    return Output(form, quiet, verbose, not no_color)


def output_options(*formats: str) -> Callable[[Command], Command]:
    """`--format`, `-q`, `-v`, `--no-color`; the command receives them by these names."""

    def add(command: Command) -> Command:
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

    return add
