"""The call of a task as the protocol makes it, where something is amiss."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from runner.catalog.call import CallContext
from runner.catalog.caller import ANONYMOUS
from runner.catalog.result import CallResult
from runner.catalog.tasks import Ending, Failed, Order, TaskState
from runner.catalog.tool import Tool
from runner.codec.json import Json
from tests.requirements import requirement
from tests.wire.serving import a_catalog, a_protocol, a_tool

ORDER = Order("/mcp", "echo", {"text": "a"}, ANONYMOUS, {})


class NoTasks:
    """Keeps none: these tests make calls only."""

    async def create(self, order: Order) -> TaskState:
        raise AssertionError(order)

    async def find(self, task: str, *, owner: str, path: str) -> TaskState | None:
        raise AssertionError(task, owner, path)

    async def known(self, tasks: Collection[str], *, owner: str, path: str) -> frozenset[str]:
        raise AssertionError(tasks, owner, path)

    async def answer(self, task: str, replies: Mapping[str, Json]) -> None:
        raise AssertionError(task, replies)

    async def cancel(self, task: str) -> None:
        raise AssertionError(task)


async def breaks(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
    raise RuntimeError("secret words")


def performed(order: Order) -> Ending:
    catalog = a_catalog(replace(a_tool(), task="auto"))
    protocol = a_protocol(catalog, breaks, tasks=NoTasks())
    assert protocol.perform is not None

    async def perform() -> Ending:
        assert protocol.perform is not None
        return await protocol.perform(order)

    return asyncio.run(perform())


@requirement("P-164")
def test_bug_fails_the_task_with_an_error_id(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR")
    ending = performed(ORDER)
    assert ending == Failed(b'{"code":-32603,"message":"Internal error e-1"}', "Internal error e-1")
    [record] = caplog.records
    assert record.getMessage().startswith("error e-1: tools/call in a task: RuntimeError at ")
    assert "secret words" not in caplog.text


def test_task_of_a_tool_that_is_gone_fails() -> None:
    message = "The tool of this task is not served any more"
    assert performed(replace(ORDER, tool="gone")) == Failed(
        b'{"code":-32602,"message":"%b"}' % message.encode(), message
    )
