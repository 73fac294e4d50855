"""Any value of a driver or of an author's code as strict JSON, without loss.

The one codec of results: structured content, texts, views, the audit log. Knows no engine and no
wire; what it does not know is an error that names the type, never a repr.

| value | becomes |
|---|---|
| int beyond ±(2^53−1) | text |
| Decimal | its exact text, never with an exponent; a number where asked for and exact |
| NaN, infinities | `"NaN"`, `"Infinity"`, `"-Infinity"` |
| date, time, datetime | ISO 8601; an offset if aware, never one if naive |
| timedelta | ISO 8601 duration |
| UUID | lower-case text |
| bytes | base64 |
"""

import base64
import ipaddress
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Final, Literal
from uuid import UUID

from runner.codec.json import (
    MAX_SAFE_INTEGER,
    Json,
    JsonFault,
    decode_exact,
    decode_lenient,
    is_json,
)

Decimals = Literal["text", "number"]
MAX_DEPTH: Final = 200
"""Nested deeper, the JSON writer refuses."""
REPLACEMENT: Final = "�"
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnknownTypeError(TypeError):
    """No rule says how this type becomes JSON; the text names the type and where it stands."""


def plain(value: object, *, decimals: Decimals = "text") -> Json:
    """The JSON value of `value`; what `runner.codec.json.encode` gets is never anything else.

    Raises:
        UnknownTypeError: the value, or one inside it, has a type without a rule.
    """
    return _plain(value, decimals, 0)


def plain_cell(value: object) -> Json:
    """`plain` for one cell, fast for the types that most columns have; its texts are valid."""
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is int:
        return integer(value)  # type: ignore[arg-type]  # its class is int
    if kind is float:
        return number(value)  # type: ignore[arg-type]  # its class is float
    return _plain(value, "text", 0)


def integer(value: int) -> int | str:
    """An integer; as text where a JSON reader might round it."""
    return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)


def number(value: float) -> float | str:
    """A float; the ones that JSON lacks by name."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decimal(value: Decimal, decimals: Decimals = "text") -> int | float | str:
    """A decimal digit for digit; as a number only where that loses nothing."""
    if not value.is_finite():
        return number(math.nan if value.is_nan() else float(value))
    if decimals == "number" and abs(value) <= MAX_SAFE_INTEGER:
        if value == value.to_integral_value():
            return int(value)
        if Decimal(repr(float(value))) == value:
            return float(value)
    return format(value, "f")


def duration(value: timedelta) -> str:
    """An ISO 8601 duration in days and seconds: `P1DT2.5S`, `-PT1S`, `PT0S`."""
    sign, rest = ("-", -value) if value < timedelta() else ("", value)
    minutes, seconds = divmod(rest.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    exact = f"{seconds}.{rest.microseconds:06d}".rstrip("0").rstrip(".")
    counts = ((str(hours), "H"), (str(minutes), "M"), (exact, "S"))
    clock = "".join(f"{count}{unit}" for count, unit in counts if count != "0")
    days = f"{rest.days}D" if rest.days else ""
    if clock:
        return f"{sign}P{days}T{clock}"
    return f"{sign}P{days}" if days else "PT0S"


def json_text(text: str | bytes) -> Json:
    """The value of a column that holds JSON text; integers of any size stay exact.

    JSON that no value here can hold stays the text that it is: a number beyond a double, half a
    character (`"\\ud800"`), nesting beyond `MAX_DEPTH`.

    Raises:
        JsonFault: the text is no JSON.
    """
    data = text.encode() if isinstance(text, str) else text
    try:
        return plain(decode_exact(data))
    except (JsonFault, UnknownTypeError):
        if not is_json(data):
            raise
        return data.decode()


def json_of_engine(text: str | bytes) -> Json:
    """The value of a column that the engine has as JSON, which may be less strict than ours.

    As `json_text`; what is no JSON at all as `runner.codec.json.decode_lenient` has it.
    """
    data = text.encode(errors="replace") if isinstance(text, str) else text
    try:
        return json_text(data)
    except (JsonFault, UnknownTypeError):
        return plain(decode_lenient(data))


def _text(value: str) -> str:
    """The text with what UTF-8 cannot hold replaced."""
    return value if value.isascii() else _SURROGATE.sub(REPLACEMENT, value)


def _plain(value: object, decimals: Decimals, depth: int) -> Json:
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return _text(value)
    if isinstance(value, _CONTAINERS):
        return _nested(value, decimals, depth)
    if isinstance(value, Enum):
        return _plain(value.value, decimals, depth)
    if isinstance(value, Decimal):
        return decimal(value, decimals)
    for kind, convert in _SCALARS:
        if isinstance(value, kind):
            return convert(value)
    raise UnknownTypeError(f"type '{type(value).__name__}' has no JSON form")


def _nested(
    value: Mapping[object, object] | Iterable[object], decimals: Decimals, depth: int
) -> Json:
    if depth >= MAX_DEPTH:
        raise UnknownTypeError(f"nested deeper than {MAX_DEPTH} levels")
    if not isinstance(value, Mapping):
        return [_plain(item, decimals, depth + 1) for item in value]
    result = {_key(key): _plain(item, decimals, depth + 1) for key, item in value.items()}
    if len(result) != len(value):
        raise UnknownTypeError("two keys of a mapping have the same text")
    return result


def _key(value: object) -> str:
    key = _plain(value, "text", MAX_DEPTH)
    match key:
        case str():
            return key
        case bool():
            return "true" if key else "false"
        case int() | float():
            return str(key)
    raise UnknownTypeError(f"type '{type(value).__name__}' cannot be a key")


def _base64(value: bytes | bytearray | memoryview) -> str:
    return base64.b64encode(bytes(value)).decode("ascii")


_CONTAINERS: Final = (dict, list, tuple, set, frozenset, Mapping)
_SCALARS: Final[tuple[tuple[type | tuple[type, ...], Callable[..., Json]], ...]] = (
    (str, lambda value: _text(str(value))),
    (int, lambda value: integer(int(value))),
    (float, lambda value: number(float(value))),
    ((bytes, bytearray, memoryview), _base64),
    (datetime, datetime.isoformat),
    ((date, time), lambda value: value.isoformat()),
    (timedelta, duration),
    (UUID, str),
    (
        (
            ipaddress.IPv4Address,
            ipaddress.IPv6Address,
            ipaddress.IPv4Network,
            ipaddress.IPv6Network,
            ipaddress.IPv4Interface,
            ipaddress.IPv6Interface,
        ),
        str,
    ),
    (PurePath, lambda value: _text(value.as_posix())),
)
