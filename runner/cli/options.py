"""Options that the commands share: the file, the format, how much is said."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

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


def output_options(*formats: str) -> Callable[[Command], Command]:
    """`--format`, `-q`, `-v`, `--no-color`; the command receives them by these names."""

    def add(command: Command) -> Command:
        for option in (
            click.option("--no-color", is_flag=True, help="No colours, also on a terminal."),
            click.option("-v", "--verbose", is_flag=True, help="Say more."),
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
