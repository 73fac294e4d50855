"""DuckDB's types, out and in: nothing is rounded, and what is said of a column holds."""

from collections.abc import Mapping
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from runner.catalog.proving import Description, Refusal
from runner.codec.json import decode, encode
from runner.compile.schemas.type_words import derived_fragment
from runner.errors import Kind
from tests.bindings.sql.lab import Lab
from tests.bindings.sql.test_sql_provers import describe
from tests.bindings.sql.test_sql_values import DUCKDB_MATRIX


@pytest.mark.parametrize("name", DUCKDB_MATRIX)
def test_each_value_fits_what_was_said_of_its_column(duck: Lab, name: str) -> None:
    text, expected = DUCKDB_MATRIX[name]
    described = describe(duck, f"SELECT {text} AS x, NULL AS y")
    assert isinstance(described, Description)
    word = described.columns[0].type or None
    schema = derived_fragment(word, is_nullable=True, decimals="text")
    check = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert duck.value(f"SELECT {text} AS x") == expected
    check.validate(expected)


def test_what_is_returned_loses_nothing_either(duck: Lab) -> None:
    duck.execute(
        "CREATE TABLE t (id INTEGER, span INTERVAL, at TIMESTAMP_NS, days DATE[])".replace(
            " at ", " moment "
        )
    )
    row = {
        "id": 1,
        "span": "P1Y2M3DT4S",
        "moment": "2026-03-29T02:30:00.123456789",
        "days": ["infinity", None],
    }
    made = "INSERT INTO t VALUES (1, INTERVAL '1 year 2 months 3 days 4 seconds',"
    made += " '2026-03-29 02:30:00.123456789', ['infinity', NULL]) RETURNING *"
    assert duck.invoke(duck.plan(made, shape="row")).value == row
    changed = 'UPDATE t AS q SET id = :id WHERE id = 1 RETURNING q.id AS n, span * 2 AS "twice"'
    plan = duck.plan(changed, types={"id": "integer"}, shape="row")
    assert duck.invoke(plan, id=5).value == {"n": 5, "twice": "P2Y4M6DT8S"}
    gone = "DELETE FROM t USING range(9) AS r(i) WHERE id = i RETURNING span, moment"
    assert duck.invoke(duck.plan(gone, shape="column")).value == ["P1Y2M3DT4S"]
    assert duck.rows("SELECT id FROM t") == []


@pytest.mark.parametrize(
    "span", ["PT1M30S", "P1Y2M-3DT4H5M6.7S", "P2W", "PT-1.5S", "-P1D", "PT0S", "P1M"]
)
def test_a_duration_finds_its_row_and_comes_back(duck: Lab, span: str) -> None:
    duck.execute("CREATE TABLE t (span INTERVAL)")
    types = {"span": "duration", "spans": "duration[]"}
    duck.invoke(duck.plan("INSERT INTO t VALUES (:span)", types=types), span=span)
    found = duck.value("SELECT span FROM t WHERE span = :span AND span IN :spans", types,
                       span=span, spans=[span])  # fmt: skip
    assert found == {"P2W": "P14D", "-P1D": "P-1D"}.get(span, span)
    assert duck.value("SELECT span FROM t WHERE span = :span", types, span=found) == found
    assert duck.value("SELECT count(*) AS n FROM t WHERE :span IS NULL", types) == 1


EXACT = ["0.1", "-12345678901234567890123456789012345678", f"0.{'0' * 36}1", "1E+37", "1.50"]


@pytest.mark.parametrize("text", EXACT)
def test_a_decimal_keeps_every_digit(duck: Lab, text: str) -> None:
    value = Decimal(text)
    assert duck.value("SELECT :x AS x", {"x": "decimal"}, x=value) == format(value, "f")


@pytest.mark.parametrize("text", ["1E+38", "1E-38", "9" * 39, f"{'9' * 20}.{'9' * 19}"])
def test_a_decimal_that_none_holds_is_refused_and_not_rounded(duck: Lab, text: str) -> None:
    error = duck.fails(duck.plan("SELECT :x AS x", types={"x": "decimal"}), x=Decimal(text))
    assert (error.kind, str(error)) == (Kind.INVALID, "the database refuses the value of 'x'")


