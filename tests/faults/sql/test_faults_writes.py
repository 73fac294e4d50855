"""A tool that reads changes nothing, whoever wrote its statement; honest queries pass.

Elsewhere a key word in a comment hid the statement's kind, writes went through functions, queries
with WITH, COPY or a second statement, settings switched the guard off, and a parser that was meant
to guard refused window functions.
"""

from collections.abc import Sequence

import pytest

from tests.faults.sql import evasions
from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, checked, serve, tool

QUERY = tool("query", {"parameter": "text"}, input={"text": "string"})
COUNT = tool("count", "SELECT count(*) AS n FROM items", result={"shape": "value"})
HONEST = (
    "SELECT id FROM items ORDER BY id",
    "WITH t AS (SELECT id FROM items) SELECT id FROM t ORDER BY id",
    "WITH RECURSIVE s(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM s WHERE id < 3)"
    " SELECT id FROM s",
    "SELECT min(i.id) OVER (PARTITION BY i.id ORDER BY i.id ROWS UNBOUNDED PRECEDING) AS id"
    " FROM items AS i ORDER BY 1",
    "SELECT id FROM items AS update_ WHERE name <> 'DELETE FROM items; DROP' ORDER BY id",
    "SELECT id FROM items /* INSERT INTO x */ ORDER BY id -- DROP TABLE items",
    "/* DELETE */ SELECT id FROM items ORDER BY id;",
    "SELECT 1 AS id UNION SELECT 2 UNION SELECT 3 ORDER BY id",
    "SELECT CASE WHEN id > 0 THEN id END AS id FROM items ORDER BY id",
)
HONEST_STANDARD = (
    "SELECT column1 AS id FROM (VALUES (1), (2), (3)) AS v",
    'SELECT id AS "id" FROM items AS "delete" ORDER BY id',
)
HONEST_DUCKDB = (
    'SELECT id AS "id" FROM items AS "delete" ORDER BY id',
    "SELECT id FROM (VALUES (1), (2), (3)) AS v(id)",
    "(SELECT id FROM items ORDER BY id)",
    "FROM items SELECT id ORDER BY ALL",
    "SELECT id: id FROM items ORDER BY id",
    "SELECT * EXCLUDE (name) FROM items ORDER BY id",
    "SELECT unnest([1, 2, 3]) AS id",
    "SELECT id FROM items WHERE id IN [1, 2, 3][1:3] ORDER BY id",
    "SELECT x AS id FROM range(1, 4) AS r(x)",
    "SELECT id FROM (PIVOT items ON name USING count(*)) ORDER BY id",
    "SELECT id FROM items QUALIFY row_number() OVER (PARTITION BY id) = 1 ORDER BY id",
    "SELECT unnest(list_transform([0, 1, 2], lambda query: query + 1)) AS id",
    "SELECT id FROM items WHERE 'checkpoint()' <> 'query(' ORDER BY id",
)
HONEST_MARIADB = (
    "SELECT id AS `id` FROM items AS `delete` ORDER BY id",
    'SELECT id FROM items WHERE name <> "DELETE FROM items; DROP" ORDER BY id # DROP TABLE items',
    "(SELECT id FROM items ORDER BY id)",
    "SELECT @n := id AS id FROM items ORDER BY id",
    "SELECT seq AS id FROM seq_1_to_3",
    "SELECT id FROM items ORDER BY id LIMIT 0, 3",
    "SELECT id FROM items ORDER BY id FETCH FIRST 3 ROWS ONLY",
    "SELECT STRAIGHT_JOIN SQL_NO_CACHE id FROM items ORDER BY id",
    "SELECT v AS id FROM json_table('[1, 2, 3]', '$[*]' COLUMNS (v int PATH '$')) AS t",
)
HONEST_POSTGRES = (
    "SELECT id FROM (VALUES (1), (2), (3)) AS v(id)",
    "SELECT i.id FROM items AS i, LATERAL (SELECT i.id) AS l ORDER BY 1",
    "(SELECT id FROM items ORDER BY id)",
    "SELECT id FROM items AS t(id, name) WHERE id = ANY (ARRAY[1, 2, 3]) ORDER BY id",
    "SELECT generate_series(1, 3) AS id",
    "SELECT DISTINCT ON (id) id FROM items ORDER BY id",
    "SELECT id FROM items ORDER BY id FETCH FIRST 3 ROWS ONLY",
    "SELECT id FROM ROWS FROM (generate_series(1, 3)) AS s(id)",
    "SELECT id FROM items GROUP BY GROUPING SETS ((id)) ORDER BY id",
)


