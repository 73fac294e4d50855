"""Reading tools cannot write, whatever their statement or a client's says: the engine refuses."""

from pathlib import Path

import pytest

from runner.catalog.schema import Parameter
from runner.catalog.sql import SqlPlan, Statement
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab
from tests.faults.sql import evasions

ROLLED_BACK = {
    "SELECT lo_create(0)",
    "SELECT lo_create(4711)",
    "SELECT lo_from_bytea(4711, 'x')",
}
"""PostgreSQL before 16 lets it pass in a read-only transaction; the end of the call undoes it."""
OBJECTS = {
    "sqlite": "SELECT name, sql FROM sqlite_master ORDER BY name",
    "postgresql": "SELECT count(*) AS n FROM pg_largeobject_metadata",
    "duckdb": "SELECT name FROM (SHOW ALL TABLES) UNION ALL SELECT database_name"
    " FROM duckdb_databases() UNION ALL SELECT value FROM duckdb_settings()"
    " UNION ALL SELECT name FROM duckdb_variables() ORDER BY 1",
    "mariadb": "SELECT table_name, column_name, @@tx_read_only"
    " FROM information_schema.columns WHERE table_schema = database() ORDER BY 1, 2",
}


@pytest.fixture
def guarded(lab: Lab, tmp_path: Path) -> Lab:
    """What evasions are after."""
    lab.execute(*evasions.SET_UP[lab.engine])
    for name in evasions.FILES:
        (tmp_path / name).write_text("a\n1\n")
    return lab


def client_plan(lab: Lab, **rest: object) -> SqlPlan:
    fields: dict[str, object] = {
        "client_parameter": "sql",
        "result": None,
        "parameters": {"sql": Parameter("sql", "string")},
        **rest,
    }
    return lab.plan(**fields)  # type: ignore[arg-type]


def end(lab: Lab, plan: SqlPlan, text: str) -> Kind | None:
    """How a client's statement ends; None if it passes."""
    try:
        lab.invoke(plan, sql=text)
    except BindingError as error:
        return error.kind
    return None


def test_every_evasion_of_a_client_fails_and_leaves_no_trace(guarded: Lab, tmp_path: Path) -> None:
    plan = client_plan(guarded)
    before = guarded.rows("SELECT * FROM items ORDER BY id")
    objects = OBJECTS[guarded.engine]
    objects_before = guarded.rows(objects)
    files = sorted(path.name for path in tmp_path.iterdir())
    ends = {
        text: end(guarded, plan, text.replace("{folder}", str(tmp_path)))
        for text in evasions.BY_ENGINE[guarded.engine]
        if text not in evasions.PAST_ENGINE
    }
    passed = {text for text, kind in ends.items() if kind not in (Kind.READ_ONLY, Kind.INVALID)}
    assert passed <= ROLLED_BACK
    assert guarded.rows("SELECT * FROM items ORDER BY id") == before
    assert guarded.rows(objects) == objects_before
    assert sorted(path.name for path in tmp_path.iterdir()) == files


@pytest.mark.parametrize("evasion", ["DELETE FROM items", "DROP TABLE items"])
def test_a_reading_tool_whose_statement_writes_is_refused(items: Lab, evasion: str) -> None:
    error = items.fails(items.plan(evasion, writes=False))
    assert error.kind is Kind.READ_ONLY
    assert str(error) == "the statement would change something, and this tool only reads"


HONEST = (
    "WITH t AS (SELECT id FROM items) SELECT count(*) AS n FROM t",
    "SELECT count(*) OVER () AS n FROM items LIMIT 1",
    "/* a comment; with a mark */ SELECT 5 AS n",
    "SELECT 5 AS n;",
    "VALUES (5)",
)
HONEST_BY_ENGINE = {
    "sqlite": HONEST,
    "postgresql": (*HONEST, "(SELECT 5 AS n)"),
    "duckdb": (*HONEST, "(SELECT 5 AS n)", "FROM (SELECT 5 AS n)"),
    "mariadb": (*HONEST, "(SELECT 5 AS n)"),
}


def test_honest_queries_of_a_client_pass(items: Lab) -> None:
    texts = HONEST_BY_ENGINE[items.engine]
    plan = client_plan(items)
    found = {
        text: [list(row.values()) for row in items.invoke(plan, sql=text).value["rows"]]  # type: ignore[index]
        for text in texts
    }
    assert found == {text: [[5]] for text in texts}


def test_the_parsers_verdict_on_a_clients_text_counts_too(items: Lab) -> None:
    def refuse(_text: str) -> Statement:
        raise BindingError(Kind.READ_ONLY, "expected a query")

    error = items.fails(client_plan(items, read_client=refuse), sql="SELECT 1 AS one")
    assert (error.kind, str(error)) == (Kind.READ_ONLY, "expected a query")


def test_a_client_may_ask_for_a_plan(items: Lab) -> None:
    text = "EXPLAIN QUERY PLAN SELECT 1" if items.is_sqlite else "EXPLAIN SELECT * FROM items"
    assert items.invoke(client_plan(items), sql=text).value["rows"]  # type: ignore[index]


