"""MySQL's types: how its binary rows become JSON values and checked values become parameters.

Numbers travel as numbers, decimals and dates digit by digit, so that nothing is lost on the way: a
FLOAT is the shortest text that means it, zero dates and times beyond a day have no Python type.
"""

import math
import re
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final
from uuid import UUID

from runner.bindings.sql.collect import Cell
from runner.bindings.sql.mysql_packets import Field, bytes_at, written
from runner.bindings.sql.mysql_wire import Parameter
from runner.codec.json import Json, encode
from runner.codec.values import json_of_engine, plain

TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG = 1, 2, 3, 4, 5, 6, 7, 8
INT24, DATE, TIME, DATETIME, YEAR, BIT, JSON, NEWDECIMAL = 9, 10, 11, 12, 13, 16, 245, 246
BLOB, VAR_STRING, GEOMETRY = 252, 253, 255
_DECIMAL: Final = 0
_UNSIGNED_FLAG: Final = 32
_UNSIGNED: Final = 0x8000
"""Beside the type of a parameter."""
_BINARY_CHARSET: Final = 63
_KNOWN_RESULTS: Final = 1024
_SAFE_BITS, _INT64_BITS = 53, 63
_OFFSET = re.compile(r"([Zz]|[+-][0-9:]+)$")
_TIME = struct.Struct("<BIBBB")
_FLOAT_DIGITS: Final = range(6, 10)

Read = Callable[[bytes, int], tuple[object, int]]
Encode = Callable[[object], Parameter]

WORD_BY_TYPE: Final[Mapping[str, str]] = {
    "TINYINT": "integer",
    "SMALLINT": "integer",
    "MEDIUMINT": "integer",
    "INT": "integer",
    "YEAR": "integer",
    "BIGINT": "int64",
    "BIGINT UNSIGNED": "",
    "BIT": "integer",
    "FLOAT": "number",
    "DOUBLE": "number",
    "DECIMAL": "decimal",
    "DATE": "date",
    "DATETIME": "timestamp",
    "TIMESTAMP": "date-time",
    "TIME": "string",
    "CHAR": "string",
    "BINARY": "bytes",
    "GEOMETRY": "bytes",
    "JSON": "json",
    "UUID": "uuid",
}
"""The engine's type → the type word of what the codec makes of it; others have none."""
_NAMES: Final = {
    TINY: "TINYINT",
    SHORT: "SMALLINT",
    INT24: "MEDIUMINT",
    LONG: "INT",
    YEAR: "YEAR",
    FLOAT: "FLOAT",
    DOUBLE: "DOUBLE",
    _DECIMAL: "DECIMAL",
    NEWDECIMAL: "DECIMAL",
    DATE: "DATE",
    DATETIME: "DATETIME",
    TIMESTAMP: "TIMESTAMP",
    TIME: "TIME",
    GEOMETRY: "GEOMETRY",
    JSON: "JSON",
}


def word_of(field: Field) -> str:
    """The type word of a column; empty where no word covers all of its values."""
    if field.type == BIT:
        return "integer" if field.length <= _SAFE_BITS else "int64" * (field.length <= _INT64_BITS)
    return WORD_BY_TYPE.get(_name_of(field), "")


def _name_of(field: Field) -> str:
    if field.type in _NAMES:
        return _NAMES[field.type]
    if field.type == LONGLONG:
        return "BIGINT UNSIGNED" if field.flags & _UNSIGNED_FLAG else "BIGINT"
    if field.type == NULL:
        return ""
    if field.extended in ("json", "uuid"):
        return field.extended.upper()
    return "BINARY" if field.charset == _BINARY_CHARSET else "CHAR"


def _fixed(form: str) -> Read:
    layout = struct.Struct(form)

    def read(data: bytes, at: int) -> tuple[object, int]:
        return layout.unpack_from(data, at)[0], at + layout.size

    return read


def _float(data: bytes, at: int) -> tuple[object, int]:
    raw = data[at : at + 4]
    value: float = struct.unpack("<f", raw)[0]
    for digits in _FLOAT_DIGITS:
        shorter = float(f"{value:.{digits}g}")
        if struct.pack("<f", shorter) == raw:
            return shorter, at + 4
    return value, at + 4


