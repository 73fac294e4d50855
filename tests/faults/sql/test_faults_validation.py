"""Proving a file changes nothing: no row, no file, no setting; comments are nobody's business.

Elsewhere validation ran the second of two statements and dropped a table, and variables were put
into the raw text before it was read, comments and SQL included.
"""

from pathlib import Path

import pytest

from tests.faults.sql import evasions
from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, checked, codes, tool

WRITES = (
    "INSERT INTO items VALUES (9, 'z')",
    "UPDATE items SET name = 'z'",
    "DELETE FROM items",
    "DELETE FROM items RETURNING id",
    "DROP TABLE items",
    "CREATE TABLE evil (x integer)",
    "ALTER TABLE items ADD COLUMN evil integer",
)


EFFECTS = {
    "sqlite": (),
    "duckdb": ("SELECT nextval('counter') AS n",),
    "postgresql": ("SELECT nextval('counter') AS n", "SELECT deleting() AS n"),
    "mariadb": ("SELECT nextval(counter) AS n", "SELECT deleting() AS n"),
}
"""Functions that change something."""


@pytest.fixture
def items(source: Source) -> Source:
    """Three items, and functions that would write."""
    source.execute(*evasions.SET_UP[source.engine])
    return source


def state(source: Source) -> object:
    """All bytes of the folder; on a server rows, the sequence and the names of objects."""
    files = {path.name: path.read_bytes() for path in source.folder.iterdir()}
    files.pop("mcp.yaml", None)
    if source.is_embedded:
        return files
    if source.is_mariadb:
        return files, [
            source.rows("SELECT * FROM items ORDER BY id"),
            source.rows("SELECT next_not_cached_value FROM counter"),
            source.rows(
                "SELECT table_name, column_name FROM information_schema.columns"
                f" WHERE table_schema = '{source.schema}' ORDER BY 1, 2"
            ),
        ]
    schema = f"'{source.schema}'::regnamespace"
    return files, [
        source.rows("SELECT * FROM items ORDER BY id"),
        source.rows("SELECT last_value, is_called FROM counter"),
        source.rows(f"SELECT relname FROM pg_class WHERE relnamespace = {schema} ORDER BY 1"),
        source.rows("SELECT attname FROM pg_attribute WHERE attrelid = 'items'::regclass"),
    ]


def writing_tools(source: Source) -> str:
    """Tools that would change everything if anything ran."""
    texts = [
        *WRITES,
        *EFFECTS[source.engine],
    ]
    tools = [tool(f"t{n}", text, writes=True) for n, text in enumerate(texts)]
    each = {"each": "ids", "run": "DELETE FROM items WHERE id = :item"}
    named = {"run": "DELETE FROM items RETURNING id, name", "as": "gone"}
    listed = [each, named, "INSERT INTO items (id, name) VALUES (:gone.id, :gone.name)"]
    return "".join(tools) + tool("list", listed, input={"ids": "integer[]"}, writes=True)


@pytest.mark.parametrize("connects", [False, True], ids=["in memory", "connected"])
def test_proving_tools_that_write_changes_no_byte(items: Source, connects: bool) -> None:
    before = state(items)

    found = checked(items.folder, items.file(writing_tools(items)), {}, connects=connects)

    assert codes(found) == []
    assert state(items) == before


@pytest.mark.parametrize("connects", [False, True], ids=["in memory", "connected"])
def test_proving_statements_that_are_refused_changes_no_byte(items: Source, connects: bool) -> None:
    texts = evasions.BY_ENGINE[items.engine]
    tools = [
        tool(f"t{n}", text.replace("{folder}", str(items.folder)))
        for n, text in enumerate(texts)
        if "\ufeff" not in text
    ]
    before = state(items)

    found = checked(items.folder, items.file("".join(tools)), {}, connects=connects)

    assert len(codes(found)) >= 40
    assert state(items) == before


def test_second_statement_is_refused_and_neither_runs(items: Source) -> None:
    before = state(items)
    tools = tool("two", "SELECT 1 AS a; DROP TABLE items") + tool(
        "writing", "DELETE FROM items; DROP TABLE items", writes=True
    )

    found = checked(items.folder, items.file(tools), {})

    assert codes(found) == ["several-statements"] * 2
    assert state(items) == before


