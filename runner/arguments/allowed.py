"""Values that a query allows: the column read by the parameter's type, and what is not among them.

The words are those of `enum`.
"""

from collections.abc import Sequence
from functools import partial

from runner.arguments.formats import CHECKERS
from runner.arguments.phrases import TYPES, found, values
from runner.catalog.allowed import MAX_ALLOWED, Allowed, Values
from runner.catalog.allowed_source import AllowedSource
from runner.catalog.tool import Tool
from runner.errors import FieldFault


def allowed(name: str, source: str, word: str, *, is_list: bool) -> Allowed:
    """How the parameter `name`, of the type `word`, is held to the values of `source`."""
    faults = _of_list if is_list else _of_value
    return Allowed(source, is_list, partial(faults, name, word))


def allowed_source(tool: Tool, word: str, *, refresh_s: float) -> AllowedSource:
    """Where values of the type `word` come from."""
    return AllowedSource(tool, refresh_s, partial(_read, word))


def _read(word: str, column: Sequence[object]) -> Values:
    if len(column) > MAX_ALLOWED:
        raise ValueError(f"there are more than {MAX_ALLOWED}")
    ordered: dict[str | int, None] = {}
    for value in column:
        if value is None:
            continue
        is_right = type(value) is int if word == "integer" else isinstance(value, str)
        if not is_right or not isinstance(value, str | int):
            kind = TYPES["integer" if word == "integer" else "string"]
            raise ValueError(f"expected {kind}, found {found(value)}")
        if word in CHECKERS and not CHECKERS[word](str(value)):
            raise ValueError(f"expected a {word}, found {found(value)}")
        ordered[value] = None
    return Values(tuple(ordered), frozenset(_compared(word, value) for value in ordered))


def _compared(word: str, value: str | int) -> str | int:
    """A UUID is the same in either case."""
    return value.lower() if word == "uuid" and isinstance(value, str) else value


def _of_value(name: str, word: str, value: object, options: Values) -> Sequence[FieldFault]:
    if isinstance(value, str | int) and _compared(word, value) in options.known:
        return ()
    return (FieldFault(name, _words(value, options)),)


def _of_list(name: str, word: str, value: object, options: Values) -> Sequence[FieldFault]:
    elements = value if isinstance(value, list) else []
    return [
        FieldFault(f"{name}[{index}]", _words(element, options))
        for index, element in enumerate(elements)
        if _compared(word, element) not in options.known
    ]


def _words(value: object, options: Values) -> str:
    if not options.ordered:
        return f"no value is allowed at present, found {found(value)}"
    return f"expected {values(options.ordered)}, found {found(value)}"
