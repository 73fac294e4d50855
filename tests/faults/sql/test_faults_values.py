"""Each type of each engine, in every text and in the structured result, as the schema says.

Elsewhere identifiers came as byte numbers, decimals and blobs as null or as the repr of a program,
large integers rounded; what was mended for one format stayed broken for the next one.
"""

import csv
import io
from collections.abc import Mapping

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.matrix import BYTES, CELLS, UUID
from tests.faults.sql.served import Server, Source, tool

Columns = Mapping[str, object]


@pytest.fixture
def matrix(source: Source, served: Serve) -> Server:
    """A tool a text format: one row with every value of the engine."""
    if source.is_postgres:
        source.execute(
            "CREATE TYPE mood AS ENUM ('happy', 'sad')", "CREATE TYPE pair AS (a int, b text)"
        )
    if source.is_duckdb:
        source.execute("CREATE TYPE mood AS ENUM ('happy', 'sad')")
    engine = source.engine
    cells = {name: cell for name, cell in CELLS.items() if cell.written(engine, name)}
    columns = ", ".join(f'{cell.written(engine, n)} AS "{n}"' for n, cell in cells.items())
    result: dict[str, object] = {}
    if source.is_sqlite or source.is_mariadb:
        result["columns"] = {name: cell.declared for name, cell in cells.items()}
    texts = ("json", "csv", "markdown")
    return served(
        "".join(
            tool(f"in_{text}", f"SELECT {columns}", result={**result, "text": text})
            for text in texts
        )
    )


def expected_row(engine: str) -> dict[str, object]:
    """The row as JSON."""
    return {name: cell.expected for name, cell in CELLS.items() if cell.written(engine, name)}


def expected_texts(engine: str) -> list[str]:
    """The row as texts."""
    return [cell.text for name, cell in CELLS.items() if cell.written(engine, name)]


@pytest.mark.parametrize("text", ["json", "csv", "markdown"])
def test_structured_result_is_the_same_for_every_text(
    matrix: Server, source: Source, text: str
) -> None:
    assert matrix.value(f"in_{text}") == {"rows": [expected_row(source.engine)], "truncated": False}


def test_csv_has_every_value(matrix: Server, source: Source) -> None:
    answer = matrix.call("in_csv")

    head, row = csv.reader(io.StringIO(answer.text, newline=""))
    assert head == list(expected_row(source.engine))
    assert row == expected_texts(source.engine)


def test_markdown_has_every_value(matrix: Server, source: Source) -> None:
    answer = matrix.call("in_markdown")

    head, _, row = answer.text.splitlines()
    assert head == "| " + " | ".join(expected_row(source.engine)) + " |"
    assert row == "| " + " | ".join(expected_texts(source.engine)) + " |"


def test_schema_says_what_each_type_becomes(served: Serve, source: Source) -> None:
    """SQLite tells no types, so that the file declares them."""
    result: dict[str, object] = {}
    if not source.is_sqlite:
        n, data, f = {
            "postgresql": ("numeric", "bytea", "float8"),
            "duckdb": ("decimal(38, 10)", "blob", "float8"),
            "mariadb": ("numeric", "blob", "double"),
        }[source.engine]
        source.execute(f"CREATE TABLE t (id uuid, n {n}, big bigint, data {data}, f {f})")
    else:
        source.execute("CREATE TABLE t (id, n, big, data, f)")
        types = {"id": "uuid", "n": "decimal", "big": "int64", "data": BYTES, "f": "number"}
        result = {
            "columns": {n: f"{t}|null" if isinstance(t, str) else t for n, t in types.items()}
        }

    server = served(tool("all", "SELECT id, n, big, data, f FROM t", result=result))

    assert columns_of(server, "all") == {
        "id": {"type": ["string", "null"], "format": "uuid"},
        "n": {"type": ["string", "null"]},
        "big": {"type": ["integer", "string", "null"], "pattern": "^-?(0|[1-9][0-9]{0,18})$"},
        "data": {
            "type": "string" if source.is_sqlite else ["string", "null"],
            "contentEncoding": "base64",
        },
        "f": {
            "anyOf": [
                {"type": "number"},
                {"enum": ["NaN", "Infinity", "-Infinity"]},
                {"type": "null"},
            ]
        },
    }


def columns_of(server: Server, name: str) -> Columns:
    """The schema of each column of a tool of the shape `rows`."""
    schema = server.listed[name]["outputSchema"]
    assert isinstance(schema, dict)
    columns = schema["properties"]["rows"]["items"]["properties"]
    assert isinstance(columns, dict)
    return columns


