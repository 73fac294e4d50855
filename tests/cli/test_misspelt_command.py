"""A command that does not exist is told with the one that is meant."""

from pathlib import Path

import pytest

from tests.cli.command import here


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("serv", "no command is named 'serv'; did you mean 'serve'?"),
        ("xyz", "no command is named 'xyz'"),
    ],
)
def test_a_misspelt_command_is_told_with_the_closest(
    tmp_path: Path, written: str, told: str
) -> None:
    ended = here(written, folder=tmp_path)
    assert (ended.status, ended.err.splitlines()[-1]) == (2, f"Error: {told}")
