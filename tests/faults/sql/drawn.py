"""Columns of every engine's types, and strategies that draw values from all that each can hold.

A value is drawn as the text that the engine reads; texts travel as hex digits, so that no engine's
rules of quoting stand between.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hypothesis import strategies as st

Texts = st.SearchStrategy[str]
ROWS: Final = 6
"""In one statement, so that an example costs a few round trips however many values it has."""
_SAFE: Final = 2**53
_CHARACTERS: Final = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
_UNHEX: Final[Mapping[str, str]] = {
    "sqlite": "x'{}'",
    "postgresql": "decode('{}', 'hex')",
    "duckdb": "unhex('{}')",
    "mariadb": "unhex('{}')",
}
_DECODED: Final[Mapping[str, str]] = {
    "sqlite": "CAST({} AS text)",
    "postgresql": "convert_from({}, 'UTF8')",
    "duckdb": "decode({})",
    "mariadb": "CONVERT({} USING utf8mb4)",
}
"""The text of UTF-8."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one engine."""

    type: str
    texts: Texts
    declared: str | None = None
    """SQLite: the type word in `result.columns`."""
    writes: Callable[[str, str], str] | None = None
    """The expression of a text on an engine; None: cast to the type."""

    @property
    def name(self) -> str:
        """A name that needs no quotes."""
        return "c_" + re.sub(r"\W+", "_", self.declared or self.type)

    def written(self, engine: str, text: str | None) -> str:
        """The expression of a value; None is null."""
        if text is None:
            return "NULL"
        if self.writes is not None:
            return self.writes(engine, text)
        return f"CAST({_text(engine, text)} AS {self.type})"


def _text(engine: str, text: str) -> str:
    return _DECODED[engine].format(_UNHEX[engine].format(text.encode().hex()))


def _bytes(engine: str, digits: str) -> str:
    return _UNHEX[engine].format(digits)


def _literal(_engine: str, text: str) -> str:
    return text


def rows_of(columns: Sequence[Column]) -> st.SearchStrategy[list[list[str | None]]]:
    """Some rows of these columns; any value may be null."""
    row = st.tuples(*(st.none() | column.texts for column in columns)).map(list)
    return st.lists(row, min_size=ROWS, max_size=ROWS)


def _whole(least: int, most: int) -> Texts:
    edges = (least, most, 0, _SAFE - 1, _SAFE, 1 - _SAFE, -_SAFE)
    known = st.sampled_from([edge for edge in edges if least <= edge <= most])
    return (known | st.integers(least, most)).map(str)


def _signed(bits: int) -> Texts:
    return _whole(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _unsigned(bits: int) -> Texts:
    return _whole(0, 2**bits - 1)


def _or(texts: Texts, *more: str) -> Texts:
    return texts | st.sampled_from(more)


def _decimal(digits: int, places: int) -> Texts:
    most = 10**digits - 1
    return st.integers(-most, most).map(lambda n: _pointed(n, places))


def _pointed(number: int, places: int) -> str:
    digits = str(abs(number)).zfill(places + 1)
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _interval(counts: tuple[int, int, timedelta]) -> str:
    months, days, rest = counts
    sign = "-" if rest < timedelta() else ""
    seconds, micros = divmod(abs(rest) // timedelta(microseconds=1), 1_000_000)
    return f"{months} months {days} days {sign}{seconds}.{micros:06} seconds"


def _clock(length: timedelta) -> str:
    """As MariaDB has a time, which is a length."""
    sign = "-" if length < timedelta() else ""
    seconds, micros = divmod(abs(length) // timedelta(microseconds=1), 1_000_000)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}"


def _as_list(open_: str, close: str) -> Callable[[Sequence[str | None]], str]:
    return lambda items: open_ + ",".join(i if i is not None else "NULL" for i in items) + close


TEXT: Final = st.text(_CHARACTERS)
FINITE: Final = st.floats(allow_nan=False, allow_infinity=False)
DOUBLE: Final = _or(FINITE.map(repr), "NaN", "Infinity", "-Infinity", "-0.0", "5e-324")
FLOAT: Final = _or(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    *("NaN", "Infinity", "-Infinity"),
)
UUID: Final = st.uuids().map(str)
BYTES: Final = st.binary(max_size=40).map(bytes.hex)
BOOLEAN: Final = st.sampled_from(["0", "1"])
DATE: Final = st.dates().map(str)
TIME: Final = st.times().map(str)
MOMENT: Final = st.datetimes().map(str)
INSTANT: Final = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)).flatmap(
    lambda moment: st.sampled_from(["+00:00", "+05:30", "-11:00"]).map(lambda o: f"{moment}{o}")
)
CLOCK_WITH_OFFSET: Final = st.times().flatmap(
    lambda time: st.sampled_from(["+00", "+05:30", "-11"]).map(lambda o: f"{time}{o}")
)
INTERVAL: Final = st.tuples(
    st.integers(-9999, 9999),
    st.integers(-9999, 9999),
    st.timedeltas(timedelta(days=-40), timedelta(days=40)),
).map(_interval)
DURATION: Final = st.sampled_from(["PT0S", "P1DT2.5S", "P3M", "-PT1S"])
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | FINITE | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
).map(_json)
BIGINTS: Final = st.lists(st.none() | _signed(64), max_size=4)

