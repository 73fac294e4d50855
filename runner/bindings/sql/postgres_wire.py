"""libpq's pipeline: several commands in one round trip, results in chunks.

The extended protocol alone is spoken, so that one text is one statement. Everything between two
synchronisation points fails or succeeds together. Never blocks but in `wait`.
"""

import select
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, NamedTuple

import psycopg
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

from runner.bindings.sql.postgres_errors import EngineError
from runner.bindings.sql.postgres_meter import Meter
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.steps import Steps, Wait, drain
from runner.errors import BindingError, Kind

_COPIES: Final = (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH)
_SURPLUS_CHUNKS: Final = 8
"""Chunks that are cheaper to throw away than to stop: a stop needs a connection of its own."""
_SOON_MS: Final = 20
MOST_BYTES: Final = 8 * 1024 * 1024
"""Of one result that is no row, such as an error that quotes a value."""
_LOOP_BYTES: Final = 256 * 1024
"""Beyond, a thread reads on: libpq takes all that comes at once, however much that is."""
OnRows = Callable[[PGresult, int], bool]
"""Takes a chunk of rows, for which at least so many bytes came; whether more are wanted."""


class FloodError(SessionLostError):
    """More bytes came for one result than are wanted; they were not read to their end."""

    def as_error(self) -> BindingError:
        """What the client is told."""
        return BindingError(Kind.TOO_LARGE, str(self))


class Command(NamedTuple):
    """One command of a pipeline."""

    text: bytes
    values: Sequence[bytes | None] = ()


class Description(NamedTuple):
    """What the server says of a statement that it has parsed."""

    parameters: Sequence[int]
    columns: Sequence[tuple[str, int]]
    origins: Sequence[tuple[int, int]] = ()
    """One a column: the table and the number in it; zeros for what is computed."""


