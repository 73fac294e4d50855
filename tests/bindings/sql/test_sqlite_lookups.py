"""Reads by a unique key of SQLite are answered by the event loop, and never hold it.

Ours: a hop to a thread costs more than such a read; see `docs/architecture.md`.
"""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.bindings.sql.lookups import REST_S, SLOW_S, Lookups
from runner.bindings.sql.sqlite import SqliteEngine, SqliteLookupSession
from runner.bindings.sql.transaction import Step
from runner.catalog.call import Binding
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.codec.json import Json
from runner.errors import Kind
from runner.secret import Secret
from tests.bindings.sql.lab import Lab, call, open_lab, statement

BY_ID = "SELECT id, name FROM items WHERE id = :id"
TEN_THOUSAND = """
CREATE TABLE items (id INTEGER, name TEXT);
CREATE UNIQUE INDEX by_id ON items (id);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO items SELECT i, 'item ' || i FROM n;
"""
ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n"
)
FIRST = [{"id": 1, "name": "item 1"}]


@contextmanager
def somebody_else(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of another program."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of ten thousand items, with a unique index that can be dropped."""
    path = tmp_path / "items.db"
    with somebody_else(path) as connection:
        connection.executescript(TEN_THOUSAND)
    return path


def source(path: Path) -> Database:
    """The file with one thread, which a call waits for a tenth of a second."""
    url = Secret(f"sqlite:///{path}")
    return Database("lab", url, "sqlite", pool_size=1, pool_wait_s=0.1)


@pytest.fixture
def lab(path: Path) -> Iterator[Lab]:
    with open_lab(source(path)) as lab:
        yield lab


class Watched:
    """The look-ups of a file, asked directly, on a clock that the test moves."""

    def __init__(self, path: Path, runner: asyncio.Runner) -> None:
        self.now = 0.0
        self.slowness_s = 0.0
        self._engine = SqliteEngine(source(path))
        self._runner = runner
        self.opened = 0
        self.lookups = Lookups(self._open, recycle_s=60.0, clock=self._tick)
        runner.run(self.lookups.open())

    def _tick(self) -> float:
        self.now += self.slowness_s
        return self.now

    def _open(self) -> SqliteLookupSession:
        session = self._engine.open_lookups()
        session.opened_at = self.now
        self.opened += 1
        return session

    def find(self, id_: object = 1, *, text: str = BY_ID) -> Sequence[Json] | None:
        """The rows, or nothing where the threads are asked; what it began beside is awaited."""
        plan = SqlPlan(
            "lab", "sqlite", [statement(text, {"id": "integer"})],
            parameters={}, result=0, shape="rows", writes=False, max_rows=10, max_bytes=1024**2,
        )  # fmt: skip
        step = Step(plan.statements[0], plan=plan, is_result=True)

        async def ask() -> Sequence[Json] | None:
            rows = self.lookups.find(step, {"id": id_})
            await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
            return None if rows is None else rows.rows

        return self._runner.run(ask())


@pytest.fixture
def watched(path: Path) -> Iterator[Watched]:
    with asyncio.Runner() as runner:
        watched = Watched(path, runner)
        yield watched
        runner.run(watched.lookups.close())


def beside_endless(lab: Lab, binding: Binding) -> object:
    """What a tool answers while the only database thread is at work."""

    async def ask() -> object:
        slow = asyncio.ensure_future(lab.binding(lab.plan(ENDLESS)).invoke(call({})))
        while lab.database.running == 0:
            await asyncio.sleep(0)
        outcome = await binding.invoke(call({"id": 1}))
        slow.cancel()
        await asyncio.wait([slow])
        return outcome.value

    return lab.run(ask())


def test_a_look_up_needs_no_free_database_thread(lab: Lab) -> None:
    binding = lab.binding(lab.plan(BY_ID, types={"id": "integer"}))
    assert beside_endless(lab, binding) == {"rows": FIRST, "truncated": False}


def test_a_look_up_sees_what_was_just_written(lab: Lab) -> None:
    for name in ("one", "uno"):
        lab.execute(f"UPDATE items SET name = '{name}' WHERE id = 1")
        found = lab.invoke(lab.plan(BY_ID, types={"id": "integer"}, shape="row"), id=1)
        assert found.value == {"id": 1, "name": name}


def test_a_row_that_is_not_there_is_null(lab: Lab) -> None:
    plan = lab.plan(BY_ID, types={"id": "integer"}, shape="row")
    assert lab.invoke(plan, id=0).value is None


def test_a_look_up_gives_its_rows_or_none(watched: Watched) -> None:
    assert watched.find(1) == FIRST
    assert watched.find(0) == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM items WHERE name = 'item 1'",
        "SELECT count(*) AS n FROM items",
        "SELECT hex(randomblob(1000000)) AS h FROM items WHERE id = :id",
        ENDLESS,
    ],
)
def test_what_is_no_look_up_is_left_to_the_threads(watched: Watched, text: str) -> None:
    assert watched.find(text=text) is None
    assert watched.find() == FIRST


