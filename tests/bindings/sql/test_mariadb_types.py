"""MariaDB's column types with null and their extreme values: exact, and as the schema says."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from runner.catalog.proving import Description
from runner.catalog.sql import Bound, Column
from runner.compile.schemas.type_words import DERIVED_WORDS
from tests.bindings.sql.lab import Lab, database_of, mariadb_rows, open_lab

TYPES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "tinyint": ("integer", {"-128": -128, "127": 127}),
    "tinyint unsigned": ("integer", {"0": 0, "255": 255}),
    "tinyint(1)": ("integer", {"true": 1, "false": 0, "2": 2}),
    "smallint": ("integer", {"-32768": -32768, "32767": 32767}),
    "smallint unsigned": ("integer", {"65535": 65535}),
    "mediumint": ("integer", {"-8388608": -8388608, "8388607": 8388607}),
    "mediumint unsigned": ("integer", {"16777215": 16777215}),
    "int": ("integer", {"-2147483648": -2147483648, "2147483647": 2147483647}),
    "int unsigned": ("integer", {"4294967295": 4294967295}),
    "int(9) zerofill": ("integer", {"7": 7}),
    "bigint": (
        "int64",
        {
            "-9223372036854775808": "-9223372036854775808",
            "9223372036854775807": "9223372036854775807",
            "9007199254740991": 9007199254740991,
            "9007199254740992": "9007199254740992",
        },
    ),
    "bigint unsigned": ("", {"18446744073709551615": "18446744073709551615", "1": 1}),
    "decimal(65, 30)": (
        "decimal",
        {
            f"-{'9' * 35}.{'9' * 30}": f"-{'9' * 35}.{'9' * 30}",
            f"0.{'0' * 29}1": f"0.{'0' * 29}1",
            "0": f"0.{'0' * 30}",
        },
    ),
    "decimal(10, 0)": ("decimal", {"12": "12"}),
    "float": (
        "number",
        {"0.1": 0.1, "16777217": 16777216.0, "3.402823466e38": 3.4028235e38, "-1e-37": -1e-37},
    ),
    "double": (
        "number",
        {"0.1": 0.1, "1.7976931348623157e308": 1.7976931348623157e308, "-5e-324": -5e-324},
    ),
    "bit(1)": ("integer", {"b'1'": 1, "b'0'": 0}),
    "bit(9)": ("integer", {"b'111111111'": 511}),
    "bit(54)": ("int64", {"9007199254740993": "9007199254740993", "5": 5}),
    "bit(64)": ("", {"18446744073709551615": "18446744073709551615"}),
    "year": ("integer", {"1901": 1901, "2155": 2155, "0": 0}),
    "date": ("date", {"'1000-01-01'": "1000-01-01", "'9999-12-31'": "9999-12-31"}),
    "datetime": ("timestamp", {"'2026-03-29 02:30:00'": "2026-03-29T02:30:00"}),
    "datetime(6)": (
        "timestamp",
        {
            "'9999-12-31 23:59:59.999999'": "9999-12-31T23:59:59.999999",
            "'1000-01-01 00:00:00'": "1000-01-01T00:00:00",
            "'2026-03-29 02:30:00.25'": "2026-03-29T02:30:00.25",
        },
    ),
    "timestamp": (
        "date-time",
        {
            "from_unixtime(1)": "1970-01-01T00:00:01+00:00",
            "from_unixtime(2147483647)": "2038-01-19T03:14:07+00:00",
        },
    ),
    "timestamp(6)": ("date-time", {"from_unixtime(1.5)": "1970-01-01T00:00:01.5+00:00"}),
    "time": (
        "string",
        {"'-838:59:59'": "-838:59:59", "'838:59:59'": "838:59:59", "'00:00:00'": "00:00:00"},
    ),
    "time(6)": ("string", {"'-00:00:00.000001'": "-00:00:00.000001", "'10:00:00.5'": "10:00:00.5"}),
    "char(4)": ("string", {"'ab'": "ab", "''": ""}),
    "varchar(9)": ("string", {"'é😀\"|'": 'é😀"|', "'a\\0b'": "a\0b"}),
    "varchar(9) character set latin1": ("string", {"'café'": "café", "x'80'": "€"}),
    "text character set ucs2": ("string", {"'東京'": "東京"}),
    "longtext": ("string", {"repeat('x', 70000)": "x" * 70000}),
    "enum('a', 'é')": ("string", {"'é'": "é"}),
    "set('a', 'b')": ("string", {"'a,b'": "a,b", "''": ""}),
    "binary(3)": ("bytes", {"x'00ff'": "AP8A"}),
    "varbinary(3)": ("bytes", {"x'00ff'": "AP8=", "''": ""}),
    "blob": ("bytes", {"x'00ff'": "AP8="}),
    "longblob": ("bytes", {"''": ""}),
    "varchar(9) character set utf8mb4 collate utf8mb4_bin": ("string", {"'x'": "x"}),
    "json": ("json", {"'{\"a\": 9007199254740993}'": {"a": "9007199254740993"}, "'[1.5]'": [1.5]}),
    "uuid": (
        "uuid",
        {"'6F1E4C0E-9C3F-4F0A-8F0E-1D2C3B4A5F60'": "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60"},
    ),
    "inet6": ("string", {"'::FFFF:1.2.3.4'": "::ffff:1.2.3.4"}),
    "inet4": ("string", {"'10.0.0.1'": "10.0.0.1"}),
    "geometry": ("bytes", {"point(1, 2)": "AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="}),
}
"""A column's type → the type word that is derived, and what is written → what comes."""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """An empty database of MariaDB."""
    with database_of("mariadb", tmp_path) as source, open_lab(source) as lab:
        yield lab


