"""The database threads: each owns a session, all take from one queue, none blocks the event loop.

A thread answers as many calls as it finds in one wake-up of the event loop. A clock on the loop
ticks only while calls are out: it hands over results that wait behind a slow call, tells calls
that found no free thread that the database is busy, and stops statements whose time is over.

A hop to a thread and back costs more than all else of a small read. So a read of a session that
can be watched runs on the loop while the thread of that session is idle, and goes on in the thread
where it would hold up the loop.

A server that does not answer obeys no stop either. A while after the first one the connection is
ended under the statement, and what even that does not end is answered for.

What is shared, and by what it is guarded:

    who is idle, what waits, who takes a job                Threads.claims
    a thread's current job, and its session for a stop      _Thread._guard
    the same, to end its connection                         _Thread._turn, inside of the other
    a session                                               used by its thread, or by the loop
                                                            while it is lent
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
from queue import SimpleQueue
from typing import Final, TypeVar, cast

from runner.bindings.sql.jobs import Job, Owner, stopped
from runner.bindings.sql.loop_run import CAN_WATCH, LoopRun, Watch, drained, ended, going_on
from runner.bindings.sql.session import EngineFacts, Session, SessionLostError, SteppedSession
from runner.bindings.sql.steps import Steps
from runner.bindings.sql.wording import refused
from runner.errors import BindingError, Kind

T = TypeVar("T")
TICK_S: Final = 0.005
"""How late a result behind a slow call, a busy answer or a stop may come."""
_UNOPENED: Final = SessionLostError("no connection within the time limit of the call")
BATCH: Final = 32
"""Calls answered in one wake-up at most, so that the first does not wait long for the last."""
GRACE_S: Final = 2.0
"""How long a statement may go on after its first stop, before its connection is ended."""


class _Thread:
    """A thread and its session."""

    def __init__(self, pool: "Threads", name: str) -> None:
        self.inbox: SimpleQueue[Job | None] = SimpleQueue()
        self.session: Session | None = None
        self.done: deque[Job] = deque()
        self.is_given_up = False
        """Nobody waits for it any more: it ends after its job."""
        self.is_lent = False
        """The loop has its session."""
        self.watch = Watch()
        """Of its session, while the thread is idle."""
        self.is_opening = False
        """It connects, and nothing can stop that; guarded by the pool's claims."""
        self._pool = pool
        self._job: Job | None = None
        self._guard = threading.Lock()
        """Held while the current job or the session changes or is stopped: a stop never hits
        another job. A stop may take long."""
        self._turn = threading.Lock()
        """The same for the end of a connection, which takes no time."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        post = self._pool.post
        while (job := self.inbox.get()) is not None:
            taken = 0
            while job is not None:
                self._take(job)
                taken += 1
                job = self._pool.next_job(self)
                if job is None or taken % BATCH == 0:
                    post(self.flush)
            if self.is_given_up:
                post(self._pool.take_back)
                break
        self._close_session()

    def flush(self) -> None:
        """On the event loop: delivers what is done."""
        done = self.done
        while done:
            done.popleft().deliver()

    def begin(self, job: Job) -> None:
        """Notes what runs now, so that it can be stopped."""
        job.is_begun = True
        with self._guard, self._turn:
            self._job = job

    def end(self, job: Job, error: BaseException | None) -> None:
        """Notes how it ended."""
        with self._guard:
            self._end(job, error)

    def end_at_once(self, job: Job, error: BaseException | None) -> bool:
        """The same on the event loop, which does not wait for a stop; whether it is noted."""
        if not self._guard.acquire(blocking=False):
            return False
        try:
            self._end(job, error)
        finally:
            self._guard.release()
        return True

    def _end(self, job: Job, error: BaseException | None) -> None:
        error = error or job.overrun()
        if error is not None:
            job.error = job.translated(error)
        with self._turn:
            self._job = None
            job.is_done = True

    def _take(self, job: Job) -> None:
        error: BaseException | None = None
        try:
            if job.stop_kind is not None and not job.is_begun:
                raise stopped(job.stop_kind)
            self.begin(job)
            self._work(job)
        except BaseException as raised:  # carried over: the event loop raises it
            error = raised
        self.end(job, error)
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
            session = self.session = self._opened()
        return session

    def _opened(self) -> Session:
        """A session for its job, unless that was given up meanwhile: then it must not begin."""
        with self._pool.claims:
            self.is_opening = True
        try:
            session = self._pool.open_session()
        finally:
            with self._pool.claims:
                self.is_opening, is_late = False, self.is_given_up
        if is_late:
            session.close()
            raise stopped(Kind.TIMEOUT)
        return session

    def is_fresh(self) -> bool:
        """Its session is open and young; asked while the thread is idle."""
        session = self.session
        age = self._pool.recycle_s
        return session is not None and time.monotonic() - session.opened_at <= age

    def _close_session(self) -> None:
        # Once it is out of reach, no stop meets a session that closes.
        with self._guard, self._turn:
            session, self.session = self.session, None
        if session is not None:
            session.close()

    def stop(self, job: Job) -> None:
        """Stops the job in the engine, if it is still this thread's."""
        with self._guard:
            if self._job is job and self.session is not None:
                self.session.stop()

    def cut(self, job: Job) -> None:
        """Ends the connection under the job, if it is still this thread's; never waits."""
        with self._turn:
            if self._job is job and self.session is not None:
                cast(SteppedSession, self.session).cut()


