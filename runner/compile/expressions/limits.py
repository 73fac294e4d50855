"""How much an expression may do: the meter of one evaluation, and what values weigh.

Everything that loops, copies, compares or writes a value pays for it first, so that no expression
of any author over any arguments holds a worker for long or fills its memory. Shared parts count
each time they are reached, as they do when they are compared or written.
"""

from collections.abc import Mapping
from decimal import Decimal

from jinja2.runtime import Undefined

from runner.catalog.expressions import ExpressionError

MAX_TEXT_CHARACTERS = 1024 * 1024
"""Of any text that an expression makes, and of a template's whole output; as `max_bytes`."""
MAX_WORK = 2_000_000
"""Units of one evaluation: an element or 64 characters touched; about half a second at worst."""
MAX_SOURCE_CHARACTERS = 256 * 1024
"""Of an expression or template in the file."""
MAX_INTEGER_BITS = 4096
MAX_EXPONENT = 10_000

_CHARACTERS_A_UNIT = 64


class Meter:
    """What is left of one evaluation's work."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_WORK

    def charge(self, units: int) -> None:
        """Takes `units` away.

        Raises:
            ExpressionError: nothing is left.
        """
        self.left -= units
        if self.left < 0:
            raise ExpressionError("an expression of this tool takes too much work")


def missing(name: object) -> ExpressionError:
    """The error of a missing item; names what the author wrote, never a value around it."""
    return ExpressionError(f"'{str(name)[:100]}' is missing")


def units_of(text: str) -> int:
    """What it costs to touch `text`."""
    return 1 + len(text) // _CHARACTERS_A_UNIT


def check_length(characters: int) -> None:
    """Guarantees that a text of `characters` may be made.

    Raises:
        ExpressionError: it may not.
    """
    if characters > MAX_TEXT_CHARACTERS:
        raise ExpressionError("an expression of this tool makes too long a text")


def weigh(value: object, meter: Meter) -> None:
    """Charges for every part of `value`, as deep as it goes.

    Raises:
        ExpressionError: it is too large, or an item in it is missing.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        match item:
            case str():
                check_length(len(item))
                meter.charge(units_of(item))
            case bool() | float() | Decimal() | None:
                meter.charge(1)
            case int():
                meter.charge(1)
                if item.bit_length() > MAX_INTEGER_BITS:
                    raise ExpressionError("an expression of this tool makes too large a number")
            case list() | tuple() | set() | frozenset():
                meter.charge(1 + len(item))
                pending.extend(item)
            case Mapping():
                meter.charge(1 + 2 * len(item))
                pending.extend(item.keys())
                pending.extend(item.values())
            case Undefined():
                raise missing(item._undefined_name)
            case _:
                meter.charge(1)
