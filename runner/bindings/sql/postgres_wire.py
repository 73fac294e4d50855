"""libpq's pipeline: several commands in one round trip, results in chunks.

The extended protocol alone is spoken, so that one text is one statement. Everything between two
synchronisation points fails or succeeds together. Never blocks while it holds the interpreter.
"""

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import psycopg
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

from runner.bindings.sql.postgres_errors import EngineError
from runner.bindings.sql.session import SessionLostError

_COPIES: Final = (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH)
_SURPLUS_CHUNKS: Final = 8
"""Chunks that are cheaper to throw away than to stop: a stop needs a connection of its own."""
_SOON_MS: Final = 20
OnRows = Callable[[PGresult], bool]
"""Takes a chunk of rows; whether more are wanted."""


class Command(NamedTuple):
    """One command of a pipeline."""

    text: bytes
    values: Sequence[bytes | None] = ()


class Description(NamedTuple):
    """What the server says of a statement that it has parsed."""

    parameters: Sequence[int]
    columns: Sequence[tuple[str, int]]


class Wire:
    """The conversation on one connection."""

    def __init__(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._pgconn.enter_pipeline_mode()
        self._reader = select.poll()
        self._reader.register(self._pgconn.socket, select.POLLIN)
        self._writer = select.poll()
        self._writer.register(self._pgconn.socket, select.POLLIN | select.POLLOUT)

    @property
    def is_in_transaction(self) -> bool:
        """A transaction is open, or has failed and waits for its end."""
        return self._pgconn.transaction_status != TransactionStatus.IDLE

    def run(
        self,
        commands: Sequence[Command],
        *,
        rows_of: int | None = None,
        chunk: int = 0,
        on_rows: OnRows | None = None,
        on_surplus: Callable[[], None] | None = None,
    ) -> list[PGresult]:
        """The results of the commands; the rows of one may go to `on_rows` in chunks.

        `on_surplus` is called once, to stop the statement, where many rows follow that are not
        wanted; without it they are thrown away as they come.

        Raises:
            EngineError: the first that failed.
            SessionLostError: the connection broke.
        """
        with self._guarded():
            for command in commands:
                self._pgconn.send_query_params(command.text, list(command.values))
            self._pgconn.pipeline_sync()
            self._flush()
            results: list[PGresult] = []
            fault: EngineError | None = None
            for index in range(len(commands)):
                if index == rows_of and on_rows is not None and fault is None:
                    self._pgconn.set_chunked_rows_mode(chunk)
                    result = self._rows(on_rows, on_surplus)
                else:
                    result = self._one()
                fault = fault or _fault(result)
                results.append(result)
            self._end()
        if fault is not None:
            raise fault
        return results

    def describe(self, text: bytes) -> Description:
        """Types of the parameters and columns of a statement, which does not run.

        Raises:
            EngineError: the server refuses it.
            SessionLostError: the connection broke.
        """
        with self._guarded():
            self._pgconn.send_prepare(b"", text)
            self._pgconn.send_describe_prepared(b"")
            self._pgconn.pipeline_sync()
            self._flush()
            parsed, described = self._one(), self._one()
            self._end()
        fault = _fault(parsed) or _fault(described)
        if fault is not None:
            raise fault
        parameters = [described.param_type(index) for index in range(described.nparams)]
        columns = [
            ((described.fname(index) or b"").decode(), described.ftype(index))
            for index in range(described.nfields)
        ]
        return Description(parameters, columns)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except psycopg.OperationalError as error:
            raise SessionLostError(str(error)) from error

    def _flush(self) -> None:
        while self._pgconn.flush():
            self._writer.poll()
            self._pgconn.consume_input()

    def _next(self) -> PGresult | None:
        while self._pgconn.is_busy():
            self._reader.poll()
            self._pgconn.consume_input()
        return self._pgconn.get_result()

    def _one(self) -> PGresult:
        """The result of one command."""
        result = self._next()
        if result is None:
            raise SessionLostError("the connection ended in the middle of a pipeline")
        if result.status in _COPIES:
            raise SessionLostError("COPY was tried")
        if result.status != ExecStatus.PIPELINE_SYNC:
            while self._next() is not None:
                pass  # the end of the command
        return result

    def _rows(self, on_rows: OnRows, on_surplus: Callable[[], None] | None) -> PGresult:
        """The last result of a command whose rows come in chunks."""
        wants_more = True
        while wants_more:
            result = self._rows_or_end()
            is_row = result.status in (ExecStatus.TUPLES_CHUNK, ExecStatus.TUPLES_OK)
            wants_more = is_row and on_rows(result) and result.status == ExecStatus.TUPLES_CHUNK
        surplus = 0
        while result.status == ExecStatus.TUPLES_CHUNK:
            surplus += 1
            if on_surplus is not None and (surplus > _SURPLUS_CHUNKS or not self._comes_soon()):
                on_surplus()
                on_surplus = None
            result = self._rows_or_end()
        while self._next() is not None:
            pass  # the end of the command
        return result

    def _rows_or_end(self) -> PGresult:
        result = self._next()
        if result is None:
            raise SessionLostError("the connection ended in the middle of rows")
        return result

    def _comes_soon(self) -> bool:
        """The next result is there within a moment."""
        while self._pgconn.is_busy():
            if not self._reader.poll(_SOON_MS):
                return False
            self._pgconn.consume_input()
        return True

    def _end(self) -> None:
        result = self._next()
        if self._pgconn.status == ConnStatus.BAD:
            raise SessionLostError("the connection is closed")
        if result is None or result.status != ExecStatus.PIPELINE_SYNC:
            raise SessionLostError("the pipeline is out of step")


def _fault(result: PGresult) -> EngineError | None:
    return EngineError(result) if result.status == ExecStatus.FATAL_ERROR else None
