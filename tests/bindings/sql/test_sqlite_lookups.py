"""Reads by a unique key of SQLite are answered by the event loop, and never hold it.

Ours: a hop to a thread costs more than such a read; see `docs/architecture.md`.
"""

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.bindings.sql import lookups
from runner.bindings.sql.engines import lookups_of
from runner.bindings.sql.lookups import (
    FORGIVEN_S,
    MAX_TEXT_LENGTH,
    MAX_TEXTS,
    PATIENCE_S,
    QUICK_RUNS,
    QUICK_S,
    REST_S,
    RUNS_AFTER_SLOW,
    SLOW_S,
    Lookups,
)
from runner.bindings.sql.session import Ready, Session
from runner.bindings.sql.sqlite import SqliteEngine, SqliteSession
from runner.bindings.sql.sqlite_lookups import SqliteLookups
from runner.bindings.sql.transaction import Step
from runner.catalog.call import Binding
from runner.catalog.expressions import Template
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Words
from runner.codec.json import Json
from runner.errors import BindingError, Kind
from runner.secret import Secret
from tests.bindings.sql.lab import Lab, call, open_lab, statement

BY_ID = "SELECT id, name FROM items WHERE id = :id"
TEN_THOUSAND = """
CREATE TABLE items (id INTEGER, name TEXT);
CREATE UNIQUE INDEX by_id ON items (id);
CREATE VIEW named AS SELECT id, name FROM items;
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


def source(path: Path, **rest: object) -> Database:
    """The file with one thread; a call waits long for it, and for locks."""
    fields: dict[str, object] = {"pool_size": 1, "pool_wait_s": 30.0, **rest}
    return Database("lab", Secret(f"sqlite:///{path}"), "sqlite", **fields)  # type: ignore[arg-type]


@pytest.fixture
def lab(path: Path) -> Iterator[Lab]:
    """The file, open."""
    with open_lab(source(path)) as lab:
        yield lab


class Watched:
    """The look-ups of a file, asked directly, on a clock that the test moves."""

    def __init__(self, path: Path, runner: asyncio.Runner) -> None:
        self.now = 0.0
        self.slowness_s = 0.0
        self.opened: list[Session] = []
        self._engine = SqliteEngine(source(path))
        self._source = SqliteLookups(self._engine)
        self._runner = runner
        self.lookups = Lookups(self, recycle_s=60.0, clock=self._tick)
        runner.run(self.lookups.open())

    def _tick(self) -> float:
        self.now += self.slowness_s
        return self.now

    def open_session(self) -> Session:
        """As the source does; opened now, on the test's clock."""
        session = self._source.open_session()
        session.opened_at = self.now
        self.opened.append(session)
        return session

    def is_lookup(self, session: Session, ready: Ready) -> bool:
        """As the source does."""
        return self._source.is_lookup(session, ready)

    def find(self, id_: object = 1, *, text: str = BY_ID) -> Sequence[Json] | None:
        """The rows, or nothing where the threads are asked; what it began beside is awaited."""

        async def ask() -> Sequence[Json] | None:
            rows = self.lookups.find(step_of(text), {"id": id_})
            await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
            return None if rows is None else rows.rows

        return self._runner.run(ask())

    def run(self, times: int = 1, *, text: str = BY_ID, took_s: float = 0.0) -> None:
        """Runs in a thread that took so long, as the look-ups hear of them."""
        session = self._engine.open_session(writes=False)
        ready = step_of(text).ready(session, {})
        for _ in range(times):
            self.lookups.learn(session, ready, took_s)
        session.close()

    def earn(self, text: str = BY_ID) -> None:
        """As many quick runs as earn the loop: the first one is judged, not counted."""
        self.run(1 + QUICK_RUNS, text=text)