def test_columns_may_be_null_unless_the_file_says_otherwise(
    served: Serve, source: Source, caplog: pytest.LogCaptureFixture
) -> None:
    source.execute("CREATE TABLE t (a integer, b text)", "INSERT INTO t VALUES (NULL, NULL)")
    declared = {"columns": {"a": "integer", "b": "string|null"}}

    server = served(
        tool("as_is", "SELECT a, b FROM t")
        + tool("declared", "SELECT a, b FROM t", result=declared)
    )

    assert server.call("as_is").rows == [{"a": None, "b": None}]
    with caplog.at_level("WARNING", "runner.call"):
        assert server.refusal("declared") == (
            "the result's rows[0].a does not fit the tool's output schema"
        )
    assert caplog.messages == [
        "tool declared failed: redacted: the result's rows[0].a does not fit the output that the"
        " file or the return hint declares: it is null, which 'TYPE|null' or a hint with None would"
        " admit"
    ]


@pytest.mark.parametrize("text", ["json", "csv", "markdown"])
def test_value_that_is_no_json_names_column_and_row(
    served: Serve, source: Source, text: str
) -> None:
    source.execute("CREATE TABLE t (doc text)", "INSERT INTO t VALUES ('1'), ('{')")

    server = served(
        tool("docs", "SELECT doc FROM t", result={"json": ["doc"], "text": text})
        + tool("texts", "SELECT doc FROM t", result={"text": text})
    )

    assert server.refusal("docs") == "column 'doc', row 2: the text is not JSON"
    assert server.call("texts").rows == [{"doc": "1"}, {"doc": "{"}]


def test_columns_of_json_text_become_json(served: Serve, source: Source) -> None:
    source.execute(
        "CREATE TABLE t (doc text)",
        """INSERT INTO t VALUES ('{"n": 9007199254740993, "x": [1.5]}'), ('null'), (NULL)""",
    )

    server = served(tool("docs", "SELECT doc FROM t", result={"json": ["doc"], "shape": "column"}))

    assert server.value("docs") == [{"n": "9007199254740993", "x": [1.5]}, None, None]


def test_type_without_a_rule_is_an_error_that_the_log_explains(
    served: Serve, source: Source, caplog: pytest.LogCaptureFixture
) -> None:
    """Drivers give no such value: what PostgreSQL knows and we do not comes as its own text."""
    (source.folder / "odd.py").write_text("def odd():\n    return {'a': [1, complex(1)]}\n")
    server = served(
        '  odd: {description: Odd., python: "odd:odd", writes: false}\n'
        + tool("one", "SELECT 1 AS a")
    )

    assert server.refusal("odd") == "the tool returned something that has no JSON form"
    assert "type 'complex' has no JSON form" in caplog.text
    assert server.call("one").rows == [{"a": 1}]


@pytest.mark.parametrize("decimals", ["text", "number"])
def test_decimals_are_numbers_only_where_asked_for_and_exact(
    served: Serve, source: Source, decimals: str
) -> None:
    numbers = {"exact": "1.50", "long": "12345678901234567890.0123456789"}
    quote = "'" if source.is_sqlite else ""
    cast = "::numeric" if source.is_postgres else ""
    columns = ", ".join(f"{quote}{n}{quote}{cast} AS `{name}`" for name, n in numbers.items())
    columns = columns.replace("`", '"') if not source.is_mariadb else columns
    result: dict[str, object] = {"decimals": decimals, "shape": "row"}
    if source.is_sqlite:
        result["columns"] = dict.fromkeys(numbers, "decimal")

    row = served(tool("numbers", f"SELECT {columns}", result=result)).value("numbers")

    exact: object = 1.5 if decimals == "number" else "1.50"
    assert row == {"exact": exact, "long": numbers["long"]}


def test_large_integers_pass_both_ways(served: Serve, source: Source) -> None:
    """Clients round beyond 2^53, so that texts are taken and given there."""
    source.execute("CREATE TABLE t (id bigint)", "INSERT INTO t VALUES (9007199254740993)")
    server = served(
        tool(
            "find",
            "SELECT id FROM t WHERE id = :id",
            input={"id": "int64"},
            result={"shape": "value"},
        )
    )

    assert server.value("find", id="9007199254740993") == "9007199254740993"
    assert server.value("find", id="9007199254740992") is None
    schema = server.listed["find"]["inputSchema"]
    assert isinstance(schema, dict)
    assert schema["properties"]["id"]["type"] == ["integer", "string"]


def test_identifier_that_came_back_finds_its_row(served: Serve, source: Source) -> None:
    kind = "text" if source.is_sqlite else "uuid"
    source.execute(f"CREATE TABLE t (id {kind})", f"INSERT INTO t VALUES ('{UUID}')")
    find = tool(
        "find",
        "SELECT count(*) AS n FROM t WHERE id = :id",
        input={"id": "uuid"},
        result={"shape": "value"},
    )
    server = served(find + tool("ids", "SELECT id FROM t", result={"shape": "column"}))

    assert server.value("ids") == [UUID]
    assert server.value("find", id=UUID) == 1
