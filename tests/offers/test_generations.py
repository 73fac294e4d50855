"""What opens while something else is served: failures nobody foresaw, and a cancel half-way."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from runner.app import open_served
from runner.live import Generation
from runner.protocol.listeners import Listeners
from tests.offers.test_live import Bench
from tests.wire.http_client import LIMIT_S

KEYS = [b"a key of the tests"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@dataclass(frozen=True)
class Unknown:
    """A plan that nothing runs."""


def test_failure_that_nobody_foresaw_ends_the_opening_and_changes_nothing(bench: Bench) -> None:
    tool = replace(bench.catalog.tools["version"], plan=Unknown())  # type: ignore[arg-type]  # on purpose
    broken = replace(bench.catalog, tools={"version": tool})

    async def main() -> None:
        await bench.live.begin(bench.catalog)
        async with asyncio.timeout(LIMIT_S):
            with pytest.raises(Exception, match="Unknown"):
                await bench.live.begin(broken)
        assert await bench.call("version") == "one"
        await bench.live.end()

    asyncio.run(main())


class Gate:
    """A `lifespan` that stands still while it opens."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.begun = asyncio.Event()
        self.may_open = asyncio.Event()
        self.closed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Opens when it may."""
        self.begun.set()
        await self.may_open.wait()
        self.events.append("opened")
        yield
        self.events.append("closed")
        self.closed.set()


def test_one_that_is_cancelled_while_it_opens_is_closed_again(bench: Bench) -> None:
    async def main() -> None:
        gate = Gate()
        await bench.live.begin(bench.catalog)
        slow = replace(bench.catalog, lifespan=gate.lifespan)
        async with asyncio.timeout(LIMIT_S):
            beginning = asyncio.create_task(bench.live.begin(slow))
            await gate.begun.wait()
            beginning.cancel()
            with pytest.raises(asyncio.CancelledError):
                await beginning
            gate.may_open.set()
            await gate.closed.wait()
        assert gate.events == ["opened", "closed"]
        assert await bench.call("version") == "one"
        await bench.live.end()

    asyncio.run(main())


def test_generation_that_is_retired_ends_its_task(bench: Bench) -> None:
    async def main() -> None:
        generation = Generation(bench.catalog, open_served(bench.catalog, KEYS, Listeners()))
        async with asyncio.timeout(LIMIT_S):
            assert list((await generation.open()).protocols) == ["/mcp"]
            assert not generation.task.done()
            generation.retire()
            await generation.task

    asyncio.run(main())
