"""The database threads: each owns a session, all drain one queue, none blocks the event loop.

A thread answers as many calls as it finds in one wake-up of the event loop. A clock on the loop
ticks only while calls are out: it hands over results that wait behind a slow call, tells calls
that found no free thread that the database is busy, and stops statements whose time is over.

What is shared, and by what it is guarded:

    who takes a job: a thread, or the loop that ends it     Threads.claims
    a thread's current job, and its session for a stop      _Thread._guard
    jobs and ticking                                        the loop alone
    a job's fault and end                                   its thread writes them, then queues the
                                                            job in `done`; the loop reads after that
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from runner.bindings.sql.session import EngineFacts, Session, SessionLostError
from runner.bindings.sql.wording import refused
from runner.errors import BindingError, Kind, StartError

T = TypeVar("T")
TICK_S: Final = 0.005
"""How late a result behind a slow call, a busy answer or a stop may come."""
BATCH: Final = 32
"""Calls answered in one wake-up at most, so that the first does not wait long for the last."""
_STOP_WORDS: Final = {
    Kind.TIMEOUT: "the statement took longer than its time limit",
    Kind.CANCELLED: "the call was cancelled",
}


class Job:
    """One piece of work for a session; what it gives, it keeps itself."""

    __slots__ = (
        "deadline",
        "error",
        "finished",
        "future",
        "is_done",
        "may_repeat",
        "stop_kind",
        "stops",
        "thread",
        "wait_until",
        "work",
    )

    def __init__(
        self, work: Callable[[Session], None], future: "asyncio.Future[None]", *, may_repeat: bool
    ) -> None:
        self.work = work
        self.future = future
        self.may_repeat = may_repeat
        self.wait_until = 0.0
        self.deadline = 0.0
        self.thread: _Thread | None = None
        self.stop_kind: Kind | None = None
        """Why it is to stop; the first reason counts."""
        self.stops = 0
        """How often it was told to."""
        self.is_done = False
        self.finished: asyncio.Future[None] | None = None
        self.error: BaseException | None = None

    def deliver(self) -> None:
        """On the event loop: tells who waits for the end of the work, or of a cancel."""
        if not self.future.done():
            if self.error is not None:
                self.future.set_exception(self.error)
            else:
                self.future.set_result(None)
        if self.finished is not None and not self.finished.done():
            self.finished.set_result(None)


def _is_stop(error: BaseException) -> bool:
    return isinstance(error, BindingError) and error.kind in (Kind.TIMEOUT, Kind.CANCELLED)


class _Thread:
    """A thread and its session."""

    def __init__(self, pool: "Threads", name: str) -> None:
        self.session: Session | None = None
        self.done: deque[Job] = deque()
        self.is_given_up = False
        """Nobody waits for it any more: it ends after its job."""
        self._pool = pool
        self._job: Job | None = None
        self._guard = threading.Lock()
        """Held while the current job or the session changes or is stopped: a stop never hits
        another job."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        take, post = self._pool.queue.get, self._pool.post
        while (job := take()) is not None:
            self._take(job)
            self._take_waiting()
            post(self.flush)
            if self.is_given_up:
                post(self._pool.take_back)
                break
        self._close_session()

    def _take_waiting(self) -> None:
        """Takes what waits too, up to a batch."""
        queue = self._pool.queue
        for _ in range(BATCH - 1):
            if self.is_given_up:
                return
            try:
                job = queue.get_nowait()
            except Empty:
                return
            if job is None:
                queue.put(None)  # ends this thread at its next turn
                return
            self._take(job)

    def flush(self) -> None:
        """On the event loop: delivers what is done."""
        done = self.done
        while done:
            done.popleft().deliver()

    def _take(self, job: Job) -> None:
        with self._pool.claims:
            if job.stop_kind is not None:
                return
            job.thread = self
        with self._guard:
            self._job = job
        try:
            self._work(job)
        except BaseException as error:  # carried over: the event loop raises it
            job.error = self._translated(job, error)
        with self._guard:
            self._job = None
            job.is_done = True
        self.done.append(job)

    def _work(self, job: Job) -> None:
        try:
            job.work(self._usable_session())
        except SessionLostError:
            self._close_session()
            if not job.may_repeat or job.stop_kind is not None:
                raise
        else:
            return
        try:
            job.work(self._usable_session())
        except SessionLostError:
            self._close_session()
            raise

    def _usable_session(self) -> Session:
        session = self.session
        now = time.monotonic()
        if session is not None and now - session.opened_at > self._pool.recycle_s:
            self._close_session()
            session = None
        if session is None:
            session = self.session = self._pool.open_session()
        return session

    def _close_session(self) -> None:
        with self._guard:  # once it is out of reach, no stop meets a session that closes
            session, self.session = self.session, None
        if session is not None:
            session.close()

    @staticmethod
    def _translated(job: Job, error: BaseException) -> BaseException:
        if job.stop_kind is not None and _is_stop(error):
            words = _STOP_WORDS[job.stop_kind]
            stopped = BindingError(job.stop_kind, words, reason=str(error))
            stopped.__cause__ = error
            return stopped
        if isinstance(error, SessionLostError):
            return error.as_error()
        if isinstance(error, StartError):
            return SessionLostError(str(error)).as_error()
        return error

    def stop(self, job: Job) -> None:
        """Stops the job in the engine, if it is still this thread's."""
        with self._guard:
            if self._job is job and self.session is not None:
                self.session.stop()


