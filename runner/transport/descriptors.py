"""File descriptors read and written without blocking the event loop, whatever they are.

Pipes, terminals and files alike: a thread of its own does each direction, because event loops
cannot wait for files. The threads are daemons, so that a read that never ends holds up no exit.
"""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TextIO

_CHUNK_BYTES: Final = 64 * 1024


def claim_standard_streams() -> tuple[int, int]:
    """Private descriptors of standard input and output.

    From then on the process's own standard input is empty and its standard output is its standard
    error, in Python and in C libraries alike: nothing else can write between the messages.
    """
    sys.stdout.flush()
    private_in, private_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    stray: TextIO = sys.stderr
    sys.stdout = stray
    return private_in, private_out


class Input:
    """Reads a descriptor, a chunk each time it is asked."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._wanted: queue.SimpleQueue[Callable[[bytes], None]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="standard input", daemon=True).start()

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bytes] = loop.create_future()
        self._wanted.put(lambda data: _tell(loop, future, data))
        return await future

    def _run(self) -> None:
        data = b"-"
        while data:
            deliver = self._wanted.get()
            try:
                data = os.read(self._descriptor, _CHUNK_BYTES)
            except OSError:
                data = b""
            deliver(data)


class Output:
    """Writes lines to a descriptor, in the order in which they came."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[bytes | Callable[[bytes], None] | None] = queue.SimpleQueue()
        self.is_broken = False
        """The reader is gone; nothing is written any more."""
        threading.Thread(target=self._run, name="standard output", daemon=True).start()

    def put(self, message: bytes) -> None:
        """Queues one message; `flush` waits until it is written."""
        self._lines.put(message + b"\n")

    async def flush(self) -> None:
        """Returns once everything queued so far is written."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bytes] = loop.create_future()
        self._lines.put(lambda data: _tell(loop, future, data))
        await future

    def close(self) -> None:
        """Ends the thread once everything is written."""
        self._lines.put(None)

    def _run(self) -> None:
        while (item := self._lines.get()) is not None:
            if isinstance(item, bytes):
                self._write(item)
            else:
                item(b"")

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest and not self.is_broken:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self.is_broken = True


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[bytes], data: bytes) -> None:
    """Hands `data` to the loop; a loop that has closed no longer waits for it."""

    def deliver() -> None:
        if not future.done():
            future.set_result(data)

    with suppress(RuntimeError):
        loop.call_soon_threadsafe(deliver)
