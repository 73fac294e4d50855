"""The type matrix: what each engine's types become, in JSON and in every text."""

import os
import time
from collections.abc import Iterator

import pytest

from runner.catalog.schema import Parameter
from runner.catalog.sql import ResultColumns
from runner.codec.json import decode, encode
from runner.codec.tables import csv, markdown
from runner.errors import Kind
from tests.bindings.sql.lab import Lab

POSTGRES_MATRIX = {
    "int2": ("32767::int2", 32767),
    "int8 safe": ("9007199254740991::int8", 9007199254740991),
    "int8 beyond": ("9007199254740993::int8", "9007199254740993"),
    "int8 lowest": ("(-9223372036854775808)::int8", "-9223372036854775808"),
    "numeric": ("12.50::numeric(38,10)", "12.5000000000"),
    "numeric small": ("0.0000000001::numeric", "0.0000000001"),
    "numeric nan": ("'NaN'::numeric", "NaN"),
    "numeric infinite": ("'-Infinity'::numeric", "-Infinity"),
    "float8": ("0.1::float8", 0.1),
    "float8 nan": ("'NaN'::float8", "NaN"),
    "float4 infinite": ("'Infinity'::float4", "Infinity"),
    "bool": ("true", True),
    "text": ("'é😀\"\\'::text", 'é😀"\\'),
    "char": ("'ab'::char(4)", "ab  "),
    "uuid": (
        "'6F1E4C0E-9C3F-4F0A-8F0E-1D2C3B4A5F60'::uuid",
        "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60",
    ),
    "date": ("'2026-03-29'::date", "2026-03-29"),
    "date far": ("'12026-03-29'::date", "12026-03-29"),
    "date bc": ("'0044-03-15 BC'::date", "0044-03-15 BC"),
    "date infinite": ("'infinity'::date", "infinity"),
    "timestamp": ("'2026-03-29 02:30:00.25'::timestamp", "2026-03-29T02:30:00.25"),
    "timestamptz": ("'2026-03-29 02:30:00+05:30'::timestamptz", "2026-03-28T21:00:00+00:00"),
    "timestamptz infinite": ("'-infinity'::timestamptz", "-infinity"),
    "time": ("'10:00:00.5'::time", "10:00:00.5"),
    "timetz": ("'10:00:00+02'::timetz", "10:00:00+02:00"),
    "interval": ("'1 year 2 months 3 days 04:05:06.7'::interval", "P1Y2M3DT4H5M6.7S"),
    "bytea": (r"'\x00ff'::bytea", "AP8="),
    "jsonb": (
        """'{"a":[1,1.5,null,9007199254740993]}'::jsonb""",
        {"a": [1, 1.5, None, "9007199254740993"]},
    ),
    "json huge": ("'123456789012345678901234567890'::json", "123456789012345678901234567890"),
    "int array": ("ARRAY[1,NULL,3]", [1, None, 3]),
    "int8 array": ("ARRAY[9007199254740993]", ["9007199254740993"]),
    "uuid array": ("ARRAY[]::uuid[]", []),
    "text matrix": ("ARRAY[['a','b'],['c','d']]", [["a", "b"], ["c", "d"]]),
    "timestamptz array": ("ARRAY['2026-01-01Z'::timestamptz]", ["2026-01-01T00:00:00+00:00"]),
    "range": ("int4range(1,10)", "[1,10)"),
    "inet": ("'10.0.0.1/8'::inet", "10.0.0.1/8"),
    "inet host": ("'10.0.0.1'::inet", "10.0.0.1"),
    "composite": ("ROW(1,'a b')", '(1,"a b")'),
    "null": ("NULL", None),
    "point": ("point(1,2)", "(1,2)"),
}
UUID = "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60"
DUCKDB_MATRIX: dict[str, tuple[str, object]] = {
    "null": ("NULL", None),
    "boolean": ("true", True),
    "tinyint lowest": ("(-128)::TINYINT", -128),
    "utinyint": ("255::UTINYINT", 255),
    "smallint": ("32767::SMALLINT", 32767),
    "usmallint": ("65535::USMALLINT", 65535),
    "integer": ("2147483647", 2147483647),
    "uinteger": ("4294967295::UINTEGER", 4294967295),
    "bigint safe": ("9007199254740991::BIGINT", 9007199254740991),
    "bigint beyond": ("9007199254740993::BIGINT", "9007199254740993"),
    "bigint lowest": ("(-9223372036854775808)::BIGINT", "-9223372036854775808"),
    "ubigint": ("18446744073709551615::UBIGINT", "18446744073709551615"),
    "hugeint": (
        "170141183460469231731687303715884105727::HUGEINT",
        "170141183460469231731687303715884105727",
    ),
    "hugeint lowest": (
        "(-170141183460469231731687303715884105728)::HUGEINT",
        "-170141183460469231731687303715884105728",
    ),
    "uhugeint": (
        "340282366920938463463374607431768211455::UHUGEINT",
        "340282366920938463463374607431768211455",
    ),
    "bignum": (f"{'9' * 60}::BIGNUM", "9" * 60),
    "bignum small": ("(-7)::BIGNUM", -7),
    "decimal": ("12.50::DECIMAL(38,10)", "12.5000000000"),
    "decimal widest": (f"'{'9' * 28}.0123456789'::DECIMAL(38,10)", f"{'9' * 28}.0123456789"),
    "decimal smallest": (f"'0.{'0' * 37}1'::DECIMAL(38,38)", f"0.{'0' * 37}1"),
    "double": ("0.1::DOUBLE", 0.1),
    "double largest": ("1.7976931348623157e308::DOUBLE", 1.7976931348623157e308),
    "double nan": ("'NaN'::DOUBLE", "NaN"),
    "double infinite": ("'-Infinity'::DOUBLE", "-Infinity"),
    "float": ("0.1::FLOAT", 0.1),
    "float largest": ("3.4028235e38::FLOAT", 3.4028235e38),
    "float nan": ("'NaN'::FLOAT", "NaN"),
    "float infinite": ("'Infinity'::FLOAT", "Infinity"),
    "text": ("'é😀\"\\'", 'é😀"\\'),
    "nul": ("'a' || chr(0) || 'b'", "a\0b"),
    "blob": (r"'\x00\xFF'::BLOB", "AP8="),
    "bit": ("'0101'::BIT", "0101"),
    "uuid": (f"'{UUID.upper()}'::UUID", UUID),
    "enum": ("'a b'::ENUM('a b', 'c')", "a b"),
    "date": ("'2026-03-29'::DATE", "2026-03-29"),
    "date far": ("'5881580-07-10'::DATE", "5881580-07-10"),
    "date bc": ("'0044-03-15 (BC)'::DATE", "0044-03-15 BC"),
    "date infinite": ("'infinity'::DATE", "infinity"),
    "date ended": ("'9999-12-31'::DATE", "9999-12-31"),
    "timestamp": ("'2026-03-29 02:30:00.25'::TIMESTAMP", "2026-03-29T02:30:00.25"),
    "timestamp bc": ("'0044-03-15 (BC) 10:00:00'::TIMESTAMP", "0044-03-15T10:00:00 BC"),
    "timestamp infinite": ("'-infinity'::TIMESTAMP", "-infinity"),
    "timestamp_s": ("'2026-03-29 02:30:00'::TIMESTAMP_S", "2026-03-29T02:30:00"),
    "timestamp_ms": ("'2026-03-29 02:30:00.123'::TIMESTAMP_MS", "2026-03-29T02:30:00.123"),
    "timestamp_ns": (
        "'2026-03-29 02:30:00.123456789'::TIMESTAMP_NS",
        "2026-03-29T02:30:00.123456789",
    ),
    "timestamptz": ("'2026-03-29 02:30:00+05:30'::TIMESTAMPTZ", "2026-03-28T21:00:00+00:00"),
    "timestamptz bc": (
        "'0044-03-15 (BC) 10:00:00+00'::TIMESTAMPTZ",
        "0044-03-15T10:00:00+00:00 BC",
    ),
    "timestamptz infinite": ("'infinity'::TIMESTAMPTZ", "infinity"),
    "time": ("'10:00:00.5'::TIME", "10:00:00.5"),
    "time last": ("'24:00:00'::TIME", "24:00:00"),
    "time_ns": ("'10:00:00.123456789'::TIME_NS", "10:00:00.123456789"),
    "timetz": ("'10:00:00+02'::TIMETZ", "10:00:00+02:00"),
    "timetz odd": ("'10:00:00-05:30'::TIMETZ", "10:00:00-05:30"),
    "interval": ("INTERVAL '1 year 2 months -3 days 04:05:06.7'", "P1Y2M-3DT4H5M6.7S"),
    "interval below": ("INTERVAL '-1 month -00:00:01.5'", "P-1MT-1.5S"),
    "interval long": ("INTERVAL '100 hours'", "PT100H"),
    "interval none": ("INTERVAL 0 DAY", "PT0S"),
    "json": (
        """'{"a":[1,1.5,null,9007199254740993]}'::JSON""",
        {"a": [1, 1.5, None, "9007199254740993"]},
    ),
    "json null": ("'null'::JSON", None),
    "list": ("[1, NULL, 3]", [1, None, 3]),
    "list none": ("[]", []),
    "list of lists": ("[['a'], [], NULL]", [["a"], [], None]),
    "list of bigints": ("[9007199254740993]", ["9007199254740993"]),
    "list of uuids": (f"['{UUID}'::UUID, NULL]", [UUID, None]),
    "list of times": (
        "[TIMESTAMP_NS '2026-01-01 00:00:00.123456789', NULL]",
        ["2026-01-01T00:00:00.123456789", None],
    ),
    "list of json": ("['[1]'::JSON, NULL]", [[1], None]),
    "array": ("[1, 2]::INTEGER[2]", [1, 2]),
    "array of dates": ("['infinity'::DATE, NULL]::DATE[2]", ["infinity", None]),
    "struct": ("{'a b': 1, 'c': [0.5::FLOAT]}", {"a b": 1, "c": [0.5]}),
    "struct of spans": ("{'x': {'y': [INTERVAL 1 MONTH]}}", {"x": {"y": ["P1M"]}}),
    "struct null": ("NULL::STRUCT(a DATE)", None),
    "tuple": ("row(1, 'infinity'::DATE)", [1, "infinity"]),
    "map": ("MAP {'a': 1}", {"a": 1}),
    "map of dates": ("MAP {1: '2026-01-01'::DATE}", {"1": "2026-01-01"}),
    "map by date": ("MAP {'infinity'::DATE: 1.50}", {"infinity": "1.50"}),
    "map by list": ("MAP {[1, 2]: 'x'}", {"[1, 2]": "x"}),
    "union": ("union_value(num := 2)", 2),
    "union of spans": ("union_value(span := INTERVAL 1 MONTH)", "1 month"),
    "variant": ("""{'a': [1, NULL], 'd': 'infinity'::DATE}::VARIANT""",
                {"a": [1, None], "d": "infinity"}),
    "geometry": ("'POINT (1 2)'::GEOMETRY", "POINT (1 2)"),
}  # fmt: skip
SQLITE_MATRIX = {
    "integer": ("32767", 32767),
    "integer safe": ("9007199254740991", 9007199254740991),
    "integer beyond": ("9007199254740993", "9007199254740993"),
    "integer lowest": ("-9223372036854775807 - 1", "-9223372036854775808"),
    "real": ("0.1", 0.1),
    "real infinite": ("9e999", "Infinity"),
    "real negative": ("-9e999", "-Infinity"),
    "text": ("'é😀\"\\'", 'é😀"\\'),
    "blob": ("x'00ff'", "AP8="),
    "null": ("NULL", None),
    "not utf-8": ("CAST(x'61ff62' AS TEXT)", "a�b"),
    "surrogate": ("CAST(x'eda080' AS TEXT)", "���"),
    "nul": ("char(97, 0, 98)", "a\0b"),
}
MARIADB_MATRIX = {
    "integer": ("32767", 32767),
    "integer safe": ("9007199254740991", 9007199254740991),
    "integer beyond": ("9007199254740993", "9007199254740993"),
    "integer lowest": ("-9223372036854775808", "-9223372036854775808"),
    "unsigned highest": ("18446744073709551615", "18446744073709551615"),
    "decimal": ("CAST('12.5' AS DECIMAL(38, 10))", "12.5000000000"),
    "decimal small": ("0.0000000001", "0.0000000001"),
    "sum": ("(SELECT sum(x) FROM (SELECT 1 AS x UNION SELECT 2) AS t)", "3"),
    "double": ("0.1e0", 0.1),
    "double largest": ("1.7976931348623157e308", 1.7976931348623157e308),
    "float": ("CAST(0.1 AS FLOAT)", 0.1),
    "float exact": ("CAST(16777217 AS FLOAT)", 16777216.0),
    "boolean": ("true", 1),
    "text": ("'é😀\"\\\\'", 'é😀"\\'),
    "text of numbers": ("concat(1, 2)", "12"),
    "binary": ("x'00ff'", "AP8="),
    "bits": ("b'101'", "BQ=="),
    "uuid": (
        "CAST('6F1E4C0E-9C3F-4F0A-8F0E-1D2C3B4A5F60' AS UUID)",
        "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60",
    ),
    "inet6": ("CAST('::FF' AS INET6)", "::ff"),
    "date": ("DATE '2026-03-29'", "2026-03-29"),
    "date last": ("DATE '9999-12-31'", "9999-12-31"),
    "datetime": ("TIMESTAMP '2026-03-29 02:30:00.25'", "2026-03-29T02:30:00.25"),
    "datetime plain": ("TIMESTAMP '2026-03-29 02:30:00'", "2026-03-29T02:30:00"),
    "time": ("TIME '10:00:00.5'", "10:00:00.5"),
    "time beyond a day": ("TIME '-838:59:59'", "-838:59:59"),
    "time zero": ("TIME '00:00:00'", "00:00:00"),
    "json": (
        """json_extract('{"a":[1,1.5,null,9007199254740993]}', '$')""",
        {"a": [1, 1.5, None, "9007199254740993"]},
    ),
    "json of a scalar": ("json_extract('[null]', '$[0]')", None),
    "point": ("ST_AsText(point(1, 2))", "POINT(1 2)"),
    "null": ("NULL", None),
}
MATRICES = {
    "postgresql": POSTGRES_MATRIX,
    "sqlite": SQLITE_MATRIX,
    "duckdb": DUCKDB_MATRIX,
    "mariadb": MARIADB_MATRIX,
}


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Kolkata"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The zone of the process."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_every_type_has_its_json_and_its_texts(lab: Lab) -> None:
    matrix = MATRICES[lab.engine]
    columns = ", ".join(f'{text} AS "{name}"' for name, (text, _) in matrix.items())
    outcome = lab.invoke(lab.plan(f"SELECT {columns}", shape="row"))
    expected = {name: value for name, (_, value) in matrix.items()}
    assert outcome.value == expected
    assert decode(encode(outcome.value)) == expected
    assert csv(list(expected), [expected]).count("\r\n") >= 2
    assert markdown(list(expected), [expected]).count("\n") == 3