class Threads:
    """A few threads with a session each; `run` is called on the event loop that made it."""

    def __init__(
        self,
        open_session: Callable[[], Session],
        *,
        name: str,
        size: int,
        wait_s: float,
        recycle_s: float,
        facts: EngineFacts,
    ) -> None:
        self.queue: SimpleQueue[Job | None] = SimpleQueue()
        self.claims = threading.Lock()
        """Held while a thread takes a job, or the loop ends one that nobody took: never both."""
        self.open_session = open_session
        self.recycle_s = recycle_s
        self._loop = asyncio.get_running_loop()
        self.post = self._post
        self._wait_s = wait_s
        self._facts = facts
        self._given_up = 0
        self._is_closed = False
        self._name = name
        self._size = size
        self._jobs: list[Job] = []
        self._is_ticking = False
        self._stopper = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-stop")
        self._threads = [_Thread(self, f"{name}-{index}") for index in range(size)]

    @property
    def running(self) -> int:
        """How many jobs a thread works on at this moment."""
        return sum(job.thread is not None and not job.is_done for job in self._jobs)

    async def run(self, work: Callable[[Session], T], *, timeout_s: float, may_repeat: bool) -> T:
        """What `work` returns; `may_repeat` where it may run again after a lost connection.

        Raises:
            BindingError: what it raised; `busy`, `timeout` or `unavailable`.
        """
        future: asyncio.Future[None] = self._loop.create_future()
        given: list[T] = []

        def keep(session: Session) -> None:
            given.append(work(session))

        job = Job(keep, future, may_repeat=may_repeat)
        now = time.monotonic()
        job.wait_until = now + self._wait_s
        job.deadline = now + timeout_s
        self._jobs.append(job)
        self.queue.put(job)
        if not self._is_ticking:
            self._is_ticking = True
            self._loop.call_later(TICK_S, self._tick)
        try:
            await future
        except asyncio.CancelledError:
            await self._cancel(job)
            raise
        return given.pop()  # the thread keeps the job until its next one, but not the result

    async def _cancel(self, job: Job) -> None:
        """Returns when the work has stopped in the engine."""
        with self.claims:
            job.stop_kind = job.stop_kind or Kind.CANCELLED
        if job.thread is None or job.is_done:
            return
        job.finished = self._loop.create_future()
        job.deadline = 0.0
        self._stop_overdue(job, time.monotonic())
        await job.finished

    def _tick(self) -> None:
        now = time.monotonic()
        for thread in self._threads:
            thread.flush()
        self._jobs = [job for job in self._jobs if not job.is_done]
        with self.claims:
            for job in self._jobs:
                if job.thread is None:
                    self._end_waiting(job, now)
        for job in self._jobs:
            if job.thread is not None and now >= job.deadline:
                self._stop_overdue(job, now)
        self._is_ticking = bool(self._jobs)
        if self._is_ticking:
            self._loop.call_later(TICK_S, self._tick)

    def _end_waiting(self, job: Job, now: float) -> None:
        if job.stop_kind is None and now < job.wait_until and now < job.deadline:
            return
        if job.stop_kind is None:
            job.stop_kind = Kind.BUSY
            job.error = refused(Kind.BUSY)
            job.deliver()
        job.is_done = True

    def _stop_overdue(self, job: Job, now: float) -> None:
        job.stop_kind = job.stop_kind or Kind.TIMEOUT
        job.deadline = now + self._facts.seconds_between_stops
        job.stops += 1
        if job.thread is None:
            return
        if self._facts.gives_up and job.stops > 1:
            self._give_up(job, job.thread, job.stop_kind)
        else:
            self._stopper.submit(job.thread.stop, job)

    def _give_up(self, job: Job, thread: _Thread, kind: Kind) -> None:
        """Answers for a statement that goes on; another thread takes the place of its own.

        As many as there are places are replaced, so that statements that never end do not pile
        up: beyond that the database is busy until one of them ends.
        """
        thread.is_given_up = True
        self._threads.remove(thread)
        if self._given_up < self._size:
            self._threads.append(_Thread(self, f"{self._name}-again"))
        self._given_up += 1
        job.error = BindingError(kind, _STOP_WORDS[kind], reason="the driver cannot stop it")
        job.is_done = True
        job.deliver()

    def take_back(self) -> None:
        """On the event loop: a thread that was given up has ended."""
        self._given_up -= 1
        if len(self._threads) < self._size and not self._is_closed:
            self._threads.append(_Thread(self, f"{self._name}-again"))

    def _post(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            return  # the loop is closed: nobody waits for a result any more

    async def close(self) -> None:
        """Stops what runs, ends the threads and closes their sessions."""
        self._is_closed = True
        for job in self._jobs:
            if not job.is_done:
                self._stop_overdue(job, time.monotonic())
        for _ in self._threads:
            self.queue.put(None)
        await asyncio.to_thread(self._join)
        self._stopper.shutdown()

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
