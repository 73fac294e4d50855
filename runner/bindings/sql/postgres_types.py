"""PostgreSQL's types: how its text becomes JSON values and checked values become its text.

Everything travels as text, so that nothing is lost on the way: `infinity`, years beyond 9999 and
months of intervals have no Python type. The session pins UTC, ISO dates and ISO 8601 intervals.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader

from runner.codec.json import Json, encode
from runner.codec.values import duration, json_of_engine, plain

BOOL, INT8, INT2, INT4, TEXT, JSON, FLOAT4, FLOAT8 = 16, 20, 21, 23, 25, 114, 700, 701
NUMERIC, JSONB = 1700, 3802
_WHOLE: Final = frozenset({INT8, INT2, INT4, 26})
_OFFSET = re.compile(r"([+-]\d\d)$")

CAST_BY_TYPE: Final[Mapping[str, str]] = {
    "": "text",
    "string": "text",
    "email": "text",
    "uri": "text",
    "integer": "bigint",
    "int64": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "decimal": "numeric",
    "uuid": "uuid",
    "date": "date",
    "date-time": "timestamptz",
    "time": "time",
    "duration": "interval",
    "object": "jsonb",
    "timestamp": "timestamp",
    "bytes": "bytea",
    "json": "jsonb",
}
"""Type word → what it is cast to where the engine cannot infer."""
WORD_BY_TYPE: Final[Mapping[str, str]] = {
    "bool": "boolean",
    "int2": "integer",
    "int4": "integer",
    "int8": "int64",
    "oid": "integer",
    "float4": "number",
    "float8": "number",
    "numeric": "decimal",
    "text": "string",
    "varchar": "string",
    "bpchar": "string",
    "name": "string",
    "citext": "string",
    "uuid": "uuid",
    "date": "date",
    "timestamp": "timestamp",
    "timestamptz": "date-time",
    "time": "time",
    "timetz": "time",
    "interval": "duration",
    "bytea": "bytes",
    "json": "json",
    "jsonb": "json",
}
"""PostgreSQL's type → the type word of what the codec makes of it; others have none."""


class _AsText(Loader):
    """The type's own text."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode()


class _Instant(Loader):
    """`2024-01-31 10:00:00+00` as ISO 8601 has it; `infinity` stays."""

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode()
        return _OFFSET.sub(r"\1:00", text.replace(" ", "T", 1)) if text[0].isdigit() else text


class _Clock(Loader):
    """A time with an offset."""

    def load(self, data: Buffer) -> str:
        return _OFFSET.sub(r"\1:00", bytes(data).decode())


class _Json(Loader):
    """A JSON value."""

    def load(self, data: Buffer) -> Json:
        return json_of_engine(bytes(data))


_AS_TEXT: Final = (
    *("date", "time", "interval", "uuid", "inet", "cidr", "record", "money"),
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange"),
    *("datemultirange", "tsmultirange", "tstzmultirange"),
)


def adapters() -> AdaptersMap:
    """psycopg's adapters with loaders that lose nothing."""
    context = AdaptersMap(psycopg.adapters)
    for name in _AS_TEXT:
        context.register_loader(name, _AsText)
    for name in ("timestamp", "timestamptz"):
        context.register_loader(name, _Instant)
    context.register_loader("timetz", _Clock)
    for name in ("json", "jsonb"):
        context.register_loader(name, _Json)
    return context


def encoder(oid: int, *, is_array: bool) -> Callable[[object], bytes | None]:
    """How a checked value is written for a parameter of this type; text in all cases."""

    def encode_value(value: object) -> bytes | None:
        if value is None:
            return None
        if is_array and isinstance(value, list | tuple):
            return _array(value).encode()
        text = _scalar(value, oid)
        if "\0" in text:
            raise ValueError("PostgreSQL's text has no NUL")
        return text.encode()

    return encode_value


def _scalar(value: object, oid: int) -> str:
    if isinstance(value, str):
        return value
    if oid in _WHOLE and isinstance(value, float | Decimal) and _is_whole(value):
        return str(int(value))
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value)
    raise ValueError(f"no rule to bind a '{type(value).__name__}'")


def _is_whole(value: float | Decimal) -> bool:
    return math.isfinite(value) and value == int(value)


def _json(value: object) -> str:
    return encode(plain(value)).decode()


_WRITERS: Final[tuple[tuple[type | tuple[type, ...], Callable[..., str]], ...]] = (
    (bool, lambda value: "true" if value else "false"),
    (int, str),
    (float, repr),
    (Decimal, lambda value: format(value, "f")),
    ((bytes, bytearray, memoryview), lambda value: "\\x" + bytes(value).hex()),
    ((dict, list, tuple), _json),
    ((datetime, date, time), lambda value: value.isoformat()),
    (timedelta, duration),
    (UUID, str),
)


def _array(values: "list[object] | tuple[object, ...]") -> str:
    return "{" + ",".join(_element(value) for value in values) + "}"


def _element(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list | tuple):
        return _array(value)
    text = _scalar(value, TEXT)
    if "\0" in text:
        raise ValueError("PostgreSQL's text has no NUL")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_NUMERIC: Final = frozenset({"int2", "int4", "int8", "numeric", "float4", "float8", "oid"})
_OF_TIME: Final = frozenset({"date", "time", "timetz", "timestamp", "timestamptz"})
_NO_NUMBER: Final = _NUMERIC | {"bool"}
_READ_BY_NONE: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("integer", "int64", "number", "decimal"), _OF_TIME | {"uuid"}),
    "boolean": _NUMERIC | _OF_TIME | {"uuid"},
    **dict.fromkeys(("date", "date-time", "time"), _NO_NUMBER | {"uuid"}),
    "uuid": _NO_NUMBER | _OF_TIME,
}
"""Declared type → types that read hardly any value of it."""


def is_misfit(word: str, name: str) -> bool:
    """Values of the declared type are none of the type `name`."""
    return name in _READ_BY_NONE.get(word, ())