def test_no_zone_of_the_process_moves_a_time(zone: str, lab: Lab) -> None:
    if lab.is_postgres or lab.is_duckdb:
        text = (
            "SELECT '2026-03-29 02:30:00'::timestamp AS t, '2026-03-29 02:30+00'::timestamptz AS z"
        )
        expected = {"t": "2026-03-29T02:30:00", "z": "2026-03-29T02:30:00+00:00"}
    elif lab.is_mariadb:
        lab.execute("CREATE TABLE t (t datetime, z timestamp)")
        lab.execute("INSERT INTO t VALUES ('2026-03-29 02:30:00', '2026-03-29 02:30:00')")
        text = "SELECT t, z FROM t"
        expected = {"t": "2026-03-29T02:30:00", "z": "2026-03-29T02:30:00+00:00"}
    else:
        text = "SELECT datetime('2026-03-29 02:30:00') AS t"
        expected = {"t": "2026-03-29 02:30:00"}
    assert os.environ["TZ"] == zone
    assert lab.invoke(lab.plan(text, shape="row")).value == expected


def test_a_time_from_a_result_finds_its_row(lab: Lab) -> None:
    kind = {"mariadb": "timestamp", "sqlite": "text"}.get(lab.engine, "timestamptz")
    lab.execute(f"CREATE TABLE t (z {kind})")
    at = "2026-03-29T02:30:00+05:30"
    lab.invoke(lab.plan("INSERT INTO t VALUES (:at)", types={"at": "date-time"}), at=at)
    found = lab.value("SELECT z FROM t")
    count = "SELECT count(*) AS n FROM t WHERE z = :at"
    assert lab.value(count, {"at": "date-time"}, at=found) == 1


