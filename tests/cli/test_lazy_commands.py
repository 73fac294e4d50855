"""A subcommand is imported when it is run, with the collector of garbage at rest meanwhile."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from runner.cli.lazy import LazyGroup

SOURCE = """
import gc
import click

COLLECTS = gc.isenabled()

@click.command()
def command() -> None: ...
"""


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LazyGroup]:
    """A group of one command, whose module nobody has imported."""
    (tmp_path / "lazily_imported.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield LazyGroup(commands_by_place={"one": "lazily_imported:command"})
    sys.modules.pop("lazily_imported", None)


@pytest.mark.parametrize("collects", [True, False], ids=["collecting", "not collecting"])
def test_collector_rests_while_a_command_is_imported(group: LazyGroup, collects: bool) -> None:
    """It would walk all that was imported so far again and again, and find nothing."""
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        found = group.get_command(click.Context(group), "one")
        after = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()

    assert isinstance(found, click.Command)
    assert after is collects
    assert sys.modules["lazily_imported"].COLLECTS is False


def test_nothing_is_imported_to_say_what_there_is(group: LazyGroup) -> None:
    assert group.list_commands(click.Context(group)) == ["one"]
    assert group.get_command(click.Context(group), "two") is None
    assert "lazily_imported" not in sys.modules