def step_of(text: str) -> Step:
    """The only step of a tool."""
    plan = SqlPlan(
        "lab", "sqlite", [statement(text, {"id": "integer"})],
        parameters={}, result=0, shape="rows", writes=False, max_rows=10, max_bytes=1024**2,
    )  # fmt: skip
    return Step(plan.statements[0], plan=plan, is_result=True)


@pytest.fixture
def watched(path: Path) -> Iterator[Watched]:
    """Look-ups of which the one by the id has earned the loop."""
    with asyncio.Runner() as runner:
        watched = Watched(path, runner)
        watched.earn()
        yield watched
        runner.run(watched.lookups.close())


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that does much else is not taken for a slow look-up."""
    monkeypatch.setattr(lookups, "QUICK_S", 5.0)
    monkeypatch.setattr(lookups, "SLOW_S", 5.0)


def by_id(lab: Lab) -> SqlPlan:
    return lab.plan(BY_ID, types={"id": "integer"}, shape="row")


def earned(lab: Lab) -> SqlPlan:
    """The tool by the id, which has earned the loop."""
    plan = by_id(lab)
    for _ in range(1 + QUICK_RUNS):
        lab.invoke(plan, id=1)
    return plan


def beside_endless(lab: Lab, binding: Binding) -> object:
    """What a tool answers while the only database thread is at work."""

    async def ask() -> object:
        slow = asyncio.ensure_future(lab.binding(lab.plan(ENDLESS)).invoke(call({})))
        async with asyncio.timeout(10):
            while lab.database.running == 0:
                await asyncio.sleep(0)
            outcome = await binding.invoke(call({"id": 1}))
        slow.cancel()
        await asyncio.wait([slow])
        return outcome.value

    return lab.run(ask())


@pytest.mark.usefixtures("patient")
def test_a_look_up_that_earned_it_needs_no_database_thread(lab: Lab) -> None:
    assert beside_endless(lab, lab.binding(earned(lab))) == FIRST[0]


@pytest.mark.usefixtures("patient")
def test_a_look_up_sees_what_was_just_written(lab: Lab) -> None:
    plan = earned(lab)
    for name in ("one", "uno"):
        lab.execute(f"UPDATE items SET name = '{name}' WHERE id = 1")
        assert beside_endless(lab, lab.binding(plan)) == {"id": 1, "name": name}


def test_a_row_that_is_not_there_is_missing_on_the_loop_too(lab: Lab) -> None:
    plan = earned(lab)
    words: dict[str, Words] = {
        Kind.MISSING: Words(Template("none", frozenset(), lambda _scope: "none"))
    }
    binding = lab.database.binding(plan, "tool", errors=words)
    with pytest.raises(BindingError) as caught:
        lab.run(binding.invoke(call({"id": 0})))
    assert caught.value.kind is Kind.MISSING
    assert lab.invoke(plan, id=0).value is None


def test_some_quick_runs_in_threads_earn_the_loop(path: Path) -> None:
    with asyncio.Runner() as runner:
        watched = Watched(path, runner)
        watched.run(QUICK_RUNS)
        assert watched.find() is None, "the first run was judged, not counted"
        watched.run(5, took_s=QUICK_S)
        assert watched.find() is None, "these were not quick"
        watched.run()
        assert (watched.find(1), watched.find(0)) == (FIRST, [])
        runner.run(watched.lookups.close())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM items WHERE name = 'item 1'",
        "SELECT count(*) AS n FROM items",
        "SELECT hex(randomblob(1000000)) AS h FROM items WHERE id = :id",
        "SELECT id FROM items WHERE id = :id -- " + "x" * MAX_TEXT_LENGTH,
        ENDLESS,
        "SELECT nothing FROM items",
    ],
    ids=["scan", "count", "function", "long text", "endless", "refused"],
)
def test_what_is_no_look_up_never_earns_the_loop(watched: Watched, text: str) -> None:
    watched.run(100, text=text)
    assert watched.find(text=text) is None
    assert watched.find() == FIRST


def test_only_so_many_statements_are_known(watched: Watched) -> None:
    for number in range(MAX_TEXTS):
        watched.earn(f"SELECT {number} AS n FROM items WHERE id = :id")
    assert watched.find(text="SELECT 0 AS n FROM items WHERE id = :id") == [{"n": 0}]
    last = f"SELECT {MAX_TEXTS - 1} AS n FROM items WHERE id = :id"
    assert watched.find(text=last) is None


def test_a_value_too_large_for_the_loop_is_left_to_the_threads(path: Path, lab: Lab) -> None:
    with somebody_else(path) as other:
        other.execute("UPDATE items SET name = ? WHERE id = 2", ("x" * 100_000,))
    plan = earned(lab)
    assert lab.invoke(plan, id=2).value == {"id": 2, "name": "x" * 100_000}


def test_after_a_value_too_large_the_statement_has_to_earn_it_again(
    watched: Watched, path: Path
) -> None:
    with somebody_else(path) as other:
        other.execute("UPDATE items SET name = ? WHERE id = 2", ("x" * 100_000,))
    assert [watched.find(2), watched.find(1)] == [None, None]
    watched.run(RUNS_AFTER_SLOW)
    assert watched.find(1) == FIRST


def test_a_statement_that_is_slow_too_often_has_to_earn_the_loop_again(watched: Watched) -> None:
    slow(watched, PATIENCE_S / 2)
    slow(watched, PATIENCE_S / 2)
    slow(watched, SLOW_S * 2)
    assert watched.find() is None
    watched.run(RUNS_AFTER_SLOW - 1)
    assert watched.find() is None
    watched.run()
    assert watched.find() == FIRST
    assert len(watched.opened) == 1


def test_one_very_slow_look_up_is_enough(watched: Watched) -> None:
    slow(watched, PATIENCE_S * 2)
    assert watched.find() is None


def test_slow_look_ups_among_many_are_taken_for_the_machines(watched: Watched) -> None:
    took_s = PATIENCE_S / 2
    for _ in range(4):
        slow(watched, took_s)
        assert all(watched.find() == FIRST for _ in range(round(took_s / FORGIVEN_S) + 1))


def slow(watched: Watched, took_s: float) -> None:
    """A look-up that takes so long."""
    watched.slowness_s = took_s
    assert watched.find() == FIRST
    watched.slowness_s = 0.0


@pytest.mark.parametrize("wrong", [2**63, "\ud800"], ids=["beyond 64 bits", "no UTF-8"])
def test_a_value_that_cannot_be_bound_says_nothing_of_the_database(
    watched: Watched, wrong: object
) -> None:
    assert [watched.find(wrong), watched.find()] == [None, FIRST]


def test_the_limit_of_instructions_is_that_of_one_look_up(watched: Watched) -> None:
    assert all(watched.find(1) == FIRST for _ in range(2_000))


@pytest.mark.parametrize(
    "change",
    [
        "DROP INDEX by_id",
        "ALTER TABLE items ADD COLUMN note TEXT",
        "DROP VIEW named; CREATE VIEW named AS SELECT id, name FROM items WHERE name LIKE '%1'",
    ],
    ids=["index", "table", "view"],
)
def test_a_changed_schema_makes_void_what_was_found_out(
    watched: Watched, path: Path, change: str
) -> None:
    text = "SELECT id, name FROM named WHERE id = :id"
    watched.earn(text)
    assert watched.find(text=text) == FIRST
    with somebody_else(path) as other:
        other.executescript(change)
    assert watched.find(text=text) is None

    watched.now += 2 * REST_S
    assert watched.find(text=text) is None, "it opens a fresh connection"
    assert watched.find(text=text) is None, "nothing is known of it"
    assert len(watched.opened) == 2


def test_a_scan_is_no_look_up_any_more_once_its_index_is_gone(watched: Watched, path: Path) -> None:
    with somebody_else(path) as other:
        other.execute("DROP INDEX by_id")
    assert watched.find() is None
    watched.now += 2 * REST_S
    assert watched.find() is None
    watched.earn()
    assert watched.find() is None


def test_a_lock_is_not_waited_for_and_means_nothing(watched: Watched, path: Path) -> None:
    begin = time.monotonic()
    with somebody_else(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert watched.find() is None
    assert time.monotonic() - begin < 10, "the threads would wait for thirty seconds"
    assert watched.find() == FIRST


KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.execute("UPDATE items SET name = name || ' changed'")
os._exit(0)
"""


