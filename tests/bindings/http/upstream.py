"""Upstreams for the tests of the HTTP binding: other people's servers, and raw faults on a socket.

Datasette and httpbin run in processes of their own; what a well-behaved server cannot do (a slow
drip, a broken length, a bomb) is written to a socket byte by byte.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from runner.bindings.http import HttpBinding, open_api
from runner.bindings.http.client import Outside
from runner.catalog.call import Call, CallContext, Outcome
from runner.catalog.expressions import ABSENT, Scope, Template, TreeTemplate
from runner.catalog.plans import HttpPlan
from runner.catalog.sources import Api

T = TypeVar("T")
Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""Takes a request's bytes and writes the answer."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_PATIENCE_S = 20.0

HTTPBIN = """
from httpbin import app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.port, flush=True)
server.serve_forever()
"""
DATASETTE = """
import socket, sys, uvicorn
from datasette.app import Datasette
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
app = Datasette([sys.argv[1]], settings={"default_page_size": 10}).app()
uvicorn.run(app, fd=listening.fileno(), log_level="error")
"""


@contextlib.contextmanager
def program(code: str, *arguments: str) -> Iterator[str]:
    """The base URL of a server process that prints its port; it is ended afterwards."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


@contextlib.asynccontextmanager
async def raw_server(handler: Handler) -> AsyncIterator[str]:
    """The base URL of a server that gives each request's head and body to `handler`."""

    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                await handler(head + await _body(head, reader), writer)
                await writer.drain()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(lambda _task: writer.transport.abort())

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _body(head: bytes, reader: asyncio.StreamReader) -> bytes:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return await reader.readexactly(int(line.partition(b":")[2]))
    return b""


def answering(*answers: bytes, requests: list[bytes] | None = None) -> Handler:
    """Writes one answer a request, the last one again and again, and keeps the requests."""
    left = list(answers)

    async def handler(request: bytes, writer: asyncio.StreamWriter) -> None:
        if requests is not None:
            requests.append(request)
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return handler


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    """An answer as bytes; header names are written with `_` for `-`."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def api(url: str, **fields: object) -> Api:
    """An API on loopback with patience for a busy machine."""
    return replace(Api("upstream", url, allow_private=True, retries=0), **fields)  # type: ignore[arg-type]  # the fields are named by the tests


def plan(method: str, *path: object, **fields: object) -> HttpPlan:
    """A plan of the API `upstream`."""
    return HttpPlan("upstream", method, path, **fields)  # type: ignore[arg-type]  # the same


def tree(read: Callable[[Scope], object]) -> TreeTemplate:
    """A tree template made by hand."""
    return TreeTemplate(frozenset(), read)


def trees(**values: object) -> Mapping[str, TreeTemplate]:
    """Constant trees by name; `ABSENT` stays absent."""
    return {name: tree(_constant(value)) for name, value in values.items()}


def _constant(value: object) -> Callable[[Scope], object]:
    return lambda _scope: value


def text(template: str) -> Template:
    """A constant text template."""
    return Template(template, frozenset(), lambda _scope: template)


def call(**arguments: object) -> Call:
    """A call with these checked arguments."""
    return Call("demo", dict(arguments), CallContext(now=NOW), arguments, 30.0)


async def invoke(
    plan: HttpPlan,
    api: Api,
    outside: Outside | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Outcome:
    """The outcome of one call by a client that is opened and closed for it."""
    async with open_api(api, outside=outside or Outside()) as client:
        return await HttpBinding(plan, client).invoke(call(**(arguments or {})))


def run(work: Coroutine[object, object, T]) -> T:
    """The result of `work` on a loop of its own; a hang is a failure."""

    async def bounded() -> T:
        async with asyncio.timeout(_PATIENCE_S):
            return await work

    return asyncio.run(bounded())


__all__ = ["ABSENT"]
