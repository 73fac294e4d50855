"""DuckDB: how a connection is made and kept, and how a statement runs on it.

All sessions of a file are connections of one instance. A read runs in a read-only transaction of
its own and leaves the engine as it is computed, a writing transaction waits for no other: writes
have one thread, so that they follow each other and never conflict within the process.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import duckdb
from sqlalchemy import make_url

from runner.bindings.sql.collect import BLOCK_ROWS, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.create import create_file
from runner.bindings.sql.duckdb_create import build, run_scripts
from runner.bindings.sql.duckdb_describe import AskError, Described, Describer
from runner.bindings.sql.duckdb_errors import Told, is_busy, is_over, translated
from runner.bindings.sql.duckdb_guard import StatementKind, tells
from runner.bindings.sql.duckdb_instance import (
    Instance,
    NoDatabaseError,
    OtherSetupError,
    Setup,
    open_instance,
    release,
)
from runner.bindings.sql.duckdb_prove import DuckdbProver
from runner.bindings.sql.duckdb_select import Columns, Selected, columns_of, fetch, selected
from runner.bindings.sql.duckdb_types import bind, encoder
from runner.bindings.sql.insisting import insist
from runner.bindings.sql.session import EngineFacts, Ready, SessionLostError, Terms, simple_names
from runner.bindings.sql.wording import refused
from runner.catalog.rendering import Key, Shapes
from runner.catalog.sources import Create, Database
from runner.errors import Kind, StartError

FACTS: Final = EngineFacts(splits_writes=True, seconds_between_stops=0.02, stops_of_reads=26)
_BEGIN_READ: Final = "BEGIN TRANSACTION READ ONLY"
_BEGIN_WRITE: Final = "BEGIN TRANSACTION"
_TIMES: Final = 3
_FORMS: Final = 8
"""Kept of one statement."""
_OTHERS: Final = 3
"""Connections beside the pool: the one that writes, the one that proves, the first to be opened."""


@dataclass(frozen=True, slots=True)
class DuckdbReady(Ready):
    """A shape as DuckDB runs it; its columns are looked at again at each run."""

    kind: StatementKind = "query"
    columns: Columns = ()
    """As described, with values that may not be those of a run."""
    forms: dict[Columns, Selected] = field(default_factory=dict)
    """How it runs by the columns that it had; the last one is tried first."""

    @property
    def runs_whole(self) -> bool:
        """It changes something, so that it must end although no more rows are wanted."""
        return self.kind == "change"


class DuckdbSession:
    """One DuckDB connection."""

    def __init__(self, instance: Instance, *, writes: bool) -> None:
        self.opened_at = time.monotonic()
        self._instance = instance
        self._connection = instance.take()
        self._writes = writes
        self._is_stopped = False
        self._is_open = False
        """A transaction is."""
        self._is_foreign = False
        self._describer = Describer(self._connection)
        begin = _BEGIN_WRITE if writes else _BEGIN_READ
        self._begin, self._rollback = (
            self._connection.extract_statements(text)[0] for text in (begin, "ROLLBACK")
        )

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape with `$n`, casts where the engine cannot infer, columns cast where the driver
        would round."""
        rendered = shapes.render(key)
        if self._is_foreign and tells("".join(rendered.texts)):
            raise refused(Kind.INVALID, reason="the statement asks where files lie")
        try:
            described = self._describer.rendered(rendered, writes=self._writes)
        except AskError as asked:
            raise translated(asked.error, asked.text, prefix=asked.prefix) from asked
        encoders = tuple(encoder(slot.bound.type) for slot in rendered.slots)
        return self._ready(
            described, Ready("", rendered.slots, encoders, simple_names(rendered.slots))
        )

    def adopt(self, text: str, count: int) -> Ready:
        """A text with `$n`."""
        try:
            described = self._describer.adopted(text, count, writes=self._writes)
        except AskError as asked:
            raise translated(asked.error, asked.text, prefix=asked.prefix) from asked
        return self._ready(described, Ready("", (), (bind,) * count))

    def _ready(self, described: Described, ready: Ready) -> DuckdbReady:
        return DuckdbReady(
            described.text,
            ready.slots,
            ready.encoders,
            ready.simple_names,
            described.kind,
            tuple(described.columns),
        )

    def _selected(
        self, ready: DuckdbReady, columns: Columns, limit: int, *, measures: bool = False
    ) -> Selected:
        """How it runs with these columns, from now on until they are others."""
        made = selected(
            self._connection,
            Described(ready.kind, ready.text, columns, {}),
            self._describer.forms(columns),
            limit=limit,
            measures=measures or self._is_foreign,
        )
        if len(ready.forms) >= _FORMS:
            ready.forms.clear()
        ready.forms[columns] = made
        return made

    def begin(self, terms: Terms) -> None:
        """A reading transaction is read-only; a single read of a file that is open read-only has
        no need of one, which costs half as much again."""
        self._is_stopped = False
        self._is_foreign = terms.is_foreign
        if terms.is_single and self._instance.setup.is_read_only:
            return
        self._run(lambda: self._connection.execute(self._begin))
        self._is_open = True

    def _run(self, work: Callable[[], object], text: str = "") -> None:
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        try:
            work()
        except duckdb.Error as error:
            raise translated(error, text) from error

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Fetches in blocks, while the engine computes no further than a few."""
        assert isinstance(ready, DuckdbReady)  # this session's engine prepared it
        self._run(lambda: self._fetch(ready, values, sink), ready.text)

    def _fetch(self, ready: DuckdbReady, values: Sequence[object], sink: Sink) -> None:
        run = self._as_last(ready, sink.max_bytes)
        cursor, columns = self._executed(ready, run, values)
        for _ in range(_TIMES):
            if columns == run.columns:
                break
            # A table or a file is not as it was, or a value brings another type.
            last, run = run, self._as_described(ready, columns, sink.max_bytes)
            if run.text == last.text:  # it is read otherwise, and runs as it did
                break
            if ready.runs_whole:  # it did something, which is now rolled back
                raise refused(Kind.CONFLICT)
            cursor, columns = self._executed(ready, run, values)
        else:
            raise refused(Kind.CONFLICT)
        sink.start(run.names, run.cells)
        if run.names and fetch(cursor, run, sink):  # else one row says how many were changed
            self._selected(ready, columns, run.limit, measures=True)
        while ready.runs_whole and cursor.fetchmany(BLOCK_ROWS):
            pass

    def _as_last(self, ready: DuckdbReady, limit: int) -> Selected:
        last = next(reversed(ready.forms.values()), None)
        if last is not None and last.limit == limit:
            return last
        return self._selected(ready, ready.columns, limit)

    def _as_described(self, ready: DuckdbReady, columns: Columns, limit: int) -> Selected:
        known = ready.forms.pop(columns, None)
        if known is None or known.limit != limit:
            return self._selected(ready, columns, limit)
        ready.forms[columns] = known  # the last one now
        return known

    def _executed(
        self, ready: DuckdbReady, run: Selected, values: Sequence[object]
    ) -> tuple[duckdb.DuckDBPyConnection, Columns]:
        """The rows, and the columns that they have now."""
        try:
            cursor = self._connection.execute(run.statement, values)
        except duckdb.BinderException:
            columns = self._described_anew(ready, values) if run.is_wrapped else run.columns
            if columns == run.columns:
                raise
            return self._connection, columns
        if not run.names:
            return cursor, run.columns
        return cursor, columns_of(cursor.description or (), run)

    def _described_anew(self, ready: DuckdbReady, values: Sequence[object]) -> Columns:
        """For a wrapper that names a column that is no more."""
        try:
            return tuple(self._describer.columns(ready.text, ready.kind, values))
        except AskError as asked:
            raise asked.error from asked

    def change(self, ready: Ready, values: Sequence[object]) -> int:
        """Runs it; -1 of the driver (no row count) is 0."""
        self._run(lambda: self._connection.execute(ready.text, values), ready.text)
        return max(self._connection.rowcount, 0)

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int:
        """One `executemany`."""
        self._run(lambda: self._connection.executemany(ready.text, list(values)), ready.text)
        return max(self._connection.rowcount, 0)

    def commit(self) -> None:
        """Commits; two rows of one key may be told here."""
        if self._is_open:
            self._run(self._connection.commit)
            self._is_open = False

    def rollback(self) -> None:
        """Rolls back what is open."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            insist(lambda: self._connection.execute(self._rollback), duckdb.InterruptException)
        except duckdb.Error as error:
            if not is_over(error):  # a commit that fails ends it
                raise SessionLostError(type(error).__name__) from error

    def stop(self) -> None:
        """Interrupts what runs; between two statements, the next one does not start."""
        self._is_stopped = True
        self._connection.interrupt()

    def prover(self) -> DuckdbProver:
        """Describes on this connection."""
        return DuckdbProver(self._connection)

    def close(self) -> None:
        """Gives the connection back."""
        try:
            self.rollback()
        except SessionLostError:
            self._connection.close()
        else:
            self._instance.give_back(self._connection)


