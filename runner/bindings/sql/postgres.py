"""PostgreSQL: how a session is kept, and how a statement runs on it.

A call is one round trip where it can be: BEGIN, the settings of the transaction, the statement and
the end of a read travel together. Setting the time limit takes the transaction's snapshot, after
which the server lets nobody turn a read-only transaction into a writing one.
"""

import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol

import psycopg
from psycopg import adapt
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.array import register_array

from runner.bindings.sql.collect import BLOCK_ROWS, Cell, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.insisting import insist
from runner.bindings.sql.postgres_connect import Address, pins
from runner.bindings.sql.postgres_describe import Describer, Known
from runner.bindings.sql.postgres_errors import STOPPED, EngineError, translated
from runner.bindings.sql.postgres_prove import PostgresProver
from runner.bindings.sql.postgres_types import adapters, encoder
from runner.bindings.sql.postgres_wire import Command, Wire
from runner.bindings.sql.session import (
    EngineFacts,
    Ready,
    SessionLostError,
    Terms,
    end_connection,
    simple_names,
)
from runner.bindings.sql.steps import Steps, Wait, drain
from runner.bindings.sql.wording import refused
from runner.catalog.rendering import Key, Shapes, Slot
from runner.catalog.sources import Database
from runner.errors import BindingError, Kind

FACTS: Final = EngineFacts(splits_writes=False, seconds_between_stops=0.25, steps=True)
_CANCEL_TIMEOUT_S: Final = 2.0
_ROUNDING_S: Final = 0.01
_SET_TIMEOUT: Final = b"SELECT pg_catalog.set_config('statement_timeout', $1, true)"
_BEGIN_READ: Final = Command(b"BEGIN READ ONLY")
_BEGIN_WRITE: Final = Command(b"BEGIN READ WRITE")
_ROLLBACK: Final = Command(b"ROLLBACK")
_COMMIT: Final = Command(b"COMMIT")
_DISCARD: Final = Command(b"DISCARD ALL")
_RAW_PER_JSON: Final = 4
"""Bytes of an array as the server writes it, a byte of JSON, at most: escapes, hex digits."""
_NO_DECODERS: Final[Mapping[int, Cell]] = {}


