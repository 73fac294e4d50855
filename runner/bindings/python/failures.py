"""What the log is told of an author's exception: where it came from, and no argument's value.

The text is made here and logged as text, so that no handler finds frames with locals in it.
"""

import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_OWN: Final = str(Path(__file__).parent)
SHORT: Final = 3
"""Values shorter than this stand in any text by chance, and are left."""
HIDDEN: Final = "‹argument›"


def explanation(error: BaseException, arguments: Mapping[str, object]) -> str:
    """The tracebacks of the error and of its causes, the innermost first, arguments hidden."""
    values = sorted(set(_texts(arguments)), key=len, reverse=True)
    return "\ncaused:\n".join(_explained(item, values) for item in reversed([*_causes(error)]))


def only_cause(error: BaseException) -> BaseException:
    """The one exception in a group of one, however nested: what a task group wraps."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        hides = current.__suppress_context__
        current = current.__cause__ or (None if hides else current.__context__)


def _explained(error: BaseException, values: list[str]) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    authors = [frame for frame in frames if not frame.filename.startswith(_OWN)]
    text = str(error)
    for value in values:
        text = text.replace(value, HIDDEN)
    lines = [*traceback.format_list(authors), f"{type(error).__qualname__}: {text}"]
    if isinstance(error, BaseExceptionGroup):
        lines.extend(f"\n  in the group: {_explained(item, values)}" for item in error.exceptions)
    return "".join(lines)


def _texts(value: object) -> Iterator[str]:
    """Every text and number in the arguments, as it would stand in a message."""
    match value:
        case Mapping():
            for item in value.values():
                yield from _texts(item)
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from _texts(item)
        case bool() | None:
            return
        case _ if len(text := str(value)) >= SHORT:
            yield text
