"""Databases, live: opened together, closed together, each with its threads and connections."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from runner.bindings.sql.binding import ForeignBinding, SqlBinding
from runner.bindings.sql.collect import Rows
from runner.bindings.sql.engines import lookups_of, open_engine
from runner.bindings.sql.lookups import Lookups
from runner.bindings.sql.paging import Pager
from runner.bindings.sql.session import Engine, Session, SessionLostError, Terms
from runner.bindings.sql.steps_transaction import RunStep, StepsTransactionBinding
from runner.bindings.sql.threads import Threads
from runner.bindings.steps import Within
from runner.catalog.call import Binding
from runner.catalog.plans import StepsPlan
from runner.catalog.proving import Prover
from runner.catalog.sources import Create, Database
from runner.catalog.sql import ResultColumns, SqlPlan
from runner.catalog.tool import Words
from runner.codec.json import Json
from runner.codec.seal import Seal
from runner.errors import BindingError, Kind, StartError
from runner.reach import Reach
from runner.secret import Secret

QUERY_ROWS = 10_000
"""Rows that `SqlDatabase.query` returns at most."""
QUERY_BYTES = 64 * 1024 * 1024
"""Bytes of JSON that `SqlDatabase.query` returns at most."""
_NO_WORDS: Mapping[str, Words] = {}
_NOW: Final = partial(datetime.now, UTC)


class SqlDatabase:
    """One open database."""

    def __init__(
        self,
        database: Database,
        engine: Engine,
        *,
        seal: Seal,
        clock: Callable[[], datetime] = _NOW,
    ) -> None:
        self.database = database
        # Each is written whole by whichever thread opens a connection.
        self._is_up: bool | None = None
        self._failed_at: datetime | None = None
        self._clock = clock
        self._engine = engine
        self._seal = seal
        self._readers = self._threads(database.pool_size, writes=not engine.facts.splits_writes)
        self._writers: Threads | None = None
        self._foreign: Threads | None = None
        self._lookups: Lookups | None = None
        source = lookups_of(engine)
        if source is not None:
            self._lookups = Lookups(source, recycle_s=database.pool_recycle_s)

    def _threads(self, size: int, *, writes: bool) -> Threads:
        return Threads(
            lambda: self._open_session(writes=writes),
            name=f"{self.database.name}-{'rw' if writes else 'ro'}",
            size=size,
            wait_s=self.database.pool_wait_s,
            recycle_s=self.database.pool_recycle_s,
            facts=self._engine.facts,
        )

    def _open_session(self, *, writes: bool) -> Session:
        """A new session; takes note of whether there is one.

        Raises:
            StartError, BindingError: as the engine's.
        """
        try:
            session = self._engine.open_session(writes=writes)
        except (StartError, BindingError, SessionLostError):
            self._failed_at = self._clock()
            self._is_up = False
            raise
        self._is_up = True
        return session

    @property
    def reach(self) -> Reach:
        """How it was reached when a connection was opened last."""
        if self._is_up is None:
            return Reach()
        return Reach("up" if self._is_up else "down", self._failed_at)

    def _threads_for(self, *, writes: bool) -> Threads:
        if not writes or not self._engine.facts.splits_writes:
            return self._readers
        if self._writers is None:
            self._writers = self._threads(1, writes=True)
        return self._writers

    def _threads_for_clients(self) -> Threads:
        if not self._engine.facts.splits_foreign:
            return self._readers
        if self._foreign is None:
            self._foreign = self._threads(self.database.pool_size, writes=False)
        return self._foreign

    def _opened(self) -> Iterator[Threads]:
        return filter(None, (self._readers, self._writers, self._foreign))

    @property
    def running(self) -> int:
        """How many calls are worked on at this moment; for metrics."""
        return sum(threads.running for threads in self._opened())

    def binding(
        self, plan: SqlPlan, tool: str, *, errors: Mapping[str, Words] = _NO_WORDS
    ) -> Binding:
        """The live runner of a plan of this database; `errors` are the tool's words."""
        if plan.client_parameter is not None:
            return ForeignBinding(plan, self._threads_for_clients(), session=self.database.session)
        return self._sql_binding(plan, tool, errors)

    def _sql_binding(self, plan: SqlPlan, tool: str, errors: Mapping[str, Words]) -> SqlBinding:
        threads = self._threads_for(writes=plan.writes)
        words = errors.get(Kind.MISSING)
        pager = None
        if plan.page is not None:
            pager = Pager(plan, plan.page, tool=tool, seal=self._seal)
        raises_missing = words is not None and words.template is not None
        return SqlBinding(
            plan,
            threads,
            session=self.database.session,
            pager=pager,
            raises_missing=raises_missing,
            lookups=self._lookups,
        )

    def step(self, plan: SqlPlan, tool: str, *, errors: Mapping[str, Words]) -> RunStep:
        """What runs a plan of this database in the transaction of steps.

        It shares no statement with `binding`: an engine may prepare one otherwise where another
        step writes.
        """
        return self._sql_binding(plan, tool, errors).invoke_within

    def transaction(
        self,
        plan: StepsPlan,
        run_step: Mapping[str, RunStep],
        *,
        writes: bool,
        within: Within,
    ) -> Binding:
        """The live runner of steps in one transaction; `run_step` is by the step's name."""
        return StepsTransactionBinding(
            plan,
            writes,
            self._threads_for(writes=writes),
            self.database.session,
            run_step,
            within,
        )

    @property
    def proves(self) -> bool:
        """Its statements can be proven."""
        return self._engine.facts.proves

    async def connect(self) -> None:
        """Connects once, so that a server does not start without its database.

        Raises:
            StartError: names the source, its address and the stage; never a password.
        """
        session = await asyncio.to_thread(self._open_session, writes=False)
        await asyncio.to_thread(session.close)
        if self._lookups is not None:
            await self._lookups.open()

    async def query(
        self,
        text: str,
        values: Sequence[object] = (),
        *,
        writes: bool = False,
        timeout_s: float = 30.0,
    ) -> list[dict[str, Json]]:
        """The rows of one statement of the project's own code, as JSON values.

        The text has the driver's placeholders: `?` (SQLite, MySQL), `$1` (PostgreSQL, DuckDB).

        Raises:
            BindingError: by kind what the database refused.
        """
        rows = Rows(ResultColumns(), max_rows=QUERY_ROWS, max_bytes=QUERY_BYTES)

        def work(session: Session) -> list[dict[str, Json]]:
            session.begin(Terms(writes, is_single=True, timeout_s=timeout_s))
            try:
                ready = session.adopt(text, len(values))
                bound = [encode(v) for encode, v in zip(ready.encoders, values, strict=True)]
                session.query(ready, bound, rows)
                if writes:
                    session.commit()
            finally:
                session.rollback()
            return rows.rows

        threads = self._threads_for(writes=writes)
        return await threads.run(work, timeout_s=timeout_s, may_repeat=not writes)

    @asynccontextmanager
    async def prover(self) -> AsyncIterator[Prover]:
        """Describes statements, on a connection of its own that only reads."""
        session = await asyncio.to_thread(self._engine.open_session, writes=False)
        try:
            yield session.prover()
        finally:
            await asyncio.to_thread(session.close)

    async def close(self) -> None:
        """Stops what runs and closes every connection."""
        for threads in self._opened():
            await threads.close()
        if self._lookups is not None:
            await self._lookups.close()
        await asyncio.to_thread(self._engine.close)


