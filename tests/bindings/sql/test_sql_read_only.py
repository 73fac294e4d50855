"""Reading tools cannot write, whatever their statement or a client's says: the engine refuses."""

from pathlib import Path

import pytest

from runner.catalog.schema import Parameter
from runner.catalog.sql import SqlPlan, Statement
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab
from tests.faults.sql import evasions

SQLITE_EVASIONS = [
    "DELETE FROM items",
    "/* SELECT */ DELETE FROM items",
    "-- x\nDELETE FROM items",
    "\ufeffDELETE FROM items",
    "WITH d AS (SELECT 1) DELETE FROM items",
    "DELETE FROM items RETURNING id",
    "REPLACE INTO items (id, name) VALUES (1, 'x')",
    "SELECT 1; DELETE FROM items",
    "SELECT 1;;DELETE FROM items",
    "ATTACH '{folder}/evil.db' AS evil",
    "ATTACH ':memory:' AS evil",
    "DETACH main",
    "VACUUM INTO '{folder}/evil.db'",
    "VACUUM",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA wal_checkpoint",
    "SELECT * FROM pragma_query_only(0)",
    "PRAGMA user_version = 7",
    "CREATE TABLE evil (x)",
    "CREATE TEMP TABLE evil (x)",
    "CREATE TEMP VIEW evil AS SELECT 1",
    "DROP TABLE items",
    "ALTER TABLE items RENAME TO evil",
    "REINDEX",
    "ANALYZE",
    "SELECT load_extension('evil')",
    "SELECT writefile('{folder}/evil.db', 'x')",
    "UPDATE sqlite_master SET sql = 'x'",
    "INSERT INTO temp.sqlite_master VALUES (1,2,3,4,5)",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT x",
]
POSTGRES_EVASIONS = [
    "DELETE FROM items",
    "/* SELECT */ DELETE FROM items",
    "-- x\nDELETE FROM items",
    "WITH d AS (DELETE FROM items RETURNING id) SELECT * FROM d",
    "DELETE FROM items RETURNING id",
    "SELECT 1; DELETE FROM items",
    "COMMIT; DELETE FROM items",
    "COMMIT",
    "EXPLAIN ANALYZE DELETE FROM items",
    "SELECT deleting()",
    "SELECT nextval('counter')",
    "SELECT setval('counter', 7)",
    "SET TRANSACTION READ WRITE",
    "SET transaction_read_only = off",
    "SET default_transaction_read_only = off",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SELECT set_config('transaction_read_only', 'off', true)",
    "WITH s AS MATERIALIZED (SELECT set_config('transaction_read_only', 'off', false) AS x)"
    " SELECT deleting() FROM s",
    "COPY items TO '{folder}/evil.db'",
    "COPY items FROM '/dev/null'",
    "COPY items TO STDOUT",
    "COPY (DELETE FROM items RETURNING id) TO STDOUT",
    "SELECT * INTO evil FROM items",
    "CREATE TABLE evil AS SELECT 1 AS x",
    "CREATE TEMP TABLE evil (x int)",
    "TRUNCATE items",
    "DROP TABLE items",
    "DO $$ BEGIN DELETE FROM items; END $$",
    "CALL emptying()",
    "LOCK TABLE items",
    "SELECT lo_create(0)",
    "PREPARE evil AS DELETE FROM items",
    "NOTIFY evil",
    "LISTEN evil",
    "VACUUM",
    "SELECT * FROM items FOR UPDATE",
    "REFRESH MATERIALIZED VIEW evil",
]
MARIADB_EVASIONS = [
    "DELETE FROM items",
    "/* SELECT */ DELETE FROM items",
    "-- x\nDELETE FROM items",
    "# x\nDELETE FROM items",
    "/*! DELETE FROM items */",
    "/*!50000 DELETE */ FROM items",
    "/*M!100000 DELETE FROM items */",
    "SELECT 1 /*! INTO OUTFILE '{folder}/evil' */",
    "SELECT 1 /*!, deleting() */",
    "SELECT 1 INTO OUTFILE '{folder}/evil'",
    "SELECT 1 INTO/**/DUMPFILE '{folder}/evil'",
    "SELECT 1 INTO @evil",
    "(SELECT id FROM items INTO OUTFILE '{folder}/evil')",
    "DELETE FROM items RETURNING id",
    "INSERT INTO items (id, name) VALUES (9, 'z') RETURNING id",
    "REPLACE INTO items (id, name) VALUES (1, 'z')",
    "SELECT 1; DELETE FROM items",
    "COMMIT; DELETE FROM items",
    "COMMIT",
    "COMMIT AND CHAIN",
    "BEGIN",
    "START TRANSACTION READ WRITE",
    "SET TRANSACTION READ WRITE",
    "SET SESSION TRANSACTION READ WRITE",
    "SET @@tx_read_only = 0",
    "SET STATEMENT tx_read_only=0 FOR DELETE FROM items",
    "SET STATEMENT tx_read_only=0 FOR SELECT deleting()",
    "SELECT deleting()",
    "SELECT turning()",
    "SELECT id FROM items WHERE deleting() = 1",
    "SELECT NEXTVAL(counter)",
    "SELECT NEXT VALUE FOR counter",
    "SELECT SETVAL(counter, 50)",
    "ANALYZE FORMAT=JSON DELETE FROM items",
    "EXPLAIN DELETE FROM items",
    "SELECT * FROM items FOR UPDATE",
    "CALL emptying()",
    "DO deleting()",
    "BEGIN NOT ATOMIC DELETE FROM items; END",
    "EXECUTE IMMEDIATE 'DELETE FROM items'",
    "PREPARE evil FROM 'DELETE FROM items'",
    "CREATE TABLE evil (x int)",
    "CREATE TABLE evil AS SELECT 1 AS x",
    "CREATE TEMPORARY TABLE evil (x int)",
    "CREATE VIEW evil AS SELECT 1",
    "TRUNCATE items",
    "DROP TABLE items",
    "ALTER TABLE items ADD COLUMN evil int",
    "RENAME TABLE items TO evil",
    "OPTIMIZE TABLE items",
    "REPAIR TABLE items",
    "LOCK TABLES items WRITE",
    "HANDLER items OPEN",
    "XA START 'evil'",
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE items",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE items",
    "GRANT ALL ON *.* TO evil",
    "SET PASSWORD = ''",
    "KILL 1",
    "FLUSH TABLES",
    "USE mysql",
    "INSTALL SONAME 'evil'",
]
ROLLED_BACK = {"SELECT lo_create(0)"}
"""PostgreSQL before 16 lets it pass in a read-only transaction; the end of the call undoes it."""
EVASIONS = {
    "sqlite": SQLITE_EVASIONS,
    "postgresql": POSTGRES_EVASIONS,
    "duckdb": evasions.DUCKDB,
    "mariadb": MARIADB_EVASIONS,
}
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
def guarded(items: Lab, tmp_path: Path) -> Lab:
    """The items, and functions that write where the engine has such."""
    if items.is_postgres:
        items.execute(
            "CREATE SEQUENCE counter",
            "CREATE FUNCTION deleting() RETURNS int LANGUAGE plpgsql AS"
            " $$ BEGIN DELETE FROM items; RETURN 1; END $$",
            "CREATE PROCEDURE emptying() LANGUAGE sql AS 'DELETE FROM items'",
        )
    if items.is_duckdb:
        items.execute("CREATE SEQUENCE counter")
        (tmp_path / "secret.txt").write_text("secret")
        (tmp_path / "secret.csv").write_text("a\n1\n")
    if items.is_mariadb:
        items.execute(
            "CREATE SEQUENCE counter",
            "CREATE FUNCTION deleting() RETURNS int BEGIN DELETE FROM items; RETURN 1; END",
            "CREATE FUNCTION turning() RETURNS int BEGIN"
            " SET SESSION tx_read_only = 0; DELETE FROM items; RETURN 1; END",
            "CREATE PROCEDURE emptying() BEGIN COMMIT;"
            " SET SESSION TRANSACTION READ WRITE; DELETE FROM items; END",
        )
    return items


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
        for text in EVASIONS[guarded.engine]
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
