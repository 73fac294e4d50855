"""Lossless coercion: how a sent value is written before the schema judges it.

Numbers and booleans sent as text, objects and lists sent as JSON text, decimals and 64-bit integers
in either form; defaults; null for what admits no null. Nothing is guessed, rounded or cut: what
cannot be read without loss is left as it was, and the schema's check names it. Never changes what
was sent.
"""

import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from runner.arguments.phrases import found
from runner.arguments.shapes import Shape
from runner.catalog.expressions import ABSENT
from runner.codec.json import MAX_SAFE_INTEGER, JsonFault, decode
from runner.codec.paths import Path

Fit = Callable[[object], object]

MIN_INT64, MAX_INT64 = -(2**63), 2**63 - 1
MAX_DIGITS = 1000
"""Of a number sent as text: more than any engine's exact numeric is used with."""
EXACT_DIGITS = 15
"""Decimal digits that a JSON number surely keeps on its way through a double."""
MAX_DEPTH = 100
"""Of nested lists and objects in arguments."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?\Z")


class Unfit(Exception):  # noqa: N818 - a signal inside this package, never an error of its own
    """Values that cannot be read; `value` is the whole with those left as sent."""

    def __init__(self, value: object, faults: list[tuple[Path, str]]) -> None:
        super().__init__()
        self.value = value
        self.faults = faults

    def below(self, step: str | int) -> list[tuple[Path, str]]:
        """The faults as the parent sees them."""
        return [((step, *path), message) for path, message in self.faults]


def _unfit(value: object, expected: str, *, advice: str = "") -> Unfit:
    return Unfit(value, [((), f"expected {expected}, found {found(value)}{advice}")])


def measure(value: object, limit: int) -> str | None:
    """What is too much about a value, or None: more than `limit` values in it, or too deep."""
    total = 0
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                below += item.values()
            elif isinstance(item, list):
                below += item
        total += len(below)
        if total > limit:
            return f"expected at most {limit} values, nested ones counted, found more"
        if not below:
            return None
        level = below
    return f"expected at most {MAX_DEPTH} levels of nesting, found more"


def _keep(value: object) -> object:
    return value


def _whole(value: float) -> object:
    """An integral float as an integer; a fraction stays."""
    if not value.is_integer():
        return value
    if abs(value) > MAX_SAFE_INTEGER:
        raise _unfit(value, "an integer", advice=": its digits are lost, send it as text")
    return int(value)


_DOUBLE = "a number that a double holds exactly"


def _integer(value: object) -> object:
    if type(value) is float:
        return _whole(value)
    return value


def _integer_or_text(value: object) -> object:
    if type(value) is str and len(value) <= MAX_DIGITS and _INTEGER.match(value):
        return int(value)
    return _integer(value)


def _number(value: object) -> object:
    if type(value) is float and not math.isfinite(value):
        raise _unfit(value, "a finite number")
    if type(value) is int and not _is_double(value):
        raise _unfit(value, _DOUBLE)
    return value


def _is_double(value: int) -> bool:
    """Engines hold a number as a double, which would round it or have no place for it."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _number_or_text(value: object) -> object:
    if type(value) is not str or len(value) > MAX_DIGITS or not _NUMBER.match(value):
        return _number(value)
    if _INTEGER.match(value):
        return _number(int(value))
    number = float(value)
    if not math.isfinite(number) or Decimal(repr(number)) != Decimal(value):
        raise _unfit(value, _DOUBLE)
    return number


def _boolean_or_text(value: object) -> object:
    if value == "true":
        return True
    return False if value == "false" else value


def _decimal(value: object) -> object:
    match value:
        case Decimal():
            return value
        case bool():
            pass
        case int():
            return Decimal(value)
        case float() if math.isfinite(value):
            number = Decimal(repr(value))
            if len(number.normalize().as_tuple().digits) > EXACT_DIGITS:
                raise _unfit(
                    value,
                    f"a decimal of at most {EXACT_DIGITS} digits",
                    advice=": send it as text",
                )
            return number
        case str() if len(value) <= MAX_DIGITS and _DECIMAL.match(value):
            return Decimal(value)
    raise _unfit(value, "a decimal number such as '12.50'")