def _text(data: bytes, at: int) -> tuple[object, int]:
    raw, at = bytes_at(data, at)
    return raw.decode(), at


def _decimal(data: bytes, at: int) -> tuple[object, int]:
    raw, at = bytes_at(data, at)
    return Decimal(raw.decode()), at


def _bits(data: bytes, at: int) -> tuple[object, int]:
    raw, at = bytes_at(data, at)
    return int.from_bytes(raw, "big"), at


def _moment(data: bytes, at: int) -> tuple[str, str, int]:
    """Day and clock, of which the server leaves out what is zero; and where they end."""
    size = data[at]
    end = at + 1 + size
    day, clock, fraction = "0000-00-00", "00:00:00", ""
    if size >= 4:
        year = int.from_bytes(data[at + 1 : at + 3], "little")
        day = f"{year:04}-{data[at + 3]:02}-{data[at + 4]:02}"
    if size >= 7:
        clock = f"{data[at + 5]:02}:{data[at + 6]:02}:{data[at + 7]:02}"
    if size > 7:
        fraction = _fraction(data[at + 8 : end])
    return day, clock + fraction, end


def _fraction(microseconds: bytes) -> str:
    return f".{int.from_bytes(microseconds, 'little'):06}".rstrip("0").rstrip(".")


def _date(data: bytes, at: int) -> tuple[object, int]:
    day, _, end = _moment(data, at)
    return day, end


def _datetime(data: bytes, at: int) -> tuple[object, int]:
    day, clock, end = _moment(data, at)
    return f"{day}T{clock}", end


def _instant(data: bytes, at: int) -> tuple[object, int]:
    day, clock, end = _moment(data, at)
    return f"{day}T{clock}+00:00", end


def _time(data: bytes, at: int) -> tuple[object, int]:
    end = at + 1 + data[at]
    if data[at] == 0:
        return "00:00:00", end
    is_negative, days, hours, minutes, seconds = _TIME.unpack_from(data, at + 1)
    sign = "-" if is_negative else ""
    fraction = _fraction(data[at + 9 : end])
    return f"{sign}{days * 24 + hours:02}:{minutes:02}:{seconds:02}{fraction}", end


_SIGNED: Final = {TINY: "<b", SHORT: "<h", LONG: "<i", INT24: "<i", LONGLONG: "<q"}
_READERS: Final[Mapping[int, Read]] = {
    FLOAT: _float,
    DOUBLE: _fixed("<d"),
    YEAR: _fixed("<H"),
    _DECIMAL: _decimal,
    NEWDECIMAL: _decimal,
    BIT: _bits,
    DATE: _date,
    DATETIME: _datetime,
    TIMESTAMP: _instant,
    TIME: _time,
    GEOMETRY: bytes_at,
    JSON: _text,
}


def _reader(field: Field) -> Read:
    if field.type in _SIGNED:
        form = _SIGNED[field.type]
        return _fixed(form.upper() if field.flags & _UNSIGNED_FLAG else form)
    if field.type in _READERS:
        return _READERS[field.type]
    return bytes_at if field.charset == _BINARY_CHARSET else _text


@lru_cache(_KNOWN_RESULTS)
def row_reader(fields: tuple[Field, ...]) -> Callable[[bytes], list[object]]:
    """Reads a row of these columns; its cells are plain but for JSON, see `decoders`."""
    readers = tuple(map(_reader, fields))
    start = 1 + (len(fields) + 9) // 8

    def read(payload: bytes) -> list[object]:
        nulls = int.from_bytes(payload[1:start], "little") >> 2
        at = start
        row: list[object] = []
        for read_cell in readers:
            if nulls & 1:
                row.append(None)
            else:
                value, at = read_cell(payload, at)
                row.append(value)
            nulls >>= 1
        if at != len(payload):
            raise IndexError("the row has other columns than were described")
        return row

    return read


