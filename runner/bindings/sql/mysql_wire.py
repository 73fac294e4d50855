"""Commands of MySQL's protocol after the login: several in one go, rows as they come.

Statements are prepared by the server and values travel beside the text, so that nothing is ever
escaped. Commands are sent together and answered in order. Never reads ahead of what is wanted.
"""

import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, NamedTuple

from runner.bindings.sql.mysql_packets import (
    UNREADABLE,
    Field,
    Finished,
    ServerError,
    Stream,
    error_of,
    field_of,
    finished_of,
)
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.steps import Steps, Wait, drain

QUERY, PREPARE, EXECUTE, CLOSE = b"\x03", b"\x16", b"\x17", b"\x19"
_QUIT: Final = b"\x01"
PING: Final = b"\x0e"
RESET: Final = b"\x1f"
USE: Final = b"\x02"
IN_TRANSACTION: Final = 1
_MORE_RESULTS: Final = 8
_OK, _END, _ERROR = 0x00, 0xFE, 0xFF
_END_BYTES: Final = 9
"""A packet that begins like the end of rows and is longer is a row."""
_FILE: Final = 0xFB
_NULL_TYPE: Final = 6
_SURPLUS_ROWS: Final = 1024
"""Rows that are cheaper to throw away than to stop: a stop needs a connection of its own."""
_SURPLUS_BYTES: Final = 1024 * 1024
_BLOCK_BYTES: Final = 1024 * 1024
"""Rows are handed on before there are more of them."""
_SOON_S: Final = 0.02
_SENT_AT_ONCE: Final = 16 * 1024
"""Bytes for which a connection that was asked nothing before has room."""

Parameter = tuple[int, bytes] | None
"""Type and value as the server reads them; None is NULL."""


class Prepared(NamedTuple):
    """A statement that the server has read."""

    id: int
    parameters: int
    fields: tuple[Field, ...]


class Rows(NamedTuple):
    """Where the rows of a command go."""

    start: Callable[[tuple[Field, ...]], None]
    take: Callable[[Sequence[bytes]], bool]
    """Takes some packets of rows; whether more are wanted."""
    block: int
    """So many at once."""
    cut: Callable[[], None] | None
    """Stops the statement, called once where many rows follow that are not wanted; without it they
    are thrown away as they come."""


