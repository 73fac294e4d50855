"""The store of tasks, on each engine that keeps them; the clock is the test's."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, make_url, select

from runner.catalog.caller import Caller
from runner.catalog.catalog import TaskSettings
from runner.catalog.tasks import (
    Asking,
    Completed,
    Failed,
    Order,
    Status,
    TaskState,
    TooManyTasksError,
)
from runner.errors import StartError
from runner.secret import Secret
from runner.tasks.store import (
    BATCH,
    LEASE,
    MAX_KEPT,
    MAX_LOSSES,
    MAX_OPEN,
    MAX_RUNS,
    TaskStore,
    open_store,
)
from runner.tasks.table import TASKS
from tests.tasks.stores import store_address

NOW = datetime(2026, 8, 3, 9, tzinfo=UTC)
LATER = NOW + LEASE + timedelta(milliseconds=1)
TTL = timedelta(hours=1)
ADA = Caller(
    user_id="ada",
    email="ada@example.com",
    scopes=frozenset({"read"}),
    issuer="https://issuer.example",
    claims={"plan": "pro", "ids": [1, 2]},
    authenticated=True,
)
ORDER = Order(
    path="/mcp",
    tool="slow",
    arguments={"text": "Zürich", "n": [1, None]},
    caller=ADA,
    capabilities={"elicitation": {}},
    client={"name": "test", "version": "1"},
    repeats=True,
    answers={"values-1": {"action": "accept"}},
)
REQUEST = {"method": "roots/list", "params": {}}


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TaskSettings]:
    with store_address(request.param, tmp_path) as url:
        yield TaskSettings(Secret(url), request.param, TTL.total_seconds(), 1.0)


@pytest.fixture
def store(settings: TaskSettings) -> Iterator[TaskStore]:
    with open_store(settings) as store:
        yield store


def found(store: TaskStore, task: str = "t", *, now: datetime = NOW) -> TaskState | None:
    return store.find(task, owner=ADA.principal, path="/mcp", now=now)


def status(store: TaskStore, task: str = "t", *, now: datetime = NOW) -> Status | None:
    state = found(store, task, now=now)
    return None if state is None else state.status


def test_inserted_task_is_found_by_every_store(settings: TaskSettings, store: TaskStore) -> None:
    with open_store(settings) as other:
        inserted = store.insert("t", ORDER, worker="w", now=NOW)
        assert found(other) == inserted
    assert inserted == TaskState(
        id="t",
        path="/mcp",
        status=Status.WORKING,
        created=NOW,
        updated=NOW,
        ttl_ms=3_600_000,
        poll_ms=1000,
        revision=1,
    )


def test_order_comes_back_whole(store: TaskStore) -> None:
    store.insert("t", ORDER, worker=None, now=NOW)
    assert store.claim("t", worker="w", now=NOW) == ORDER


@pytest.mark.parametrize(
    ("owner", "path"), [("|eve", "/mcp"), (ADA.principal, "/other")], ids=["owner", "path"]
)
def test_foreign_task_is_not_found(store: TaskStore, owner: str, path: str) -> None:
    store.insert("t", ORDER, worker="w", now=NOW)
    assert store.find("t", owner=owner, path=path, now=NOW) is None
    assert store.known(["t"], owner=owner, path=path, now=NOW) == frozenset()
    assert store.known(["t", "u"], owner=ADA.principal, path="/mcp", now=NOW) == {"t"}


def test_only_one_worker_gets_a_task(store: TaskStore) -> None:
    store.insert("t", ORDER, worker=None, now=NOW)
    claimed = [store.claim("t", worker=worker, now=NOW) for worker in ("a", "b")]
    assert [order is not None for order in claimed] == [True, False]


def test_worker_that_lost_its_task_keeps_nothing(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.end("t", Completed(b"{}"), worker="b", now=NOW)
    assert status(store) == Status.WORKING
    store.end("t", Completed(b'{"a":1}'), worker="a", now=NOW)
    store.end("t", Failed(b"{}", "late"), worker="a", now=NOW)
    ended = found(store)
    assert ended is not None
    assert (ended.status, ended.result, ended.revision) == (Status.COMPLETED, b'{"a":1}', 2)


def test_task_of_a_worker_that_is_gone_fails(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    assert store.renew(["t"], worker="a", now=NOW + LEASE) == {"t"}
    assert status(store, now=LATER) == Status.WORKING
    later = LATER + LEASE
    ended = found(store, now=later)
    message = "The worker that ran the task is gone, and its work with it."
    assert ended is not None
    assert (ended.status, ended.message, ended.updated) == (Status.FAILED, message, later)
    assert ended.error == b'{"code":-32603,"message":"%b"}' % message.encode()
    assert store.renew(["t"], worker="a", now=later) == frozenset()


def test_tasks_left_behind_are_found_without_being_asked_for(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.insert("u", ORDER, worker=None, now=NOW)
    store.insert("v", ORDER, worker="b", now=LATER)
    assert (store.bury(now=NOW), store.bury(now=LATER), store.bury(now=LATER)) == (0, 2, 0)
    assert status(store, "v") == Status.WORKING


def test_answers_are_gathered_until_nothing_is_asked(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.end("t", Asking({"x": REQUEST, "y": REQUEST}), worker="a", now=NOW)
    assert store.answer("t", {"z": {"roots": []}}, now=NOW) is None
    assert not store.answer("t", {"x": {"roots": [1]}}, now=NOW)
    asked = found(store)
    assert asked is not None
    assert (asked.status, asked.requests) == (Status.INPUT_REQUIRED, {"y": REQUEST})
    assert not store.answer("t", {"x": {"roots": [2]}}, now=NOW), "it was answered before"
    assert store.answer("t", {"y": {"roots": []}}, now=NOW)
    order = store.claim("t", worker="b", now=NOW)
    assert order is not None
    assert order.answers == {**ORDER.answers, "x": {"roots": [1]}, "y": {"roots": []}}


def test_task_that_waits_for_answers_needs_no_worker(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.end("t", Asking({"x": REQUEST}), worker="a", now=NOW)
    store.bury(now=LATER)
    assert status(store, now=LATER) == Status.INPUT_REQUIRED
    assert store.answer("t", {"x": {"roots": []}}, now=LATER)
    store.bury(now=LATER)
    assert status(store, now=LATER) == Status.WORKING, "somebody has time to take it up"


def test_task_that_asks_for_ever_fails(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    for _ in range(MAX_RUNS - 1):
        store.end("t", Asking({"x": REQUEST}), worker="a", now=NOW)
        assert store.answer("t", {"x": {"roots": []}}, now=NOW)
        assert store.claim("t", worker="a", now=NOW) is not None
    store.end("t", Asking({"x": REQUEST}), worker="a", now=NOW)
    assert status(store) == Status.FAILED


def test_cancelled_task_stays_so(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.cancel("t", now=NOW)
    assert store.renew(["t"], worker="a", now=NOW) == frozenset()
    store.end("t", Completed(b"{}"), worker="a", now=NOW)
    store.cancel("t", now=LATER)
    ended = found(store)
    assert ended is not None
    assert (ended.status, ended.updated, ended.revision) == (Status.CANCELLED, NOW, 2)


def test_expired_task_is_unknown_and_removed(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    end = NOW + TTL
    assert found(store, now=end - timedelta(milliseconds=1)) is not None
    assert (found(store, now=end), store.claim("t", worker="b", now=end)) == (None, None)
    assert (store.clean(now=NOW), store.clean(now=end), store.clean(now=end)) == (0, 1, 0)


def test_stopping_worker_fails_what_it_runs(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.insert("u", ORDER, worker="b", now=NOW)
    store.release("a", now=NOW, message="Stopped.")
    ended = found(store)
    assert ended is not None
    assert (ended.status, ended.message) == (Status.FAILED, "Stopped.")
    assert status(store, "u") == Status.WORKING


@pytest.fixture
def resuming(settings: TaskSettings) -> Iterator[TaskStore]:
    with open_store(replace(settings, resumes=True)) as store:
        yield store


def test_task_that_a_queue_has_waits_for_its_turn(resuming: TaskStore) -> None:
    resuming.insert("t", ORDER, worker=None, now=NOW)
    resuming.insert("lost", ORDER, worker=None, now=NOW)
    resuming.queued("t")
    assert resuming.bury(now=LATER) == 1, "what never came to the queue has nobody to run it"
    assert (status(resuming, "t", now=LATER), status(resuming, "lost", now=LATER)) == (
        Status.WORKING,
        Status.FAILED,
    )
    assert resuming.claim("t", worker="a", now=LATER) == ORDER


@pytest.mark.parametrize(
    ("repeats", "left"), [(True, Status.WORKING), (False, Status.FAILED)], ids=["again", "once"]
)
def test_what_may_be_repeated_is_left_to_another_worker(
    resuming: TaskStore, repeats: bool, left: Status
) -> None:
    for task in ("gone", "stopped"):
        resuming.insert(task, replace(ORDER, repeats=repeats), worker=task, now=NOW)
    resuming.release("stopped", now=NOW, message="Stopped.")
    resuming.bury(now=LATER)
    assert {status(resuming, task, now=LATER) for task in ("gone", "stopped")} == {left}
    claimed = [resuming.claim(task, worker="w", now=LATER) for task in ("gone", "stopped")]
    assert [order is not None for order in claimed] == [repeats, repeats]
    assert resuming.is_working("gone", now=LATER) is repeats


def test_task_that_loses_worker_after_worker_fails(resuming: TaskStore) -> None:
    resuming.insert("t", ORDER, worker="0", now=NOW)
    now = NOW
    for lost in range(1, MAX_LOSSES + 1):
        now += LEASE * 2
        assert resuming.claim("t", worker=str(lost), now=now) is not None
    assert resuming.claim("t", worker="last", now=now + LEASE * 2) is None
    assert status(resuming, now=now) == Status.FAILED


def test_what_changed_since_it_was_seen_is_told(store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.insert("u", ORDER, worker="a", now=NOW)
    store.cancel("u", now=NOW)
    told = store.changed({"t": 1, "u": 1, "v": 0}, now=NOW)
    assert [(state.id, state.revision, state.status) for state in told] == [
        ("u", 2, Status.CANCELLED)
    ]


def test_owner_has_so_many_open_tasks_and_no_more(store: TaskStore) -> None:
    for number in range(MAX_OPEN):
        store.insert(f"t{number}", ORDER, worker="a", now=NOW)
    with pytest.raises(TooManyTasksError, match="100 tasks that have not ended"):
        store.insert("more", ORDER, worker="a", now=NOW)
    other = replace(ORDER, caller=Caller(user_id="bo"))
    store.insert("other", other, worker="a", now=NOW)
    store.cancel("t0", now=NOW)
    store.insert("more", ORDER, worker="a", now=NOW)


def test_store_keeps_so_many_tasks_and_no_more(settings: TaskSettings, store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.cancel("t", now=NOW)
    with engine_of(settings) as engine, engine.begin() as connection:
        row = connection.execute(select(TASKS)).one()._asdict()
        more = [{**row, "id": f"t{number}"} for number in range(1, MAX_KEPT)]
        connection.execute(TASKS.insert(), more)
    with pytest.raises(TooManyTasksError, match="keeps too many tasks"):
        store.insert("more", ORDER, worker="a", now=NOW)
    assert status(store, "more") is None
    store.insert("more", ORDER, worker="a", now=NOW + TTL)
    assert store.clean(now=NOW + TTL) == BATCH


def test_ended_task_keeps_nothing_of_its_call(settings: TaskSettings, store: TaskStore) -> None:
    store.insert("t", ORDER, worker="a", now=NOW)
    store.end("t", Completed(b"{}"), worker="a", now=NOW)
    with engine_of(settings) as engine, engine.connect() as connection:
        row = connection.execute(select(TASKS)).one()
    assert (row.call, row.answers, row.requests, row.worker) == (None, None, None, None)
    assert "ada" not in row.owner


@contextmanager
def engine_of(settings: TaskSettings) -> Iterator[Engine]:
    """The store's database, opened by the test itself."""
    driver = "postgresql+psycopg" if settings.dialect == "postgresql" else "sqlite"
    engine = create_engine(make_url(settings.store.reveal()).set(drivername=driver))
    try:
        yield engine
    finally:
        engine.dispose()


def test_unreachable_store_is_told_without_its_password() -> None:
    url = "postgresql://user:hunter2@127.0.0.1:1/none?connect_timeout=2"
    settings = TaskSettings(Secret(url), "postgresql", 1.0, 1.0)
    with pytest.raises(StartError, match="the store of tasks cannot be opened") as caught:
        open_store(settings).__enter__()
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_store_is_opened_while_another_worker_begins_to_write(tmp_path: Path) -> None:
    """SQLite refuses the change to a log at once then, and does not wait as it does elsewhere.

    The other worker is done as soon as the store waits for it.
    """
    file = tmp_path / "tasks.db"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def end_other(statement: str) -> None:
        if statement == "BEGIN IMMEDIATE" and other.in_transaction:
            other.execute("COMMIT")

    def watch(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(end_other)

    event.listen(Engine, "connect", watch)
    try:
        settings = TaskSettings(Secret(f"sqlite:///{file}"), "sqlite", 1.0, 1.0)
        with open_store(settings) as store:
            assert found(store) is None
    finally:
        event.remove(Engine, "connect", watch)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