class PostgresSession:
    """One PostgreSQL connection."""

    def __init__(
        self,
        connection: psycopg.Connection[tuple[object, ...]],
        *,
        known: Known,
        connect: Sequence[str],
        ends_at: float,
    ) -> None:
        """`connect` makes the session what it is, now until `ends_at`, and after each reset."""
        self.opened_at = time.monotonic()
        self._connection = connection
        statements = (*pins(connection), *connect)
        self._connect = tuple(Command(statement.encode()) for statement in statements)
        self._wire = Wire(connection)
        self._transformer = adapt.Transformer(connection)
        self._describer = Describer(self._wire, known)
        self._arrays_known = 0
        self._pending: list[Command] = []
        self._terms = Terms(writes=False, is_single=True, timeout_s=0)
        self._began_at = self.opened_at
        self._is_stopped = False
        self._is_used = False
        """The session may hold state that outlives a transaction."""
        self._wire.ends_at = ends_at
        first = len(self._connect) - len(connect)
        for index, command in enumerate(self._connect):
            try:
                self._wire.run([command])
            except EngineError as error:
                raise ConnectError(index - first, error.message) from error
        self._wire.ends_at = None

    def _run(self, commands: Sequence[Command]) -> list[PGresult]:
        try:
            return self._wire.run(commands)
        except EngineError as error:
            raise self._translated(error) from error

    def _translated(self, error: EngineError) -> BindingError | SessionLostError:
        """Somebody stopped the statement before its time: that is no time limit."""
        is_over = time.monotonic() - self._began_at >= self._terms.timeout_s - _ROUNDING_S
        if error.sqlstate == STOPPED and not is_over:
            return refused(Kind.CANCELLED, reason=str(error))
        return translated(error)

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape with `$n`, casts where the server cannot infer, encoders by what it infers."""
        try:
            described = self._describer.shape(shapes, key)
        except EngineError as error:
            raise self._translated(error) from error
        if not described.columns and not self._terms.writes:
            raise refused(Kind.INVALID if self._terms.is_foreign else Kind.READ_ONLY)
        return self._ready(described.text, described.slots, described.parameters)

    def adopt(self, text: str, count: int) -> Ready:
        """A text with `$n`."""
        try:
            described = self._wire.describe(text.encode())
        except EngineError as error:
            raise self._translated(error) from error
        if len(described.parameters) != count:
            raise refused(
                Kind.INVALID, reason=f"{len(described.parameters)} parameters, {count} values"
            )
        return self._ready(text, (), described.parameters)

    def _ready(self, text: str, slots: Sequence[Slot], parameters: Sequence[int]) -> Ready:
        arrays = self._describer.known.arrays
        encoders = tuple(encoder(oid, is_array=oid in arrays) for oid in parameters)
        leaves = self._leaves_traces(text)
        return Ready(text, slots, encoders, simple_names(slots), leaves_traces=leaves)

    def _leaves_traces(self, text: str) -> bool:
        if self._terms.writes or self._terms.is_foreign:
            return True  # what they leave goes in any case
        try:
            return self._describer.known.traces.leaves(text, self._wire)
        except EngineError as error:
            raise self._translated(error) from error

    def begin(self, terms: Terms) -> None:
        """Notes how the transaction begins; it travels with the first statement."""
        self._terms = terms
        self._began_at = time.monotonic()
        self._is_stopped = False
        self._is_used = terms.writes or terms.is_foreign
        limit = str(max(int(terms.timeout_s * 1000), 1)).encode()
        first = _BEGIN_WRITE if terms.writes else _BEGIN_READ
        self._pending = [first, _set_locally(limit, terms.settings)]

    def _take_pending(self) -> list[Command]:
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        pending, self._pending = self._pending, []
        return pending

    def fileno(self) -> int:
        """What the event loop watches."""
        return self._wire.fileno()

    def cut(self) -> None:
        """Ends the connection under what waits for it."""
        with suppress(psycopg.Error):  # it is closed
            end_connection(self._wire.fileno())

    def wait(self, awaited: Wait) -> None:
        """Blocks until it is there."""
        self._wire.wait(awaited)

    @property
    def is_clean(self) -> bool:
        """No transaction is open, and nothing has to be discarded."""
        return not (self._is_used or self._wire.is_in_transaction)

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Takes the rows in chunks; what is not wanted is cancelled or thrown away as it comes."""
        drain(self.query_steps(ready, values, sink), self.wait)

    def query_steps(self, ready: Ready, values: Sequence[object], sink: Sink) -> Steps[None]:
        """As `query`."""
        self._is_used |= ready.leaves_traces
        commands = self._take_pending()
        position = len(commands)
        commands.append(Command(ready.text.encode(), values))  # type: ignore[arg-type]  # encoded
        self._learn_arrays()
        ends = self._terms.is_single and not self._terms.writes
        if ends:
            commands.append(_ROLLBACK)
        arrays = self._describer.known.arrays
        reception = _Reception(self._transformer, sink, arrays, self._cancel)
        try:
            results = yield from self._wire.steps(
                commands,
                rows_of=position,
                chunk=min(sink.wanted, BLOCK_ROWS),
                on_rows=reception.take,
                on_surplus=reception.cut if ends else None,
            )
        except EngineError as error:
            if not (reception.was_cut and error.sqlstate == STOPPED):
                raise self._translated(error) from error
            results = []  # our own stop, after enough rows
        if reception.fault is not None:
            raise reception.fault
        if results and results[position].status == ExecStatus.EMPTY_QUERY:
            raise refused(Kind.INVALID)

    def _learn_arrays(self) -> None:
        """Takes over the array types that any session met since."""
        own = self._describer.known.own_arrays
        if self._arrays_known == len(own):
            return
        for info in own[self._arrays_known :]:
            register_array(info, self._connection)
        self._arrays_known = len(own)
        self._transformer = adapt.Transformer(self._connection)

    def change(self, ready: Ready, values: Sequence[object]) -> int:
        """Runs it; how many rows it changed."""
        return self.change_many(ready, [values])

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int:
        """All of them in one pipeline."""
        commands = self._take_pending()
        first = len(commands)
        text = ready.text.encode()
        commands += [Command(text, bound) for bound in values]  # type: ignore[arg-type]  # encoded
        results = self._run(commands)
        return sum(result.command_tuples or 0 for result in results[first:])

    def commit(self) -> None:
        """Commits; a deferred constraint may refuse here."""
        self._pending = []
        if self._is_stopped:  # an engine may end a statement early without a word
            raise refused(Kind.CANCELLED)
        if self._wire.is_in_transaction:
            self._run([_COMMIT])

    def rollback(self) -> None:
        """Rolls back what is open; what may outlive a transaction is discarded."""
        self._pending = []
        if self._wire.is_in_transaction:
            self._insist(_ROLLBACK)
        if self._is_used:
            self._is_used = False
            for command in (_DISCARD, *self._connect):
                self._insist(command)

    def _insist(self, command: Command) -> None:
        insist(lambda: self._wire.run([command]), EngineError)

    def stop(self) -> None:
        """Asks the server to stop what runs; between two statements, the next does not start."""
        self._is_stopped = True
        self._cancel()

    def _cancel(self) -> None:
        try:
            self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
        except psycopg.Error:
            return  # it is asked again while the statement goes on

    def prover(self) -> PostgresProver:
        """Describes on this connection."""
        return PostgresProver(self._describer)

    def close(self) -> None:
        """Closes it; the server rolls back what is open."""
        self._connection.close()


