"""Tasks of workers that share one store: what one does, another one sees, tells and stops."""

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest

from runner.app import utc_now
from runner.catalog.caller import ANONYMOUS
from runner.catalog.catalog import TaskSettings
from runner.catalog.tasks import Completed, Ending, Order, TooManyTasksError
from runner.codec.json import encode
from runner.errors import StartError
from runner.secret import Secret
from runner.tasks.runtime import TaskRuntime, open_tasks
from runner.tasks.store import LEASE, open_store
from tests.requirements import requirement
from tests.tasks.served import (
    ACKNOWLEDGED,
    DECLARED,
    SUBSCRIPTION,
    TASKS,
    Bench,
    Tree,
    Worker,
    serve,
    text_of,
    tree,
)
from tests.tasks.stores import SERVER, store_address
from tests.wire.client import PREFIX, modern_headers, modern_message
from tests.wire.http_client import LIMIT_S, Connection, Response, run

T = TypeVar("T")
CODE = """
import asyncio
from pathlib import Path

from runner import Context


async def wait(folder: str) -> str:
    Path(folder, "began").touch()
    try:
        await asyncio.Event().wait()
    finally:
        Path(folder, "stopped").touch()
    return "never"


async def sure(context: Context) -> str:
    reply = await context.elicit("Sure?", {"yes": {"type": "boolean"}}, key="sure")
    return str(reply.content["yes"])
"""
FILE = """
tasks: {{store: "{store}"}}
tools:
  wait: {{description: Waits., input: {{folder: string}}, writes: false, task: auto,
         timeout: 1m, python: "code:wait"}}
  sure: {{description: Asks., writes: false, task: auto, python: "code:sure"}}
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    with (
        store_address(request.param, tmp_path) as store,
        serve(tmp_path, FILE.format(store=store), workers=2) as bench,
    ):
        yield bench


async def appears(path: Path) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not await asyncio.to_thread(path.exists):
            pass


class Stream:
    """An open `subscriptions/listen` for tasks."""

    def __init__(self, worker: Worker, *tasks: str, capabilities: object = DECLARED) -> None:
        params = {"notifications": {"taskIds": list(tasks)}}
        meta = {f"{PREFIX}clientCapabilities": capabilities}
        message = modern_message("subscriptions/listen", params, meta=meta, id_=7)
        self.connection = Connection([encode(message)])
        headers = {**modern_headers(message), "X-User": worker.user}
        asking = run(worker.app, self.connection, headers)
        self.task: asyncio.Task[Response] = asyncio.create_task(asking)

    async def have(self, status: str) -> Tree:
        """The parameters of the first notification that says so."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                for message in self.connection.response.messages:
                    params = tree(message.get("params", {}))
                    if params.get("status") == status:
                        assert message["method"] == "notifications/tasks"
                        return params
                self.connection.arrived.clear()
                await self.connection.arrived.wait()

    async def first(self) -> Tree:
        """The first message."""
        async with asyncio.timeout(LIMIT_S):
            while not self.connection.response.messages:
                self.connection.arrived.clear()
                await self.connection.arrived.wait()
        return self.connection.response.messages[0]

    async def leave(self) -> None:
        self.connection.leaving.set()
        await asyncio.wait([self.task])


@requirement("P-162")
def test_task_is_known_to_every_worker_at_once(bench: Bench) -> None:
    one, two = bench.workers

    async def work() -> Tree:
        return await two.get(await one.begin("sure"))

    assert bench.run(work())["status"] in ("working", "input_required")


def test_any_worker_takes_the_answers_and_goes_on(bench: Bench) -> None:
    one, two = bench.workers

    async def work() -> Tree:
        task = await one.begin("sure")
        asked = tree((await two.until(task, "input_required"))["inputRequests"])
        reply = {"action": "accept", "content": {"yes": True}}
        assert await two.update(task, **{next(iter(asked)): reply}) == ACKNOWLEDGED
        return await one.until(task, "completed")

    assert text_of(bench.run(work())) == "True"