HONEST_BY_ENGINE = {
    "sqlite": (*HONEST, *HONEST_STANDARD),
    "postgresql": (*HONEST, *HONEST_STANDARD, *HONEST_POSTGRES),
    "duckdb": (*HONEST, *HONEST_DUCKDB),
    "mariadb": (*HONEST, *HONEST_MARIADB),
}


@pytest.fixture
def items(source: Source) -> Source:
    """Three items, and what evasions are after."""
    source.execute(*evasions.SET_UP[source.engine])
    for name in evasions.FILES:
        (source.folder / name).write_text("a\n1\n")
    return source


def state(source: Source) -> object:
    """All that an evasion could change: rows, objects, settings, files."""
    own = ("mcp.yaml", "main.db", "main.db-wal", "main.db-shm")
    files = sorted(path.name for path in source.folder.iterdir() if path.name not in own)
    if source.is_embedded:
        return files, source.path.read_bytes()
    if source.is_mariadb:
        return files, [
            source.rows("SELECT * FROM items ORDER BY id"),
            source.rows("SELECT next_not_cached_value FROM counter"),
            source.rows(
                "SELECT table_name, column_name FROM information_schema.columns"
                f" WHERE table_schema = '{source.schema}' ORDER BY 1, 2"
            ),
            source.rows(
                "SELECT routine_name FROM information_schema.routines"
                f" WHERE routine_schema = '{source.schema}' ORDER BY 1"
            ),
            source.rows("SELECT user FROM mysql.user WHERE user = 'evil'"),
            source.rows(
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'evil'"
            ),
            source.rows(f"SELECT * FROM mysql.table_stats WHERE db_name = '{source.schema}'"),
            source.rows("SELECT is_free_lock('evil')"),
        ]
    schema = f"'{source.schema}'::regnamespace"
    return files, [
        source.rows("SELECT * FROM items ORDER BY id"),
        source.rows("SELECT last_value, is_called FROM counter"),
        source.rows(
            f"SELECT relname, relacl FROM pg_class WHERE relnamespace = {schema} ORDER BY 1"
        ),
        source.rows(f"SELECT proname FROM pg_proc WHERE pronamespace = {schema} ORDER BY 1"),
        source.rows("SELECT oid FROM pg_largeobject_metadata WHERE oid = 4711"),
        source.rows("SELECT rolname FROM pg_roles WHERE rolname = 'evil'"),
        source.rows("SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting ORDER BY 1, 2"),
        source.rows("SELECT attname FROM pg_attribute WHERE attrelid = 'items'::regclass"),
        source.rows("SELECT obj_description('items'::regclass)"),
    ]


def texts(source: Source) -> Sequence[str]:
    """The evasions of the engine."""
    found = evasions.BY_ENGINE[source.engine]
    return [text.replace("{folder}", str(source.folder)) for text in found]


def writes(source: Source) -> str:
    """A statement that only the engine can refuse."""
    return "DELETE FROM items" if source.is_embedded else "SELECT deleting()"


def test_no_evasion_of_a_client_changes_anything(items: Source, served: Serve) -> None:
    server = served(QUERY + COUNT)
    assert server.value("count") == 3
    before = state(items)
    passed: list[str] = []

    for text in texts(items):
        if not server.call("query", text=text).is_error:
            passed.append(text)
        assert server.call("query", text=writes(items)).is_error
        assert server.value("count") == 3

    assert state(items) == before
    assert passed == []


