"""Scalars of the file as values, where a type is known and where none is."""

import pytest

from runner.compile.schemas.constants import is_ambiguous, typed_scalar
from runner.config.nodes import Scalar
from runner.diagnostics import Position

_HERE = Position("mcp.yaml", 1, 1)


def plain(text: str, *, interpolated: bool = False) -> Scalar:
    """An unquoted scalar."""
    return Scalar(text, _HERE, plain=True, interpolated=interpolated)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("5", "integer", 5), ("0123", "integer", "0123"), ("1e3", "number", "1e3"),
        ("2.5", "number", 2.5), ("true", "boolean", True), ("yes", "boolean", "yes"),
        ("5", "string", "5"), ("NO", "string", "NO"), ("null", "string", "null"),
        ("null", "integer", None), ("1.50", "decimal", "1.50"), ("5", "int64", 5),
        ("9007199254740993", "int64", "9007199254740993"), ("2024-01-01", "date", "2024-01-01"),
    ],
)  # fmt: skip
def test_a_type_decides_how_a_plain_scalar_is_read(text: str, word: str, expected: object) -> None:
    value = typed_scalar(plain(text), word, nullable=False)
    assert (value, type(value)) == (expected, type(expected))


def test_plain_null_is_null_where_it_is_a_value() -> None:
    assert typed_scalar(plain("null"), "string", nullable=True) is None
    assert typed_scalar(Scalar("null", _HERE), "string", nullable=True) == "null"


def test_what_the_environment_gave_is_typed_by_the_field() -> None:
    value = plain("007", interpolated=True)
    assert typed_scalar(value, "string", nullable=False) == "007"
    assert typed_scalar(plain("7", interpolated=True), "integer", nullable=False) == 7


@pytest.mark.parametrize(
    "text", ["NO", "off", "null", "~", "", "1", "0123", "1e3", "1_000", "0x1F", "12:30:00", ".inf"]
)
def test_a_plain_text_that_others_read_otherwise_is_ambiguous(text: str) -> None:
    assert is_ambiguous(plain(text), "string")
    assert not is_ambiguous(Scalar(text, _HERE), "string")
    assert not is_ambiguous(plain(text), "decimal")


@pytest.mark.parametrize("text", ["Norway", "a1", "1a", "published", "on-call"])
def test_a_word_is_not_ambiguous(text: str) -> None:
    assert not is_ambiguous(plain(text), "string")