@pytest.mark.engines("sqlite", why="the others refuse such text")
def test_bytes_that_are_no_text_harm_no_other_row(lab: Lab) -> None:
    lab.execute("CREATE TABLE t (x)", "INSERT INTO t VALUES ('a'), (CAST(x'ff' AS TEXT)), ('c')")
    outcome = lab.invoke(lab.plan("SELECT x FROM t", shape="column"))
    assert outcome.value == ["a", "�", "c"]
    assert outcome.note == "Some text was not valid UTF-8; what could not be read is shown as �."


def test_declared_columns_become_what_they_are_declared(lab: Lab) -> None:
    types = {
        "flag": Parameter("flag", "boolean"),
        "tags": Parameter("tags", "string", is_list=True),
        "price": Parameter("price", "decimal"),
    }
    columns = ResultColumns(json=frozenset({"doc"}), types=types)
    text = """SELECT 1 AS flag, '["a"]' AS tags, 1.5 AS price, '{"a": 1}' AS doc"""
    row = lab.invoke(lab.plan(text, columns=columns, shape="row")).value
    assert row == {"flag": True, "tags": ["a"], "price": "1.5", "doc": {"a": 1}}


@pytest.mark.engines("postgresql", "duckdb", "mariadb", why="SQLite has no decimals")
def test_decimals_are_numbers_where_asked_for_and_exact(lab: Lab) -> None:
    text = "SELECT 1.50 AS a, 0.12345678901234567890 AS b, 2.0 AS c"
    plan = lab.plan(text, columns=ResultColumns(decimals="number"), shape="row")
    assert lab.invoke(plan).value == {"a": 1.5, "b": "0.12345678901234567890", "c": 2}


