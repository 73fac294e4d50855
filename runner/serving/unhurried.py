"""hypercorn with a bound that it lacks: how much of an answer waits for a client, and how long.

Its buffer of an HTTP/2 stream takes all that is sent to a client that reads nothing, and what it
holds stays after the client left. hypercorn has no place for classes of others, so ours are put
where it looks for its own.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

import hypercorn.asyncio.run
import hypercorn.protocol
import hypercorn.protocol.h2
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.events import Closed, Event, RawData
from hypercorn.protocol.events import Body
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.h2 import BUFFER_LOW_WATER, H2Protocol, StreamBuffer

from runner.serving.bounds import PART_BYTES, STALL_S


class StalledError(Exception):
    """A client takes nothing of a stream."""


class BoundedBuffer(StreamBuffer):
    """What waits on one stream; who adds to it waits until little is left."""

    stall_s: ClassVar[float] = STALL_S

    async def push(self, data: bytes) -> None:
        """Adds, and returns once the client took most of it.

        Raises:
            StalledError: it did not in time.
        """
        await self._paused.clear()
        try:
            async with asyncio.timeout(self.stall_s):
                await super().push(data)
        except TimeoutError as error:
            raise StalledError from error

    async def pop(self, max_length: int) -> bytes:
        """Takes; says that there is room only where there is."""
        if max_length <= 0 and len(self.buffer) > BUFFER_LOW_WATER:
            return b""
        data = bytes(self.buffer[:max_length])
        del self.buffer[:max_length]
        if len(self.buffer) <= BUFFER_LOW_WATER:
            await self._paused.set()
        if not self.buffer:
            await self._is_empty.set()
        return data


class BoundedH2(H2Protocol):
    """One HTTP/2 connection."""

    async def stream_send(self, event: StreamEvent) -> None:
        """Sends in parts; resets the stream of a client that takes none."""
        try:
            for part in _parts_of(event):
                await super().stream_send(part)
        except StalledError:
            await self._give_up(event.stream_id)

    async def _give_up(self, stream_id: int) -> None:
        with suppress(ProtocolError, KeyError):  # it was closed meanwhile
            self.connection.reset_stream(stream_id, ErrorCodes.CANCEL)
            await self._flush()
        await self._free(stream_id)
        await self._close_stream(stream_id)

    async def handle(self, event: Event) -> None:
        """Holds nothing of a connection that has ended."""
        await super().handle(event)
        if isinstance(event, Closed):
            for stream_id in list(self.stream_buffers):
                await self._free(stream_id)

    async def _free(self, stream_id: int) -> None:
        buffer = self.stream_buffers.get(stream_id)
        if buffer is not None:
            await buffer.close()


def _parts_of(event: StreamEvent) -> Iterator[StreamEvent]:
    if not isinstance(event, Body) or len(event.data) <= PART_BYTES:
        yield event
        return
    for start in range(0, len(event.data), PART_BYTES):
        yield Body(stream_id=event.stream_id, data=event.data[start : start + PART_BYTES])


class BoundedServer(TCPServer):
    """One connection, of any protocol."""

    stall_s: ClassVar[float] = STALL_S

    async def protocol_send(self, event: Event) -> None:
        """Writes in parts; cuts off a client that takes none."""
        if not isinstance(event, RawData):
            await super().protocol_send(event)
            return
        async with self.send_lock:
            try:
                await self._write(event.data)
            except (OSError, RuntimeError):
                self.writer.transport.abort()
                await self.protocol.handle(Closed())

    async def _write(self, data: bytes) -> None:
        for start in range(0, len(data), PART_BYTES):
            self.writer.write(data[start : start + PART_BYTES])
            async with asyncio.timeout(self.stall_s):
                await self.writer.drain()


def bound_hypercorn() -> None:
    """From now on hypercorn serves with the classes above."""
    hypercorn.protocol.h2.StreamBuffer = BoundedBuffer  # type: ignore[misc]  # see above
    hypercorn.protocol.H2Protocol = BoundedH2  # type: ignore[attr-defined]  # see above
    hypercorn.asyncio.run.TCPServer = BoundedServer  # type: ignore[attr-defined]  # see above