@asynccontextmanager
async def open_databases(
    databases: Mapping[str, Database], *, keys: Sequence[bytes]
) -> AsyncIterator[Mapping[str, SqlDatabase]]:
    """The databases by name, open until the context ends; `keys` seal cursors, newest first.

    A database that is not lazy is connected to once, so that the server does not start without it;
    an embedded one that does not exist yet is created if its scripts are given.

    Raises:
        StartError: names the source, its address and the stage; never a password.
    """
    seal = Seal(keys)
    async with AsyncExitStack() as stack:
        opened: dict[str, SqlDatabase] = {}
        for name, database in databases.items():
            engine = await asyncio.to_thread(open_engine, database)
            opened[name] = SqlDatabase(database, engine, seal=seal)
            stack.push_async_callback(opened[name].close)
            if not database.is_lazy:
                await opened[name].connect()
        yield opened


@contextmanager
def memory_prover(database: Database) -> Iterator[Prover]:
    """Proves on an embedded database built in memory from its `create.schema`; nothing else is
    opened.

    Raises:
        StartError: the script fails.
    """
    create = Create(database.create.schema, None) if database.create is not None else None
    in_memory = replace(database, url=Secret(f"{database.dialect}://"), create=create)
    engine = open_engine(in_memory)
    try:
        session = engine.open_session(writes=False)
        try:
            yield session.prover()
        finally:
            session.close()
    finally:
        engine.close()