def test_no_evasion_of_an_author_changes_anything(items: Source) -> None:
    """What the checks before serving let pass, the engine refuses when it runs."""
    evasive = [text for text in texts(items) if "\ufeff" not in text]
    before = state(items)
    tools = {f"t{n}": tool(f"t{n}", text) for n, text in enumerate(evasive)}
    found = checked(items.folder, items.file("".join(tools.values())), {})
    faulty = {
        name
        for name in tools
        for item in found.diagnostics
        if item.severity == "error" and _line(items, item.position.line).startswith(f'  "{name}"')
    }
    left = "".join(text for name, text in tools.items() if name not in faulty)

    with serve(items.folder, items.file(left + COUNT)) as server:
        passed = [name for name in tools if name not in faulty and not server.call(name).is_error]
        assert server.value("count") == 3

    assert state(items) == before
    assert [evasive[int(name[1:])] for name in passed] == []


def _line(source: Source, number: int) -> str:
    return (source.folder / "mcp.yaml").read_text("utf-8").splitlines()[number - 1]


def test_honest_queries_pass(items: Source, served: Serve) -> None:
    texts = HONEST_BY_ENGINE[items.engine]
    authored = [tool(f"t{n}", text) for n, text in enumerate(texts)]
    server = served("".join(authored) + QUERY)
    expected = [{"id": 1}, {"id": 2}, {"id": 3}]

    found = {text: server.call("query", text=text).rows for text in texts}
    assert found == dict.fromkeys(texts, expected)
    assert {n: server.call(f"t{n}").rows for n in range(len(texts))} == dict.fromkeys(
        range(len(texts)), expected
    )


def test_plan_of_a_query_may_be_asked_for(items: Source, served: Serve) -> None:
    explain = "EXPLAIN SELECT id FROM items"
    comment = "-- why\n/* so */ EXPLAIN SELECT id FROM items"
    server = served(QUERY + tool("plan", explain) + tool("commented", comment))

    assert server.call("query", text=explain).rows != []
    assert server.call("plan").rows != []
    assert server.call("commented").rows != []


def test_plan_of_a_change_changes_nothing(items: Source, served: Serve) -> None:
    """PostgreSQL plans it; the guards of the others refuse what they would refuse to run."""
    server = served(QUERY + COUNT)

    assert server.call("query", text="EXPLAIN DELETE FROM items").is_error is not items.is_postgres
    assert server.value("count") == 3


def test_structure_of_a_table_may_be_asked_for(items: Source, served: Serve) -> None:
    from_schema = (
        "SELECT column_name AS name FROM information_schema.columns"
        f" WHERE table_schema = '{items.schema}' AND table_name = 'items' ORDER BY ordinal_position"
    )
    text = {
        "postgresql": from_schema,
        "mariadb": from_schema,
        "sqlite": "PRAGMA table_info(items)",
        "duckdb": "SELECT column_name AS name FROM (DESCRIBE items)",
    }[items.engine]
    server = served(QUERY + tool("columns", text))

    assert [row["name"] for row in server.call("query", text=text).rows] == ["id", "name"]
    assert [row["name"] for row in server.call("columns").rows] == ["id", "name"]


def test_no_evasion_of_a_function_changes_anything(items: Source, served: Serve) -> None:
    """A Python tool that says `writes: false` has the same guard on its database."""
    (items.folder / "code.py").write_text(
        "from runner import Database\n"
        "async def run(text: str, db: Database) -> object:\n"
        "    return await db.query(text)\n"
    )
    server = served('  run: {description: Runs., python: "code:run", writes: false}\n' + COUNT)
    before = state(items)

    passed = [text for text in texts(items) if not server.call("run", text=text).is_error]

    assert state(items) == before
    assert passed == []
    assert server.value("count") == 3
