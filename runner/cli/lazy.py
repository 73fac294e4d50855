"""A command group that imports a subcommand when it is run, so that each starts fast."""

import gc
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from runner.diagnostics import did_you_mean


class LazyGroup(click.Group):
    """A group whose subcommands are named by place: `package.module:name`."""

    def __init__(self, *, commands_by_place: Mapping[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self._places = commands_by_place

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None where there is none."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        with _collector_at_rest():
            command: object = getattr(importlib.import_module(module), name)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click has it; a name that is none is told with the closest."""
        name = args[0]
        if name not in self._places and not name.startswith("-"):
            hint = did_you_mean(name, self._places)
            ctx.fail(f"no command is named '{name}'" + (f"; {hint}" if hint else ""))
        return super().resolve_command(ctx, args)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No collection meanwhile: what is imported stays, and walking it again and again takes
    a twelfth of the time of the imports."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