class _Translated:
    """Tells a broken connection; a generator for this would cost as much as a command."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if isinstance(error, psycopg.OperationalError):
            raise SessionLostError(str(error)) from error


_TRANSLATED: Final = _Translated()


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
        self.ends_at: float | None = None
        """On the monotonic clock: nothing is waited for longer."""
        self._meter = Meter(self._pgconn.socket)
        self._most = MOST_BYTES
        self._received = 0
        self._is_fresh = True
        """Nothing was read since the last synchronisation: libpq's buffer is as it was then."""
        self.peak = 0
        """Bytes of the largest result; libpq keeps a buffer for the largest row that ever came."""

    @property
    def is_in_transaction(self) -> bool:
        """A transaction is open, or has failed and waits for its end."""
        return self._pgconn.transaction_status != TransactionStatus.IDLE

    def fileno(self) -> int:
        """What the event loop watches."""
        return self._pgconn.socket

    def wait(self, awaited: Wait) -> None:
        """Blocks until it is there; in a thread, a thread is.

        Raises:
            SessionLostError: it is not there at `ends_at`.
        """
        if awaited is Wait.THREAD:
            return
        poll = self._reader if awaited is Wait.READ else self._writer
        left_ms = None
        if self.ends_at is not None:
            left_ms = max(self.ends_at - time.monotonic(), 0) * 1000
        if not poll.poll(left_ms):
            raise SessionLostError("the server did not answer in time")

    def run(self, commands: Sequence[Command]) -> list[PGresult]:
        """The results of the commands.

        Raises:
            EngineError: the first that failed.
            SessionLostError: the connection broke.
        """
        return drain(self.steps(commands), self.wait)

    def steps(
        self,
        commands: Sequence[Command],
        *,
        rows_of: int | None = None,
        chunk: int = 0,
        most: int = MOST_BYTES,
        on_rows: OnRows | None = None,
        on_surplus: Callable[[], None] | None = None,
    ) -> Steps[list[PGresult]]:
        """The results of the commands; the rows of one may go to `on_rows` in chunks.

        `most` is how many bytes a chunk may have. `on_surplus` is called once, to stop the
        statement, where many rows follow that are not wanted; without it they are thrown away as
        they come.

        Raises:
            EngineError: the first that failed.
            FloodError: a result is too large; the connection is of no use.
            SessionLostError: the connection broke.
        """
        with _TRANSLATED:
            for command in commands:
                self._pgconn.send_query_params(command.text, list(command.values))
            self._pgconn.pipeline_sync()
            yield from self._flush()
            results: list[PGresult] = []
            fault: EngineError | None = None
            for index in range(len(commands)):
                if index == rows_of and on_rows is not None and fault is None:
                    self._pgconn.set_chunked_rows_mode(chunk)
                    self._most = most
                    result = yield from self._rows(on_rows, on_surplus)
                    self._most = MOST_BYTES
                else:
                    result = yield from self._one()
                fault = fault or _fault(result)
                results.append(result)
            yield from self._end()
        if fault is not None:
            raise fault
        return results

    def describe(self, text: bytes) -> Description:
        """Types of the parameters and columns of a statement, which does not run.

        Raises:
            EngineError: the server refuses it.
            SessionLostError: the connection broke.
        """
        parsed, described = drain(self._descriptions(text), self.wait)
        fault = _fault(parsed) or _fault(described)
        if fault is not None:
            raise fault
        parameters = [described.param_type(index) for index in range(described.nparams)]
        columns = [
            ((described.fname(index) or b"").decode(), described.ftype(index))
            for index in range(described.nfields)
        ]
        origins = [
            (described.ftable(index), described.ftablecol(index))
            for index in range(described.nfields)
        ]
        return Description(parameters, columns, origins)

    def _descriptions(self, text: bytes) -> Steps[tuple[PGresult, PGresult]]:
        with _TRANSLATED:
            self._pgconn.send_prepare(b"", text)
            self._pgconn.send_describe_prepared(b"")
            self._pgconn.pipeline_sync()
            yield from self._flush()
            parsed = yield from self._one()
            described = yield from self._one()
            yield from self._end()
        return parsed, described

    def _flush(self) -> Steps[None]:
        self._is_fresh = True
        while self._pgconn.flush():
            yield Wait.WRITE
            self._pgconn.consume_input()

    def _next(self) -> Steps[PGresult | None]:
        pgconn = self._pgconn
        self._received = 0
        if pgconn.is_busy() and self._is_fresh:
            self._is_fresh = False
            yield Wait.READ
            pgconn.consume_input()
        if pgconn.is_busy():
            yield from self._rest()
        return pgconn.get_result()

    def _rest(self) -> Steps[None]:
        """Reads what did not come at once, and counts it: for a message that has begun libpq makes
        room, and fills all of it in one go if the server keeps up."""
        self._meter.start()
        is_long = False
        while self._pgconn.is_busy():
            yield Wait.READ
            if not is_long and self._received > _LOOP_BYTES:
                is_long = True
                yield Wait.THREAD
            self._consume()

    def _consume(self) -> None:
        self._meter.before()
        self._pgconn.consume_input()
        self._received = self._meter.after()
        self.peak = max(self.peak, self._received)
        if self._received > self._most:
            raise _flood(self._most)

    def _one(self) -> Steps[PGresult]:
        """The result of one command; most are there already, and cost no generator of their own."""
        pgconn = self._pgconn
        result = (yield from self._next()) if pgconn.is_busy() else pgconn.get_result()
        if result is None:
            raise SessionLostError("the connection ended in the middle of a pipeline")
        if result.status in _COPIES:
            raise SessionLostError("COPY was tried")
        if result.status != ExecStatus.PIPELINE_SYNC:
            yield from self._end_of_command()
        return result

    def _end_of_command(self) -> Steps[None]:
        pgconn = self._pgconn
        while ((yield from self._next()) if pgconn.is_busy() else pgconn.get_result()) is not None:
            pass

    def _rows(self, on_rows: OnRows, on_surplus: Callable[[], None] | None) -> Steps[PGresult]:
        """The last result of a command whose rows come in chunks; a thread takes all but the first,
        however many there are."""
        result = yield from self._rows_or_end()
        wants_more = self._takes(on_rows, result)
        while wants_more and result.status == ExecStatus.TUPLES_CHUNK:
            result = yield from self._rows_or_end()
            if result.status == ExecStatus.TUPLES_CHUNK:
                yield Wait.THREAD
            wants_more = self._takes(on_rows, result)
        if result.status == ExecStatus.TUPLES_CHUNK:
            yield Wait.THREAD
        surplus = 0
        while result.status == ExecStatus.TUPLES_CHUNK:
            surplus += 1
            if on_surplus is not None and (surplus > _SURPLUS_CHUNKS or not self._comes_soon()):
                on_surplus()
                on_surplus = None
            result = yield from self._rows_or_end()
        yield from self._end_of_command()
        return result

    def _takes(self, on_rows: OnRows, result: PGresult) -> bool:
        has_rows = result.status in (ExecStatus.TUPLES_CHUNK, ExecStatus.TUPLES_OK)
        return has_rows and on_rows(result, self._received)

    def _rows_or_end(self) -> Steps[PGresult]:
        result = yield from self._next()
        if result is None:
            raise SessionLostError("the connection ended in the middle of rows")
        return result

    def _comes_soon(self) -> bool:
        """The next result is there within a moment."""
        self._meter.start()
        while self._pgconn.is_busy():
            if not self._reader.poll(_SOON_MS):
                return False
            self._consume()
        return True

    def _end(self) -> Steps[None]:
        result = yield from self._next()
        if self._pgconn.status == ConnStatus.BAD:
            raise SessionLostError("the connection is closed")
        if result is None or result.status != ExecStatus.PIPELINE_SYNC:
            raise SessionLostError("the pipeline is out of step")


def _fault(result: PGresult) -> EngineError | None:
    if result.status != ExecStatus.FATAL_ERROR:
        return None
    error = EngineError(result)
    if error.size > MOST_BYTES:
        raise _flood(MOST_BYTES)
    return error


def _flood(most: int) -> FloodError:
    return FloodError(f"a result is larger than the limit of {most} bytes")