@pytest.mark.parametrize("value", [2**63, 2**127, 2**128, -(2**127) - 1, 10**60])
def test_an_integer_of_any_size_finds_its_row(duck: Lab, value: int) -> None:
    duck.execute("CREATE TABLE t (n BIGNUM)")
    duck.invoke(duck.plan("INSERT INTO t VALUES (:n)", types={"n": "int64"}), n=value)
    assert duck.value("SELECT n FROM t WHERE n = :n", {"n": "int64"}, n=value) == str(value)


CHOSEN: Mapping[str, tuple[str, str, object, object]] = {
    "year": ("year(:x)", "date", "2026-01-31", 2026),
    "day": (":x + INTERVAL 1 DAY", "date-time", "2026-01-31T10:00Z", "2026-02-01T10:00:00+00:00"),
    "last day": ("last_day(:x)", "date", "2024-02-01", "2024-02-29"),
    "minus": ("DATE '2026-02-01' - :x", "date", "2026-01-31", 1),
    "two": ("datediff('day', :x, :x)", "date", "2026-01-31", 0),
    "absolute": ("abs(:x)", "integer", -3, 3),
    "text": ("length(:x)", "string", "abc", 3),
    "truth": ("NOT :x", "boolean", False, True),
}  # fmt: skip


@pytest.mark.parametrize("case", CHOSEN)
def test_a_parameter_that_leaves_a_choice_has_its_declared_type(duck: Lab, case: str) -> None:
    text, word, value, expected = CHOSEN[case]
    assert duck.value(f"SELECT {text} AS x", {"x": word}, x=value) == expected
    assert duck.value(f"SELECT {text} AS x", {"x": word}, x=None) is None


WIDE: Mapping[str, tuple[str, str]] = {
    "sum": ("id + :n", "int64"),
    "itself": (":n", "int64"),
    "choice": ("CASE WHEN id = 1 THEN :n ELSE 0 END", "int64"),
    "column": ("id", "integer"),
    "date": ("DATE '2026-01-01' + :n", "date"),
}


@pytest.mark.parametrize("case", WIDE)
def test_a_column_is_said_to_hold_what_the_largest_parameter_makes(duck: Lab, case: str) -> None:
    duck.execute("CREATE TABLE t (id INTEGER)")
    text, word = WIDE[case]
    before, _, after = text.partition(":n")
    texts = [f"SELECT {before}", f"{after} AS x FROM t"] if after or ":n" in text else None
    texts = texts or [f"SELECT {text} AS x FROM t WHERE id = ", ""]
    described = describe(duck, *texts, types=["integer"])
    assert isinstance(described, Description)
    assert [column.type for column in described.columns] == [word]


def test_casts_are_found_where_the_engine_cannot_infer(duck: Lab) -> None:
    described = describe(duck, "SELECT year(", ") AS a, ", " AS b", types=["date", "integer"])
    assert isinstance(described, Description)
    assert described.casts == {0: "DATE", 1: "BIGINT"}
    assert [(c.name, c.type) for c in described.columns] == [("a", "int64"), ("b", "int64")]


@pytest.mark.parametrize(
    ("text", "kind", "name", "at"),
    [
        ("SELECT 'é', ghost FROM items", "unknown-column", "ghost", "ghost"),
        ("SELECT items.ghost FROM items", "unknown-column", "ghost", "items.ghost"),
        ("SELECT x.id FROM items", "unknown-table", "x", "x.id"),
        ("INSERT INTO items (ghost) VALUES (1)", "unknown-column", "ghost", "ghost"),
        ("UPDATE items SET ghost = 1", "unknown-column", "ghost", "ghost"),
        ("DELETE FROM nowhere", "unknown-table", "nowhere", "nowhere"),
        ("SELECT id FROM items WHERE name > INTERVAL 1 DAY", "type-mismatch", None, "name >"),
        ("SELECT upper(1, 2, 3)", "type-mismatch", "upper", "upper"),
        ("SELECT * FROM nofunction()", "unknown-function", "nofunction", "nofunction"),
        ("SELECT 1 +", "syntax", "+", "+"),
        ("UPDATE items SET id = 1 RETURNING ghost", "unknown-column", "ghost", "ghost"),
        ("EXPLAIN SELECT ghost FROM items", "unknown-column", "ghost", "ghost"),
        ("PRAGMA table_info('items')", "other", None, None),
        ("COPY items TO 'x.csv'", "other", None, None),
        ("SELECT * FROM checkpoint()", "other", None, None),
        ("SELECT * FROM read_text('/etc/passwd')", "file-refused", "/etc/passwd", "read_text"),
    ],
)
def test_a_refusal_says_why_and_where(
    duck: Lab, text: str, kind: str, name: str | None, at: str | None
) -> None:
    duck.execute("CREATE TABLE items (id INTEGER, name TEXT)")
    refused = describe(duck, text)
    assert isinstance(refused, Refusal)
    assert (refused.kind, refused.name) == (kind, name)
    assert refused.offset == (None if at is None else text.index(at))