def _stop(job: Job, thread: Owner) -> None:
    """In a thread of its own."""
    try:
        thread.stop(job)
    finally:
        job.is_being_stopped = False


def _hand(thread: _Thread, job: Job | None) -> None:
    """On the event loop: gives a thread work, or its end; the connection is the thread's then."""
    thread.watch.end()
    thread.inbox.put(job)


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
        self.claims = threading.Lock()
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
        self._waiting: deque[Job] = deque()
        self._is_ticking = False
        self._stopper = ThreadPoolExecutor(size, thread_name_prefix=f"{name}-stop")
        self._threads = [_Thread(self, f"{name}-{index}") for index in range(size)]
        self._idle = self._threads[::-1]
        """The last one is asked first, so that no more connections are opened than are needed."""

    @property
    def steps(self) -> bool:
        """`run_steps` is for these."""
        return self._facts.steps

    @property
    def running(self) -> int:
        """How many jobs a thread works on at this moment."""
        return sum(job.thread is not None and not job.is_done for job in self._jobs)

    async def run(self, work: Callable[[Session], T], *, timeout_s: float, may_repeat: bool) -> T:
        """What `work` returns; `may_repeat` where it may run again after a lost connection.

        Raises:
            BindingError: what it raised; `busy`, `timeout` or `unavailable`.
        """
        given: list[T] = []

        def keep(session: Session) -> None:
            given.append(work(session))

        job = self._new_job(keep, timeout_s, may_repeat=may_repeat)
        with self.claims:
            thread = self._idle.pop() if self._idle else None
            job.thread = thread
            if thread is None:
                self._waiting.append(job)
        if thread is not None:
            _hand(thread, job)
        await self._end_of(job)
        return given.pop()  # the thread keeps the job until its next one, but not the result

    async def run_steps(
        self, steps_of: Callable[[SteppedSession], Steps[T]], *, timeout_s: float
    ) -> T:
        """What a read returns, of an engine whose sessions step; on the loop where that is free.

        Raises:
            BindingError: as `run`.
        """
        thread = self._borrowed()
        if thread is None:
            return await self.run(drained(steps_of), timeout_s=timeout_s, may_repeat=True)
        given: list[T] = []

        def keep(session: SteppedSession) -> "Steps[None]":  # not evaluated at each call
            given.append((yield from steps_of(session)))

        session = cast(SteppedSession, thread.session)
        steps = keep(session)
        job = self._new_job(going_on(steps, drained(keep)), timeout_s, may_repeat=True)
        job.thread = thread
        thread.begin(job)

        def end(error: BaseException | None) -> None:
            if not thread.end_at_once(job, error):
                job.work = ended(error)
                go_on()
                return
            job.deliver()
            self._give_back(thread)

        def go_on() -> None:
            thread.is_lent = False
            _hand(thread, job)
            if self._is_closed:
                _hand(thread, None)

        LoopRun(steps, session.fileno(), thread.watch, go_on=go_on, end=end).advance()
        await self._end_of(job)
        return given.pop()

    def _borrowed(self) -> _Thread | None:
        """An idle thread whose session the loop may use until it gives it back."""
        if not CAN_WATCH:
            return None
        with self.claims:
            for thread in reversed(self._idle):
                if thread.is_fresh():
                    self._idle.remove(thread)
                    thread.is_lent = True
                    return thread
        return None

    def _give_back(self, thread: _Thread) -> None:
        thread.is_lent = False
        job = self.next_job(thread)
        if job is not None:
            _hand(thread, job)
        if self._is_closed:
            _hand(thread, None)

    def next_job(self, thread: _Thread) -> Job | None:
        """What waits for a thread; without anything, the thread is idle from now on."""
        with self.claims:
            if thread.is_given_up:
                return None
            while self._waiting:
                job = self._waiting.popleft()
                if job.stop_kind is None:
                    job.thread = thread
                    return job
            self._idle.append(thread)
        return None

    def _new_job(
        self, work: Callable[[Session], None], timeout_s: float, *, may_repeat: bool
    ) -> Job:
        job = Job(work, self._loop.create_future(), may_repeat=may_repeat)
        now = time.monotonic()
        job.wait_until = now + self._wait_s
        job.due = job.deadline = now + timeout_s
        self._jobs.append(job)
        if not self._is_ticking:
            self._is_ticking = True
            self._loop.call_later(TICK_S, self._tick)
        return job

    async def _end_of(self, job: Job) -> None:
        try:
            await job.future
        except asyncio.CancelledError:
            await self._cancel(job)
            raise

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
        job.stopped_at = job.stopped_at or now
        if job.thread is not None:
            self._stop_harder(job, job.thread, job.stop_kind, now)

    def _stop_harder(self, job: Job, thread: Owner, kind: Kind, now: float) -> None:
        """In the engine, then by the end of its connection, then for who waits for it alone."""
        if thread.is_opening:
            self._give_up(job, None)
        elif self._is_unstopped(job):
            self._give_up(job, stopped(kind, "the driver cannot stop it"))
        elif job.is_cut:
            job.answer(stopped(kind, "the server does not answer"))
        elif self._facts.steps and now - job.stopped_at >= GRACE_S:
            job.is_cut = True
            thread.cut(job)
        elif not job.is_being_stopped:
            job.is_being_stopped = True
            self._stopper.submit(_stop, job, thread)

    def _is_unstopped(self, job: Job) -> bool:
        most = self._facts.stops_of_reads
        is_lasting = most is not None and job.may_repeat and job.stops >= most
        return is_lasting or (self._facts.gives_up and job.stops > 1)

    def _give_up(self, job: Job, unstopped: BindingError | None) -> None:
        """Answers for what goes on; another thread takes the place of its own.

        As many as there are places are replaced, so that what never ends does not pile up: beyond
        that the database is busy until one of them ends.
        """
        thread = next(thread for thread in self._threads if thread is job.thread)
        with self.claims:
            if job.is_done or not (unstopped or thread.is_opening):
                return
            job.error = unstopped or _UNOPENED.as_error()
            thread.is_given_up = True
        self._threads.remove(thread)
        if self._given_up < self._size:
            self._add_thread()
        self._given_up += 1
        job.is_done = True
        job.deliver()

    def take_back(self) -> None:
        """On the event loop: a thread that was given up has ended."""
        self._given_up -= 1
        if len(self._threads) < self._size and not self._is_closed:
            self._add_thread()

    def _add_thread(self) -> None:
        thread = _Thread(self, f"{self._name}-again")
        self._threads.append(thread)
        self._give_back(thread)

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
        for thread in self._threads:
            if not thread.is_lent:
                _hand(thread, None)
        await asyncio.to_thread(self._join)
        self._stopper.shutdown(wait=False)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