SQLITE: Final = (
    Column("integer", _whole(1 - _SAFE, _SAFE - 1), "integer", _literal),
    Column("integer", _whole(1 - 2**63, 2**63 - 1), "int64", _literal),
    Column("real", _or(FINITE.map(repr), "9e999", "-9e999"), "number", _literal),
    Column("text", TEXT, "string"),
    Column("text", _decimal(40, 10), "decimal"),
    Column("text", UUID, "uuid"),
    Column("text", DATE, "date"),
    Column("text", TIME, "time"),
    Column("text", DURATION, "duration"),
    Column("integer", BOOLEAN, "boolean", _literal),
    Column("text", st.lists(st.integers(-9, 9)).map(_json), "integer[]"),
)
POSTGRES: Final = (
    Column("boolean", BOOLEAN),
    Column("int2", _signed(16)),
    Column("int4", _signed(32)),
    Column("int8", _signed(64)),
    Column("oid", _unsigned(32)),
    Column("float4", FLOAT),
    Column("float8", DOUBLE),
    Column("numeric", _or(_decimal(60, 20), "NaN", "Infinity", "-Infinity", "1e300", "1e-300")),
    Column("numeric(38,10)", _decimal(38, 10)),
    Column("text", TEXT),
    Column("varchar(9)", TEXT),
    Column("char(4)", TEXT),
    Column("uuid", UUID),
    Column("date", _or(DATE, "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31")),
    Column("time", _or(TIME, "24:00:00", "23:59:60")),
    Column("timetz", CLOCK_WITH_OFFSET),
    Column("timestamp", _or(MOMENT, "infinity", "4713-01-01 10:00:00 BC", "294276-12-31 23:59:59")),
    Column(
        "timestamptz", _or(INSTANT, "-infinity", "0044-03-15 10:00:00+00 BC", "12026-01-01 00:00Z")
    ),
    Column("interval", INTERVAL),
    Column("bytea", BYTES, None, _bytes),
    Column("json", JSON),
    Column("jsonb", JSON),
    Column("int8[]", BIGINTS.map(_as_list("{", "}"))),
    Column("float8[]", st.lists(DOUBLE, max_size=4).map(_as_list("{", "}"))),
    Column("date[]", st.lists(_or(DATE, "infinity"), max_size=4).map(_as_list("{", "}"))),
    Column("inet", st.ip_addresses().map(str)),
    Column("int4range", _signed(31).map(lambda n: f"[{n},)")),
)
DUCKDB: Final = (
    Column("BOOLEAN", BOOLEAN),
    Column("TINYINT", _signed(8)),
    Column("UTINYINT", _unsigned(8)),
    Column("SMALLINT", _signed(16)),
    Column("INTEGER", _signed(32)),
    Column("UINTEGER", _unsigned(32)),
    Column("BIGINT", _signed(64)),
    Column("UBIGINT", _unsigned(64)),
    Column("HUGEINT", _signed(128)),
    Column("UHUGEINT", _unsigned(128)),
    Column("BIGNUM", _signed(300)),
    Column("FLOAT", FLOAT),
    Column("DOUBLE", DOUBLE),
    Column("DECIMAL(18,3)", _decimal(18, 3)),
    Column("DECIMAL(38,10)", _decimal(38, 10)),
    Column("VARCHAR", TEXT),
    Column("UUID", UUID),
    Column("DATE", _or(DATE, "infinity", "-infinity", "0044-03-15 (BC)", "5881580-07-10")),
    Column("TIME", _or(TIME, "24:00:00")),
    Column("TIME WITH TIME ZONE", CLOCK_WITH_OFFSET),
    Column("TIMESTAMP", _or(MOMENT, "infinity", "0044-03-15 (BC) 10:00:00")),
    Column("TIMESTAMP_MS", MOMENT),
    Column("TIMESTAMP_NS", st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)).map(str)),
    Column("TIMESTAMPTZ", _or(INSTANT, "-infinity", "0044-03-15 (BC) 10:00:00+00")),
    Column("INTERVAL", INTERVAL),
    Column("BLOB", BYTES, None, _bytes),
    Column("BIT", st.text("01", min_size=1, max_size=9)),
    Column("JSON", JSON),
    Column("BIGINT[]", BIGINTS.map(_as_list("[", "]"))),
    Column("DOUBLE[]", st.lists(DOUBLE, max_size=4).map(_as_list("[", "]"))),
    Column("DATE[]", st.lists(_or(DATE, "infinity"), max_size=4).map(_as_list("[", "]"))),
)
MARIADB: Final = tuple(
    Column(type_, texts, None, writes)
    for type_, texts, writes in (
        ("boolean", BOOLEAN, _literal),
        ("tinyint", _signed(8), _text),
        ("smallint unsigned", _unsigned(16), _text),
        ("mediumint", _signed(24), _text),
        ("int", _signed(32), _text),
        ("int unsigned", _unsigned(32), _text),
        ("bigint", _signed(64), _text),
        ("bigint unsigned", _unsigned(64), _text),
        ("bit(7)", _unsigned(7), _literal),
        ("bit(64)", _unsigned(64), _literal),
        ("year", _or(_whole(1901, 2155), "0000"), _text),
        (
            "float",
            st.floats(-(2.0**127), 2.0**127, width=32, allow_subnormal=False).map(repr),
            _text,
        ),
        ("double", st.floats(-1e308, 1e308, allow_subnormal=False).map(repr), _text),
        ("decimal(38,10)", _decimal(38, 10), _text),
        ("decimal(65,0)", _whole(1 - 10**65, 10**65 - 1), _text),
        ("text character set utf8mb4", TEXT, _text),
        ("char(4) character set utf8mb4", st.text(_CHARACTERS, max_size=4), _text),
        ("uuid", st.uuids(version=4).map(str), _text),  # it refuses versions beyond 8
        ("inet6", st.ip_addresses(v=6).map(str), _text),
        ("date", _or(st.dates().map(str), "1000-01-01", "9999-12-31"), _text),
        ("time(6)", st.timedeltas(timedelta(hours=-838), timedelta(hours=838)).map(_clock), _text),
        ("datetime(6)", MOMENT, _text),
        (
            "timestamp(6) null",
            st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)).map(str),
            _text,
        ),
        ("blob", BYTES, _bytes),
        ("binary(4)", st.binary(max_size=4).map(bytes.hex), _bytes),
        ("json", JSON, _text),
    )
)
COLUMNS: Final[Mapping[str, Sequence[Column]]] = {
    "sqlite": SQLITE,
    "postgresql": POSTGRES,
    "duckdb": DUCKDB,
    "mariadb": MARIADB,
}
