"""Time, waiting, cancelling, broken connections: each ends in its own way, and what runs stops."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from runner.catalog.call import Outcome
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import (
    POSTGRES,
    Lab,
    call,
    database_of,
    mariadb_rows,
    open_lab,
    sqlite,
    statement,
)
from tests.engines import ENGINES

ENDLESS = (
    "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 2000000000)"
    " SELECT count(*) AS endless_{mark} FROM s"
)


ENDLESS_MARIADB = "SELECT count(*) AS endless_{mark} FROM seq_1_to_2000000000 WHERE seq % 2 = 1"
"""A recursion fills a table there before its first row comes."""


def endless_text(lab: Lab, mark: str) -> str:
    """A statement that never ends."""
    return (ENDLESS_MARIADB if lab.is_mariadb else ENDLESS).replace("{mark}", mark)


def endless(lab: Lab, mark: str = "x") -> SqlPlan:
    return lab.plan(endless_text(lab, mark))


async def started(lab: Lab) -> None:
    """Returns when a thread works on a call."""
    while not lab.database.running:
        await asyncio.sleep(0)


def running(lab: Lab, mark: str) -> int:
    """How many statements with this mark the engine is running; an embedded one does not tell."""
    if lab.is_sqlite or lab.is_duckdb:
        return 0
    if lab.is_mariadb:
        found_there = mariadb_rows(
            "SELECT count(*) FROM information_schema.processlist"
            " WHERE info LIKE %s AND id <> connection_id()",
            f"%endless_{mark}%",
        )
        return int(str(found_there[0][0]))
    with psycopg.connect(POSTGRES) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
            " AND pid <> pg_backend_pid() AND query LIKE %s",
            (f"%endless_{mark}%",),
        ).fetchone()
    assert found is not None
    return int(found[0])


def test_time_over_stops_the_statement(lab: Lab) -> None:
    begin = time.monotonic()
    error = lab.fails(endless(lab, "late"), timeout_s=0.3)
    assert (error.kind, str(error)) == (
        Kind.TIMEOUT,
        "the statement took longer than its time limit",
    )
    assert time.monotonic() - begin < 2
    assert running(lab, "late") == 0


def test_a_cancelled_call_stops_the_statement_before_it_ends(lab: Lab) -> None:
    binding = lab.binding(endless(lab, "cancelled"))

    async def cancel() -> float:
        task = asyncio.ensure_future(binding.invoke(call({})))
        await started(lab)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begin

    assert lab.run(cancel()) < 1
    assert running(lab, "cancelled") == 0


def test_all_threads_are_usable_after_cancels(lab: Lab) -> None:
    plan = endless(lab)
    for _ in range(lab.database.database.pool_size + 2):
        assert lab.fails(plan, timeout_s=0.05).kind is Kind.TIMEOUT
    assert lab.value("SELECT 1 AS one") == 1


ENDED_EARLY = pytest.mark.engines(
    "mariadb", why="other engines fail a statement that they stop before its end"
)


@ENDED_EARLY
def test_result_of_a_statement_that_was_ended_early_is_a_timeout(lab: Lab) -> None:
    """MariaDB answers with 0 for what it stopped."""
    plan = lab.plan("SELECT benchmark(4000000000, md5('x')) AS n", shape="value")
    assert lab.fails(plan, timeout_s=0.3).kind is Kind.TIMEOUT
    assert lab.fails(lab.plan("SELECT sleep(60) AS n"), timeout_s=0.3).kind is Kind.TIMEOUT


@ENDED_EARLY
def test_change_behind_a_statement_that_was_ended_early_is_undone(items: Lab) -> None:
    plan = items.plan("DELETE FROM items", "SELECT sleep(60) AS n", writes=True)
    assert items.fails(plan, timeout_s=0.3).kind is Kind.TIMEOUT
    assert items.rows("SELECT count(*) AS n FROM items") == [{"n": 5}]


def test_a_cancelled_write_is_undone(items: Lab) -> None:
    plan = items.plan("DELETE FROM items", statement(endless_text(items, "w")), writes=True)
    assert items.fails(plan, timeout_s=0.3).kind is Kind.TIMEOUT
    assert items.rows("SELECT count(*) AS n FROM items") == [{"n": 5}]


def test_a_hundred_calls_pass_a_slow_one(items: Lab) -> None:
    slow = items.binding(endless(items))
    reading = items.binding(items.plan("SELECT count(*) AS n FROM items", shape="value"))
    writing = items.binding(
        items.plan(statement("UPDATE items SET price = :p WHERE id = 1", {"p": "integer"}))
    )

    async def all_at_once() -> tuple[list[Outcome], float]:
        stuck = asyncio.ensure_future(slow.invoke(call({})))
        await started(items)
        begin = time.monotonic()
        calls = [reading.invoke(call({})) for _ in range(50)]
        calls += [writing.invoke(call({"p": n})) for n in range(50)]
        outcomes = await asyncio.gather(*calls)
        elapsed = time.monotonic() - begin
        stuck.cancel()
        return outcomes, elapsed

    outcomes, elapsed = items.run(all_at_once())
    assert [outcome.value for outcome in outcomes] == [5] * 50 + [1] * 50
    assert elapsed < 5


@pytest.mark.parametrize("engine", ENGINES)
def test_no_free_thread_in_time_is_busy(engine: str, tmp_path: Path) -> None:
    with (
        database_of(engine, tmp_path, pool_size=1, pool_wait_s=0.1) as source,
        open_lab(source) as lab,
    ):
        quick = lab.binding(lab.plan("SELECT count(*) AS one FROM (VALUES (1)) AS t"))
        slow = lab.binding(endless(lab))

        async def wait_behind() -> BindingError:
            stuck = asyncio.ensure_future(slow.invoke(call({})))
            await started(lab)
            with pytest.raises(BindingError) as caught:
                await quick.invoke(call({}))
            stuck.cancel()
            await asyncio.wait([stuck])
            return caught.value

        error = lab.run(wait_behind())
        assert (error.kind, str(error)) == (
            Kind.BUSY,
            "the database is busy; try again in a moment",
        )
        assert lab.value("SELECT count(*) AS one FROM (VALUES (1)) AS t") == 1


def test_another_process_that_holds_the_lock_is_busy(tmp_path: Path) -> None:
    import sqlite3

    source = sqlite(f"sqlite:///{tmp_path / 'lab.db'}", pool_wait_s=0.1)
    with open_lab(source) as lab:
        lab.execute("CREATE TABLE t (x)")
        other = sqlite3.connect(tmp_path / "lab.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert lab.fails(lab.plan("INSERT INTO t VALUES (1)")).kind is Kind.BUSY
        other.execute("ROLLBACK")
        assert lab.invoke(lab.plan("INSERT INTO t VALUES (1)", shape="affected")).value == 1
        other.close()


LOSES_CONNECTIONS = pytest.mark.engines(
    "postgresql", "mariadb", why="an embedded database has no connection to lose"
)


def break_connections(lab: Lab) -> None:
    """Ends every connection that works in this test's schema or database."""
    if lab.is_mariadb:
        name = lab.rows("SELECT database() AS s")[0]["s"]
        found = "SELECT id FROM information_schema.processlist WHERE db = %s"
        for (connection,) in mariadb_rows(found, name):
            mariadb_rows(f"KILL {connection}")
        return
    schema = lab.rows("SELECT current_schema() AS s")[0]["s"]
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
            (schema,),
        )


