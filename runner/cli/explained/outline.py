"""An explanation as text: words and values, two spaces a level, long texts as blocks.

Values are JSON, so that a list is no text with commas and a text no number; ours are words.
"""

from collections.abc import Iterator, Mapping, Sequence

from runner.cli.explained.shown import Exact
from runner.codec.json import encode

_INDENT = "  "


def outline(shown: Mapping[str, object]) -> str:
    """The tree as lines; what is empty is left out."""
    return "\n".join(_entries(shown, ""))


def _entries(shown: Mapping[str, object], margin: str) -> Iterator[str]:
    for word, value in shown.items():
        if value in ({}, [], Exact([]), Exact({})):
            continue
        match _block(value, margin + _INDENT):
            case None:
                yield f"{margin}{word}: {_short(value)}"
            case block:
                yield f"{margin}{word}:"
                yield from block


def _block(value: object, margin: str) -> Iterator[str] | None:
    """The lines below the word; None where the value stands beside it."""
    match value:
        case dict() if not _is_short(value):
            return _entries(value, margin)
        case list() if any(isinstance(item, dict) or " " in item for item in value):
            return _items(value, margin)
        case str() if "\n" in value:
            return (f"{margin}{line}" for line in value.splitlines() if line.strip())
        case _:
            return None


def _short(value: object) -> str:
    match value:
        case dict():
            return _line(value)
        case list():
            return ", ".join(_scalar(item) for item in value)
        case _:
            return _scalar(value)


def _items(items: Sequence[object], margin: str) -> Iterator[str]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            yield f"{margin}{_scalar(item)}"
        elif _is_short(item):
            yield f"{margin}{_line(item)}"
        else:
            yield f"{margin}{number}."
            yield from _entries(item, margin + _INDENT)


def _is_short(shown: Mapping[str, object]) -> bool:
    """Single values alone, few and short enough for one line."""
    return not any(
        isinstance(value, dict | list) or (isinstance(value, str) and "\n" in value)
        for value in shown.values()
    )


def _line(shown: Mapping[str, object]) -> str:
    return "  ".join(f"{word}={_quoted(value)}" for word, value in shown.items())


def _quoted(value: object) -> str:
    if isinstance(value, Exact):
        return _scalar(value)
    return (
        value
        if isinstance(value, str) and value.isprintable() and " " not in value
        else (encode(value).decode())
    )


def _scalar(value: object) -> str:
    if isinstance(value, Exact):
        value = encode(value.value).decode()
    return value if isinstance(value, str) else encode(value).decode()
