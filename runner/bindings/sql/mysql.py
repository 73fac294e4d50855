"""MySQL and MariaDB: how a session is kept, and how a statement runs on it.

A call is one round trip where it can be: the time limit, START TRANSACTION, the statement and the
end of a read travel together. A session is read-only; a transaction says so again, because a
statement's own prefix or a function may turn the session's setting round. To stop a statement
takes a connection of its own, which asks first whether it reached the same server.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from runner.bindings.sql.collect import BLOCK_ROWS, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.insisting import insist
from runner.bindings.sql.mysql_connect import Address, Server, after_connect, rows_of, setup
from runner.bindings.sql.mysql_errors import (
    INTERRUPTED,
    LOST_VALUE,
    UNIQUE,
    is_loss,
    key_of,
    said,
    translated,
)
from runner.bindings.sql.mysql_packets import Field, ServerError, written
from runner.bindings.sql.mysql_prove import MysqlProver
from runner.bindings.sql.mysql_traces import NAMES_A_VIEW, Traces, words_of
from runner.bindings.sql.mysql_types import VAR_STRING, decoders, encoder, row_reader
from runner.bindings.sql.mysql_wire import (
    PING,
    QUERY,
    RESET,
    Parameter,
    Prepared,
    Rows,
    Wire,
    execution,
)
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
from runner.catalog.rendering import Key, Shapes
from runner.catalog.sources import Database
from runner.errors import BindingError, Kind, StartError

FACTS: Final = EngineFacts(splits_writes=False, seconds_between_stops=0.25, steps=True)
_CACHED_STATEMENTS: Final = 128
_BEGIN_READ: Final = QUERY + b"START TRANSACTION READ ONLY"
_BEGIN_WRITE: Final = QUERY + b"START TRANSACTION READ WRITE"
_ROLLBACK: Final = QUERY + b"ROLLBACK"
_COMMIT: Final = QUERY + b"COMMIT"
_NO_ROWS: Final = QUERY + b"SELECT 1 FROM dual WHERE 1 = 0"
"""A reset leaves the number of rows that were found; this sets it to none."""
_PROVING_MS: Final = 5000
_BATCH: Final = 64
"""Executions sent before their answers are read: more might wait for each other's readers."""
_BATCH_BYTES: Final = 64 * 1024
_COLUMNS_OF_KEY: Final = b"""SELECT DISTINCT parts FROM (
SELECT group_concat(column_name ORDER BY seq_in_index SEPARATOR ', ') AS parts
FROM information_schema.statistics
WHERE table_schema = database() AND index_name = ? AND locate(concat(' ', table_name, ' '), ?)
GROUP BY table_name) AS named"""