def test_proving_in_memory_makes_no_file(tmp_path: Path) -> None:
    """The database that `create` describes is built in memory and let go."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (n integer);")
    source = Source("sqlite", "sqlite:///data/new.db", tmp_path)
    databases = {"main": {"url": source.url, "create": {"schema": "schema.sql"}}}
    tools = tool("read", "SELECT n FROM t") + tool("add", "INSERT INTO t VALUES (1)", writes=True)

    found = checked(tmp_path, source.file(tools, databases=databases), {}, connects=False)

    assert codes(found) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mcp.yaml", "schema.sql"]


def test_unset_variable_in_a_comment_is_no_error(source: Source) -> None:
    comment = "  # ${NOBODY_SET_THIS} ${NOR_THIS:-} ${file:nowhere}\n"
    text = "# ${UNSET_AT_THE_TOP}\n" + source.file(comment + tool("one", "SELECT 1 AS a") + comment)

    assert codes(checked(source.folder, text, {})) == []


@pytest.mark.parametrize(
    "text", ["SELECT '${SET}' AS a", "SELECT ${SET} AS a", "SELECT 1 -- ${SET}"]
)
def test_variable_is_never_put_into_a_statement(source: Source, text: str) -> None:
    """Not even one that is set: a constant goes through `vars` and is bound."""
    found = checked(source.folder, source.file(tool("one", text)), {"SET": "1"})

    assert codes(found) == ["interpolation-refused"]


@pytest.mark.parametrize(
    ("word", "sent", "expected"),
    [
        ("integer", "3", 3),
        ("integer", 3.0, 3),
        ("integer", "3.9", "n: expected an integer, found '3.9'"),
        ("integer", 3.9, "n: expected an integer, found 3.9"),
        ("integer", "1e3", "n: expected an integer, found '1e3'"),
        ("integer", "", "n: expected an integer, found ''"),
        ("integer", True, "n: expected an integer, found true"),
        ("integer", "three", "n: expected an integer, found 'three'"),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("boolean", "True", "n: expected true or false, found 'True'"),
        ("boolean", "yes", "n: expected true or false, found 'yes'"),
        ("boolean", 1, "n: expected true or false, found 1"),
        ("boolean", "", "n: expected true or false, found ''"),
        ("number", "1.5", 1.5),
        ("number", "1e400", "n: expected a number that a double holds exactly, found '1e400'"),
        ("number", "NaN", "n: expected a number, found 'NaN'"),
        ("string", 5, "n: expected text, found 5"),
        ("string", True, "n: expected text, found true"),
    ],
)
def test_argument_is_read_without_loss_or_refused(
    served: Serve, source: Source, word: str, sent: object, expected: object
) -> None:
    kind = {
        "integer": "bigint",
        "boolean": "boolean",
        "number": "double precision",
        "string": "text",
    }
    is_declared = source.is_sqlite or source.is_mariadb
    value = ":n" if is_declared else f"CAST(:n AS {kind[word]})"
    columns = {"columns": {"n": word}} if is_declared else {}
    echo = tool(
        "echo", f"SELECT {value} AS n", input={"n": word}, result={"shape": "value", **columns}
    )
    answer = served(echo).call("echo", n=sent)

    if (isinstance(expected, str) and word != "string") or answer.is_error:
        assert (answer.is_error, answer.text) == (True, expected)
    else:
        assert (answer.structured, type(answer.structured)) == (expected, type(expected))


NULLS = "CREATE TABLE marked (id integer PRIMARY KEY, flag boolean, tag varchar(9) NOT NULL)"


@pytest.mark.engines(
    "postgresql", "mariadb", why="the others do not tell which table's column a result's one is"
)
def test_a_column_that_may_be_null_is_told_where_it_is_declared_without(source: Source) -> None:
    source.execute(NULLS)
    columns = {"id": "integer", "flag": "boolean", "tag": "string"}
    sound = {**columns, "flag": "boolean|null"}
    chosen = "SELECT id, coalesce(flag, false) AS flag, tag FROM marked"
    tools = (
        tool("plain", "SELECT id, flag, tag FROM marked", result={"columns": columns})
        + tool("sound", "SELECT id, flag, tag FROM marked", result={"columns": sound})
        + tool("chosen", chosen, result={"columns": columns})
        + tool("none", "SELECT id, flag FROM marked")
    )

    found = checked(source.folder, source.file(tools), {}).diagnostics

    assert [(item.severity, item.code, item.message, item.hint) for item in found] == [
        (
            "warning",
            "null-not-declared",
            "the column 'flag' of the table may be null, which 'boolean' does not admit",
            "write 'boolean|null', or select no null: coalesce(flag, …)",
        )
    ]


def test_a_parameter_of_another_type_than_its_column_is_told_where_the_engine_tells(
    source: Source,
) -> None:
    """What an engine casts by itself is legal; MariaDB and SQLite compare anything."""
    source.execute(
        "CREATE TABLE days (id integer, price numeric(6,2), day date)",
        "INSERT INTO days VALUES (1, 2.5, '2026-01-31')",
    )
    shown = {"n": "integer"}
    tools = (
        tool("equal", "SELECT id FROM days WHERE day = :n", input=shown)
        + tool("among", "SELECT id FROM days WHERE day IN :l", input={"l": "integer[]"})
        + tool("set", "UPDATE days SET day = :n", input=shown, writes=True)
        + tool("whole", "SELECT id FROM days WHERE price = :n AND id = :n", input=shown)
        + tool("text", "SELECT id FROM days WHERE day = :s", input={"s": "string"})
        + tool("date", "SELECT id FROM days WHERE day = :d", input={"d": "date"})
    )

    found = checked(source.folder, source.file(tools), {}).diagnostics

    kind = {"postgresql": "date", "duckdb": "DATE"}.get(source.engine)
    expected = [] if kind is None else [("n", kind), ("l", kind), ("n", kind)]
    assert [(item.severity, item.code, item.message) for item in found] == [
        ("warning", "column-type", f"the engine takes ':{name}' for {word}, which no integer is")
        for name, word in expected
    ]
