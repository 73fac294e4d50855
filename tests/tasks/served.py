"""One mcp.yaml with tasks, served in memory by any number of workers that share its store."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from runner.app import Served, catalog_of, check, open_served, serving_of
from runner.catalog.caller import ANONYMOUS, Caller
from runner.codec.json import encode
from runner.protocol.listeners import Listeners
from runner.transport.http import HttpApp
from tests.wire.client import PREFIX, modern_headers, modern_message
from tests.wire.http_client import LIMIT_S, Connection, Response, run
from tests.wire.recording import MODERN_SCHEMA
from tests.wire.recording import check as check_message

T = TypeVar("T")
HEAD = "mcp: 1\nserver: {name: tasks, version: 1.0.0}\n"
TASKS = "io.modelcontextprotocol/tasks"
KEYS = [b"a key that all workers of the tests have"]
DECLARED: Mapping[str, object] = {"elicitation": {}, "extensions": {TASKS: {}}}
META = {f"{PREFIX}serverInfo": {"name": "tasks", "version": "1.0.0"}}
ACKNOWLEDGED = {"resultType": "complete", "_meta": META}
SUBSCRIPTION = f"{PREFIX}subscriptionId"
Tree = dict[str, object]


@dataclass
class Worker:
    """One process of a server, as far as memory can show it."""

    served: Served
    app: HttpApp
    listeners: Listeners
    path: str = "/mcp"
    capabilities: Mapping[str, object] = field(default_factory=lambda: DECLARED)
    user: str | None = None

    async def send(self, method: str, params: Mapping[str, object] | None = None) -> Response:
        """The response to a modern request of `user`, who declares `capabilities`."""
        meta = {f"{PREFIX}clientCapabilities": self.capabilities}
        message = modern_message(method, params, meta=meta)
        headers = {**modern_headers(message), "X-User": self.user}
        response = await run(self.app, Connection([encode(message)]), headers, path=self.path)
        for found in response.messages:
            check_message(found, MODERN_SCHEMA, method)
        return response

    async def result(self, method: str, params: Mapping[str, object] | None = None) -> Tree:
        """The result of a request that must succeed."""
        [message] = (await self.send(method, params)).messages
        assert "result" in message, message
        return tree(message["result"])

    async def error(
        self, method: str, params: Mapping[str, object] | None = None
    ) -> tuple[int, Tree]:
        """The status and the error of a request that must fail."""
        response = await self.send(method, params)
        [message] = response.messages
        assert "error" in message, message
        return response.status, tree(message["error"])

    async def call(self, tool: str, **arguments: object) -> Tree:
        """The result of a call."""
        return await self.result("tools/call", {"name": tool, "arguments": arguments})

    async def begin(self, tool: str, **arguments: object) -> str:
        """The id of the task that a call becomes."""
        handle = await self.call(tool, **arguments)
        assert handle["resultType"] == "task", handle
        return str(handle["taskId"])

    async def get(self, task: str) -> Tree:
        """A task as it stands."""
        return await self.result("tasks/get", {"taskId": task})

    async def until(self, task: str, *statuses: str) -> Tree:
        """A task once it stands so."""
        async with asyncio.timeout(LIMIT_S):
            while (found := await self.get(task))["status"] not in statuses:
                pass
        return found

    async def update(self, task: str, **replies: object) -> Tree:
        """What answers are acknowledged with."""
        return await self.result("tasks/update", {"taskId": task, "inputResponses": replies})

    def seen_by(self, user: str | None) -> "Worker":
        """The same worker, asked by somebody else."""
        return Worker(self.served, self.app, self.listeners, user=user)

    def asked_with(self, capabilities: Mapping[str, object]) -> "Worker":
        """The same worker, asked by a client that declares something else."""
        return Worker(self.served, self.app, self.listeners, capabilities=capabilities)

    def at(self, path: str) -> "Worker":
        """The same worker, asked at another endpoint."""
        return Worker(self.served, self.app, self.listeners, path=path)


class Bench:
    """A file, and the workers that serve it, on one loop."""

    def __init__(self, path: Path, runner: asyncio.Runner) -> None:
        self.folder = path.parent
        checked = check(path, {}, connects=True, makes=True)
        faults = [fault for fault in checked.diagnostics if fault.severity == "error"]
        assert faults == [], faults
        self._catalog = catalog_of(checked)
        self._runner = runner
        self._stack = AsyncExitStack()
        self.workers: list[Worker] = []

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Runs it on the loop of the workers."""
        return self._runner.run(work)

    async def start(self) -> Worker:
        """One more worker."""
        listeners = Listeners()
        opening = open_served(self._catalog, KEYS, listeners)
        served = await self._stack.enter_async_context(opening)
        serving = serving_of(self._catalog, served.protocols)
        serving.identify = identify
        worker = Worker(served, HttpApp(serving), listeners)
        self.workers.append(worker)
        return worker

    async def close(self) -> None:
        """Ends every worker."""
        await self._stack.aclose()


async def identify(headers: Mapping[bytes, bytes]) -> Caller:
    """Takes the caller's word, as only a test may."""
    user = headers.get(b"x-user")
    return ANONYMOUS if user is None else Caller(user_id=user.decode(), authenticated=True)


@contextmanager
def serve(folder: Path, text: str, *, workers: int = 1) -> Iterator[Bench]:
    """Serves a file, which has no fault; `text` lacks its first two lines."""
    path = folder / "mcp.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    with asyncio.Runner() as runner:
        bench = Bench(path, runner)
        try:
            for _ in range(workers):
                runner.run(bench.start())
            yield bench
        finally:
            runner.run(bench.close())


def tree(value: object) -> Tree:
    """The value, which is an object."""
    assert isinstance(value, dict)
    return value


def text_of(task: Tree) -> object:
    """The text of a completed task's result."""
    content = tree(task["result"])["content"]
    assert isinstance(content, list)
    return content[0]["text"]