def test_cancelling_stops_the_work_of_another_worker(bench: Bench) -> None:
    one, two = bench.workers

    async def work() -> Tree:
        task = await one.begin("wait", folder=str(bench.folder))
        await appears(bench.folder / "began")
        await two.result("tasks/cancel", {"taskId": task})
        await appears(bench.folder / "stopped")
        return await one.get(task)

    assert bench.run(work())["status"] == "cancelled"


def test_cancelling_stops_the_statement_in_the_database(tmp_path: Path) -> None:
    mark = f"mark_{secrets.token_hex(4)}"
    file = f"""
databases: {{main: {{url: "{SERVER}"}}}}
tasks: {{store: "sqlite:///tasks.db"}}
tools:
  sleep: {{description: Sleeps., task: auto, sql: SELECT pg_sleep(60)::text AS {mark}}}
"""

    async def work(bench: Bench, database: psycopg.AsyncConnection[tuple[int]]) -> None:
        async def runs(wanted: bool) -> None:
            found = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE %s"
            async with asyncio.timeout(LIMIT_S):
                while True:
                    rows = await database.execute(found, [f"%pg_sleep(60)::text AS {mark}%"])
                    if bool((await rows.fetchall())[0][0]) == wanted:
                        return

        one, two = bench.workers
        task = await one.begin("sleep")
        await runs(True)
        await two.result("tasks/cancel", {"taskId": task})
        await runs(False)
        assert (await two.get(task))["status"] == "cancelled"

    async def main(bench: Bench) -> None:
        connecting = psycopg.AsyncConnection.connect(SERVER, autocommit=True)
        async with await connecting as database:
            await work(bench, database)

    with store_address("postgresql", tmp_path), serve(tmp_path, file, workers=2) as bench:
        bench.run(main(bench))


def test_listener_is_told_what_another_worker_does(bench: Bench) -> None:
    one, two = bench.workers

    async def work() -> tuple[Tree, Tree, Tree]:
        task = await one.begin("sure")
        stream = Stream(two, task)
        assert await stream.first() == {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"notifications": {"taskIds": [task]}, "_meta": {SUBSCRIPTION: 7}},
        }
        asked = await stream.have("input_required")
        key = next(iter(tree(asked["inputRequests"])))
        await one.update(task, **{key: {"action": "accept", "content": {"yes": True}}})
        told = await stream.have("completed")
        await stream.leave()
        return told, await one.get(task), asked

    told, got, asked = bench.run(work())
    assert told.pop("_meta") == {SUBSCRIPTION: 7}
    assert told == {name: got[name] for name in got if name not in ("resultType", "_meta")}
    assert asked["_meta"] == {SUBSCRIPTION: 7}


def test_only_own_tasks_are_listened_to(bench: Bench) -> None:
    one, _ = bench.workers

    async def work() -> Tree:
        task = await one.seen_by("ada").begin("sure")
        stream = Stream(one.seen_by("eve"), task, "unknown")
        first = await stream.first()
        await stream.leave()
        return tree(first["params"])

    assert bench.run(work())["notifications"] == {}


@requirement("P-160")
def test_listening_to_tasks_needs_the_extension(bench: Bench) -> None:
    one, _ = bench.workers

    async def work() -> Tree:
        stream = Stream(one, "any", capabilities={})
        return await stream.first()

    error = tree(bench.run(work())["error"])
    assert (error["code"], error["data"]) == (
        -32021,
        {"requiredCapabilities": {"extensions": {TASKS: {}}}},
    )


ORDER = Order("/mcp", "slow", {}, ANONYMOUS, {})