def test_a_column_that_should_be_json_and_is_not_names_its_row(lab: Lab) -> None:
    text = "SELECT '1' AS doc UNION ALL SELECT '{'"
    error = lab.fails(lab.plan(text, columns=ResultColumns(json=frozenset({"doc"}))))
    assert (error.kind, error.field) == (Kind.INVALID, "doc")
    assert str(error) == "column 'doc', row 2: the text is not JSON"


LOOSE_JSON = {
    "postgresql": ("""'[1e400, {"a": 1, "a": 2}]'::json""", '[1e400, {"a": 1, "a": 2}]'),
    "duckdb": ("""'[NaN, 1e400, {"a": 1, "a": 2}]'::JSON""", ["NaN", "1e400", {"a": 2}]),
    "mariadb": ("""JSON_COMPACT('[1e400, {"a": 1, "a": 2}]')""", '[1e400,{"a":1,"a":2}]'),
}


@pytest.mark.engines("postgresql", "duckdb", "mariadb", why="SQLite has no type of JSON")
def test_json_that_only_the_engine_takes_is_given_as_it_can_be(lab: Lab) -> None:
    """One value does not refuse a result."""
    text, expected = LOOSE_JSON[lab.engine]
    assert lab.value(f"SELECT {text} AS x") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to_json('nan'::DOUBLE)", "NaN"),
        ("'nan'::DOUBLE::VARIANT", "NaN"),
        ("'[NaN, 1,]'::JSON", "[NaN, 1,]"),
        ("('[' || repeat('9', 5000) || ']')::JSON", ["9" * 5000]),
        ("[to_json('inf'::DOUBLE)]", ["Infinity"]),
    ],
)
def test_duckdbs_json_that_is_none_is_a_text(duck: Lab, text: str, expected: object) -> None:
    assert duck.value(f"SELECT {text} AS x") == expected


BEYOND = ('{"a": 1e400}', r'{"a": "\ud800"}', '{"a": ' + "[" * 250 + "]" * 250 + "}")
"""JSON that no value here can hold."""


@pytest.mark.parametrize("text", BEYOND, ids=["number", "half a character", "deep"])
def test_json_that_no_value_can_hold_is_its_text_and_harms_no_other_row(
    lab: Lab, text: str
) -> None:
    typed = "json" if lab.is_postgres else "text"  # DuckDB keeps no half characters
    literal = text.replace("\\", "\\\\") if lab.is_mariadb else text
    lab.execute(
        f"CREATE TABLE docs (id integer, doc {typed})",
        f"INSERT INTO docs VALUES (1, '[1]'), (2, '{literal}'), (3, '[3]')",
    )
    plan = lab.plan(
        "SELECT doc FROM docs ORDER BY id",
        columns=ResultColumns(json=frozenset({"doc"})),
        shape="column",
    )
    assert lab.invoke(plan).value == [[1], text, [3]]
