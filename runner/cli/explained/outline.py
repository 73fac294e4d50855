"""An explanation as text: words and values, two spaces a level, long texts as blocks."""

from collections.abc import Iterator, Mapping, Sequence

from runner.codec.json import encode

_INDENT = "  "


def outline(shown: Mapping[str, object]) -> str:
    """The tree as lines; what is empty is left out."""
    return "\n".join(_entries(shown, ""))


def _entries(shown: Mapping[str, object], margin: str) -> Iterator[str]:
    for word, value in shown.items():
        match value:
            case {} | [] if not value:
                continue
            case dict() if _is_short(value):
                yield f"{margin}{word}: {_line(value)}"
            case dict():
                yield f"{margin}{word}:"
                yield from _entries(value, margin + _INDENT)
            case list() if any(isinstance(item, dict) for item in value):
                yield f"{margin}{word}:"
                yield from _items(value, margin + _INDENT)
            case list():
                yield f"{margin}{word}: {', '.join(_scalar(item) for item in value)}"
            case str() if "\n" in value:
                yield f"{margin}{word}:"
                yield from (
                    f"{margin}{_INDENT}{line}" for line in value.splitlines() if line.strip()
                )
            case _:
                yield f"{margin}{word}: {_scalar(value)}"


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
    return (
        value
        if isinstance(value, str) and value.isprintable() and " " not in value
        else (encode(value).decode())
    )


def _scalar(value: object) -> str:
    return value if isinstance(value, str) else encode(value).decode()
