"""How values and JSON types read in a fault: `'ten'`, `a list`, `an integer`.

Long values are cut, so that a fault never repeats a document.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal

LONGEST = 60
"""Characters of a value that a fault shows."""

TYPES: Mapping[str, str] = {
    "string": "text", "integer": "an integer", "number": "a number", "boolean": "true or false",
    "object": "an object", "array": "a list", "null": "null",
}  # fmt: skip
_ORDER = list(TYPES)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def found(value: object) -> str:
    """A sent value in a reader's words."""
    match value:
        case None | bool():
            return "null" if value is None else str(value).lower()
        case str():
            return f"'{_cut(value)}'"
        case int() if value.bit_length() > 10 * LONGEST:
            return "a huge integer"
        case int() | float() | Decimal():
            return _cut(str(value))
        case list() | tuple():
            return "a list"
        case _:
            return "an object"


def types(names: Iterable[str]) -> str:
    """JSON types in a reader's words: `an integer or null`."""
    return " or ".join(TYPES[name] for name in sorted(names, key=_ORDER.index))


def values(options: Iterable[object], *, most: int = 20) -> str:
    """Values that are allowed: `'a', 'b' or 3`; a long list is cut."""
    words = [found(option) for option in options]
    if len(words) > most:
        return f"one of {', '.join(words[:most])} and {len(words) - most} more"
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"
