"""A command group that imports a subcommand when it is run, so that each starts fast."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


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
        command: object = getattr(importlib.import_module(module), name)
        return command if isinstance(command, click.Command) else None