def _int64(value: object) -> object:
    number = _integer_or_text(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise _unfit(value, "an integer")
    if not MIN_INT64 <= number <= MAX_INT64:
        raise _unfit(value, "an integer of 64 bits")
    return number


def _parsed(value: str, mark: str, limit: int) -> object:
    """The list or object that a JSON text holds; the text itself where it holds none."""
    if not value.lstrip().startswith(mark):
        return value
    try:
        parsed = decode(value)
    except JsonFault:
        return value
    excess = measure(parsed, limit)
    if excess is not None:
        raise Unfit(value, [((), excess)])
    return parsed


def _list_fit(fit: Fit, *, text_limit: int | None) -> Fit:
    def collect(items: list[object]) -> list[object]:
        values: list[object] = []
        faults: list[tuple[Path, str]] = []
        for index, item in enumerate(items):
            try:
                values.append(fit(item))
            except Unfit as unfit:
                values.append(unfit.value)
                faults += unfit.below(index)
        raise Unfit(values, faults)

    def fit_list(value: object) -> object:
        if text_limit is not None and type(value) is str:
            value = _parsed(value, "[", text_limit)
        if not isinstance(value, list):
            return value
        try:
            return [fit(item) for item in value]
        except Unfit:
            return collect(value)

    return fit_list


@dataclass(frozen=True, slots=True)
class _ObjectFit:
    """The fit of an object: each member's own, nulls that mean absent, defaults."""

    fits: Mapping[str, Fit]
    never_null: frozenset[str]
    defaults: Sequence[tuple[str, Callable[[], object]]]
    drops_unknown: bool
    text_limit: int | None

    def __call__(self, value: object) -> object:
        if self.text_limit is not None and type(value) is str:
            value = _parsed(value, "{", self.text_limit)
        if type(value) is dict or isinstance(value, Mapping):
            return self._members(value)
        return value

    def _members(self, value: Mapping[str, object]) -> dict[str, object]:
        if self.drops_unknown:
            value = {name: item for name, item in value.items() if name in self.fits}
        result: dict[str, object] = {}
        faults: list[tuple[Path, str]] = []
        for name, item in value.items():
            if item is None and name in self.never_null:
                continue
            try:
                result[name] = self.fits.get(name, _keep)(item)
            except Unfit as unfit:
                result[name] = unfit.value
                faults += unfit.below(name)
        for name, default in self.defaults:
            if name not in result:
                result[name] = default()
        if faults:
            raise Unfit(result, faults)
        return result


def _object_fit(shape: Shape, *, coerce: bool, limit: int) -> Fit:
    members = shape.members
    return _ObjectFit(
        {name: fit_of(m.shape, coerce=coerce, limit=limit) for name, m in members.items()},
        frozenset(name for name, member in members.items() if not member.shape.nullable),
        [(n, _copier(m.default)) for n, m in members.items() if m.default is not ABSENT],
        shape.drops_unknown,
        limit if coerce else None,
    )


def _copier(default: object) -> Callable[[], object]:
    if isinstance(default, list | dict):
        return lambda: copy.deepcopy(default)
    return lambda: default


_EXACT: Mapping[str, Fit] = {
    "integer": _integer, "number": _number, "decimal": _decimal, "int64": _int64,
}  # fmt: skip
_FROM_TEXT: Mapping[str, Fit] = {
    "integer": _integer_or_text, "number": _number_or_text, "boolean": _boolean_or_text,
    "decimal": _decimal, "int64": _int64,
}  # fmt: skip


def _or_null(fit: Fit) -> Fit:
    return lambda value: None if value is None else fit(value)


def fit_of(shape: Shape, *, coerce: bool, limit: int) -> Fit:
    """A function that gives a sent value in the form of `shape`; built once, run per call.

    Without `coerce` only what the schema itself admits is rewritten: `42.0` as 42, the text of a
    decimal. `limit` bounds the values in a JSON text.

    The function raises:
        Unfit: something cannot be read; it lists every such place.
    """
    match shape.kind:
        case "object":
            return _object_fit(shape, coerce=coerce, limit=limit)
        case "array":
            item = fit_of(shape.item or Shape(), coerce=coerce, limit=limit)
            return _list_fit(item, text_limit=limit if coerce else None)
        case kind:
            fit = (_FROM_TEXT if coerce else _EXACT).get(kind, _keep)
            # Both would refuse null with words of their own; the schema decides instead.
            return _or_null(fit) if kind in ("decimal", "int64") else fit