class DuckdbEngine:
    """One DuckDB database: a file, or a memory that all its sessions share."""

    facts = FACTS

    def __init__(self, database: Database) -> None:
        self._database = database
        name = make_url(database.url.reveal()).database or ":memory:"
        self._path = None if name == ":memory:" else Path(name).absolute()
        self._instance: Instance | None = None
        self._opening = threading.Lock()
        """Held while the instance is opened, which the first of several threads does."""
        self._setup = Setup(
            path=None if self._path is None else str(self._path),
            is_read_only=self._path is not None and not database.is_written,
            external=tuple(database.external),
            folder=database.folder,
            connect=tuple(database.connect),
            connections=database.pool_size + _OTHERS,
        )
        if database.create is not None:
            self._create()

    def _create(self) -> None:
        create = self._database.create
        assert create is not None
        if self._path is not None:
            create_file(self._path, create, source=self._database.name, build=self._build)
            return
        self._instance = self._opened()
        try:
            run_scripts(self._instance.anchor, create, source=self._database.name)
        except StartError:
            self.close()  # nobody gets the engine that would close it
            raise

    def _build(self, path: Path, create: Create, source: str) -> None:
        build(replace(self._setup, path=str(path), is_read_only=False, connect=()), create, source)

    def open_session(self, *, writes: bool) -> DuckdbSession:
        """A connection of the one instance."""
        with self._opening:
            if self._instance is None:
                self._instance = self._opened()
        try:
            return DuckdbSession(self._instance, writes=writes)
        except ConnectError as error:
            raise connect_fault(self._database, error) from error
        except duckdb.Error as error:
            raise self._start_error(error) from error

    def _opened(self) -> Instance:
        if self._path is not None and not self._path.exists():
            raise self._missing()
        try:
            return open_instance(self._setup)
        except NoDatabaseError as error:
            hint = "CSV, JSON and Parquet files are read in place: 'duckdb://' with 'external'"
            message = f"database '{self._database.name}': no DuckDB file '{self._path}'"
            raise StartError(message, hint=hint) from error
        except OtherSetupError as error:
            message = f"database '{self._database.name}': its file is open with other settings"
            raise StartError(message, hint="restart the server") from error
        except ConnectError as error:
            raise connect_fault(self._database, error) from error
        except duckdb.Error as error:
            raise self._start_error(error) from error

    def _missing(self) -> StartError:
        name = self._database.name
        hint = f"create it, or give 'databases.{name}.create'"
        return StartError(f"database '{name}': no file '{self._path}'", hint=hint)

    def _start_error(self, error: duckdb.Error) -> StartError:
        name = self._database.name
        if is_busy(error):
            hint = "DuckDB lets one process write to a file, or several read it: end the other one"
            message = f"database '{name}': another process has '{self._path}' open"
            return StartError(message, hint=hint)
        return StartError(f"database '{name}': cannot be opened: {Told(error).first_line}")

    def close(self) -> None:
        """Lets the instance go, if nobody else uses it."""
        if self._instance is not None:
            release(self._instance)
            self._instance = None
