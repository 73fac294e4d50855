"""Reads on the event loop: they need no thread while they wait, and go on in one where they must.

The engine of these tests is a socket pair: what the test writes into one end is what the server
says. Each step notes who made it.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import TypeVar, cast

import pytest

from runner.bindings.sql.binding import SqlBinding
from runner.bindings.sql.session import (
    EngineFacts,
    SessionLostError,
    SteppedSession,
)
from runner.bindings.sql.steps import Steps, Wait
from runner.bindings.sql.threads import Threads
from runner.bindings.sql.transaction import Done
from runner.catalog.call import Call, Outcome
from runner.catalog.rendering import Values
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, call

T = TypeVar("T")
FACTS = EngineFacts(splits_writes=False, seconds_between_stops=0.05, steps=True)
LOOP, THREAD = "loop", "thread"


def where() -> str:
    """Who makes this step."""
    return LOOP if threading.current_thread() is threading.main_thread() else THREAD


class Pair:
    """A session whose server is the test, as far as a run on the loop uses one."""

    def __init__(self) -> None:
        self.opened_at = time.monotonic()
        self.near, self.far = socket.socketpair()
        self.is_stopped = threading.Event()
        self.is_clean = True

    def read(self) -> Steps[str]:
        """What the server says."""
        yield Wait.READ
        said = self.near.recv(100)
        if not said:
            raise SessionLostError("the server is gone")
        return said.decode()

    def wait(self, awaited: Wait) -> None:
        """A socket that blocks waits by itself."""

    def fileno(self) -> int:
        return self.near.fileno()

    def cut(self) -> None:
        self.near.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        self.is_stopped.set()
        self.far.send(b"stopped")

    def close(self) -> None:
        self.near.close()
        self.far.close()


@dataclass
class Bench:
    """Some threads of that engine, and the loop that they live on."""

    runner: asyncio.Runner
    sessions: list[Pair] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """Who made the steps, in their order."""

    def open_session(self) -> SteppedSession:
        self.sessions.append(Pair())
        return cast("SteppedSession", self.sessions[-1])

    def run(self, work: Callable[[Threads], Coroutine[None, None, T]], *, size: int = 1) -> T:
        """The result of the work on fresh threads, whose sessions are open already."""

        async def on_threads() -> T:
            threads = Threads(
                self.open_session, name="t", size=size, wait_s=5.0, recycle_s=60.0, facts=FACTS
            )
            try:
                await asyncio.gather(*(self.warm(threads) for _ in range(size)))
                self.made.clear()
                return await work(threads)
            finally:
                await threads.close()

        return self.runner.run(on_threads())

    async def warm(self, threads: Threads) -> None:
        """Opens a session."""
        await threads.run(lambda _session: None, timeout_s=5.0, may_repeat=False)

    def steps(self, session: SteppedSession, *, hops: bool = False) -> Steps[str]:
        """Reads two words of the server, noting who does."""
        assert isinstance(session, Pair)
        self.made.append(where())
        first = yield from session.read()
        self.made.append(where())
        if hops:
            yield Wait.THREAD
            self.made.append(where())
        second = yield from session.read()
        self.made.append(where())
        return f"{first} {second}"


@pytest.fixture
def bench() -> Iterator[Bench]:
    with asyncio.Runner() as runner:
        yield Bench(runner)


async def until(has_happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(5.0):
        while not has_happened():
            await asyncio.sleep(0)


async def spoken(bench: Bench, reading: asyncio.Task[str], session: Pair) -> str:
    """The result of a read to which the server says two words, one after the other."""
    for word in (b"two", b"words"):
        made = len(bench.made)
        await until(lambda made=made: len(bench.made) >= made)  # type: ignore[misc]  # bound now
        session.far.send(word)
        await until(lambda made=made: len(bench.made) > made)  # type: ignore[misc]  # bound now
    return await reading


def test_read_of_an_open_session_runs_on_the_loop(bench: Bench) -> None:
    async def work(threads: Threads) -> str:
        reading = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await until(lambda: bench.made == [LOOP])
        return await spoken(bench, reading, bench.sessions[0])

    assert bench.run(work) == "two words"
    assert bench.made == [LOOP, LOOP, LOOP]
    assert len(bench.sessions) == 1


def test_what_asks_for_a_thread_goes_on_in_the_thread_of_its_session(bench: Bench) -> None:
    async def work(threads: Threads) -> str:
        steps = lambda session: bench.steps(session, hops=True)  # noqa: E731
        reading = asyncio.create_task(threads.run_steps(steps, timeout_s=5.0))
        await until(lambda: bench.made == [LOOP])
        return await spoken(bench, reading, bench.sessions[0])

    assert bench.run(work) == "two words"
    assert bench.made == [LOOP, LOOP, THREAD, THREAD]
    assert len(bench.sessions) == 1


def test_first_read_opens_its_session_in_a_thread(bench: Bench) -> None:
    async def work() -> str:
        threads = Threads(
            bench.open_session, name="t", size=1, wait_s=5.0, recycle_s=60.0, facts=FACTS
        )
        reading = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await until(lambda: bool(bench.made))
        try:
            return await spoken(bench, reading, bench.sessions[0])
        finally:
            await threads.close()

    assert bench.runner.run(work()) == "two words"
    assert bench.made == [THREAD, THREAD, THREAD]


def test_read_that_finds_every_session_in_use_waits_for_one(bench: Bench) -> None:
    async def work(threads: Threads) -> list[str]:
        first = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await until(lambda: bench.made == [LOOP])
        second = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await asyncio.sleep(0)
        said = await spoken(bench, first, bench.sessions[0])
        await until(lambda: bench.made[3:] == [THREAD])
        return [said, await spoken(bench, second, bench.sessions[0])]

    assert bench.run(work) == ["two words", "two words"]
    assert bench.made == [LOOP, LOOP, LOOP, THREAD, THREAD, THREAD]
    assert len(bench.sessions) == 1


def test_as_many_reads_run_on_the_loop_as_there_are_sessions(bench: Bench) -> None:
    async def work(threads: Threads) -> list[str]:
        reads = [
            asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0)) for _ in range(3)
        ]
        await until(lambda: bench.made == [LOOP] * 3)
        for session in bench.sessions:
            session.far.send(b"two")
        await until(lambda: bench.made == [LOOP] * 6)
        for session in bench.sessions:
            session.far.send(b"words")
        return await asyncio.gather(*reads)

    assert bench.run(work, size=3) == ["two words"] * 3
    assert bench.made == [LOOP] * 9


def test_cancelled_read_is_stopped_in_the_engine_and_its_session_used_again(bench: Bench) -> None:
    async def work(threads: Threads) -> str:
        reading = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await until(lambda: bench.made == [LOOP])
        bench.sessions[0].far.send(b"first")
        await until(lambda: bench.made == [LOOP, LOOP])
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert bench.sessions[0].is_stopped.is_set()
        again = asyncio.create_task(threads.run_steps(bench.steps, timeout_s=5.0))
        await until(lambda: bench.made[3:] == [LOOP])
        return await spoken(bench, again, bench.sessions[0])

    assert bench.run(work) == "two words"
    assert len(bench.sessions) == 1


def test_read_beyond_its_time_is_stopped_in_the_engine(bench: Bench) -> None:
    def steps(session: SteppedSession) -> Steps[str]:
        assert isinstance(session, Pair)
        word = yield from session.read()
        raise BindingError(Kind.CANCELLED, word)

    async def work(threads: Threads) -> BindingError:
        with pytest.raises(BindingError) as caught:
            await threads.run_steps(steps, timeout_s=0.01)
        return caught.value

    assert bench.run(work).kind is Kind.TIMEOUT


def test_read_that_loses_its_session_is_made_again_on_a_fresh_one(bench: Bench) -> None:
    def steps(session: SteppedSession) -> Steps[str]:
        try:
            return (yield from bench.steps(session))
        except SessionLostError:
            yield Wait.THREAD
            raise

    async def work(threads: Threads) -> str:
        reading = asyncio.create_task(threads.run_steps(steps, timeout_s=5.0))
        await until(lambda: bench.made == [LOOP])
        bench.sessions[0].far.shutdown(socket.SHUT_WR)
        await until(lambda: len(bench.sessions) == 2 and bench.made[1:] == [THREAD])
        return await spoken(bench, reading, bench.sessions[1])

    assert bench.run(work) == "two words"
    assert bench.made == [LOOP, THREAD, THREAD, THREAD]


def test_read_waits_until_there_is_room_to_write(bench: Bench) -> None:
    sent = 1 << 20

    def steps(session: SteppedSession) -> Steps[int]:
        assert isinstance(session, Pair)
        session.near.setblocking(False)
        left = b"x" * sent
        while left:
            yield Wait.WRITE
            left = left[session.near.send(left) :]
        bench.made.append(where())
        return sent

    async def work(threads: Threads) -> int:
        writing = asyncio.create_task(threads.run_steps(steps, timeout_s=5.0))
        far = bench.sessions[0].far
        far.setblocking(False)
        received, loop = 0, asyncio.get_running_loop()
        while received < sent:
            received += len(await loop.sock_recv(far, 1 << 16))
        await writing
        return received

    assert bench.run(work) == sent
    assert bench.made == [LOOP]


@pytest.mark.engines(
    "postgresql", "mariadb", why="a connection that the event loop can watch runs small reads there"
)
def test_known_statement_is_answered_on_the_loop_by_the_engine_itself(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    outcome_of = SqlBinding._outcome

    def noting(binding: SqlBinding, done: Done, made: Call, values: Values) -> Outcome:
        seen.append(where())
        return outcome_of(binding, done, made, values)

    monkeypatch.setattr(SqlBinding, "_outcome", noting)
    plan = lab.plan("SELECT :n AS n", types={"n": "integer"}, shape="value")
    binding = lab.binding(plan)
    values = [lab.run(binding.invoke(call({"n": n}))).value for n in range(3)]
    assert values == [0, 1, 2]
    assert seen == [THREAD, LOOP, LOOP]


@pytest.mark.engines(
    "postgresql", "mariadb", why="a connection that the event loop can watch runs small reads there"
)
def test_statement_that_waits_on_the_loop_ends_with_its_time(lab: Lab) -> None:
    sleeps = "pg_sleep(:s)" if lab.is_postgres else "sleep(:s)"
    plan = lab.plan(f"SELECT 1 AS one, {sleeps} AS slept", types={"s": "number"})
    binding = lab.binding(plan)
    lab.run(binding.invoke(call({"s": 0})))
    with pytest.raises(BindingError) as caught:
        lab.run(binding.invoke(call({"s": 30}, timeout_s=0.05)))
    assert caught.value.kind is Kind.TIMEOUT
    assert lab.run(binding.invoke(call({"s": 0}))).value is not None
