"""Threads for sync functions: bounded, never waited for when stuck."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator

import pytest

from runner.bindings.python.threads import MAX_THREADS, Threads, open_threads
from runner.errors import BindingError, Kind

LIMIT_S = 5


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads(2, waiting=1)
    yield made
    made.close()


async def run(threads: Threads, work: Callable[[], object]) -> object:
    async with asyncio.timeout(LIMIT_S):
        return await threads.result(threads.submit(work))


async def started(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, LIMIT_S)


def waiting(begun: threading.Event, release: threading.Event) -> Callable[[], object]:
    def wait() -> bool:
        begun.set()
        return release.wait(LIMIT_S)

    return wait


async def cancelled(*tasks: asyncio.Future[object]) -> None:
    for task in tasks:
        task.cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(item) for item in found] == [asyncio.CancelledError] * len(tasks)


async def unstuck(threads: Threads) -> None:
    async with asyncio.timeout(LIMIT_S):
        while threads.stuck:
            await asyncio.to_thread(threading.get_ident)


def test_a_function_returns_from_another_thread(threads: Threads) -> None:
    assert asyncio.run(run(threads, threading.get_ident)) != threading.get_ident()


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
def test_what_a_function_raises_is_raised_to_the_caller(
    threads: Threads, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    async def scenario() -> BaseException | None:
        try:
            await run(threads, fail)
        except BaseException as caught:
            return caught
        return None

    assert asyncio.run(scenario()) is error


def test_context_variables_go_along(threads: Threads) -> None:
    variable = contextvars.ContextVar("variable", default="outside")

    async def scenario() -> object:
        variable.set("inside")
        return await run(threads, variable.get)

    assert asyncio.run(scenario()) == "inside"


def test_one_more_than_threads_and_queue_is_refused(threads: Threads) -> None:
    release = threading.Event()

    async def scenario() -> tuple[Kind, list[object]]:
        jobs = [threads.submit(release.wait) for _ in range(3)]
        with pytest.raises(BindingError) as caught:
            threads.submit(release.wait)
        release.set()
        return caught.value.kind, [await threads.result(job) for job in jobs]

    assert asyncio.run(scenario()) == (Kind.BUSY, [True, True, True])


def test_an_abandoned_function_is_stuck_until_it_returns(threads: Threads) -> None:
    begun, release = threading.Event(), threading.Event()

    async def scenario() -> list[int]:
        task = asyncio.ensure_future(run(threads, waiting(begun, release)))
        await started(begun)
        await cancelled(task)
        seen = [threads.stuck]
        release.set()
        await unstuck(threads)
        return [*seen, threads.stuck]

    assert asyncio.run(scenario()) == [1, 0]


def test_all_threads_stuck_is_busy_at_once_and_passes(threads: Threads) -> None:
    release = threading.Event()
    begun = [threading.Event(), threading.Event()]

    async def scenario() -> tuple[int, Kind, object]:
        tasks = [asyncio.ensure_future(run(threads, waiting(event, release))) for event in begun]
        for event in begun:
            await started(event)
        await cancelled(*tasks)
        stuck = threads.stuck
        with pytest.raises(BindingError) as caught:
            threads.submit(release.wait)
        release.set()
        await unstuck(threads)
        return stuck, caught.value.kind, await run(threads, lambda: "free")

    assert asyncio.run(scenario()) == (2, Kind.BUSY, "free")


def test_a_function_that_was_abandoned_in_the_queue_never_runs(threads: Threads) -> None:
    release, ran = threading.Event(), threading.Event()

    async def scenario() -> bool:
        running = [threads.submit(release.wait) for _ in range(2)]
        task = asyncio.ensure_future(run(threads, ran.set))
        await asyncio.to_thread(lambda: None)
        await cancelled(task)
        release.set()
        for job in running:
            await threads.result(job)
        await run(threads, lambda: None)
        return ran.is_set()

    assert asyncio.run(scenario()) is False


def test_a_worker_has_room_for_its_calls_and_ends_its_threads() -> None:
    before = set(threading.enumerate())

    async def scenario(threads: Threads) -> None:
        jobs = [threads.submit(lambda: None) for _ in range(40)]
        for job in jobs:
            await threads.result(job)

    with open_threads(40) as threads:
        asyncio.run(scenario(threads))
        made = set(threading.enumerate()) - before
        assert 0 < len(made) <= MAX_THREADS
    for thread in made:
        thread.join(LIMIT_S)
    assert not any(thread.is_alive() for thread in made)