def described(lab: Lab, *texts: str, types: tuple[str, ...] = ()) -> list[Column]:
    """The columns, as the prover tells them."""
    bounds = [Bound((f"p{place}",), word) for place, word in enumerate(types)]

    async def ask() -> object:
        async with lab.database.prover() as prover:
            return prover.describe(texts, bounds)

    found = lab.run(ask())
    assert isinstance(found, Description), found
    return list(found.columns)


@pytest.mark.parametrize("definition", TYPES)
def test_each_type_is_exact_and_fits_its_schema(lab: Lab, definition: str) -> None:
    word, values = TYPES[definition]
    lab.execute(f"CREATE TABLE t (id int PRIMARY KEY AUTO_INCREMENT, v {definition} NULL)")
    lab.execute("INSERT INTO t (v) VALUES (NULL)")
    lab.execute(*(f"INSERT INTO t (v) VALUES ({written})" for written in values))

    found = lab.invoke(lab.plan("SELECT v FROM t ORDER BY id", shape="column")).value

    assert found == [None, *values.values()]
    assert described(lab, "SELECT v FROM t") == [Column("v", word, holds_nulls=True)]
    schema = DERIVED_WORDS.get(word, {})
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for value in values.values():
        validator.validate(value)


ZEROS = {
    "date": {"0000-00-00": "0000-00-00", "2026-00-00": "2026-00-00"},
    "datetime": {"0000-00-00": "0000-00-00T00:00:00"},
    "timestamp": {"0000-00-00": "0000-00-00T00:00:00+00:00"},
}


