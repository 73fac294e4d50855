"""File descriptors read and written without blocking the event loop, whatever they are.

Pipes, terminals and files alike: a thread of its own does each direction, because event loops
cannot wait for files. The threads are daemons, so that a read that never ends holds up no exit.
Loop and threads share queues alone, `is_broken`, which only ever turns true, and counts, each of
which one of them changes.
"""

import asyncio
import contextlib
import ctypes
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

from runner.errors import StartError
from runner.protocol.jsonrpc import Body

_CHUNK_BYTES: Final = 64 * 1024
_PIECES_BYTES: Final = 1024 * 1024
"""Stands for a message in pieces, whose rows are held compressed: its size is not known."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2


@contextlib.contextmanager
def claim_standard_streams() -> Iterator[tuple[int, int]]:
    """Private descriptors of standard input and output, until the context ends.

    Meanwhile the process's own standard input is empty and its standard output is its standard
    error, in Python, in C libraries and in child processes alike: nothing else can write between
    the messages. The private ones are not inherited by child processes; they stay open, because a
    thread may still wait for one of them.

    Raises:
        StartError: the process has no standard input or output.
    """
    for descriptor, name in ((_STDIN, "stdin"), (_STDOUT, "stdout")):
        if not _is_open(descriptor):
            raise StartError(f"{name} is closed, so that no client can be answered")
    if not _is_open(_STDERR):  # else a private one would take its number
        _redirect(os.devnull, os.O_WRONLY, _STDERR)
    _flush()
    private_in, private_out = os.dup(_STDIN), os.dup(_STDOUT)
    _redirect(os.devnull, os.O_RDONLY, _STDIN)
    os.dup2(_STDERR, _STDOUT)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield private_in, private_out
    finally:
        _flush()
        os.dup2(private_out, _STDOUT)
        os.dup2(private_in, _STDIN)


@contextlib.contextmanager
def stray_output_aside() -> Iterator[None]:
    """Until the context ends standard output is standard error, as `claim_standard_streams` says.

    For a command whose result is for a program to read, while it runs what others wrote.
    """
    if not (_is_open(_STDOUT) and _is_open(_STDERR)):
        yield
        return
    _flush()
    private = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()
        os.dup2(private, _STDOUT)
        os.close(private)


def _redirect(path: str, flags: int, descriptor: int) -> None:
    opened = os.open(path, flags)
    os.dup2(opened, descriptor)
    if opened != descriptor:
        os.close(opened)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _flush() -> None:
    """Empties Python's and C's buffers into what standard output is now."""
    if sys.stdout is not None:
        sys.stdout.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)


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
        self._lines: queue.SimpleQueue[Body | Callable[[bytes], None] | None] = queue.SimpleQueue()
        self.is_broken = False
        """The reader is gone; nothing is written any more."""
        self._queued_bytes = 0
        """Changed by the loop alone."""
        self._done_bytes = 0
        """Changed by the thread alone."""
        threading.Thread(target=self._run, name="standard output", daemon=True).start()

    @property
    def unwritten_bytes(self) -> int:
        """Of what was queued and is not written."""
        return self._queued_bytes - self._done_bytes

    def put(self, message: Body) -> None:
        """Queues one message; `flush` waits until it is written."""
        if isinstance(message, bytes):
            message += b"\n"
            self._queued_bytes += len(message)
        else:
            self._queued_bytes += _PIECES_BYTES
        self._lines.put(message)

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
                self._done_bytes += len(item)
            elif callable(item):
                item(b"")
            else:
                self._write_pieces(item)
                self._done_bytes += _PIECES_BYTES

    def _write_pieces(self, pieces: Iterator[bytes]) -> None:
        for piece in pieces:
            self._write(piece)
            if self.is_broken:
                return
        self._write(b"\n")

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

    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(deliver)
