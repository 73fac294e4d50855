"""Tasks in a SQL database: every change is one transaction, and every worker sees it after that.

Blocks; is called in threads. Knows no call and no loop: the time comes in as an argument.
A worker that runs a task holds a lease on it, which it renews; a lease that ran out says that the
worker is gone.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, case, create_engine, delete, event, func, select, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from runner.catalog.catalog import TaskSettings
from runner.catalog.tasks import (
    FINAL,
    Asking,
    Completed,
    Ending,
    Failed,
    Order,
    Status,
    TaskState,
    TooManyTasksError,
)
from runner.codec.json import Json, encode
from runner.errors import StartError
from runner.tasks.table import (
    METADATA,
    TASKS,
    call_of,
    milliseconds,
    order_of,
    read,
    state_of,
    write,
)

MAX_OPEN: Final = 100
"""Tasks of one owner that have not ended."""
MAX_KEPT: Final = 10_000
"""Tasks of all owners, ended ones until they expire."""
MAX_RUNS: Final = 50
"""Of one task: it is made anew after each round of answers."""
MAX_LOSSES: Final = 2
"""Of one task: what kills its worker three times is not run a fourth time."""
LEASE: Final = timedelta(seconds=15)
BATCH: Final = 500
"""Rows that one clean-up touches at most."""
THREADS: Final = 4
_BUSY_MS: Final = 5000
_ATTEMPTS: Final = 100
_LOCK: Final = 7_305_212_019
"""Of PostgreSQL, while the table is made: two that make it at once would disturb each other."""
_GONE: Final = "The worker that ran the task is gone, and its work with it."
_LOST_TOO_OFTEN: Final = "The workers that ran the task were lost again and again."
_TOO_OFTEN: Final = f"The task asked {MAX_RUNS} times and did not come to an end."
_FINAL: Final = tuple(sorted(FINAL))
_EMPTIED: Final = {"call": None, "answers": None, "requests": None, "worker": None, "lease": None}
_READS: Final = "mcp_run_reads"


def owner_digest(owner: str) -> str:
    """What the table has of a principal: enough to compare, and nothing to read."""
    return hashlib.sha256(owner.encode()).hexdigest()


class TaskStore:
    """The tasks of every worker that has the same database."""

    def __init__(self, engine: Engine, settings: TaskSettings) -> None:
        self._engine = engine
        self._ttl_ms = int(settings.ttl_s * 1000)
        self._poll_ms = int(settings.poll_s * 1000)
        self._resumes = settings.resumes

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        options = {_READS: True}
        with self._engine.connect().execution_options(**options) as connection:
            yield connection

    def insert(self, task: str, order: Order, *, worker: str | None, now: datetime) -> TaskState:
        """A new task; with `worker` that one runs it already.

        Raises:
            TooManyTasksError: there are as many as there may be.
        """
        at = milliseconds(now)
        owner = owner_digest(order.caller.principal)
        with self._engine.begin() as connection:
            self._check_room(connection, owner, at)
            row = connection.execute(
                TASKS.insert()
                .values(
                    id=task,
                    owner=owner,
                    path=order.path,
                    status=Status.WORKING,
                    created=at,
                    updated=at,
                    expires=at + self._ttl_ms,
                    poll_ms=self._poll_ms,
                    revision=1,
                    runs=0 if worker is None else 1,
                    losses=0,
                    repeats=order.repeats,
                    call=call_of(order),
                    answers=write(order.answers),
                    worker=worker,
                    lease=at + _ms(LEASE),
                )
                .returning(TASKS)
            ).one()
        return state_of(row)

    def _check_room(self, connection: Connection, owner: str, at: int) -> None:
        living = TASKS.c.expires > at
        own = select(func.count()).where(
            TASKS.c.owner == owner, TASKS.c.status.not_in(_FINAL), living
        )
        if (connection.scalar(own) or 0) >= MAX_OPEN:
            raise TooManyTasksError(
                f"You have {MAX_OPEN} tasks that have not ended; wait for one, or cancel one."
            )
        if (connection.scalar(select(func.count()).select_from(TASKS).where(living)) or 0) >= (
            MAX_KEPT
        ):
            raise TooManyTasksError("The server is busy: it keeps too many tasks; try again later.")

    def find(self, task: str, *, owner: str, path: str, now: datetime) -> TaskState | None:
        """The task, where it is this owner's (a principal) at this endpoint and not expired."""
        at = milliseconds(now)
        own = select(TASKS).where(
            TASKS.c.id == task,
            TASKS.c.owner == owner_digest(owner),
            TASKS.c.path == path,
            TASKS.c.expires > at,
        )
        with self._reading() as connection:
            row = connection.execute(own).one_or_none()
        is_lost = row is not None and row.status == Status.WORKING and _is_past(row.lease, at)
        if is_lost:
            self.bury([task], now=now)
            with self._reading() as connection:
                row = connection.execute(own).one_or_none()
        return None if row is None else state_of(row)

    def known(
        self, tasks: Collection[str], *, owner: str, path: str, now: datetime
    ) -> frozenset[str]:
        """Those of the tasks that `find` would find."""
        with self._reading() as connection:
            rows = connection.scalars(
                select(TASKS.c.id).where(
                    TASKS.c.id.in_(tasks),
                    TASKS.c.owner == owner_digest(owner),
                    TASKS.c.path == path,
                    TASKS.c.expires > milliseconds(now),
                )
            )
            return frozenset(rows)

    def answer(self, task: str, replies: Mapping[str, Json], *, now: datetime) -> bool | None:
        """Takes the replies that something waits for.

        None: more is asked, or nothing was. Else the task goes on, and it says whether its call
        may be repeated.
        """
        with self._engine.begin() as connection:
            row = connection.execute(
                select(TASKS)
                .where(TASKS.c.id == task, TASKS.c.status == Status.INPUT_REQUIRED)
                .with_for_update()
            ).one_or_none()
            pending = {} if row is None else read(row.requests)
            taken = {key: reply for key, reply in replies.items() if key in pending}
            if row is None or not taken:
                return None
            left = {key: request for key, request in pending.items() if key not in taken}
            changed: dict[str, object] = {
                "requests": write(left),
                "answers": write({**read(row.answers), **taken}),
                "status": Status.INPUT_REQUIRED if left else Status.WORKING,
                # Whoever takes it up must do so before it counts as left behind.
                "lease": None if left else milliseconds(now) + _ms(LEASE),
            }
            self._change(connection, task, now, changed)
            return None if left else bool(row.repeats)

    def cancel(self, task: str, *, now: datetime) -> None:
        """Ends a task that has not ended."""
        with self._engine.begin() as connection:
            self._change(connection, task, now, {"status": Status.CANCELLED, **_EMPTIED})

    def claim(self, task: str, *, worker: str, now: datetime) -> Order | None:
        """The order of a task that is to be run and that no other worker runs."""
        at = milliseconds(now)
        with self._engine.begin() as connection:
            row = connection.execute(
                update(TASKS)
                .where(
                    TASKS.c.id == task,
                    TASKS.c.status == Status.WORKING,
                    TASKS.c.expires > at,
                    TASKS.c.worker.is_(None) | (TASKS.c.lease < at),
                )
                .values(
                    worker=worker,
                    lease=at + _ms(LEASE),
                    runs=TASKS.c.runs + 1,
                    losses=TASKS.c.losses + case((TASKS.c.worker.is_not(None), 1), else_=0),
                )
                .returning(TASKS)
            ).one_or_none()
            if row is not None and row.losses > MAX_LOSSES:
                self._change(connection, task, now, _failed(_LOST_TOO_OFTEN))
                row = None
        return None if row is None else order_of(row)

    def queued(self, task: str) -> None:
        """A queue has the task: it waits for its turn, however long that takes."""
        with self._engine.begin() as connection:
            connection.execute(
                update(TASKS)
                .where(
                    TASKS.c.id == task,
                    TASKS.c.status == Status.WORKING,
                    TASKS.c.worker.is_(None),
                )
                .values(lease=None)
            )

    def is_working(self, task: str, *, now: datetime) -> bool:
        """Somebody has to run the task, or runs it."""
        with self._reading() as connection:
            found = select(TASKS.c.id).where(
                TASKS.c.id == task,
                TASKS.c.status == Status.WORKING,
                TASKS.c.expires > milliseconds(now),
            )
            return connection.scalar(found) is not None

    def renew(self, tasks: Collection[str], *, worker: str, now: datetime) -> frozenset[str]:
        """Those of the tasks that are this worker's still; their lease begins anew."""
        at = milliseconds(now)
        with self._engine.begin() as connection:
            return frozenset(
                connection.scalars(
                    update(TASKS)
                    .where(
                        TASKS.c.id.in_(tasks),
                        TASKS.c.worker == worker,
                        TASKS.c.status == Status.WORKING,
                        TASKS.c.expires > at,
                    )
                    .values(lease=at + _ms(LEASE))
                    .returning(TASKS.c.id)
                )
            )

    def end(self, task: str, ending: Ending, *, worker: str, now: datetime) -> None:
        """Keeps how a run ended, where this worker still has the task."""
        changed: dict[str, object]
        match ending:
            case Completed(result):
                changed = {**_EMPTIED, "status": Status.COMPLETED, "result": result}
            case Failed(error, message):
                changed = {
                    **_EMPTIED,
                    "status": Status.FAILED,
                    "error": error,
                    "message": message,
                }
            case Asking(requests):
                changed = {
                    "status": Status.INPUT_REQUIRED,
                    "requests": write(requests),
                    "worker": None,
                    "lease": None,
                }
        with self._engine.begin() as connection:
            held = select(TASKS.c.runs).where(TASKS.c.id == task, TASKS.c.worker == worker)
            runs = connection.scalar(held.with_for_update())
            if runs is None:
                return
            if runs >= MAX_RUNS and isinstance(ending, Asking):
                changed = _failed(_TOO_OFTEN)
            self._change(connection, task, now, changed)

    def release(self, worker: str, *, now: datetime, message: str) -> None:
        """Leaves what this worker runs to the queue, and fails what is none of its: it stops."""
        held_by_it = (TASKS.c.worker == worker, TASKS.c.status == Status.WORKING)
        with self._engine.begin() as connection:
            if self._resumes:
                connection.execute(
                    update(TASKS)
                    .where(*held_by_it, TASKS.c.repeats)
                    .values(worker=None, lease=None)
                )
            held = select(TASKS.c.id).where(*held_by_it)
            for task in connection.scalars(held.with_for_update()).all():
                self._change(connection, task, now, _failed(message))

    def bury(self, tasks: Collection[str] | None = None, *, now: datetime) -> int:
        """Fails tasks whose worker is gone, of these or of all; how many there were."""
        at = milliseconds(now)
        lost = [TASKS.c.status == Status.WORKING, TASKS.c.lease < at]
        if self._resumes:  # the queue gives it to another worker, once one has taken it up
            lost.append(TASKS.c.worker.is_(None) | TASKS.c.repeats.is_(False))
        chosen = select(TASKS.c.id).where(*lost).limit(BATCH)
        if tasks is not None:
            chosen = chosen.where(TASKS.c.id.in_(tasks))
        with self._reading() as connection:
            found = connection.scalars(chosen).all()
        if not found:
            return 0
        with self._engine.begin() as connection:
            still = select(TASKS.c.id).where(*lost, TASKS.c.id.in_(found))
            for task in connection.scalars(still.with_for_update()).all():
                self._change(connection, task, now, _failed(_GONE))
        return len(found)

    def clean(self, *, now: datetime) -> int:
        """Removes expired tasks, a batch of them; how many there were."""
        old = TASKS.c.expires <= milliseconds(now)
        with self._reading() as connection:
            found = connection.scalars(select(TASKS.c.id).where(old).limit(BATCH)).all()
        if found:
            with self._engine.begin() as connection:
                connection.execute(delete(TASKS).where(TASKS.c.id.in_(found), old))
        return len(found)

    def changed(self, seen: Mapping[str, int], *, now: datetime) -> Sequence[TaskState]:
        """Those of the tasks whose revision is another than the one that was seen."""
        living = (TASKS.c.id.in_(list(seen)), TASKS.c.expires > milliseconds(now))
        with self._reading() as connection:
            rows = connection.execute(select(TASKS.c.id, TASKS.c.revision).where(*living))
            fresh = [row.id for row in rows if row.revision != seen[row.id]]
            if not fresh:
                return []
            return [
                state_of(row)
                for row in connection.execute(select(TASKS).where(TASKS.c.id.in_(fresh)))
            ]

    def _change(
        self, connection: Connection, task: str, now: datetime, values: Mapping[str, object]
    ) -> None:
        connection.execute(
            update(TASKS)
            .where(TASKS.c.id == task, TASKS.c.status.not_in(_FINAL))
            .values(**values, updated=milliseconds(now), revision=TASKS.c.revision + 1)
        )