def test_a_value_too_large_for_the_loop_is_left_to_the_threads(path: Path, lab: Lab) -> None:
    with somebody_else(path) as other:
        other.execute("UPDATE items SET name = ? WHERE id = 1", ("x" * 100_000,))
    plan = lab.plan(BY_ID, types={"id": "integer"}, shape="row")
    assert lab.invoke(plan, id=1).value == {"id": 1, "name": "x" * 100_000}
    assert lab.invoke(plan, id=2).value == {"id": 2, "name": "item 2"}


@pytest.mark.parametrize("wrong", [2**63, "\ud800"], ids=["beyond 64 bits", "no UTF-8"])
def test_a_value_that_cannot_be_bound_says_nothing_of_the_database(
    watched: Watched, wrong: object
) -> None:
    assert watched.find(wrong) is None
    assert watched.find() == FIRST


def test_a_dropped_index_ends_a_look_up_before_it_is_a_scan(watched: Watched, path: Path) -> None:
    assert watched.find() == FIRST
    with somebody_else(path) as other:
        other.execute("DROP INDEX by_id")
    assert watched.find(10_000) is None

    watched.now += 2 * REST_S
    assert [watched.find(10_000) for _ in range(3)] == [None, None, None]


def test_a_lock_is_not_waited_for(watched: Watched, path: Path) -> None:
    with somebody_else(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert watched.find() is None
    assert watched.find() is None, "look-ups rest"

    watched.now += 2 * REST_S
    assert [watched.find(), watched.find()] == [None, FIRST], "the first opens a fresh connection"
    assert watched.opened == 2


def test_a_slow_disk_gives_look_ups_a_rest(watched: Watched) -> None:
    watched.slowness_s = 2 * SLOW_S
    assert watched.find() == FIRST
    watched.slowness_s = 0.0
    assert watched.find() is None

    watched.now += REST_S
    assert watched.find() == FIRST
    assert watched.opened == 1


def test_the_connection_is_recycled_as_those_of_the_threads(watched: Watched) -> None:
    watched.now += 61.0
    assert [watched.find(), watched.find()] == [None, FIRST]
    assert watched.opened == 2


def test_a_database_that_comes_later_is_looked_up_in_then(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    with asyncio.Runner() as runner:
        watched = Watched(path, runner)
        assert watched.find() is None
        with somebody_else(path) as other:
            other.executescript(TEN_THOUSAND)
        watched.now += 2 * REST_S
        assert [watched.find(), watched.find()] == [None, FIRST]
        runner.run(watched.lookups.close())


def test_a_look_up_connection_only_reads(path: Path) -> None:
    session = SqliteEngine(source(path)).open_lookups()
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        session.connection.execute("DELETE FROM items")
    session.close()


def test_the_plan_of_a_statement_that_fails_is_an_error_of_its_kind(path: Path, lab: Lab) -> None:
    plan = lab.plan(BY_ID.replace("name", "nom"), types={"id": "integer"})
    assert lab.fails(plan, id=1).kind is Kind.INVALID
