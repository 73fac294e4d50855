"""A time limit cancels the work of its own task, and says so whatever the work made of it."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TypeVar

import pytest

from runner.deadline import Deadline

T = TypeVar("T")
LONG_S = 60.0


def run(work: Coroutine[object, object, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(LONG_S / 2):
            return await work

    return asyncio.run(bounded())


async def for_ever() -> None:
    await asyncio.get_running_loop().create_future()


def test_work_within_its_time_is_left_alone() -> None:
    async def work() -> int:
        with Deadline(LONG_S):
            await asyncio.sleep(0)
            return 1

    assert run(work()) == 1


def test_work_beyond_its_time_is_cancelled_and_the_task_goes_on() -> None:
    async def work() -> tuple[str, int]:
        task = asyncio.current_task()
        assert task is not None
        try:
            with Deadline(0.0):
                await for_ever()
        except TimeoutError:
            await asyncio.sleep(0)
            return "late", task.cancelling()
        return "in time", task.cancelling()

    assert run(work()) == ("late", 0)


def test_a_swallowed_cancellation_is_late_all_the_same() -> None:
    async def work() -> None:
        with Deadline(0.0), suppress(asyncio.CancelledError):
            await for_ever()

    with pytest.raises(TimeoutError):
        run(work())


def test_an_error_of_the_work_goes_before_its_lateness() -> None:
    async def work() -> None:
        with Deadline(0.0):
            try:
                await for_ever()
            except asyncio.CancelledError:
                raise LookupError("found nothing") from None

    with pytest.raises(LookupError, match="found nothing"):
        run(work())


def test_a_cancel_from_outside_stays_one() -> None:
    async def work() -> bool:
        async def limited() -> None:
            with Deadline(LONG_S):
                await for_ever()

        task = asyncio.ensure_future(limited())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert run(work())


def test_a_cancel_from_outside_counts_even_when_the_time_is_up_too() -> None:
    async def work() -> bool:
        async def limited() -> None:
            with Deadline(0.0):
                try:
                    await for_ever()
                except asyncio.CancelledError:
                    task.cancel()
                    await for_ever()

        task = asyncio.ensure_future(limited())
        await asyncio.wait([task])
        return task.cancelled()

    assert run(work())


def test_a_cancellation_that_was_swallowed_before_is_none_of_this_limit() -> None:
    async def work() -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        with suppress(asyncio.CancelledError):
            await for_ever()
        try:
            with Deadline(0.0):
                await for_ever()
        except TimeoutError:
            return f"late, {task.cancelling()} cancel before"
        return "in time"

    assert run(work()) == "late, 1 cancel before"


def test_of_two_limits_the_inner_one_is_its_own() -> None:
    async def work() -> str:
        with Deadline(LONG_S):
            try:
                with Deadline(0.0):
                    await for_ever()
            except TimeoutError:
                await asyncio.sleep(0)
                return "inner"
        return "none"

    assert run(work()) == "inner"


def test_without_a_task_there_is_nothing_to_cancel() -> None:
    async def ask() -> str:
        loop = asyncio.get_running_loop()
        said: asyncio.Future[str] = loop.create_future()

        def outside() -> None:
            try:
                with Deadline(LONG_S):
                    said.set_result("entered")
            except RuntimeError as error:
                said.set_result(str(error))

        loop.call_soon(outside)
        return await said

    assert run(ask()) == "a deadline cancels a task, and none runs here"
