"""The help of every command as Markdown, exactly as `mcp-run COMMAND --help` prints it."""

from collections.abc import Iterator

import click

from runner.cli.main import group

WIDTH = 80


def commands_as_markdown() -> str:
    """A heading and the help of each command, in the order of `mcp-run --help`."""
    return "\n".join(
        f"{'#' * (2 + depth)} `{context.command_path}`\n\n```text\n{_help(context)}\n```\n"
        for depth, context in contexts()
    )


def contexts() -> Iterator[tuple[int, click.Context]]:
    """Every command with its depth below `mcp-run`, groups before their commands."""
    yield from _below(click.Context(group, info_name="mcp-run", **group.context_settings), 0)


def _below(context: click.Context, depth: int) -> Iterator[tuple[int, click.Context]]:
    yield depth, context
    command = context.command
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None and not inner.hidden:
            yield from _below(click.Context(inner, parent=context, info_name=name), depth + 1)


def _help(context: click.Context) -> str:
    context.terminal_width = WIDTH
    return "\n".join(line.rstrip() for line in context.get_help().splitlines())