def _set_locally(limit: bytes, settings: Sequence[tuple[str, str]]) -> Command:
    """Sets the time limit and the call's own settings for this transaction."""
    if not settings:
        return Command(_SET_TIMEOUT, (limit,))
    values = [limit]
    text = _SET_TIMEOUT.decode()
    for name, value in settings:
        text += f", pg_catalog.set_config(${len(values) + 1}, ${len(values) + 2}, true)"
        values += (name.encode(), value.encode())
    return Command(text.encode(), values)


class _RowLoader(Protocol):
    """What is used of psycopg's Transformer, whose class depends on how psycopg is built."""

    def set_pgresult(self, result: PGresult | None, *, set_loaders: bool = True) -> None: ...

    def load_rows(
        self, row0: int, row1: int, make_row: Callable[[Sequence[object]], tuple[object, ...]]
    ) -> list[tuple[object, ...]]: ...


class _Reception:
    """Turns chunks into rows for a sink."""

    def __init__(
        self,
        transformer: _RowLoader,
        sink: Sink,
        arrays: Container[int],
        cancel: Callable[[], None],
    ) -> None:
        self._transformer = transformer
        self._sink = sink
        self._arrays = arrays
        self._cancel = cancel
        self._array_columns: Sequence[int] = ()
        self._is_started = False
        self.was_cut = False
        self.fault: BindingError | None = None

    def take(self, result: PGresult) -> bool:
        """Takes a chunk; a fault is kept, for the rest of the pipeline must be read first."""
        try:
            return self._take(result)
        except BindingError as error:
            self.fault = error
        except UnicodeDecodeError as error:
            self.fault = refused(Kind.INVALID, reason=str(error))
        return False

    def _take(self, result: PGresult) -> bool:
        self._transformer.set_pgresult(result, set_loaders=not self._is_started)
        if not self._is_started:
            self._is_started = True
            names = [(result.fname(i) or b"").decode() for i in range(result.nfields)]
            columns = range(result.nfields)
            self._array_columns = [i for i in columns if result.ftype(i) in self._arrays]
            self._sink.start(names, _NO_DECODERS)
        count = self._readable(result) if self._array_columns else result.ntuples
        wants_more = self._sink.add(self._transformer.load_rows(0, count, tuple))
        if wants_more and count < result.ntuples:
            self._sink.overflow()
        return wants_more and count == result.ntuples

    def _readable(self, result: PGresult) -> int:
        """How many rows come before one whose arrays are too large, which take seconds to read."""
        limit = self._sink.max_bytes * _RAW_PER_JSON
        for row in range(result.ntuples):
            cells = (result.get_value(row, column) for column in self._array_columns)
            if sum(len(cell or b"") for cell in cells) > limit:
                return row
        return result.ntuples

    def cut(self) -> None:
        self.was_cut = True
        self._cancel()


class PostgresEngine:
    """One PostgreSQL database."""

    facts = FACTS

    def __init__(self, database: Database) -> None:
        self._database = database
        self._address = Address(database)
        self._known = Known(adapters())

    def open_session(self, *, writes: bool) -> PostgresSession:
        """A connection whose transactions read only unless they say otherwise."""
        del writes  # decided by each transaction
        return self._address.connect(self._session, context=self._known)

    def _session(
        self, connection: psycopg.Connection[tuple[object, ...]], ends_at: float
    ) -> PostgresSession:
        try:
            return PostgresSession(
                connection, known=self._known, connect=self._database.connect, ends_at=ends_at
            )
        except ConnectError as error:
            raise connect_fault(self._database, error) from error

    def close(self) -> None:
        """Nothing is shared that needs it."""
