"""What is told of a refusal: of a client's own statement its fault, of an author's the value."""

from functools import partial

import pytest

from runner.compile.sql.client import read_client
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, statement

REFUSES = "the database refuses the statement: "
SYNTAX = REFUSES + "the statement cannot be read as SQL"
TYPES = REFUSES + "types do not fit together; cast one of them"
GROUPING = REFUSES + "a column stands neither in GROUP BY nor inside an aggregate"
DIVISION = "a number is divided by zero"
SEVERAL = REFUSES + "a subquery that stands for one value returns several rows"
COUNTS = REFUSES + "the parts of a UNION, INTERSECT or EXCEPT have different numbers of columns"
MISFIT = "a value is out of range or of the wrong type"
FUNCTION = REFUSES + "there is no such function for these arguments"
SECRET = "hunter2"


@pytest.fixture
def kept(lab: Lab) -> Lab:
    """A table with a row that nobody is told of."""
    lab.execute(
        "CREATE TABLE kept (id INTEGER, name VARCHAR(20), price NUMERIC(6,2), day DATE)",
        f"INSERT INTO kept VALUES (1, '{SECRET}', 1.5, '2026-01-31')",
    )
    return lab


def asked(lab: Lab, text: str) -> BindingError:
    """How a client's own statement fails."""
    dialect = "mysql" if lab.is_mariadb else lab.engine
    plan = lab.plan(
        result=None,
        client_parameter="sql",
        read_client=partial(read_client, dialect=dialect),
    )
    return lab.fails(plan, sql=text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM Nowhere", REFUSES + "there is no such table: 'Nowhere'"),
        ("SELECT nme FROM kept", REFUSES + "there is no such column: 'nme'"),
        ("SELECT k.nme FROM kept AS k", REFUSES + "there is no such column: 'k.nme'"),
        (
            "SELECT nofun(id) FROM kept",
            FUNCTION + ": 'nofun'",
        ),
        ("SELECT id FORM kept", SYNTAX + ", near 'kept'"),
        (
            "SELECT id FROM kept, kept AS b",
            REFUSES + "more than one table has a column of this name: 'id'",
        ),
    ],
    ids=["table", "column", "column of a table", "function", "syntax", "ambiguous"],
)
def test_a_client_is_told_what_its_own_statement_names_in_vain(
    kept: Lab, text: str, words: str
) -> None:
    error = asked(kept, text)
    if kept.is_duckdb or kept.is_mariadb:  # which name the column alone
        words = words.replace("'k.nme'", "'nme'")
    assert (error.kind, str(error)) == (Kind.INVALID, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT id % 0 AS x FROM kept", {"postgresql": DIVISION, "duckdb": DIVISION}),
        (
            "SELECT * FROM kept WHERE day > 5",
            {"postgresql": TYPES + ", near '>'", "duckdb": TYPES + ", near 'day'"},
        ),
        (
            "SELECT name, count(*) AS n FROM kept",
            {
                "postgresql": GROUPING + ", near 'name'",
                "duckdb": GROUPING + ", near 'name'",
                "mariadb": GROUPING,
            },
        ),
        (
            "SELECT (SELECT 1 UNION SELECT 2) AS x",
            {"postgresql": SEVERAL, "duckdb": SEVERAL, "mariadb": SEVERAL},
        ),
        (
            "SELECT id FROM kept UNION SELECT id, name FROM kept",
            {
                "sqlite": COUNTS,
                "postgresql": SYNTAX + ", near 'id'",
                "duckdb": COUNTS,
                "mariadb": COUNTS,
            },
        ),
        (
            "SELECT CAST(name AS INTEGER) AS x FROM kept",
            {"postgresql": MISFIT, "duckdb": MISFIT},
        ),
    ],
    ids=["division", "types", "grouping", "several rows", "columns", "cast"],
)
def test_a_client_is_told_the_kind_of_fault_and_nothing_of_a_row(
    kept: Lab, text: str, words: dict[str, str]
) -> None:
    """Where an engine is not named, it takes the statement."""
    if kept.engine not in words:
        plan = kept.plan(result=None, client_parameter="sql")
        assert kept.invoke(plan, sql=text).value is not None
        return
    error = asked(kept, text)
    assert (error.kind, str(error)) == (Kind.INVALID, words[kept.engine])
    assert SECRET not in f"{error} {error.reason}"


def test_a_name_that_the_client_did_not_write_is_not_told(kept: Lab) -> None:
    """A view that lost its table fails by that table's name, which is the schema's alone."""
    kept.execute("CREATE TABLE inner_secret (a INTEGER)")
    kept.execute("CREATE VIEW seen AS SELECT a FROM inner_secret")
    kept.execute("DROP TABLE inner_secret" + (" CASCADE" if kept.is_postgres else ""))
    assert "inner_secret" not in str(asked(kept, "SELECT * FROM seen"))


@pytest.mark.parametrize(
    ("text", "values", "words"),
    [
        (
            "INSERT INTO kept (price, name) VALUES (:price, :name)",
            {"price": 123456789, "name": "hunter2"},
            "the value of 'price' is out of range",
        ),
        (
            "INSERT INTO kept (id, price) VALUES (:id, :price)",
            {"id": 99999999999, "price": 1},
            "the value of 'id' is out of range",
        ),
        ("UPDATE kept SET id = :id * 3", {"id": 2000000000}, "a value is out of range"),
    ],
    ids=["decimal", "integer", "computed"],
)
@pytest.mark.engines("postgresql", "duckdb", "mariadb", why="SQLite holds its columns to no range")
def test_a_value_out_of_range_is_named_where_one_alone_can_be_meant(
    kept: Lab, text: str, values: dict[str, object], words: str
) -> None:
    types = {"id": "integer", "price": "decimal", "name": "string"}
    plan = kept.plan(statement(text, types), types={name: types[name] for name in values})
    error = kept.fails(plan, **values)
    if kept.is_mariadb and "*" in text:  # it names the column
        words = "the value of 'id' is out of range"
    if kept.is_postgres and "id, price" in text:  # it points at neither of two numbers
        words = "a value is out of range"
    assert (error.kind, str(error)) == (Kind.INVALID, words)
    assert all(f"{value}" not in f"{error.reason}" for value in values.values() if value != 1)