def test_proving_writes_nothing_whatever_the_statement(duck: Lab) -> None:
    duck.execute("CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)", "CREATE SEQUENCE s")
    texts = {
        "DELETE FROM t": ([], True),
        "DELETE FROM t RETURNING n + 1 AS m": (["m"], True),
        "INSERT INTO t SELECT nextval('s') RETURNING *": (["n"], True),
        "MERGE INTO t USING range(2) AS r(i) ON n = i WHEN MATCHED THEN DELETE"
        " RETURNING merge_action, n": (["merge_action", "n"], True),
        "TRUNCATE t": ([], True),
        "CREATE TABLE u (x INTEGER)": ([], True),
        "CREATE TABLE u AS SELECT nextval('s') AS x": ([], True),
        "DROP TABLE t": ([], True),
        "SELECT nextval('s') AS x": (["x"], False),
        "EXPLAIN ANALYZE SELECT nextval('s')": (["explain_key", "explain_value"], False),
    }
    for text, (names, writes) in texts.items():
        described = describe(duck, text)
        assert isinstance(described, Description), (text, described)
        assert ([c.name for c in described.columns], described.writes) == (names, writes)
    assert duck.rows("SELECT n FROM t") == [{"n": 1}]
    assert duck.rows("SELECT name FROM (SHOW TABLES)") == [{"name": "t"}]
    assert duck.run(duck.database.query("SELECT nextval('s') AS x", writes=True)) == [{"x": 1}]


def test_the_least_and_the_largest_of_every_type_fit_what_was_said(duck: Lab) -> None:
    """DuckDB's own table of them: a row of least values, one of largest and one of nulls."""
    text = "SELECT * FROM test_all_types()"
    described = describe(duck, text)
    assert isinstance(described, Description)
    rows = duck.invoke(duck.plan(text), timeout_s=20).value["rows"]  # type: ignore[index]
    assert len(rows) == 3
    assert set(rows[2].values()) == {None}
    kept = decode(encode(rows))
    assert kept == rows
    for column in described.columns:
        schema = derived_fragment(column.type or None, is_nullable=True, decimals="text")
        form = Draft202012Validator.FORMAT_CHECKER
        check = Draft202012Validator(schema, format_checker=form)
        for row in rows:
            assert list(check.iter_errors(row[column.name])) == [], column


def test_what_came_finds_its_row_in_every_type(duck: Lab) -> None:
    """A text of a result is the value that it was made of, for as long as nothing is nested."""
    names = [
        *("bool", "tinyint", "smallint", "int", "bigint", "hugeint", "uhugeint", "utinyint"),
        *("usmallint", "uint", "ubigint", "bignum", "date", "time", "timestamp", "timestamp_s"),
        *("timestamp_ms", "timestamp_ns", "time_tz", "timestamp_tz", "float", "double"),
        *("dec_4_1", "dec_9_4", "dec_18_6", "dec38_10", "uuid", "varchar", "small_enum", "bit"),
    ]
    duck.execute("CREATE TABLE t AS SELECT * FROM test_all_types()")
    for name in names:
        values = duck.invoke(duck.plan(f'SELECT "{name}" FROM t', shape="column")).value
        assert isinstance(values, list)
        for value in values[:2]:
            text = f'SELECT count(*) AS n FROM t WHERE "{name}" = :x'
            sent = value if isinstance(value, bool) else _bound(value)
            assert duck.value(text, {"x": "string"}, x=sent) == 1, (name, value)


def _bound(value: object) -> object:
    """As DuckDB reads it: the era stands behind the day."""
    text = str(value)
    day, mark, clock = text.removesuffix(" BC").partition("T")
    return f"{day} (BC){mark}{clock}" if text.endswith(" BC") else text