@lru_cache(_KNOWN_RESULTS)
def decoders(fields: tuple[Field, ...]) -> Mapping[int, Cell]:
    """What makes JSON values of the columns that hold JSON text."""
    return {place: _json for place, field in enumerate(fields) if _name_of(field) == "JSON"}


def _json(value: object) -> Json:
    return json_of_engine(value) if isinstance(value, str) else plain(value)


def encoder(word: str) -> Encode:
    """How a checked value of this declared type is bound.

    Raises (what it gives):
        ValueError: the value does not fit.
    """

    def encode_value(value: object) -> Parameter:
        if value is None:
            return None
        if isinstance(value, str):
            return _as_text(value) if word not in _TEXTS else _TEXTS[word](value)
        if word in _NUMBERS and isinstance(value, int) and not isinstance(value, bool):
            return _NUMBERS[word](value)
        for kind, write in _WRITERS:
            if isinstance(value, kind):
                return write(value)
        raise ValueError(f"no rule to bind a '{type(value).__name__}'")

    return encode_value


def _as_text(value: str) -> Parameter:
    return VAR_STRING, written(value.encode())


def _as_instant(value: str) -> Parameter:
    """A text with an offset, as the session's zone has it; the engine would cut the offset off."""
    try:
        moment = datetime.fromisoformat(value.upper())
    except ValueError:  # such as a leap second
        if _OFFSET.search(value):
            raise
        return _as_text(value)
    return _as_datetime(moment) if moment.tzinfo is not None else _as_text(value)


def _as_datetime(value: datetime) -> Parameter:
    try:
        moment = value.astimezone(UTC) if value.tzinfo is not None else value
    except OverflowError as error:
        raise ValueError("in UTC the time is before the year 1 or after 9999") from error
    day = struct.pack("<HBB", moment.year, moment.month, moment.day)
    clock = struct.pack("<BBBI", moment.hour, moment.minute, moment.second, moment.microsecond)
    return DATETIME, written(day + clock)


def _as_clock(value: str) -> Parameter:
    return _as_text(_OFFSET.sub("", value))


def _as_integer(value: int) -> Parameter:
    if -(2**63) <= value < 2**63:
        return LONGLONG, value.to_bytes(8, "little", signed=True)
    if 0 <= value < 2**64:
        return LONGLONG | _UNSIGNED, value.to_bytes(8, "little")
    return NEWDECIMAL, written(str(value).encode())


def _as_float(value: float) -> Parameter:
    if not math.isfinite(value):
        raise ValueError("MySQL's numbers are finite")
    return DOUBLE, struct.pack("<d", value)


def _as_decimal(value: Decimal) -> Parameter:
    if not value.is_finite():
        raise ValueError("MySQL's decimals are finite")
    return NEWDECIMAL, written(format(value, "f").encode())


def _as_duration(value: timedelta) -> Parameter:
    seconds, microseconds = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    sign = "-" if value < timedelta() else ""
    minutes, seconds = divmod(seconds, 60)
    text = f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{microseconds:06}"
    return _as_text(text)


_TEXTS: Final[Mapping[str, Callable[[str], Parameter]]] = {
    "date-time": _as_instant,
    "time": _as_clock,
}
_NUMBERS: Final[Mapping[str, Callable[[int], Parameter]]] = {
    "decimal": lambda value: _as_decimal(Decimal(value)),
    "number": _as_float,
}
"""Declared types that an integer is bound as, so that results have the type that was proven."""
_WRITERS: Final[tuple[tuple[type | tuple[type, ...], Callable[..., Parameter]], ...]] = (
    (bool, lambda value: (TINY, bytes([value]))),
    (int, _as_integer),
    (float, _as_float),
    (Decimal, _as_decimal),
    ((bytes, bytearray, memoryview), lambda value: (BLOB, written(bytes(value)))),
    ((dict, list, tuple), lambda value: _as_text(encode(plain(value)).decode())),
    (datetime, _as_datetime),
    ((date, time), lambda value: _as_text(value.isoformat())),
    (timedelta, _as_duration),
    (UUID, lambda value: _as_text(str(value))),
)
