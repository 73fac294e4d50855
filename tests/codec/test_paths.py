"""Paths into values."""

import pytest

from runner.codec.paths import Path, dotted, value_at

VALUE = {"steps": [{"text": "a"}], "0": "key"}


@pytest.mark.parametrize(
    ("path", "written"),
    [((), ""), (("steps",), "steps"), (("steps", 0, "text"), "steps[0].text"), ((0,), "[0]")],
)
def test_path_reads_as_keys_with_positions_in_brackets(path: Path, written: str) -> None:
    assert dotted(path) == written


@pytest.mark.parametrize(
    ("path", "found"),
    [((), VALUE), (("steps", 0, "text"), "a"), (("0",), "key")],
    ids=["root", "through a list", "a key of digits"],
)
def test_path_leads_to_what_stands_there(path: Path, found: object) -> None:
    assert value_at(VALUE, path) == found


@pytest.mark.parametrize("path", [("steps", 1), ("steps", "0"), (0,), ("steps", 0, "text", "x")])
def test_path_to_nothing_gives_none(path: Path) -> None:
    assert value_at(VALUE, path) is None
