"""DuckDB's types: how its values become JSON values, and how checked values are bound.

What the driver would round leaves the engine as text: it cuts nanoseconds, makes thirty days of a
month, the year 9999 of `infinity`, and a double of a float's nearest neighbour. Inside lists,
structs and maps it does the same, so that the whole column is cast to the same form with texts in
it, and read back by its type.
"""

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import Final

from duckdb.sqltypes import DuckDBPyType

from runner.bindings.sql.collect import Cell
from runner.codec.json import Json, encode
from runner.codec.values import json_of_engine, plain

Decode = Callable[[object], object]
CAST_BY_TYPE: Final[Mapping[str, str]] = {
    "": "VARCHAR",
    "string": "VARCHAR",
    "email": "VARCHAR",
    "uri": "VARCHAR",
    "integer": "BIGINT",
    "int64": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "uuid": "UUID",
    "date": "DATE",
    "date-time": "TIMESTAMPTZ",
    "time": "TIME",
    "duration": "INTERVAL",
    "object": "JSON",
    "timestamp": "TIMESTAMP",
    "bytes": "BLOB",
    "json": "JSON",
}
"""Type word → what it is cast to where the engine cannot infer; a decimal brings its own type."""
_MAX_DIGITS: Final = 38
_MAX_SCALE: Final = 37
"""The driver counts the zero before the point."""
_MAX_HUGE: Final = 2**127
_SAFE_DIGITS: Final = 18
_ISO: Final = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>-?\d+)Y)?(?:(?P<months>-?\d+)M)?(?:(?P<weeks>-?\d+)W)?"
    r"(?:(?P<days>-?\d+)D)?"
    r"(?:T(?:(?P<hours>-?\d+)H)?(?:(?P<minutes>-?\d+)M)?(?:(?P<seconds>-?\d+(?:\.\d+)?)S)?)?\Z"
)
_CLOCK: Final = re.compile(r"(-?)(\d+):(\d\d):(\d\d(?:\.\d+)?)\Z")
_OFFSET: Final = re.compile(r"([+-]\d\d)$")


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type leave the engine."""

    word: str = ""
    """The type word of what comes of them."""
    cast: str | None = None
    """What they are cast to; None: they come as they are."""
    decode: Decode | None = None
    """Of a value that is not null; None: the codec knows it."""
    is_nested: bool = False
    """One value may hold any number of others."""
    size: str = ""
    """SQL for the bytes of a value `{}` as JSON, at least; empty where its type bounds them."""

    @property
    def cell(self) -> Cell | None:
        """`decode`, down to JSON."""
        decode = self.decode
        if decode is None:
            return None

        def cell(value: object) -> Json:
            return plain(decode(value))

        return cell


def _day(value: object) -> str:
    text = str(value)
    return text.replace(" (BC)", "") + " BC" if " (BC)" in text else text


def _moment(value: object) -> str:
    """ISO 8601 of `2024-01-31 10:00:00`; `infinity` stays."""
    text = _day(value)
    return text.replace(" ", "T", 1) if text[0].isdigit() else text


def _instant(value: object) -> str:
    """The same with an offset, whose minutes are always written."""
    text, era, _ = _moment(value).partition(" BC")
    return _OFFSET.sub(r"\1:00", text) + era


def _clock(value: object) -> str:
    return _OFFSET.sub(r"\1:00", str(value))


def iso_interval(value: object) -> str:
    """ISO 8601 of `1 year 2 months -3 days 04:05:06.7`."""
    days, clock = "", ""
    words = str(value).split()
    if words and (found := _CLOCK.match(words[-1])):
        sign, hours, minutes, seconds = found.groups()
        exact = seconds.lstrip("0") or "0"
        exact = f"0{exact}" if exact.startswith(".") else exact
        parts = ((hours.lstrip("0"), "H"), (minutes.lstrip("0"), "M"), (exact, "S"))
        clock = "".join(f"{sign}{count}{unit}" for count, unit in parts if count not in ("", "0"))
        words = words[:-1]
    for count, unit in zip(words[::2], words[1::2], strict=True):
        days += f"{count}{unit[0].upper()}"
    if clock:
        return f"P{days}T{clock}"
    return f"P{days}" if days else "PT0S"


def _whole(value: object) -> object:
    """A number of any size; beyond what JSON keeps, its digits."""
    text = str(value)
    return int(text) if len(text) <= _SAFE_DIGITS else text


_TEXT_SIZE: Final = "strlen({})"
_CAST_SIZE: Final = "strlen(CAST({} AS VARCHAR))"
_NESTED_SIZE: Final = "strlen(CAST({} AS VARCHAR)) // 4"
"""The most that JSON is shorter than the engine's text, which has a byte of a blob as `\\xAA`."""
_LIST_SIZE: Final = "len({}) * 2"
_LEAVES: Final[Mapping[str, Form]] = {
    "boolean": Form("boolean"),
    **dict.fromkeys(("tinyint", "smallint", "integer"), Form("integer")),
    **dict.fromkeys(("utinyint", "usmallint", "uinteger"), Form("integer")),
    "bigint": Form("int64"),
    "double": Form("number"),
    "float": Form("number", "VARCHAR", lambda value: float(str(value))),
    "decimal": Form("decimal"),
    "bignum": Form("", "VARCHAR", _whole, size=_CAST_SIZE),
    "varchar": Form("string", size=_TEXT_SIZE),
    "enum": Form("string"),
    "bit": Form("string", size="octet_length({}) * 8 - 8"),
    "uuid": Form("uuid", "VARCHAR"),
    "blob": Form("bytes", size="octet_length({})"),
    "date": Form("date", "VARCHAR", _day),
    "time": Form("time", "VARCHAR"),
    "time_ns": Form("time", "VARCHAR"),
    "time with time zone": Form("time", "VARCHAR", _clock),
    **dict.fromkeys(
        ("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
        Form("timestamp", "VARCHAR", _moment),
    ),
    **dict.fromkeys(
        ("timestamp with time zone", "timestamptz_ns"), Form("date-time", "VARCHAR", _instant)
    ),
    "interval": Form("duration", "VARCHAR", iso_interval),
    "geometry": Form("string", "VARCHAR", size=_CAST_SIZE),
    "variant": Form(
        "json",
        "JSON",
        lambda value: json_of_engine(str(value)),
        size="strlen(CAST({} AS JSON)) // 4",
    ),
}
WORD_BY_TYPE: Final[Mapping[str, str]] = {
    **{name: form.word for name, form in _LEAVES.items()},
    "json": "json",
}
"""DuckDB's type → the type word of what the codec makes of it, empty where there is none."""
_JSON: Final = Form("json", None, lambda value: json_of_engine(str(value)), size="strlen({}) // 4")
_AS_IT_IS: Final = Form()


def form_of(kind: DuckDBPyType) -> Form:
    """How values of this type leave the engine."""
    if kind.id == "varchar" and str(kind) == "JSON":
        return _JSON
    match kind.id:
        case "list" | "array":
            return _list_form(kind)
        case "struct" | "tuple":
            return _struct_form(kind, is_tuple=kind.id == "tuple")
        case "map":
            return _map_form(kind)
        case "union":
            return _union_form(kind)
        case _:
            return _LEAVES.get(kind.id, _AS_IT_IS)


def _members(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    return [(name, inner) for name, inner in kind.children if isinstance(inner, DuckDBPyType)]


def _list_form(kind: DuckDBPyType) -> Form:
    [(_, inner)] = _members(kind)
    form = form_of(inner)
    length = next((str(size) for name, size in kind.children if name == "size"), "")
    cast = f"{form.cast}[{length}]" if form.cast else None
    word = f"{form.word}[]" if form.word else ""
    decode = form.decode
    size = _NESTED_SIZE if form.size or kind.id != "list" else _LIST_SIZE
    if decode is None:
        return Form(word, cast, is_nested=True, size=size)

    def decode_list(value: object) -> object:
        return [_decoded(decode, item) for item in _items(value)]

    return Form(word, cast, decode_list, is_nested=True, size=size)


def _struct_form(kind: DuckDBPyType, *, is_tuple: bool) -> Form:
    members = _members(kind)
    forms = [form_of(inner) for _, inner in members]
    cast = None
    if any(form.cast for form in forms):
        pairs = zip(members, forms, strict=True)
        inner = [(name, form.cast or str(kind)) for (name, kind), form in pairs]
        texts = [cast if is_tuple else f"{quoted(name)} {cast}" for name, cast in inner]
        cast = f"{'TUPLE' if is_tuple else 'STRUCT'}({', '.join(texts)})"
    decoders = [form.decode for form in forms]
    if not any(decoders):
        return Form("", cast, is_nested=True, size=_NESTED_SIZE)

    def decode(value: object) -> object:
        cells = [_decoded(d, item) for d, item in zip(decoders, _items(value), strict=True)]
        names = [name for name, _ in members]
        return cells if is_tuple else dict(zip(names, cells, strict=True))

    return Form("", cast, decode, is_nested=True, size=_NESTED_SIZE)


def _map_form(kind: DuckDBPyType) -> Form:
    """Keys are texts, as JSON has them; the driver makes a pair of lists where they are not."""
    [(_, key), (_, inner)] = _members(kind)
    form = form_of(inner)
    is_plain = key.id in ("varchar", "enum") and form.cast is None
    cast = None if is_plain else f"MAP(VARCHAR, {form.cast or inner})"
    decode = form.decode
    if decode is None:
        return Form("", cast, is_nested=True, size=_NESTED_SIZE)

    def decode_map(value: object) -> object:
        pairs = value.items() if isinstance(value, dict) else ()
        return {name: _decoded(decode, item) for name, item in pairs}

    return Form("", cast, decode_map, is_nested=True, size=_NESTED_SIZE)


def _union_form(kind: DuckDBPyType) -> Form:
    """Its value, without the tag; as text as DuckDB writes it where the driver would round it."""
    members = [(name, inner) for name, inner in _members(kind) if name]
    casts = {name: form_of(inner).cast for name, inner in members}
    if not any(casts.values()):
        return Form(is_nested=True, size=_NESTED_SIZE)
    texts = [f"{quoted(name)} {casts[name] or inner}" for name, inner in members]
    return Form("", f"UNION({', '.join(texts)})", is_nested=True, size=_NESTED_SIZE)


def _decoded(decode: Decode | None, value: object) -> object:
    return value if value is None or decode is None else decode(value)


def _items(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list | tuple) else ()


def quoted(name: str) -> str:
    """The name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


_AS_THEY_ARE: Final = frozenset((str, float, bool, NoneType, bytes, timedelta))


def encoder(word: str) -> Callable[[object], object]:
    """How a checked value of a declared type is bound."""
    return _bind_duration if word == "duration" else bind


def bind(value: object) -> object:
    """A checked value as the driver takes it.

    Raises:
        ValueError: no type of DuckDB holds it.
    """
    if value.__class__ in _AS_THEY_ARE:
        return value
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value)
    raise ValueError(f"no rule to bind a '{type(value).__name__}'")


def _bind_integer(value: int) -> object:
    """Beyond its largest type as text, which is a number of any size where one is wanted."""
    return value if -_MAX_HUGE <= value < 2 * _MAX_HUGE else str(value)


def _bind_list(values: Sequence[object]) -> object:
    if any(isinstance(item, dict) for item in values):
        return _bind_object(values)
    return [bind(item) for item in values]


def _bind_object(value: object) -> str:
    return encode(plain(value)).decode()


def _bind_decimal(value: Decimal) -> object:
    """Its own type, which the driver finds; what has too many digits it would make a double."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError("DuckDB's decimals are finite")  # noqa: TRY004 - of a right type
    if -exponent > _MAX_SCALE or len(digits) + max(exponent, 0) > _MAX_DIGITS:
        raise ValueError(f"DuckDB's decimals have {_MAX_DIGITS} digits")
    return value


_WRITERS: Final[tuple[tuple[type | tuple[type, ...], Callable[..., object]], ...]] = (
    ((bool, str, float, bytes, timedelta), lambda value: value),
    (int, _bind_integer),
    (Decimal, _bind_decimal),
    ((list, tuple), _bind_list),
    (dict, _bind_object),
    ((datetime, date, time), lambda value: value.isoformat()),
    (uuid.UUID, str),
)


def _bind_duration(value: object) -> object:
    """DuckDB reads no ISO 8601; what it wrote itself, it reads."""
    if isinstance(value, list | tuple):
        return [_bind_duration(item) for item in value]
    found = _ISO.match(value) if isinstance(value, str) else None
    if found is None:
        return bind(value)
    sign = found["sign"]
    parts = [(unit, found[unit]) for unit in found.groupdict() if unit != "sign" and found[unit]]
    return " ".join(f"{_negated(count) if sign else count} {unit}" for unit, count in parts)


def _negated(count: str) -> str:
    return count[1:] if count.startswith("-") else f"-{count}"
