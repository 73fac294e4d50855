"""When another request is taken in, over standard input and output.

A client that does not read makes the answers pile up. Past a limit its requests wait, a few of them
here and the others in its pipe, until it reads; nothing is dropped. What it cancels meanwhile ends
at once, for that is read as long as few requests wait.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from runner.codec.json import Json, JsonFault, decode
from runner.protocol.jsonrpc import Body

MAX_IN_FLIGHT: Final = 256
"""Messages at work or waiting to be written."""
MAX_UNWRITTEN_BYTES: Final = 8 * 1024 * 1024
"""Of what waits to be written; those at work when it is reached are still answered."""
MAX_WAITING_BYTES: Final = 64 * 1024
"""Of requests that wait, as much as a pipe holds; beyond it nothing is read."""


class Writer(Protocol):
    """Where messages go."""

    is_broken: bool

    @property
    def unwritten_bytes(self) -> int:
        """Of what was queued and is not written."""

    def put(self, message: Body) -> None:
        """Queues one message."""

    async def flush(self) -> None:
        """Returns once everything queued so far is written."""


class Intake:
    """Lines on their way in: started at once where there is room, else in their turn."""

    def __init__(self, writer: Writer, start: Callable[[bytes | None], None]) -> None:
        """`start` makes a task of a line; it calls `enter`, and `leave` when the task has ended."""
        self._writer = writer
        self._start = start
        self._in_flight = 0
        self._left = asyncio.Event()
        self._waiting: deque[bytes | None] = deque()
        self._moved = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self.waiting_bytes = 0
        """Of the lines that wait for room."""

    @property
    def is_waiting(self) -> bool:
        """Some lines wait for room."""
        return self._starting is not None

    def enter(self) -> None:
        """One more message is at work."""
        self._in_flight += 1

    def leave(self) -> None:
        """One message is done with."""
        self._in_flight -= 1
        self._left.set()

    def offer(self, line: bytes | None) -> None:
        """Starts the line now or later.

        A cancellation is started now, and where requests wait, which it may be about, in its turn
        as well.
        """
        is_first = self._starting is None
        if is_first and self._has_room():
            self._start(line)
            return
        if _needs_no_room(line):
            self._start(line)
            if is_first:
                return
        self._waiting.append(line)
        self.waiting_bytes += _size(line)
        if is_first:
            self._starting = asyncio.create_task(self._start_waiting())

    async def advance(self) -> None:
        """Returns once another of the lines that wait is started, or none does."""
        if self._starting is not None:
            self._moved.clear()
            await self._moved.wait()

    async def close(self) -> None:
        """Starts nothing any more."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)

    async def _start_waiting(self) -> None:
        try:
            while self._waiting:
                if not _needs_no_room(self._waiting[0]):
                    await self._room()
                line = self._waiting.popleft()
                self.waiting_bytes -= _size(line)
                self._start(line)
                self._moved.set()
        finally:
            self._starting = None
            self._moved.set()

    async def _room(self) -> None:
        while not self._has_room():
            if self._in_flight < MAX_IN_FLIGHT:
                await self._writer.flush()
            else:
                self._left.clear()
                await self._left.wait()

    def _has_room(self) -> bool:
        return (
            self._in_flight < MAX_IN_FLIGHT and self._writer.unwritten_bytes < MAX_UNWRITTEN_BYTES
        )


def _size(line: bytes | None) -> int:
    return 0 if line is None else len(line)


def _needs_no_room(line: bytes | None) -> bool:
    """The line cancels and asks for nothing."""
    if line is None or b"cancelled" not in line:
        return False
    try:
        message = decode(line)
    except JsonFault:
        return False
    members = message if isinstance(message, list) else [message]
    return bool(members) and all(map(_is_cancellation, members))


def _is_cancellation(message: Json) -> bool:
    return (
        isinstance(message, dict)
        and message.get("method") == "notifications/cancelled"
        and "id" not in message
    )