def _failed(message: str) -> dict[str, object]:
    """The columns of a task that ends without its call."""
    error = encode({"code": -32603, "message": message})
    return {**_EMPTIED, "status": Status.FAILED, "message": message, "error": error}


def _is_past(lease: int | None, at: int) -> bool:
    return lease is not None and lease < at


def _ms(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)


@contextlib.contextmanager
def open_store(settings: TaskSettings) -> Iterator[TaskStore]:
    """The store, its table made where it is missing, open until the context ends.

    Raises:
        StartError: it cannot be reached or made.
    """
    url = make_url(settings.store.reveal())
    try:
        engine = _engine(url)
        _make(engine, settings.dialect)
    except (SQLAlchemyError, ImportError, OSError) as error:
        raise StartError(
            f"the store of tasks cannot be opened: {url.render_as_string(hide_password=True)}",
            hint="check tasks.store",
        ) from error
    try:
        yield TaskStore(engine, settings)
    finally:
        engine.dispose()


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        wanted = url.set(drivername="postgresql+psycopg")
        return create_engine(wanted, pool_size=THREADS, max_overflow=0, pool_pre_ping=True)
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, pool_size=THREADS, max_overflow=0)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    """A change is on the disk before anybody is told of it; a reader waits for no writer."""
    connection.isolation_level = None  # BEGIN is ours
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Begins a new file's log, which SQLite refuses at once while another worker does the same."""
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
            return
        # This one waits for the other.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode = WAL")


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once, so that it never fails half-way for want of it."""
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _make(engine: Engine, dialect: str) -> None:
    with engine.begin() as connection:
        if dialect == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        METADATA.create_all(connection)
