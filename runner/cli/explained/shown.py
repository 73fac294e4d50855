"""What an explanation is made of, and what it knows of the call."""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.catalog.call import Call
from runner.catalog.catalog import Catalog
from runner.catalog.plans import StepsTransaction
from runner.codec.values import UnknownTypeError, plain

Shown = dict[str, object]
"""A part of an explanation: JSON values by word, in the order in which they are read."""
MASK = "***"


@dataclass(frozen=True, slots=True)
class Exact:
    """Somebody's value, which is shown as JSON; all else are words of ours."""

    value: object


@dataclass(frozen=True, slots=True)
class Situation:
    """One call as far as it is known before it runs."""

    catalog: Catalog
    call: Call
    hidden: Mapping[str, str]
    """Hidden parameter → its expression as written."""
    later: frozenset[str] = frozenset()
    """Names whose values only earlier steps give."""
    transaction: StepsTransaction | None = None
    """What the call is a part of."""


def seconds(value: float) -> str:
    """A duration as the file writes it."""
    return f"{value * 1000:g}ms" if 0 < value < 1 else f"{value:g}s"


def shown_value(value: object) -> Exact | str:
    """The value as JSON; one that has no JSON form by its type's name."""
    try:
        return Exact(plain(value))
    except UnknownTypeError:
        return f"({type(value).__name__})"


def as_json(shown: object) -> object:
    """The explanation as JSON values."""
    match shown:
        case Exact(value):
            return value
        case dict():
            return {word: as_json(part) for word, part in shown.items()}
        case list():
            return [as_json(part) for part in shown]
        case _:
            return shown
