"""PostgreSQL: how a session is kept, and how a statement runs on it.

A call is one round trip where it can be: BEGIN, the settings of the transaction, the statement and
the end of a read travel together. Setting the time limit takes the transaction's snapshot, after
which the server lets nobody turn a read-only transaction into a writing one.
"""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import adapt
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.array import register_array

from runner.bindings.sql.collect import BLOCK_ROWS, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.insisting import insist
from runner.bindings.sql.postgres_connect import Address, pins
from runner.bindings.sql.postgres_describe import Describer, Known
from runner.bindings.sql.postgres_errors import STOPPED, EngineError, translated
from runner.bindings.sql.postgres_prove import PostgresProver
from runner.bindings.sql.postgres_reception import Reception
from runner.bindings.sql.postgres_types import adapters, encoder
from runner.bindings.sql.postgres_wire import MOST_BYTES, Command, FloodError, Wire
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
_BYTES_PER_BUDGET: Final = 4
"""Of what the server sends for a row, at most, a byte of the budget of its result."""


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
        self._is_spent = False
        """It is closed, and nothing is left to be ended."""
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
        except FloodError as error:
            self._spend()
            raise error.as_error() from error

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
        return self._is_spent or not (self._is_used or self._wire.is_in_transaction)

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
        reception = Reception(self._transformer, sink, self._describer.known.arrays, self._cancel)
        is_alone = self._takes_singly(ready)
        try:
            results = yield from self._wire.steps(
                commands,
                rows_of=position,
                chunk=1 if is_alone else min(sink.wanted, BLOCK_ROWS),
                most=max(MOST_BYTES, sink.max_bytes * _BYTES_PER_BUDGET),
                on_rows=reception.take,
                on_surplus=reception.cut if ends else None,
            )
        except EngineError as error:
            self._end_fault(reception, error)
            results = []
        except FloodError as error:
            self._spend()
            self._end_flood(reception, sink, None if is_alone else ready.text, error)
            results = []
        reception.end()
        if results and results[position].status == ExecStatus.EMPTY_QUERY:
            raise refused(Kind.INVALID)

    def _takes_singly(self, ready: Ready) -> bool:
        """Each row is a chunk: rows that are too large together cannot be asked for again."""
        return self._terms.writes or ready.text in self._describer.known.large

    def _end_fault(self, reception: Reception, error: EngineError) -> None:
        """Our own stop, after enough rows, is none."""
        if not (reception.was_cut and error.sqlstate == STOPPED):
            raise self._translated(error) from error

    def _end_flood(
        self, reception: Reception, sink: Sink, repeated: str | None, error: FloodError
    ) -> None:
        """What came is enough, or one row is too large, or the rows of the statement `repeated` are
        asked for again, one by one."""
        if not reception.is_over:
            if repeated is not None:
                self._describer.known.large.add(repeated)
                raise error
            sink.overflow()
        if self._terms.writes or not self._terms.is_single:
            raise error.as_error() from error

    def _spend(self) -> None:
        """Closes the connection; the next call opens another."""
        self._is_spent = True
        self.opened_at = -math.inf
        self._connection.close()

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
        if self._wire.peak > MOST_BYTES:
            self._spend()
        if self._is_spent:
            return
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
