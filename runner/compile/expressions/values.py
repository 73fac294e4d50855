"""The values of expressions: how an item is reached, and what a value becomes outside.

Items of mappings and lists can be read, and of our own objects the fields in `FIELDS`; no other
attribute of any object is ever touched.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from jinja2.runtime import LoopContext

from runner.catalog.call import RequestFacts
from runner.catalog.caller import Caller
from runner.catalog.expressions import ABSENT, Absent, ExpressionError
from runner.codec.json import encode
from runner.codec.values import decimal, integer, number
from runner.compile.expressions.limits import Meter, check_length, units_of, weigh

MISSING: Final = object()
"""What `item_of` gives where there is no such item."""

OPEN_FIELDS: Mapping[str, frozenset[str]] = {
    "caller": frozenset({
        "user_id", "email", "client_id", "scopes", "issuer", "claims", "authenticated",
    }),
    "request": frozenset({"id", "tool", "client", "version", "capabilities", "trace"}),
}  # fmt: skip
"""Name in the scope → what may be read of it."""
_DATE_FIELDS = frozenset({"year", "month", "day"})
_LOOP_FIELDS = frozenset({
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem",
})  # fmt: skip
FIELDS: Mapping[type, frozenset[str]] = {
    Caller: OPEN_FIELDS["caller"],
    RequestFacts: OPEN_FIELDS["request"],
    date: _DATE_FIELDS,
    datetime: _DATE_FIELDS | {"hour", "minute", "second", "microsecond"},
    LoopContext: _LOOP_FIELDS,
}

_SCALARS = frozenset({str, int, bool, float, type(None), Decimal, Absent})
_PLAIN_CONTAINERS = frozenset({dict, list})
_MOST_DIGITS = 1000
"""Of a decimal written out; a longer one keeps its exponent."""


def item_of(value: object, key: object) -> object:
    """The item `key` of a mapping or list, or the open field of one of our objects; or MISSING."""
    if isinstance(value, dict | Mapping):
        return value.get(key, MISSING) if isinstance(key, str | int | float) else MISSING
    fields = FIELDS.get(type(value))
    if fields is not None:
        return getattr(value, str(key)) if key in fields else MISSING
    position = _position(key)
    if isinstance(value, list | tuple | str) and position is not None:
        return value[position] if -len(value) <= position < len(value) else MISSING
    return MISSING


def _position(key: object) -> int | None:
    if isinstance(key, str):
        return int(key) if len(key) < 10 and key.isascii() and key.isdecimal() else None
    return key if isinstance(key, int) else None


def iso(moment: date) -> str:
    """A date as `2026-07-28`, an instant as `2026-07-28T09:30:00.000000+00:00`: texts that sort."""
    if isinstance(moment, datetime) and not moment.microsecond:
        return moment.isoformat(timespec="microseconds")
    return moment.isoformat()  # twice as fast, and the same where there are microseconds


def fields_of(value: Caller | RequestFacts) -> dict[str, object]:
    """The open fields of one of our objects, by name."""
    return {name: getattr(value, name) for name in sorted(FIELDS[type(value)])}


def settled(value: object) -> object:
    """A value read from the scope, as it leaves an expression; plain containers are not copied."""
    kind = type(value)
    if kind in _SCALARS or kind in _PLAIN_CONTAINERS:
        return value
    if isinstance(value, date):
        return iso(value)
    return plain(value, Meter())


def plain(value: object, meter: Meter) -> object:
    """A copy made of plain Python values only: no undefined ones, no markup, dates as texts.

    Raises:
        ExpressionError: it is too large, an item is missing, or it is nothing that can be a value.
    """
    return _copied(value, meter, lambda scalar: scalar)


def json_safe(value: object, meter: Meter) -> object:
    """A copy that JSON holds without loss: decimals, large integers, NaN as texts; no ABSENT.

    Raises:
        ExpressionError: as `plain`.
    """
    return _copied(value, meter, _json_scalar)


def _json_scalar(value: object) -> object:
    match value:
        case bool():
            return value
        case int():
            return integer(value)
        case float():
            return number(value)
        case Decimal():
            return decimal(value) if abs(value.adjusted()) < _MOST_DIGITS else str(value)
        case _:
            return None if value is ABSENT else value


def _copied(value: object, meter: Meter, scalar: Callable[[object], object]) -> object:
    match value:
        case str():
            weigh(value, meter)
            return str(value)
        case Mapping():
            meter.charge(1 + len(value))
            return {
                key if type(key) is str else text_of(key, meter): _copied(item, meter, scalar)
                for key, item in value.items()
                if item is not ABSENT
            }
        case list() | tuple() | set() | frozenset():
            ordered = sorted(value, key=str) if isinstance(value, set | frozenset) else value
            return _copied_list(ordered, meter, scalar)
        case Caller() | RequestFacts():
            return _copied(fields_of(value), meter, scalar)
        case _:
            return _copied_scalar(value, meter, scalar)


def _copied_scalar(value: object, meter: Meter, scalar: Callable[[object], object]) -> object:
    weigh(value, meter)  # refuses what is missing
    if isinstance(value, date):
        return iso(value)
    if type(value) not in _SCALARS:
        raise ExpressionError("an expression of this tool gives no value")
    return scalar(value)


def _copied_list(
    value: Iterable[object], meter: Meter, scalar: Callable[[object], object]
) -> list[object]:
    copy: list[object] = []
    for item in value:
        meter.charge(1)
        if item is not ABSENT:
            copy.append(_copied(item, meter, scalar))
    return copy


def text_of(value: object, meter: Meter) -> str:
    """A value inside a text: none is empty, true is `true`, lists and mappings are compact JSON.

    Raises:
        ExpressionError: it is too long, or an item is missing.
    """
    match value:
        case str():
            text = str(value)
        case None | Absent():
            text = ""
        case bool():
            text = "true" if value else "false"
        case int() | float() | Decimal() | date():
            text = str(json_safe(value, meter))
        case _:
            text = json_text(value, meter)
    check_length(len(text))
    meter.charge(units_of(text))
    return text


def json_text(value: object, meter: Meter) -> str:
    """The compact JSON of a value, by the rules of `json_safe`.

    Raises:
        ExpressionError: it is too large, or an item is missing.
    """
    return encode(json_safe(value, meter)).decode()
