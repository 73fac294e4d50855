"""Threads for sync functions: a fixed few, a bounded queue before them, no wait for the stuck.

A thread cannot be stopped. A call whose time is up is abandoned: its thread counts as stuck until
the function returns, and when all are stuck a call is refused at once. The threads are daemons,
so that a stuck one does not keep the process from ending.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from runner.errors import BindingError, Kind

Work = Callable[[], object]
MAX_THREADS: Final = 32
"""For one worker: sync functions mostly wait, and those that compute share one interpreter."""


@dataclass(slots=True, eq=False)
class Job:
    """One function on its way through a thread; made by `Threads.submit`."""

    work: Work
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"
    variables: contextvars.Context = field(default_factory=contextvars.copy_context)
    is_started: bool = False
    is_ended: bool = False
    is_abandoned: bool = False
    value: object = None
    error: BaseException | None = None

    def run(self) -> None:
        """Calls the function; whatever it raises is kept, `SystemExit` included."""
        try:
            self.value = self.variables.run(self.work)
        except BaseException as error:
            self.error = error

    def wake(self) -> None:
        """Tells the loop that the function has returned."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self.loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Threads:
    """At most `count` functions run and `waiting` wait; one more is refused as busy."""

    def __init__(self, count: int, *, waiting: int) -> None:
        self._count = count
        self._room = count + waiting
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._active = 0
        self._stuck = 0

    @property
    def stuck(self) -> int:
        """How many threads run a function that nobody waits for any more."""
        return self._stuck

    def submit(self, work: Work) -> Job:
        """Queues `work`; `result` waits for it.

        Raises:
            BindingError: every thread is stuck, or the queue is full (`busy`).
        """
        loop = asyncio.get_running_loop()
        job = Job(work, loop, loop.create_future())
        with self._lock:
            if self._stuck >= self._count or self._active >= self._room:
                raise BindingError(
                    Kind.BUSY,
                    "the server is busy: no thread is free for the tool; try again",
                    reason=f"{self._active} functions, {self._stuck} of {self._count} stuck",
                )
            self._active += 1
            if len(self._threads) < min(self._active, self._count):
                self._start_thread()
        self._queue.put(job)
        return job

    async def result(self, job: Job) -> object:
        """What the function returned; what it raised is raised here.

        Cancelled, the job is abandoned: it does not start any more, or its thread is stuck.
        """
        try:
            await job.done
        except asyncio.CancelledError:
            self._abandon(job)
            raise
        if job.error is not None:
            raise job.error
        return job.value

    def close(self) -> None:
        """Lets idle threads end; what runs is not waited for."""
        for _ in self._threads:
            self._queue.put(None)

    def _abandon(self, job: Job) -> None:
        with self._lock:
            job.is_abandoned = True
            if not job.is_started:
                self._active -= 1
            elif not job.is_ended:
                self._stuck += 1

    def _start_thread(self) -> None:
        name = f"python-tool-{len(self._threads) + 1}"
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while (job := self._queue.get()) is not None:
            with self._lock:
                if job.is_abandoned:
                    continue
                job.is_started = True
            job.run()
            with self._lock:
                job.is_ended = True
                self._active -= 1
                self._stuck -= job.is_abandoned
            job.wake()


@contextmanager
def open_threads(concurrency: int) -> Iterator[Threads]:
    """The threads of a worker that runs at most `concurrency` calls; idle ones end with it."""
    count = min(concurrency, MAX_THREADS)
    threads = Threads(count, waiting=concurrency - count)
    try:
        yield threads
    finally:
        threads.close()
