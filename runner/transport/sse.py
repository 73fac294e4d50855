"""An answer as a stream of events: notifications, then one response, then the end.

Streams are not resumable, so events have no id and name no retry time.
Source: HTML standard, "Server-sent events"; MCP 2026-07-28, streamable-http.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

from runner.protocol.jsonrpc import Body
from runner.transport.asgi import Header, Send, send_pieces

STREAM_HEADERS: Final[Sequence[Header]] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
MAX_PENDING: Final = 1000
"""Events that wait for a client that does not read; more are dropped, the response never."""
_KEEP_ALIVE: Final = b": keep-alive\n\n"


def event(message: bytes) -> bytes:
    """One message as an event; compact JSON has no line break."""
    return b"event: message\ndata: %b\n\n" % message


def _event_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    start, end = event(b"|").split(b"|")
    return chain((start,), pieces, (end,))


class EventStream:
    """A response that has begun; a task of its own writes it, so that `put` never waits."""

    def __init__(self, send: Send, headers: Sequence[Header], keep_alive_s: float) -> None:
        self._send = send
        self._headers = headers
        self._keep_alive_s = keep_alive_s
        self._pending: deque[bytes] = deque()
        self._wake = asyncio.Event()
        self._is_closing = False
        self._pieces: Iterator[bytes] | None = None
        """Of a response that is too large to be held."""
        self._writer = asyncio.create_task(self._write())

    def put(self, message: bytes) -> None:
        """Queues a notification; dropped where the client does not keep up."""
        if len(self._pending) < MAX_PENDING:
            self._pending.append(event(message))
            self._wake.set()

    async def close(self, message: Body) -> None:
        """Sends the response after everything that is queued, and ends the stream."""
        if isinstance(message, bytes):
            self._pending.append(event(message))
        else:
            self._pieces = message
        self._is_closing = True
        self._wake.set()
        await self._writer

    def abort(self) -> None:
        """Ends the writing: nobody reads any more."""
        self._writer.cancel()

    async def _write(self) -> None:
        headers = [*STREAM_HEADERS, *self._headers]
        with suppress(OSError):
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
            while self._pending or not self._is_closing:
                await self._await_events()
                chunk = b"".join(self._pending)
                self._pending.clear()
                await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            if self._pieces is not None:
                await send_pieces(self._send, _event_of(self._pieces))
            await self._send({"type": "http.response.body", "body": b""})

    async def _await_events(self) -> None:
        if self._pending or self._is_closing:
            return
        self._wake.clear()
        try:
            async with asyncio.timeout(self._keep_alive_s):
                await self._wake.wait()
        except TimeoutError:
            self._pending.append(_KEEP_ALIVE)