class MysqlSession:
    """One connection."""

    def __init__(
        self, wire: Wire, server: Server, *, commands: Sequence[bytes], address: Address
    ) -> None:
        """`commands` make the session what it is, now and after each reset.

        Raises:
            ServerError: the server refuses one; `command` says which.
        """
        self.opened_at = time.monotonic()
        self._wire = wire
        self._server = server
        self._setup = commands
        self._address = address
        self._statements: OrderedDict[str, Prepared] = OrderedDict()
        self._limit_ms = 0
        self._pending: list[bytes] = []
        self._terms = Terms(writes=False, is_single=True, timeout_s=0)
        self._is_used = False
        """The session may hold state that outlives a transaction."""
        self._is_fresh = True
        """Nothing was asked since it was made, or made anew."""
        self._traces = Traces(self._names_a_view)
        self._guard = threading.Lock()
        """Held while the statement is stopped, and while the session goes over to another call."""
        self._is_open = False
        self._is_stopped = False
        self._was_killed = False
        self._wire.run(commands)

    def _run(self, commands: Sequence[bytes], text: str = "") -> int:
        """How many rows the commands changed; `text` is the statement's among them."""
        try:
            return sum(ended.affected for ended in self._wire.run(commands))
        except ServerError as error:
            raise self._translated(error, text) from error

    def _translated(self, error: ServerError, text: str = "") -> BindingError | SessionLostError:
        if is_loss(error):
            self._wire.is_out_of_step = True
        unique = self._columns_of_key(error, text) if error.code in UNIQUE else None
        return translated(error, unique=unique)

    def _columns_of_key(self, error: ServerError, text: str) -> str | None:
        """The columns of the key that refused; its table is one that the statement names."""
        values: list[Parameter] = [
            (VAR_STRING, written(part.encode())) for part in (key_of(error) or "", words_of(text))
        ]
        try:
            found = rows_of(self._wire, _COLUMNS_OF_KEY, values)
        except ServerError:
            return None
        return str(found[0][0]) if len(found) == 1 else None

    def _names_a_view(self, words: str) -> bool:
        told = VAR_STRING, written(words.encode(errors="replace"))
        try:
            return bool(rows_of(self._wire, NAMES_A_VIEW, [told, told])[0][0])
        except ServerError as error:
            raise self._translated(error) from error

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape with `?` for each value."""
        rendered = shapes.render(key)
        text = rendered.text(lambda _index, _bound: "?")
        prepared = self._prepared(text)
        if prepared.parameters != len(rendered.slots):
            raise refused(Kind.INVALID, reason="the text has placeholders of its own")
        if not self._terms.writes and not self._gives_rows(
            prepared, text, shapes.statement.runs_at
        ):
            raise refused(Kind.INVALID if self._terms.is_foreign else Kind.READ_ONLY)
        encoders = tuple(encoder(slot.bound.type) for slot in rendered.slots)
        return Ready(text, rendered.slots, encoders, simple_names(rendered.slots))

    def _gives_rows(self, prepared: Prepared, text: str, runs_at: int | None) -> bool:
        """The statement has columns, and so has the one that it runs to explain it."""
        if not prepared.fields or runs_at is None:
            return bool(prepared.fields)
        try:
            inner = self._wire.prepare(text[runs_at:].encode())
        except ServerError as error:
            raise self._translated(error) from error
        self._wire.forget(inner)
        return bool(inner.fields)

    def adopt(self, text: str, count: int) -> Ready:
        """A text with `?`."""
        prepared = self._prepared(text)
        if prepared.parameters != count:
            raise refused(Kind.INVALID, reason=f"{prepared.parameters} parameters, {count} values")
        return Ready(text, (), (encoder(""),) * count)

    def _prepared(self, text: str) -> Prepared:
        """The statement as this connection has it."""
        prepared = self._statements.get(text)
        if prepared is not None:
            self._statements.move_to_end(text)
            return prepared
        if self._terms.writes and self._pending:
            self._run(self._take_pending())  # a read-only session refuses to prepare a change
        try:
            prepared = self._wire.prepare(text.encode())
        except ServerError as error:
            raise self._translated(error) from error
        except UnicodeEncodeError as error:
            raise refused(Kind.INVALID, reason=str(error)) from error
        if len(self._statements) >= _CACHED_STATEMENTS:
            self._wire.forget(self._statements.popitem(last=False)[1])
        self._statements[text] = prepared
        return prepared

    def begin(self, terms: Terms) -> None:
        """Notes how the transaction begins; it travels with the first statement."""
        self._terms = terms
        self._is_used = terms.writes or terms.is_foreign
        if terms.is_foreign and not self._is_fresh:
            self._make_anew()
        with self._guard:
            self._is_open, self._is_stopped, self._was_killed = True, False, False
        self._pending = [self._writable(), _BEGIN_WRITE] if terms.writes else [_BEGIN_READ]

    def _writable(self) -> bytes:
        """Lets the session write until it is reset.

        A definition commits by itself; what follows it begins a transaction nonetheless.
        """
        name = b"tx_read_only" if self._server.is_mariadb else b"transaction_read_only"
        return QUERY + b"SET SESSION autocommit=0, " + name + b"=0"

    def _limit(self, limit_ms: int) -> bytes:
        """MariaDB limits every statement, MySQL only queries."""
        if self._server.is_mariadb:
            return QUERY + f"SET SESSION max_statement_time={limit_ms / 1000:.3f}".encode()
        return QUERY + f"SET SESSION max_execution_time={limit_ms}".encode()

    def _take_pending(self) -> list[bytes]:
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        pending, self._pending = self._pending, []
        limit_ms = max(int(self._terms.timeout_s * 1000), 1)
        if limit_ms != self._limit_ms:
            self._limit_ms = limit_ms
            pending.insert(0, self._limit(limit_ms))
        return pending

    def _execution(self, ready: Ready, values: Sequence[object]) -> bytes:
        command = execution(self._prepared(ready.text), values)  # type: ignore[arg-type]  # encoded
        if len(command) > self._server.max_packet_bytes:
            raise refused(Kind.TOO_LARGE)
        self._is_fresh = False
        return command

    def _is_at_hand(self, text: str) -> bool:
        """The statement can be sent at once: it is prepared, and known to leave nothing."""
        if text not in self._statements:
            return False
        return self._is_used or (self._traces.is_known(text) and not self._traces.leaves(text))

    def _expect_traces(self, text: str) -> None:
        """Where a read may leave something behind, it does not find what others left either."""
        if self._is_used or not self._traces.leaves(text):
            return
        self._is_used = True
        if not (self._is_fresh or self._wire.is_in_transaction):
            self._make_anew()

    def _make_anew(self) -> None:
        """Forgets all that a session may hold."""
        self._statements.clear()
        self._limit_ms = 0
        self._insist([RESET, *self._setup, _NO_ROWS])
        self._is_fresh = True

    def fileno(self) -> int:
        """What the event loop watches."""
        return self._wire.fileno()

    def cut(self) -> None:
        """Ends the connection under what waits for it."""
        end_connection(self._wire.fileno())

    def wait(self, awaited: Wait) -> None:
        """Blocks until it is there."""
        self._wire.wait(awaited)

    @property
    def is_clean(self) -> bool:
        """No transaction is open, nothing has to be forgotten, and no kill is on its way."""
        return not (self._is_used or self._was_killed or self._wire.is_in_transaction)

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Takes the rows in blocks; what is not wanted is cut off or thrown away as it comes."""
        drain(self.query_steps(ready, values, sink), self.wait)

    def query_steps(self, ready: Ready, values: Sequence[object], sink: Sink) -> Steps[None]:
        """As `query`."""
        if not self._is_at_hand(ready.text):
            yield Wait.THREAD
            self._expect_traces(ready.text)
        command = self._execution(ready, values)
        commands = self._take_pending()
        position = len(commands)
        commands.append(command)
        if self._terms.is_single and not self._terms.writes:
            commands.append(_ROLLBACK)
        reception = _Reception(sink, self._kill)
        rows = Rows(
            reception.start,
            reception.take,
            block=min(sink.wanted, BLOCK_ROWS),
            cut=None if self._terms.writes else reception.cut,
        )
        try:
            ended = yield from self._wire.steps(commands, rows=rows, rows_of=position)
            if ended[position].warnings:
                yield Wait.THREAD
                self._refuse_losses()
        except ServerError as error:
            yield Wait.THREAD
            if not (reception.was_cut and error.code == INTERRUPTED):
                raise self._translated(error, ready.text) from error
        self._finish(reception)

    def _finish(self, reception: "_Reception") -> None:
        """Clears what a cut left behind, and raises what went wrong with the rows."""
        if reception.was_cut:
            self._absorb()
        if reception.fault is not None:
            raise reception.fault

    def _refuse_losses(self) -> None:
        """Nothing, where the warnings of the last statement tell of no value that was too large:
        the server puts NULL in its place."""
        for _level, code, message in rows_of(self._wire, b"SHOW WARNINGS"):
            if code == LOST_VALUE:
                raise ServerError(LOST_VALUE, str(message))

    def _absorb(self) -> None:
        """Lets a late kill hit a command of no consequence."""
        self._insist([PING])

    def change(self, ready: Ready, values: Sequence[object]) -> int:
        """Runs it; how many rows it matched."""
        command = self._execution(ready, values)
        return self._run([*self._take_pending(), command], ready.text)

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int:
        """Sends some executions at once, then reads their answers."""
        changed, size = 0, 0
        self._prepared(ready.text)  # may begin the transaction, so that nothing is pending then
        commands = self._take_pending()
        for number, bound in enumerate(values, 1):
            commands.append(self._execution(ready, bound))
            size += len(commands[-1])
            if number == len(values) or len(commands) >= _BATCH or size > _BATCH_BYTES:
                changed += self._run(commands, ready.text)
                commands, size = self._take_pending(), 0
        return changed

    def commit(self) -> None:
        """Commits."""
        self._pending = []
        if self._is_stopped:  # an engine may end a statement early without a word
            raise refused(Kind.CANCELLED)
        if self._wire.is_in_transaction:
            self._run([_COMMIT])

    def rollback(self) -> None:
        """Rolls back what is open; what may outlive a transaction is forgotten."""
        self._pending = []
        if self._wire.is_in_transaction:
            self._insist([_ROLLBACK])
        if self._is_used:
            self._is_used = False
            self._make_anew()
        with self._guard:
            self._is_open = False
        if self._was_killed:
            self._absorb()

    def _insist(self, commands: Sequence[bytes]) -> None:
        def run() -> None:
            try:
                self._wire.run(commands)
            except ServerError as error:
                if is_loss(error):
                    raise SessionLostError(str(error)) from error
                raise

        insist(run, ServerError)

    def stop(self) -> None:
        """Has the server stop what runs; between two statements, the next does not start.

        Never after `rollback`: what runs then is another call's.
        """
        with self._guard:
            if self._is_open:
                self._is_stopped = True
                self._kill()

    def _kill(self) -> None:
        self._was_killed = True
        with suppress(StartError):  # it is asked again while the statement goes on
            self._address.connect(self._kill_from)

    def _kill_from(self, wire: Wire, server: Server) -> None:
        if server.identity == self._server.identity:
            wire.run([QUERY + f"KILL QUERY {self._server.connection_id}".encode()])
        wire.close()

    def prover(self) -> MysqlProver:
        """Describes on this connection."""
        return MysqlProver(self._wire, limit=self._limit(_PROVING_MS), writable=self._writable())

    def close(self) -> None:
        """Closes it; the server rolls back what is open."""
        self._wire.close()


