"""The project of this folder, served whole over both transports of one process, in memory.

Streams of `subscriptions/listen` never end by themselves: over HTTP the client leaves once one is
acknowledged, over stdio the server ends it.
"""

import asyncio
import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from runner.app import catalog_of, check, open_invoker, protocols_of, serving_of, state_keys
from runner.catalog.caller import ANONYMOUS
from runner.catalog.catalog import Catalog
from runner.codec.json import decode
from runner.protocol.jsonrpc import Body, joined
from runner.protocol.listeners import Listeners
from runner.protocol.server import Protocol
from runner.transport.http import HttpApp
from runner.transport.stdio import Stdio
from tests.fuzz.mutations import Wire
from tests.wire.http_client import LIMIT_S, Connection, Response

FOLDER: Final = Path(__file__).parent / "project"
MAX_LINE_BYTES: Final = 1024 * 1024
ACKNOWLEDGED: Final = b"notifications/subscriptions/acknowledged"
Message = dict[str, object]


class Errors(logging.Handler):
    """What was logged as an error: a bug that was caught on its way out."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps it."""
        self.found.append(record.getMessage())


class Served:
    """The server, on a loop of its own."""

    def __init__(self, runner: asyncio.Runner, catalog: Catalog, folder: Path) -> None:
        self._runner = runner
        self._catalog = catalog
        self._stack = AsyncExitStack()
        self._listeners = Listeners()
        self.folder = folder
        self.errors = Errors()

    async def open(self) -> None:
        """Opens all that is behind the two transports."""
        keys = state_keys(self._catalog)
        invoker = await self._stack.enter_async_context(open_invoker(self._catalog, keys))
        protocols = protocols_of(self._catalog, invoker, keys, self._listeners)
        self._protocol: Protocol = protocols["/mcp"]
        self._app = HttpApp(serving_of(self._catalog, protocols))

    async def close(self) -> None:
        """Closes it."""
        await self._stack.aclose()

    def over_http(self, wire: Wire) -> Response:
        """What comes back on one request."""
        return self._runner.run(self._over_http(wire))

    async def _over_http(self, wire: Wire) -> Response:
        connection = _Leaving([wire.body])
        pairs = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in wire.headers]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": pairs}
        async with asyncio.timeout(LIMIT_S):
            await self._app(scope, connection.receive, connection.send)  # type: ignore[arg-type]
        return connection.response

    def over_stdio(self, lines: Sequence[bytes]) -> list[Message]:
        """What comes back on the lines of one client."""
        return self._runner.run(self._over_stdio(lines))

    async def _over_stdio(self, lines: Sequence[bytes]) -> list[Message]:
        writer = _Kept(self._listeners)
        text = b"".join(line + b"\n" for line in lines)
        stdio = Stdio(
            self._protocol,
            ANONYMOUS,
            reader=_Script([text, b""]),
            writer=writer,
            max_line_bytes=MAX_LINE_BYTES,
            drain_s=LIMIT_S,
        )
        async with asyncio.timeout(2 * LIMIT_S):
            await stdio.serve(asyncio.Event())
        return writer.messages


class _Leaving(Connection):
    async def send(self, event: dict[str, object]) -> None:
        """Records a piece, and leaves a stream that listens."""
        await super().send(event)
        if ACKNOWLEDGED in self.response.body:
            self.leaving.set()


@dataclass
class _Script:
    chunks: list[bytes]

    async def read(self) -> bytes:
        """The next of them."""
        return self.chunks.pop(0)


@dataclass
class _Kept:
    listeners: Listeners
    messages: list[Message] = field(default_factory=list)
    is_broken: bool = False
    unwritten_bytes: int = 0

    def put(self, message: Body) -> None:
        """Keeps one message, and ends the stream that it acknowledges."""
        text = joined(message)
        assert b"\n" not in text
        found = decode(text)
        for one in found if isinstance(found, list) else [found]:
            assert isinstance(one, dict)
            self.messages.append(one)
        if ACKNOWLEDGED in text:
            asyncio.get_running_loop().call_soon(self.listeners.end)

    async def flush(self) -> None:
        """At once."""


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """The project, copied to `folder`."""
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pyc"))
    checked = check(folder / "mcp.yaml", {}, connects=True, makes=True)
    assert checked.diagnostics == (), checked.diagnostics
    with asyncio.Runner() as runner:
        served = Served(runner, catalog_of(checked), folder)
        runner.run(served.open())
        logging.getLogger().addHandler(served.errors)
        try:
            yield served
        finally:
            logging.getLogger().removeHandler(served.errors)
            runner.run(served.close())
