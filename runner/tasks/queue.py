"""Work that outlives its worker: a queue in the store's own database, kept by procrastinate.

A job is the id of a task and nothing else. The queue says which worker takes it, and gives it to
another one when that worker's heartbeat stops; the store says whether there is anything to do.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import psycopg
from procrastinate import App, PsycopgConnector, RetryStrategy
from sqlalchemy.engine import URL

from runner.errors import StartError
from runner.unexpected import log_unexpected

log = logging.getLogger("runner.tasks")

NAME: Final = "mcp_run_tasks"
HEARTBEAT_S: Final = 5.0
STALLED_S: Final = 15.0
"""Without a heartbeat for so long, a worker is gone."""
POLL_S: Final = 2.0
"""How soon a job is seen whose notification got lost."""
AGAIN_S: Final = 2
CONNECTIONS: Final = 4
_LOCK: Final = 7_305_212_020
"""Of PostgreSQL, while the tables of the queue are made."""

Run = Callable[[str], Awaitable[bool]]
"""Runs a task; false where somebody must run it again."""


class InterruptedRunError(Exception):
    """The task is not done; its job comes again."""


class TaskQueue:
    """The jobs of this worker, and those that it leaves to others."""

    def __init__(self, app: App, run: Run, *, places: int) -> None:
        self._app = app
        self._places = places
        self._is_retired = False

        @app.task(
            name=NAME,
            queue=NAME,
            retry=RetryStrategy(wait=AGAIN_S),  # whatever it was: the task's time bounds it
        )
        async def run_task(task: str) -> None:
            if not await run(task):
                raise InterruptedRunError

        self._job = run_task
        self._worker = self._work()

    def _work(self) -> "asyncio.Task[None]":
        return asyncio.create_task(
            self._app.run_worker_async(
                queues=[NAME],
                concurrency=self._places,
                wait=True,
                install_signal_handlers=False,
                fetch_job_polling_interval=POLL_S,
                update_heartbeat_interval=HEARTBEAT_S,
                stalled_worker_timeout=STALLED_S,
                delete_jobs="always",
            )
        )

    async def defer(self, task: str) -> None:
        """Lets some worker run a task."""
        await self._job.defer_async(task=task)

    async def rescue(self) -> None:
        """Lets others run what workers ran that are gone, and this one go on if it fell over."""
        if self._worker.done() and not self._is_retired:
            error = None if self._worker.cancelled() else self._worker.exception()
            if error is not None:
                log_unexpected(log, error, "the queue of tasks")
            self._worker = self._work()
        jobs = self._app.job_manager
        for job in await jobs.get_stalled_jobs(queue=NAME, seconds_since_heartbeat=STALLED_S):
            await jobs.retry_job(job)

    def retire(self) -> None:
        """Takes no more jobs; those that run here run on."""
        self._is_retired = True
        self._worker.cancel()

    async def close(self) -> None:
        """Returns once no job runs here."""
        self.retire()
        await asyncio.gather(self._worker, return_exceptions=True)


@contextlib.asynccontextmanager
async def open_queue(url: URL, run: Run, *, places: int) -> AsyncIterator[TaskQueue]:
    """The queue, its tables made where they are missing, open until the context ends.

    Raises:
        StartError: it cannot be reached or made.
    """
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    connector = PsycopgConnector(conninfo=address, min_size=1, max_size=CONNECTIONS)
    app = App(connector=connector)
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(app.open_async())
            await _make(app, address)
        except (psycopg.Error, OSError) as error:
            raise StartError(
                f"the queue of tasks cannot be opened: {url.render_as_string(hide_password=True)}",
                hint="check tasks.store",
            ) from error
        queue = TaskQueue(app, run, places=places)
        try:
            yield queue
        finally:
            await queue.close()


async def _make(app: App, address: str) -> None:
    """Makes the tables of the queue, once, however many workers start."""
    async with await psycopg.AsyncConnection.connect(address) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        found = await connection.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")
        row = await found.fetchone()
        if row is not None and not row[0]:
            await app.schema_manager.apply_schema_async()
