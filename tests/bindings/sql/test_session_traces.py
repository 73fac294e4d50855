"""What a read leaves in its session is gone before the next call, however it came there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.bindings.sql.mysql_traces import calls_the_known_alone
from runner.catalog.schema import Parameter
from tests.bindings.sql.lab import Lab, database_of, mariadb_rows, open_lab

MARIADB = (
    "CREATE TABLE t (id int PRIMARY KEY, at timestamp NOT NULL)",
    "INSERT INTO t VALUES (1, '2026-01-01 00:00:00'), (2, '2026-01-01 00:00:00')",
    "CREATE FUNCTION leaving() RETURNS int BEGIN SET SESSION time_zone = '+09:00';"
    " SET SESSION sql_mode = 'ANSI_QUOTES'; SET SESSION tx_read_only = 0; SET @left = 7;"
    " DO get_lock(database(), 0); DO last_insert_id(42); RETURN 1; END",
    "CREATE VIEW seen AS SELECT id, leaving() AS l FROM t WHERE id = 1",
)
MARIADB_ASKED = (
    "SELECT at, @@time_zone AS z, @@tx_read_only AS r, @left AS v, last_insert_id() AS i,"
    ' found_rows() AS f, is_free_lock(database()) AS l, "x" AS q FROM t WHERE id = 1'
)
POSTGRES = (
    "CREATE TABLE t (id int PRIMARY KEY)",
    "INSERT INTO t VALUES (1), (2)",
    "CREATE FUNCTION leaving() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
    " PERFORM set_config('timezone', 'Asia/Tokyo', false), pg_advisory_lock(4712);"
    " EXECUTE 'PREPARE left_over AS SELECT 1'; RETURN 1; END $$",
    "CREATE VIEW seen AS SELECT id, leaving() AS l FROM t WHERE id = 1",
    "CREATE TABLE guarded (id int)",
    "CREATE POLICY own ON guarded USING (leaving() = 1)",
    "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
)
POSTGRES_ASKED = (
    "SELECT current_setting('timezone') AS z, (SELECT count(*) FROM pg_prepared_statements) AS p,"
    " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS l"
)
CLEAN = {
    "mariadb": {
        "at": "2026-01-01T00:00:00+00:00",
        "z": "+00:00",
        "r": 1,
        "v": None,
        "i": 0,
        "f": 0,
        "l": 1,
        "q": "x",
    },
    "postgresql": {"z": "UTC", "p": 0, "l": 0},
}
READS = [
    "SELECT leaving() AS x",
    "SELECT id FROM t WHERE id = 1 AND leaving () = 1",
    "SELECT * FROM seen",
]


@pytest.fixture(params=["postgresql", "mariadb"])
def used(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    """A table, a function that leaves much, a view that calls it; one connection for all calls."""
    with database_of(request.param, tmp_path, pool_size=1) as source, open_lab(source) as lab:
        lab.execute(*(POSTGRES if lab.is_postgres else MARIADB))
        yield lab


def clean(lab: Lab, text: str | None = None) -> bool:
    """A read, of the author or by a client, finds nothing of what others left."""
    asked = POSTGRES_ASKED if lab.is_postgres else MARIADB_ASKED
    plan = lab.plan(asked)
    client = lab.plan(
        client_parameter="sql", result=None, parameters={"sql": Parameter("sql", "string")}
    )
    found = [lab.invoke(client, sql=asked).value]
    if text is not None:
        lab.invoke(lab.plan(text))
    found.append(lab.invoke(plan).value)
    return found == [{"rows": [CLEAN[lab.engine]], "truncated": False}] * 2


@pytest.mark.parametrize("text", READS)
def test_function_of_a_reading_tool_leaves_nothing_behind(used: Lab, text: str) -> None:
    plan = used.plan(text)
    for _ in range(2):
        assert used.invoke(plan).value["rows"]  # type: ignore[index]
        assert clean(used, text)


def test_rows_that_a_plain_read_found_are_not_told_to_a_client(used: Lab) -> None:
    assert used.value("SELECT id FROM t ORDER BY id") == 1
    assert clean(used, "SELECT id FROM t")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM t WHERE id = ?",
        "SELECT count(*), Sum(id) FROM t WHERE id IN (1, 2) AND (id > 1 OR (id) < 3)",
        "WITH a AS (SELECT 1 AS n) SELECT coalesce(n, 2) FROM a -- it is (so)\n",
        "SELECT -(1), 1 * (2 + 3)",
    ],
)
def test_read_that_calls_what_is_known_needs_no_reset(text: str) -> None:
    assert calls_the_known_alone(re.sub(r"-- .*\n", "", text))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT f(1)",
        "SELECT f (1)",
        "SELECT `f`(1)",
        "SELECT `f` (1)",
        "SELECT f/**/(1)",
        "SELECT f\n-- IN x\n(1)",
        "SELECT lab.abs(1)",
        "SELECT lab . abs(1)",
        "SELECT lab.`abs`(1)",
        "SELECT found_rows()",
        "SELECT last_insert_id(42)",
        "SELECT get_lock('x', 1)",
        "SELECT @a",
        "SELECT é(1)",
        "SELECT * FROM `my-view`",
    ],
)
def test_read_that_may_call_another_function_needs_one(text: str) -> None:
    assert not calls_the_known_alone(text)


def test_read_by_key_costs_what_it_did(used: Lab) -> None:
    """The same connection keeps its statements, and nothing is asked beside the read."""
    plan = used.plan("SELECT id FROM t WHERE id = :n", types={"n": "integer"}, shape="value")
    assert [used.invoke(plan, n=1).value for _ in range(3)] == [1, 1, 1]
    [thread] = used.database._readers._threads
    assert thread.session is not None
    if not used.is_postgres:
        assert len(thread.session._statements) == 1  # type: ignore[attr-defined]  # MariaDB's


@pytest.mark.engines("mariadb", why="PostgreSQL is asked for the views of every schema")
def test_view_of_another_schema_is_not_taken_for_a_table(used: Lab) -> None:
    name = str(used.value("SELECT database() AS n"))
    other = f"{name}_other"
    mariadb_rows(f"CREATE DATABASE {other}")
    try:
        mariadb_rows(f"CREATE VIEW {other}.seen_there AS SELECT {name}.leaving() AS l")
        assert used.value(f"SELECT l FROM {other}.seen_there") == 1
        assert clean(used)
    finally:
        mariadb_rows(f"DROP DATABASE {other}")