class _Reception:
    """Turns packets into rows for a sink."""

    def __init__(self, sink: Sink, kill: Callable[[], None]) -> None:
        self._sink = sink
        self._kill = kill
        self._read: Callable[[bytes], list[object]] = row_reader(())
        self.was_cut = False
        self.fault: BindingError | None = None

    def start(self, fields: tuple[Field, ...]) -> None:
        """Tells the sink the columns; a fault is kept, for all that was sent must be read first."""
        self._read = row_reader(fields)
        try:
            self._sink.start([field.name for field in fields], decoders(fields))
        except BindingError as error:
            self.fault = error

    def take(self, packets: Sequence[bytes]) -> bool:
        """Takes some rows; a fault is kept."""
        if self.fault is None:
            try:
                return self._sink.add([self._read(packet) for packet in packets])
            except BindingError as error:
                self.fault = error
        return False

    def cut(self) -> None:
        self.was_cut = True
        self._kill()


class MysqlEngine:
    """One database of MySQL or MariaDB."""

    facts = FACTS

    def __init__(self, database: Database) -> None:
        self._address = Address(database)
        self._database = database

    def open_session(self, *, writes: bool) -> MysqlSession:
        """A connection whose transactions read only unless they say otherwise."""
        del writes  # decided by each transaction
        return self._address.connect(self._session)

    def _session(self, wire: Wire, server: Server) -> MysqlSession:
        commands = setup(self._database, server)
        try:
            return MysqlSession(wire, server, commands=commands, address=self._address)
        except ServerError as error:
            index = error.command - len(commands) + after_connect(self._database)
            if index not in range(len(self._database.connect)):
                raise
            raise connect_fault(self._database, ConnectError(index, said(error))) from error

    def close(self) -> None:
        """Nothing is shared that needs it."""
