"""The author's lifespan: opened before the first call, closed after the last."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from runner.bindings.python.lifespan import open_lifespan
from runner.errors import StartError

seen: list[str] = []


async def generator() -> AsyncIterator[str]:
    seen.append("opened")
    yield "state"
    seen.append("closed")


manager = asynccontextmanager(generator)


class Failing:
    async def __aenter__(self) -> None:
        raise ValueError("password=hunter2")

    async def __aexit__(self, *error: object) -> None:
        seen.append("never")


@asynccontextmanager
async def closing_badly() -> AsyncIterator[str]:
    yield "state"
    raise ValueError("late")


async def opened(function: Callable[[], object]) -> object:
    async with open_lifespan(function) as state:
        seen.append("used")
        return state


@pytest.mark.parametrize("function", [generator, manager], ids=["generator", "manager"])
def test_what_it_yields_is_there_while_it_is_open(function: Callable[[], object]) -> None:
    seen.clear()
    assert asyncio.run(opened(function)) == "state"
    assert seen == ["opened", "used", "closed"]


@pytest.mark.parametrize(
    ("function", "why"),
    [(Failing, "ValueError"), (lambda: 42, "TypeError"), (exit, "SystemExit")],
    ids=["raises", "no manager", "exits"],
)
def test_one_that_does_not_open_keeps_the_server_from_starting(
    function: Callable[[], object], why: str
) -> None:
    with pytest.raises(StartError) as caught:
        asyncio.run(opened(function))
    assert str(caught.value).startswith(f"the lifespan failed: {why} at ")


def test_one_that_does_not_close_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "runner.bindings.python"):
        assert asyncio.run(opened(closing_badly)) == "state"
    (record,) = caplog.records
    assert record.getMessage().startswith("the lifespan failed to close: ValueError at ")