@pytest.mark.parametrize("definition", ZEROS)
def test_dates_that_are_none_are_read_as_they_are_and_never_written(
    lab: Lab, definition: str
) -> None:
    lab.execute(f"CREATE TABLE t (v {definition} NULL)")
    name = str(lab.value("SELECT database() AS n"))
    for text in ZEROS[definition]:
        mariadb_rows("INSERT INTO t VALUES (%s)", text, database=name, modes="")
    word = {"date": "date", "datetime": "timestamp", "timestamp": "date-time"}[definition]
    validator = Draft202012Validator(
        DERIVED_WORDS[word], format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    found = lab.invoke(lab.plan("SELECT v FROM t", shape="column")).value
    assert found == list(ZEROS[definition].values())
    for value in ZEROS[definition].values():
        validator.validate(value)
    plan = lab.plan("INSERT INTO t VALUES (:v)", types={"v": "string"})
    assert lab.fails(plan, v="0000-00-00").kind == "invalid"


@pytest.mark.parametrize(
    ("text", "types", "words"),
    [
        (("SELECT count(*) AS a",), (), ["int64"]),
        (("SELECT max(id) + 1 AS a, sum(id) AS b FROM t",), (), ["int64", "decimal"]),
        (("SELECT ", " AS a"), ("integer",), ["int64"]),
        (("SELECT ", " AS a"), ("decimal",), ["decimal"]),
        (("SELECT ", " AS a"), ("number",), ["number"]),
        (("SELECT ", " AS a"), ("string",), ["string"]),
        (("SELECT ", " AS a"), ("",), [""]),
        (("SELECT coalesce(", ", 1.5) AS a"), ("integer",), ["decimal"]),
        (("SELECT coalesce(", ", 'x') AS a"), ("integer",), ["string"]),
        (("SELECT id AS a, v AS b FROM t WHERE id = ", ""), ("integer",), ["integer", "string"]),
        (("SELECT v AS a FROM t LIMIT ", ""), ("integer",), ["string"]),
        (("WITH s AS (SELECT ", " AS a) SELECT a FROM s"), ("string",), ["string"]),
        (("SHOW TABLES LIKE 'x'",), (), ["string"]),
        (("INSERT INTO t VALUES (", ", 'x') RETURNING id AS a"), ("integer",), ["integer"]),
        (("INSERT INTO t VALUES (2, 'x') RETURNING *",), (), ["integer", "string"]),
        (("DELETE FROM t WHERE id = ", " RETURNING v AS a"), ("integer",), ["string"]),
    ],
)
def test_types_are_told_where_no_value_decides_them(
    lab: Lab, text: tuple[str, ...], types: tuple[str, ...], words: list[str]
) -> None:
    lab.execute("CREATE TABLE t (id int, v varchar(9))")

    assert [column.type for column in described(lab, *text, types=types)] == words
    assert lab.rows("SELECT id FROM t") == []


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        ("integer", 2**63 - 1, str(2**63 - 1)),
        ("integer", 2**64 - 1, str(2**64 - 1)),
        ("integer", 2**65, str(2**65)),
        ("integer", -(2**63), str(-(2**63))),
        ("decimal", Decimal("1.50"), "1.50"),
        ("decimal", 3, "3"),
        ("number", 2, 2.0),
        ("boolean", False, 0),
        ("string", "\\'\"`%;--", "\\'\"`%;--"),
        ("string", "x" * 70_000, "x" * 70_000),
        ("date-time", "2026-01-31T10:00:00.5+05:30", "2026-01-31T04:30:00.5"),
        ("time", "10:00:00Z", "10:00:00"),
        ("object", {"a": "é"}, '{"a":"é"}'),
        ("", b"\x00\xff", "AP8="),
        ("", UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("", date(2026, 1, 31), "2026-01-31"),
        ("", datetime(2026, 1, 31, 10), "2026-01-31T10:00:00"),
        ("", datetime(2026, 1, 31, 10, tzinfo=timezone(timedelta(hours=2))), "2026-01-31T08:00:00"),
        ("", time(10, 0, 0, 5), "10:00:00.000005"),
        ("", timedelta(days=-1, microseconds=1), "-23:59:59.999999"),
        ("", ["a", 1], '["a",1]'),
    ],
    ids=str,
)
def test_values_are_bound_without_loss(
    lab: Lab, word: str, value: object, expected: object
) -> None:
    assert lab.value("SELECT :x AS x", {"x": word}, x=value) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59.999999-14:00",
        "2016-12-31T23:59:60+05:00",
    ],
)
def test_instant_whose_offset_the_server_would_cut_is_refused(lab: Lab, text: str) -> None:
    """It would be taken for another, hours off."""
    plan = lab.plan("SELECT :x AS x", types={"x": "date-time"})
    error = lab.fails(plan, x=text)
    assert (error.kind, error.field) == ("invalid", "x")


@pytest.mark.parametrize(
    "value",
    [float("inf"), float("nan"), Decimal("NaN"), object()],
    ids=["infinity", "nan", "decimal nan", "object"],
)
def test_values_that_the_engine_has_not_are_refused(lab: Lab, value: object) -> None:
    assert lab.fails(lab.plan("SELECT :x AS x"), x=value).kind == "invalid"
