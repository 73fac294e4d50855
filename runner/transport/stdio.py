"""MCP over standard input and output: one message a line, many in flight, one writer.

The process is not a conversation: only what `initialize` settles for legacy clients is kept.
Source: MCP 2026-07-28, basic/transports/stdio.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Protocol as Interface

from runner.catalog.caller import Caller
from runner.protocol.errors import Code, ProtocolError, error_message
from runner.protocol.exchange import Exchange, Session
from runner.protocol.jsonrpc import Answer, Body
from runner.protocol.server import Protocol
from runner.protocol.versions import BATCHING
from runner.transport.intake import MAX_WAITING_BYTES, Intake, Writer
from runner.transport.lines import Lines
from runner.transport.questions import Questions


class Reader(Interface):
    """Where messages come from."""

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""


def _do_nothing() -> None:
    """Nothing else has to end."""


class Stdio:
    """Serves one client until its input ends."""

    def __init__(
        self,
        protocol: Protocol,
        caller: Caller,
        *,
        reader: Reader,
        writer: Writer,
        max_line_bytes: int,
        drain_s: float,
    ) -> None:
        self.on_end: Callable[[], None] = _do_nothing
        """Ends what would run for ever; called when nothing is read any more."""
        self._protocol = protocol
        self._caller = caller
        self._lines = Lines(max_line_bytes)
        self._reader = reader
        self._writer = writer
        self._drain_s = drain_s
        self._session = Session(writer.put)
        self._running: dict[asyncio.Task[None], Exchange] = {}
        self._intake = Intake(writer, self._start)
        self._questions = Questions(writer.put)

    def take(self, protocol: Protocol, caller: Caller, *, max_line_bytes: int) -> None:
        """Answers by these from now on; what the client has settled stays."""
        self._protocol = protocol
        self._caller = caller
        self._lines.limit = max_line_bytes

    async def serve(self, stop: asyncio.Event) -> None:
        """Answers until the input ends or `stop` is set; then what runs has `drain_s` to end.

        At the end of the input requests may wait for room; each has `drain_s` for that.
        """
        try:
            await self._read_until(stop)
            self._questions.close()
            self.on_end()
            if self._running:
                await asyncio.wait(self._running, timeout=self._drain_s)
        finally:
            await _end(self._running)

    async def _read_until(self, stop: asyncio.Event) -> None:
        reading = asyncio.create_task(self._read_all())
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()  # raises what a bug in the reading raised
        finally:
            await _end((reading, stopping))
            await self._intake.close()

    async def _read_all(self) -> None:
        await self._read()
        with suppress(TimeoutError):
            while self._intake.is_waiting:
                async with asyncio.timeout(self._drain_s):
                    await self._intake.advance()

    async def _read(self) -> None:
        while (chunk := await self._reader.read()) and not self._writer.is_broken:
            for line in self._lines.feed(chunk):
                self._take_in(line)
            while self._intake.waiting_bytes > MAX_WAITING_BYTES:
                await self._intake.advance()
        for line in self._lines.end():
            self._take_in(line)

    def _take_in(self, line: bytes | None) -> None:
        if line is not None:
            has_batches = self._session.version == BATCHING
            line = self._questions.take(line, has_batches=has_batches)
            if line is None:
                return
        self._intake.offer(line)

    def _start(self, line: bytes | None) -> None:
        exchange = Exchange(self._caller, session=self._session, cancel=self._cancel)
        exchange.emit = partial(self._emit, exchange)
        exchange.ask = self._questions.ask
        task = asyncio.create_task(self._answer(line, exchange))
        self._running[task] = exchange
        self._intake.enter()
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        self._intake.leave()

    async def _answer(self, line: bytes | None, exchange: Exchange) -> None:
        if line is None:
            limit = f"The message has at most {self._lines.limit} bytes"
            body: Body | None = error_message(ProtocolError(Code.INVALID_REQUEST, limit), None)
        else:
            body = (await self._protocol.answer(line, exchange)).body
        if body is not None and not exchange.is_cancelled:
            self._writer.put(body)
            if exchange.farewell is not None:
                self._writer.put(exchange.farewell)
            await self._writer.flush()

    def _emit(self, exchange: Exchange, message: bytes) -> None:
        if not exchange.is_cancelled:
            self._writer.put(message)

    def _cancel(self, id_json: bytes) -> None:
        for task, exchange in self._at_work():
            if exchange.id_json == id_json:
                exchange.is_cancelled = True
                task.cancel()

    def _at_work(self) -> Iterator[tuple[asyncio.Task[None] | asyncio.Task[Answer], Exchange]]:
        """What answers each request, the members of batches too."""
        for task, exchange in self._running.items():
            yield task, exchange
            yield from (exchange.members or {}).items()


async def _end(tasks: Iterable[asyncio.Task[object]]) -> None:
    """Returns when all of them have ended, cancelled where they still ran."""
    ending = tuple(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