class Clock:
    """The test's own time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 8, 3, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def test_worker_that_is_gone_leaves_failed_tasks(tmp_path: Path) -> None:
    """A worker whose loop stands still renews no lease, as one that was killed."""
    clock = Clock()

    async def never(_order: Order) -> Ending:
        await asyncio.Event().wait()
        raise AssertionError

    async def work(one: TaskRuntime, two: TaskRuntime) -> str:
        one.performers = {"/mcp": never}
        state = await one.create(ORDER)
        clock.now += LEASE * 1.5
        found = await two.find(state.id, owner=ANONYMOUS.principal, path="/mcp")
        assert found is not None
        return found.status

    assert asyncio.run(_between(tmp_path, clock, work)) == "failed"


def test_running_task_keeps_its_lease(tmp_path: Path) -> None:
    clock = Clock()
    ended = asyncio.Event()

    async def wait(_order: Order) -> Ending:
        await ended.wait()
        return Completed(b"{}")

    async def work(one: TaskRuntime, two: TaskRuntime) -> str:
        one.performers = {"/mcp": wait}
        state = await one.create(ORDER)
        for _ in range(3):
            clock.now += LEASE * 0.9
            await one.beat()
            await two.beat()
        ended.set()
        await one.ended()
        found = await two.find(state.id, owner=ANONYMOUS.principal, path="/mcp")
        assert found is not None
        return found.status

    assert asyncio.run(_between(tmp_path, clock, work)) == "completed"


def test_task_of_an_endpoint_that_is_gone_fails(tmp_path: Path) -> None:
    async def work(one: TaskRuntime, two: TaskRuntime) -> tuple[str, str | None]:
        state = await one.create(ORDER)
        await one.ended()
        found = await two.find(state.id, owner=ANONYMOUS.principal, path="/mcp")
        assert found is not None
        return found.status, found.message

    message = "The endpoint of the task is not served any more."
    assert asyncio.run(_between(tmp_path, utc_now, work)) == ("failed", message)


def test_worker_that_ends_begins_no_task(tmp_path: Path) -> None:
    async def work(one: TaskRuntime, _two: TaskRuntime) -> None:
        await one.stop()
        with pytest.raises(TooManyTasksError, match="try again"):
            await one.create(ORDER)

    asyncio.run(_between(tmp_path, utc_now, work))


def test_missing_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "procrastinate", None)
    monkeypatch.delitem(sys.modules, "runner.tasks.queue", raising=False)
    url = Secret(f"sqlite:///{tmp_path}/tasks.db")
    settings = TaskSettings(url, "sqlite", 60.0, 1.0, resumes=True)

    async def work() -> None:
        async with open_tasks(settings, clock=utc_now, places=1):
            raise AssertionError

    with pytest.raises(StartError, match="procrastinate, which is not installed") as caught:
        asyncio.run(work())
    assert caught.value.hint == "pip install 'mcp-runner[tasks]'"


def test_stopped_worker_says_so(tmp_path: Path) -> None:
    stopped = asyncio.Event()

    async def wait(_order: Order) -> Ending:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        raise AssertionError

    async def work(one: TaskRuntime, two: TaskRuntime) -> tuple[str, str | None]:
        one.performers = {"/mcp": wait}
        state = await one.create(ORDER)
        await one.beat()
        await one.stop()
        assert stopped.is_set()
        found = await two.find(state.id, owner=ANONYMOUS.principal, path="/mcp")
        assert found is not None
        return found.status, found.message

    message = "The server was stopped before the task came to its end."
    assert asyncio.run(_between(tmp_path, utc_now, work)) == ("failed", message)


async def _between(
    tmp_path: Path,
    clock: Callable[[], datetime],
    work: Callable[[TaskRuntime, TaskRuntime], Awaitable[T]],
) -> T:
    """What the work gives with two workers that beat only when they are told to."""
    settings = TaskSettings(Secret(f"sqlite:///{tmp_path}/tasks.db"), "sqlite", 3600.0, 1.0)
    with open_store(settings) as store, ThreadPoolExecutor(2) as threads:
        one, two = (TaskRuntime(store, clock=clock, places=4, threads=threads) for _ in range(2))
        try:
            return await work(one, two)
        finally:
            await one.stop()