def test_what_a_killed_writer_left_is_not_undone_on_the_loop(watched: Watched, path: Path) -> None:
    """It is as much as the writer wrote: hundreds of megabytes held up every client."""
    journal = path.with_name("items.db-journal")
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=True)
    left = journal.stat().st_size
    assert left > 100_000

    assert watched.find() is None
    assert journal.stat().st_size == left, "nobody touched it"

    with somebody_else(path) as reader:
        assert reader.execute("SELECT name FROM items WHERE id = 1").fetchone() == ("item 1",)
    assert watched.find() == FIRST
    assert not journal.exists()


def test_a_lost_connection_is_replaced_after_a_rest(watched: Watched) -> None:
    watched.opened[0].close()
    assert watched.find() is None
    assert watched.find() is None, "look-ups rest"
    assert len(watched.opened) == 1

    watched.now += 2 * REST_S
    assert watched.find() is None
    watched.earn()
    assert watched.find() == FIRST
    assert len(watched.opened) == 2


def test_the_connection_is_recycled_as_those_of_the_threads(watched: Watched) -> None:
    watched.now += 61.0
    assert watched.find() is None
    watched.earn()
    assert watched.find() == FIRST
    assert len(watched.opened) == 2


def test_a_database_that_comes_later_is_looked_up_in_then(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    with asyncio.Runner() as runner:
        watched = Watched(path, runner)
        assert watched.find() is None
        with somebody_else(path) as other:
            other.executescript(TEN_THOUSAND)
        watched.now += 2 * REST_S
        assert watched.find() is None
        watched.earn()
        assert watched.find() == FIRST
        runner.run(watched.lookups.close())


def test_nothing_is_looked_up_once_the_database_is_closed(watched: Watched) -> None:
    with asyncio.Runner() as runner:
        runner.run(watched.lookups.close())
    assert watched.find() is None
    assert is_closed(watched.opened[0])


def test_a_connection_that_opens_while_the_database_closes_is_closed(watched: Watched) -> None:
    async def close_while_opening() -> None:
        watched.now += 61.0
        assert watched.lookups.find(step_of(BY_ID), {"id": 1}) is None
        await watched.lookups.close()

    with asyncio.Runner() as runner:
        runner.run(close_while_opening())
    assert [is_closed(session) for session in watched.opened] == [True, True]


def is_closed(session: Session) -> bool:
    assert isinstance(session, SqliteSession)
    try:
        session.connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return True
    return False


def test_a_look_up_connection_only_reads(path: Path) -> None:
    session = SqliteLookups(SqliteEngine(source(path))).open_session()
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        session.connection.execute("DELETE FROM items")
    session.close()


def test_where_a_connection_may_have_to_wait_there_are_no_look_ups(path: Path) -> None:
    exclusive = source(path, connect=["PRAGMA locking_mode = EXCLUSIVE"])
    assert lookups_of(SqliteEngine(exclusive)) is None
    shared = Secret(f"sqlite:///file:{path}?cache=shared&uri=true")
    assert lookups_of(SqliteEngine(Database("lab", shared, "sqlite"))) is None
    assert lookups_of(SqliteEngine(source(path))) is not None


def test_the_plan_of_a_statement_that_fails_is_an_error_of_its_kind(path: Path, lab: Lab) -> None:
    plan = lab.plan(BY_ID.replace("name", "nom"), types={"id": "integer"})
    assert lab.fails(plan, id=1).kind is Kind.INVALID
