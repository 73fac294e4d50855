"""The tasks of one worker: what it runs, what it stops, whom it tells.

A worker looks into the store about once a second while it runs tasks or somebody listens: so it
learns what other workers cancelled or changed. Knows the store and how a call is made, no message.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Final, ParamSpec, Protocol, TypeVar

from sqlalchemy.engine import make_url

from runner.catalog.catalog import TaskSettings
from runner.catalog.tasks import Ending, Failed, Order, Perform, TaskState, TooManyTasksError
from runner.codec.json import Json, encode
from runner.errors import StartError
from runner.tasks.store import THREADS, TaskStore, open_store
from runner.unexpected import log_unexpected

log = logging.getLogger("runner.tasks")

BEAT_S: Final = 1.0
"""How soon a worker learns what another one did."""
CLEANING: Final = timedelta(seconds=5)
"""How often the store is looked through for what expired or was left behind."""
ID_BYTES: Final = 24
"""192 bits: nobody guesses one."""
_WHY: Final = "The endpoint of the task is not served any more."
_NOT_SERVED: Final = Failed(encode({"code": -32602, "message": _WHY}), _WHY)
_STOPPED: Final = "The server was stopped before the task came to its end."

P = ParamSpec("P")
T = TypeVar("T")


class Queue(Protocol):
    """Work that outlives its worker; see `runner.tasks.queue`."""

    async def defer(self, task: str) -> None:
        """Lets some worker run a task."""

    async def rescue(self) -> None:
        """Lets others run what workers ran that are gone."""

    def retire(self) -> None:
        """Takes no more jobs; those that run here run on."""

    async def close(self) -> None:
        """Returns once no job runs here."""


class TaskRuntime:
    """Keeps tasks, and runs those that this worker took."""

    def __init__(
        self,
        store: TaskStore,
        *,
        clock: Callable[[], datetime],
        places: int,
        threads: ThreadPoolExecutor,
    ) -> None:
        """`places`: how many tasks run at one time; more wait for their turn."""
        self._store = store
        self._clock = clock
        self._places = asyncio.Semaphore(places)
        self._threads = threads
        self._worker = secrets.token_hex(8)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._next_cleaning: datetime | None = None
        self._is_stopping = False
        self._is_away = False
        """The store did not answer the last beat."""
        self._creating = 0
        self._none_is_created = asyncio.Event()
        self.queue: Queue | None = None
        """None: what this worker takes it runs itself, and nobody after it."""
        self.performers: Mapping[str, Perform] = {}
        """How the calls of each endpoint are made, by its path; set once, before the first task."""
        self.watched: Callable[[], Mapping[str, int]] = dict
        """The tasks that somebody listens to, and the revision that was told last."""
        self.tell: Callable[[TaskState], None] = _tell_nobody

    async def create(self, order: Order) -> TaskState:
        """A new task, which any worker knows by now and this one runs.

        Raises:
            TooManyTasksError: there are as many as there may be, or the worker takes no more.
        """
        if self._is_stopping:
            raise TooManyTasksError("The server ends or changes at this moment; try again.")
        task = secrets.token_urlsafe(ID_BYTES)
        self._creating += 1
        try:
            return await self._create(task, order)
        finally:
            self._creating -= 1
            if not self._creating:
                self._none_is_created.set()

    async def _create(self, task: str, order: Order) -> TaskState:
        is_queued = self.queue is not None and order.repeats
        worker = None if is_queued else self._worker
        state = await self._in_thread(
            self._store.insert, task, order, worker=worker, now=self._clock()
        )
        if is_queued:
            await self._defer(task)
        else:
            self._start(task, order)
        return state

    async def _defer(self, task: str) -> None:
        assert self.queue is not None  # whoever calls has looked
        await self.queue.defer(task)
        await self._in_thread(self._store.queued, task)

    async def find(self, task: str, *, owner: str, path: str) -> TaskState | None:
        """The task of this owner at this endpoint."""
        return await self._in_thread(
            self._store.find, task, owner=owner, path=path, now=self._clock()
        )

    async def known(self, tasks: Collection[str], *, owner: str, path: str) -> frozenset[str]:
        """Those of the tasks that are this owner's at this endpoint."""
        return await self._in_thread(
            self._store.known, tasks, owner=owner, path=path, now=self._clock()
        )

    async def answer(self, task: str, replies: Mapping[str, Json]) -> None:
        """Gives a task replies; where nothing more is asked, it goes on here."""
        now = self._clock()
        goes_on = await self._in_thread(self._store.answer, task, replies, now=now)
        if goes_on is not None:
            await (self._defer(task) if goes_on and self.queue is not None else self._take(task))
        self._woken.set()

    async def resume(self, task: str) -> bool:
        """Runs a task of the queue; false where somebody must run it again."""
        await self._take(task)
        running = self._running.get(task)
        if running is not None:
            await asyncio.wait([running])
        return not await self._in_thread(self._store.is_working, task, now=self._clock())

    async def cancel(self, task: str) -> None:
        """Ends a task that has not ended; its work stops here at once, elsewhere within a beat."""
        await self._in_thread(self._store.cancel, task, now=self._clock())
        running = self._running.get(task)
        if running is not None:
            running.cancel()
        self._woken.set()

    async def _take(self, task: str) -> None:
        order = await self._in_thread(
            self._store.claim, task, worker=self._worker, now=self._clock()
        )
        if order is not None and not self._is_stopping:
            self._start(task, order)

    def _start(self, task: str, order: Order) -> None:
        running = asyncio.create_task(self._run(task, order))
        self._running[task] = running
        running.add_done_callback(lambda done: self._left(task, done))

    def _left(self, task: str, done: "asyncio.Task[None]") -> None:
        if self._running.get(task) is done:
            del self._running[task]
        self._woken.set()

    async def _run(self, task: str, order: Order) -> None:
        try:
            async with self._places:
                perform = self.performers.get(order.path)
                ending = _NOT_SERVED if perform is None else await perform(order)
            await self._keep(task, ending)
        except Exception as error:  # the store is away: the lease runs out, and so the task ends
            log_unexpected(log, error, "a task could not be kept")

    async def _keep(self, task: str, ending: Ending) -> None:
        now = self._clock()
        # The next run of the same task must find its place free.
        self._running.pop(task, None)
        await self._in_thread(self._store.end, task, ending, worker=self._worker, now=now)

    async def follow(self) -> None:
        """Does what `beat` does, once a second, until it is cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._woken.wait()
            self._woken.clear()
            try:
                await self.beat()
            except Exception as error:
                if not self._is_away:
                    log_unexpected(log, error, "the store of tasks does not answer")
                self._is_away = True
            else:
                if self._is_away:
                    log.warning("the store of tasks answers again")
                self._is_away = False

    async def beat(self) -> None:
        """Renews leases, stops what was cancelled elsewhere, tells who listens, cleans up."""
        now = self._clock()
        running = dict(self._running)
        if running:
            held = await self._in_thread(
                self._store.renew, list(running), worker=self._worker, now=now
            )
            for task in running.keys() - held:
                running[task].cancel()
        if self._next_cleaning is None or now >= self._next_cleaning:
            self._next_cleaning = now + CLEANING
            await self._in_thread(self._store.bury, now=now)
            await self._in_thread(self._store.clean, now=now)
            if self.queue is not None:
                await self.queue.rescue()
        seen = self.watched()
        if seen:
            for state in await self._in_thread(self._store.changed, seen, now=now):
                self.tell(state)

    async def ended(self) -> None:
        """Returns when no task runs here; none is taken from the queue any more."""
        if self.queue is not None:
            self.queue.retire()
        while self._running or self._creating:
            if self._running:
                await asyncio.wait(list(self._running.values()))
            else:
                self._none_is_created.clear()
                await self._none_is_created.wait()

    async def stop(self) -> None:
        """Stops what runs here; its tasks fail, and say why, or are left to the queue."""
        self._is_stopping = True
        running = list(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        if self.queue is not None:
            await self.queue.close()
        now = self._clock()
        try:
            await self._in_thread(self._store.release, self._worker, now=now, message=_STOPPED)
        except Exception as error:  # the store is away: the leases run out
            log_unexpected(log, error, "tasks could not be left to others")

    async def _in_thread(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(function, *args, **kwargs))


def _tell_nobody(_state: TaskState) -> None:
    """Nobody listens."""


@contextlib.asynccontextmanager
async def open_tasks(
    settings: TaskSettings, *, clock: Callable[[], datetime], places: int
) -> AsyncIterator[TaskRuntime]:
    """The tasks of this worker, followed until the context ends; what runs then is stopped.

    Raises:
        StartError: the store cannot be opened.
    """
    async with contextlib.AsyncExitStack() as stack:
        threads = stack.enter_context(ThreadPoolExecutor(THREADS, "tasks"))
        opening = partial(stack.enter_context, open_store(settings))
        store = await asyncio.get_running_loop().run_in_executor(threads, opening)
        # What nobody awaits any more may still hold a connection: the store closes after it.
        stack.callback(threads.shutdown)
        runtime = TaskRuntime(store, clock=clock, places=places, threads=threads)
        if settings.resumes:
            opened = _open_queue(settings, runtime, places)
            runtime.queue = await stack.enter_async_context(opened)
        following = asyncio.create_task(runtime.follow())
        try:
            yield runtime
        finally:
            following.cancel()
            await asyncio.wait([following])
            await runtime.stop()


def _open_queue(
    settings: TaskSettings, runtime: TaskRuntime, places: int
) -> contextlib.AbstractAsyncContextManager[Queue]:
    try:
        # procrastinate is an optional dependency.
        from runner.tasks.queue import open_queue  # noqa: PLC0415
    except ImportError as error:
        message = "tasks are resumed by the package procrastinate, which is not installed"
        raise StartError(message, hint="pip install 'mcp-runner[tasks]'") from error
    return open_queue(make_url(settings.store.reveal()), runtime.resume, places=places)