class Wire:
    """The conversation on one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.is_in_transaction = False
        """As far as is known: an error does not tell."""
        self.is_out_of_step = False
        """An answer was not read to its end; nothing more can be asked."""
        self._socket = connection
        self._is_encrypted = isinstance(connection, ssl.SSLSocket)
        """What is read of it may wait inside TLS, where nobody can watch it."""
        self._stream = Stream(connection)

    def close(self) -> None:
        """Closes the connection, with a word to the server; it rolls back what is open."""
        self.is_out_of_step = True
        with suppress(OSError):
            self._stream.send([_QUIT])
        self._socket.close()

    def fileno(self) -> int:
        """What the event loop watches."""
        return self._socket.fileno()

    @staticmethod
    def wait(_awaited: Wait) -> None:
        """Nothing: in a thread, what is read waits by itself."""

    def run(
        self, commands: Sequence[bytes], *, rows: Rows | None = None, rows_of: int = -1
    ) -> list[Finished]:
        """As `steps`, in a thread."""
        return drain(self.steps(commands, rows=rows, rows_of=rows_of), self.wait)

    def steps(
        self, commands: Sequence[bytes], *, rows: Rows | None = None, rows_of: int = -1
    ) -> Steps[list[Finished]]:
        """How the commands ended; the rows of one may go to `rows`, those of others are dropped.

        Raises:
            ServerError: the first that failed; the others ran too.
            SessionLostError: the connection broke.
        """
        with _InStep(self):
            if self._is_encrypted or sum(map(len, commands)) > _SENT_AT_ONCE:
                yield Wait.THREAD
            self._stream.send(list(commands))
            ended: list[Finished] = []
            fault: ServerError | None = None
            for index in range(len(commands)):
                try:
                    ended.append((yield from self._answer(rows if index == rows_of else None)))
                except ServerError as error:
                    error.command = index
                    fault = fault or error
                    self.is_in_transaction = True
        if fault is not None:
            raise fault
        return ended

    def prepare(self, text: bytes) -> Prepared:
        """What the server says of a statement, which does not run.

        Raises:
            ServerError: it refuses it.
            SessionLostError: the connection broke.
        """
        return drain(self._preparation(text), self.wait)

    def _preparation(self, text: bytes) -> Steps[Prepared]:
        with _InStep(self):
            self._stream.send([PREPARE + text])
            payload = yield from self._next()
            if payload[0] == _ERROR:
                self.is_out_of_step = False
                raise error_of(payload)
            id_, columns, parameters = struct.unpack_from("<IHH", payload, 1)
            yield from self._fields(parameters)
            return Prepared(id_, parameters, (yield from self._fields(columns)))

    def forget(self, prepared: Prepared) -> None:
        """Lets a statement go; the server answers nothing."""
        with _InStep(self):
            self._stream.send([CLOSE + prepared.id.to_bytes(4, "little")])

    def _next(self) -> Steps[bytes]:
        """The payload of the next packet."""
        while (payload := self._stream.take()) is None:
            yield Wait.READ
            self._stream.receive()
        return payload

    def _answer(self, rows: Rows | None) -> Steps[Finished]:
        ended = yield from self._result(rows)
        while ended.status & _MORE_RESULTS:  # a procedure's
            ended = yield from self._result(None)
        return ended

    def _result(self, rows: Rows | None) -> Steps[Finished]:
        payload = yield from self._next()
        if payload[0] == _ERROR:
            raise error_of(payload)
        if payload[0] == _OK:
            ended = finished_of(payload)
        else:
            count = payload[0] if payload[0] < _FILE else _count(payload)
            fields = yield from self._fields(count)
            ended = yield from self._rows(fields, rows)
        self.is_in_transaction = bool(ended.status & IN_TRANSACTION)
        return ended

    def _fields(self, count: int) -> Steps[tuple[Field, ...]]:
        described: list[bytes] = []
        while len(described) < count:
            described.append((yield from self._next()))
        if count:
            yield from self._next()  # the end of the descriptions
        return tuple(map(field_of, described))

    def _rows(self, fields: tuple[Field, ...], rows: Rows | None) -> Steps[Finished]:
        """Reads to the end of the rows. A thread takes all but the first block, however many there
        are."""
        if rows is None:
            return (yield from self._surplus(None))
        rows.start(fields)
        take, receive = self._stream.take, self._stream.receive
        block: list[bytes] = []
        size = 0
        while True:
            while (payload := take()) is None:
                yield Wait.READ
                receive()
            if payload[0] != _OK:
                rows.take(block)
                return _end_of_rows(payload)
            block.append(payload)
            size += len(payload)
            if len(block) >= rows.block or size > _BLOCK_BYTES:
                yield Wait.THREAD
                if not rows.take(block):
                    return (yield from self._surplus(rows.cut))
                block, size = [], 0

    def _surplus(self, cut: Callable[[], None] | None) -> Steps[Finished]:
        """Throws away what is not wanted, to the end of it."""
        count = size = 0
        while True:
            rows, their_bytes = self._stream.skip()
            count += rows
            size += their_bytes
            is_much = count > _SURPLUS_ROWS or size > _SURPLUS_BYTES
            if cut is not None and (is_much or not self._stream.comes_soon(_SOON_S)):
                cut()
                cut = None
            payload = yield from self._next()
            if payload[0] == _ERROR or (payload[0] == _END and len(payload) < _END_BYTES):
                return _end_of_rows(payload)
            count += 1
            size += len(payload)


class _InStep:
    """A question and its whole answer: the connection is out of step until that has come. A
    generator for this would cost as much as a command."""

    __slots__ = ("_wire",)

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def __enter__(self) -> None:
        if self._wire.is_out_of_step:
            raise SessionLostError("the connection is out of step")
        self._wire.is_out_of_step = True

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if error is None:
            self._wire.is_out_of_step = False
        elif isinstance(error, OSError):
            raise SessionLostError(str(error)) from error
        elif isinstance(error, UNREADABLE):
            raise SessionLostError("the server's answer cannot be read") from error


def _count(payload: bytes) -> int:
    if payload[0] == _FILE:
        raise ValueError("a file was asked for, which no client offers")
    return int.from_bytes(payload[1:3], "little")


def _end_of_rows(payload: bytes) -> Finished:
    if payload[0] == _ERROR:
        raise error_of(payload)
    warnings, status = struct.unpack_from("<HH", payload, 1)
    return Finished(0, status, warnings)


def execution(prepared: Prepared, values: Sequence[Parameter]) -> bytes:
    """The command that runs a statement with these values."""
    head = EXECUTE + prepared.id.to_bytes(4, "little") + b"\0\1\0\0\0"
    if not values:
        return head
    nulls = 0
    types: list[bytes] = []
    data: list[bytes] = []
    for place, value in enumerate(values):
        if value is None:
            nulls |= 1 << place
            types.append(_NULL_TYPE.to_bytes(2, "little"))
        else:
            types.append(value[0].to_bytes(2, "little"))
            data.append(value[1])
    bitmap = nulls.to_bytes((len(values) + 7) // 8, "little")
    return b"".join([head, bitmap, b"\1", *types, *data])