def test_a_client_keeps_the_budgets(items: Lab) -> None:
    plan = client_plan(items, max_rows=2)
    outcome = items.invoke(plan, sql="SELECT id FROM items ORDER BY id")
    assert outcome.value == {"rows": [{"id": 1}, {"id": 2}], "truncated": True}


@pytest.mark.engines("mariadb", why="only MariaDB writes files out of a query")
def test_explanation_runs_only_what_has_rows_of_its_own(items: Lab, tmp_path: Path) -> None:
    """The server's word, should the parser's be wrong: what writes a file has no columns."""
    plan = client_plan(
        items,
        read_client=lambda text: Statement((text,), True, False, runs_at=len("ANALYZE ")),
    )
    assert end(items, plan, "ANALYZE SELECT id FROM items") is None
    assert end(items, plan, f"ANALYZE SELECT 1 INTO OUTFILE '{tmp_path}/f'") is Kind.INVALID
    assert list(tmp_path.iterdir()) == []


@pytest.mark.engines("postgresql", "mariadb", why="the others refuse every setting")
def test_a_client_leaves_no_setting_behind(lab: Lab) -> None:
    """The session is as it was, whatever the statement set."""
    plan = client_plan(lab)
    if lab.is_mariadb:
        lab.execute(
            "CREATE FUNCTION turning() RETURNS int BEGIN"
            " SET SESSION tx_read_only = 0, time_zone = '+09:00'; RETURN 1; END"
        )
        for _ in range(lab.database.database.pool_size * 3):
            lab.invoke(plan, sql="SELECT turning() AS x, @left := 1, get_lock(database(), 0)")
        asked = "SELECT @@time_zone AS z, @@tx_read_only AS r, @left AS v, is_free_lock(database())"
        found = lab.rows(f"{asked} AS l")
        assert found == [{"z": "+00:00", "r": 1, "v": None, "l": 1}]
        return
    for _ in range(lab.database.database.pool_size * 3):
        lab.invoke(plan, sql="SELECT set_config('timezone', 'Asia/Tokyo', false) AS x")
        lab.invoke(plan, sql="SELECT pg_advisory_lock(4711) AS x")
    assert lab.rows("SELECT current_setting('timezone') AS z") == [{"z": "UTC"}]
    assert lab.rows("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'") == [{"n": 0}]


@pytest.mark.parametrize("text", ["", "  ", "-- nothing", ";"])
def test_no_statement_is_invalid(lab: Lab, text: str) -> None:
    assert lab.fails(client_plan(lab), sql=text).kind is Kind.INVALID


FULL_TEXT = {
    "sqlite": (
        "CREATE VIRTUAL TABLE words USING fts5(text)",
        "SELECT snippet(words, 0, '', '', '', 9) AS s FROM words WHERE words MATCH :q",
    ),
    "postgresql": (
        "CREATE TABLE words (text text)",
        "SELECT text FROM words"
        " WHERE to_tsvector('english', text) @@ plainto_tsquery('english', :q)",
    ),
    "mariadb": (
        "CREATE TABLE words (text text, FULLTEXT (text)) ENGINE=MyISAM",
        "SELECT text FROM words WHERE MATCH (text) AGAINST (:q)",
    ),
}
"""How words are kept, and how one is found."""
TABLES_OF_JSON = {
    "sqlite": "SELECT value FROM json_each('[7]')",
    "postgresql": "SELECT CAST(value AS int) AS value FROM jsonb_array_elements('[7]')",
    "duckdb": "SELECT CAST(value AS int) AS value FROM json_each('[7]')",
    "mariadb": "SELECT v FROM json_table('[7]', '$[*]' COLUMNS (v int PATH '$')) AS t",
}


@pytest.mark.engines(
    "sqlite",
    "postgresql",
    "mariadb",
    why="DuckDB's full-text index is an extension, and none is loaded",
)
def test_a_full_text_index_can_be_read(lab: Lab) -> None:
    """SQLite's virtual tables set themselves up on first use; the guard must not stop that."""
    table, found = FULL_TEXT[lab.engine]
    lab.execute(table, "INSERT INTO words VALUES ('cold email'), ('warm'), ('hot')")
    assert lab.value(found, {"q": "string"}, q="email") == "cold email"


def test_json_can_be_read_as_a_table(lab: Lab) -> None:
    assert lab.value(TABLES_OF_JSON[lab.engine]) == 7


@pytest.mark.engines("sqlite", "duckdb", why="the servers have tables of columns instead")
def test_a_function_that_tells_columns_can_be_read(lab: Lab) -> None:
    lab.execute("CREATE TABLE words (text text)")
    assert lab.value("SELECT name FROM pragma_table_info('words')") == "text"


def test_placeholders_of_a_client_are_refused(guarded: Lab) -> None:
    """The engine's own marks stand for values that nobody sends."""
    texts = ["SELECT $1", "SELECT $3 + 1", "SELECT * FROM items WHERE id = $2"]
    if guarded.is_mariadb:
        texts = [text.replace("$1", "?").replace("$3", "?").replace("$2", "?") for text in texts]
    assert [end(guarded, client_plan(guarded), text) for text in texts] == [Kind.INVALID] * 3