@LOSES_CONNECTIONS
def test_a_read_survives_lost_connections(items: Lab) -> None:
    plan = items.plan("SELECT count(*) AS n FROM items", shape="value")
    for _ in range(10):
        items.invoke(plan)
    break_connections(items)
    assert [items.invoke(plan).value for _ in range(10)] == [5] * 10


@LOSES_CONNECTIONS
def test_a_write_on_a_lost_connection_fails_once_as_unavailable(items: Lab) -> None:
    plan = items.plan("UPDATE items SET price = 1 WHERE id = 1", shape="affected")
    for _ in range(10):
        items.invoke(plan)
    break_connections(items)
    kinds: list[object] = []
    for _ in range(20):
        try:
            kinds.append(items.invoke(plan).value)
        except BindingError as error:
            kinds.append(error.kind)
    assert set(kinds) == {Kind.UNAVAILABLE, 1}
    assert kinds.count(Kind.UNAVAILABLE) <= items.database.database.pool_size


@pytest.mark.engines("postgresql", "mariadb", why="an embedded database is not down")
def test_a_database_that_is_down_is_unavailable(source: Database) -> None:
    from runner.secret import Secret

    url = Secret(f"{source.dialect}://someone:p4ssw0rd@127.0.0.1:1/x")
    down = replace(source, url=url, is_lazy=True)
    with open_lab(down) as lab:
        error = lab.fails(lab.plan("SELECT 1 AS one"))
    assert error.kind is Kind.UNAVAILABLE
    assert error.reason == "database 'lab': connect failed at 127.0.0.1:1"


@pytest.mark.engines("postgresql", "mariadb", why="the others write one after the other")
def test_serialization_faults_are_conflicts(items: Lab) -> None:
    pause = "sleep(0.3)" if items.is_mariadb else "CAST(pg_sleep(0.3) AS text)"
    locks = [
        items.binding(
            items.plan(
                f"UPDATE items SET price = 1 WHERE id = {first}",
                f"SELECT {pause} AS s",
                f"UPDATE items SET price = 2 WHERE id = {second}",
                shape="affected",
            )
        )
        for first, second in ((1, 2), (2, 1))
    ]

    async def both() -> list[object]:
        return await asyncio.gather(
            *(lock.invoke(call({})) for lock in locks), return_exceptions=True
        )

    results = items.run(both())
    errors = [result for result in results if isinstance(result, BindingError)]
    assert [error.kind for error in errors] == [Kind.CONFLICT]


UNHEARD = {
    "sqlite": "SELECT length(trim(replace(hex(zeroblob({n})), '0', 'a'),"
    " replace(hex(zeroblob(500000)), '0', 'b') || 'a')) AS n",
    "postgresql": "SELECT length(trim(repeat('a', 2 * {n}), repeat('b', 1000000) || 'a')) AS n",
    "mariadb": "SELECT repeat('a', 1000000) LIKE concat('%', repeat('a', {n} / 2), 'b') AS n",
}
"""One call of a function that takes seconds, during which the engine hears no stop."""


@pytest.mark.engines(
    "sqlite", "postgresql", "mariadb", why="DuckDB has no function that takes so long on a text"
)
def test_a_read_that_hears_no_stop_is_given_up(lab: Lab) -> None:
    """The client would wait for minutes, and the next ones for a connection."""
    begin = time.monotonic()
    error = lab.fails(lab.plan(UNHEARD[lab.engine].replace("{n}", "1200"), shape="value"), 0.2)
    assert error.kind is Kind.TIMEOUT
    assert lab.value("SELECT 1 AS a") == 1
    assert time.monotonic() - begin < 5
