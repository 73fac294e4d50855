"""SQLite: how a connection is opened and kept, and how a statement runs on it.

A reading connection is `query_only` and guarded by an authorizer; a writing one takes the write
lock at its start (`BEGIN IMMEDIATE`), so that it never fails half-way for want of it. In-memory
databases are shared by all connections of the process.
"""

import sqlite3
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from datetime import time as clock
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Final

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from runner.bindings.sql.collect import BLOCK_ROWS, Cell, Sink
from runner.bindings.sql.connect_fault import ConnectError, connect_fault
from runner.bindings.sql.create import create_file, run_scripts
from runner.bindings.sql.session import EngineFacts, Ready, SessionLostError, Terms, simple_names
from runner.bindings.sql.sqlite_errors import is_busy, no_value, translated
from runner.bindings.sql.sqlite_functions import BoundedFunctions
from runner.bindings.sql.sqlite_guard import authorize_reading, authorize_writing
from runner.bindings.sql.sqlite_prove import SqliteProver
from runner.bindings.sql.wording import refused
from runner.catalog.rendering import Key, Shapes
from runner.catalog.sources import Create, Database
from runner.codec.json import encode
from runner.codec.values import plain
from runner.errors import BindingError, Kind, StartError

FACTS: Final = EngineFacts(
    splits_writes=True, seconds_between_stops=0.02, splits_foreign=True, stops_of_reads=26
)
"""A read that half a second of stops does not reach is given up: SQLite hears them between its
instructions alone, and one call of a function is one instruction."""
PATTERN_BYTES: Final = 1000
"""Of LIKE and GLOB; the time of a match grows with the pattern times the text."""
_CACHED_STATEMENTS: Final = 512
_OWN_VALUE_BYTES: Final = 1_000_000_000
"""What SQLite allows."""
_FOREIGN_VALUE_BYTES: Final = 2 * 1024 * 1024
"""For a value in a client's statement: one function call may make it, and nothing stops that."""
_NO_DECODERS: Final[Mapping[int, Cell]] = {}
_TOLERANT_TEXT = partial(str, encoding="utf-8", errors="replace")
_AS_IT_IS: Final = frozenset((str, int, float, bool, NoneType, bytes))
_UNDECODABLE: Final = "Could not decode to UTF-8"
_READ_SCHEMA: Final = "SELECT 1 FROM sqlite_master LIMIT 1"
"""Makes SQLite read a schema that another process changed. Otherwise the first statement of the
transaction would, and if that fires a trigger on a full-text table, it finds no content table."""


def bind(value: object) -> object:
    """A checked value as SQLite stores it; Decimals as numbers where that is exact."""
    if value.__class__ in _AS_IT_IS:
        return value
    match value:
        case str() | int() | float() | bytes():
            return value
        case Decimal():
            return _bind_decimal(value)
        case dict() | list() | tuple():
            return encode(plain(value)).decode()
        case uuid.UUID():
            return str(value)
        case datetime() | date() | clock():
            return value.isoformat()
    raise ValueError(f"no rule to bind a '{type(value).__name__}'")


def _bind_decimal(value: Decimal) -> object:
    if value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    as_float = float(value)
    return as_float if Decimal(repr(as_float)) == value else format(value, "f")


class SqliteSession:
    """One SQLite connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        writes: bool,
        own_value_bytes: int = _OWN_VALUE_BYTES,
    ) -> None:
        self.opened_at = time.monotonic()
        self.connection = connection
        self._writes = writes
        self._is_stopped = False
        self._own_value_bytes = own_value_bytes
        self._value_bytes = _OWN_VALUE_BYTES
        self._functions: BoundedFunctions | None = None

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape with `?` for each value."""
        rendered = shapes.render(key)
        text = rendered.text(lambda _index, bound: _placeholder(bound.cast))
        encoders = (bind,) * len(rendered.slots)
        return Ready(text, rendered.slots, encoders, simple_names(rendered.slots))

    def adopt(self, text: str, count: int) -> Ready:
        """A text with `?`."""
        return Ready(text, (), (bind,) * count)

    def begin(self, terms: Terms) -> None:
        """A writing transaction locks at once; a single read is its own transaction."""
        self._is_stopped = False
        self._limit_values(_FOREIGN_VALUE_BYTES if terms.is_foreign else self._own_value_bytes)
        if terms.is_foreign and self._functions is None:
            self._functions = BoundedFunctions(
                self.connection,
                value_bytes=_FOREIGN_VALUE_BYTES,
                is_stopped=lambda: self._is_stopped,
            )
        if terms.writes:
            self._execute("BEGIN IMMEDIATE", ())
            self._execute(_READ_SCHEMA, ())
        elif not terms.is_single:
            self._execute("BEGIN", ())

    def _limit_values(self, size: int) -> None:
        if size != self._value_bytes:
            self._value_bytes = size
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size)

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Fetches in blocks; text that is not UTF-8 is read again with replacements."""
        try:
            self._fetch(ready, values, sink)
        except (UnicodeEncodeError, OverflowError) as error:
            raise no_value(error) from error
        except sqlite3.OperationalError as error:
            if self._writes or not str(error).startswith(_UNDECODABLE):
                raise self._translated(error) from error
            self._query_tolerantly(ready, values, sink)
        except sqlite3.Error as error:
            raise translated(error) from error

    def _translated(self, error: sqlite3.Error) -> BindingError:
        fault = None if self._functions is None else self._functions.take_fault()
        return translated(error) if fault is None else fault

    def _query_tolerantly(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        self.connection.text_factory = _TOLERANT_TEXT
        sink.has_replacements = True
        try:
            self._fetch(ready, values, sink)
        except sqlite3.Error as error:
            raise self._translated(error) from error
        finally:
            self.connection.text_factory = str

    def _fetch(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        cursor = self._start(ready.text, values)
        sink.start([entry[0] for entry in cursor.description or ()], _NO_DECODERS)
        wants_more = True
        while wants_more:
            size = min(sink.wanted, BLOCK_ROWS)
            rows = cursor.fetchmany(size)
            wants_more = sink.add(rows) and len(rows) == size
        cursor.close()

    def _start(self, text: str, values: Sequence[object]) -> sqlite3.Cursor:
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        return self.connection.execute(text, values)

    def _execute(self, text: str, values: Sequence[object]) -> int:
        try:
            return self._start(text, values).rowcount
        except (UnicodeEncodeError, OverflowError) as error:
            raise no_value(error) from error
        except sqlite3.Error as error:
            raise translated(error) from error

    def change(self, ready: Ready, values: Sequence[object]) -> int:
        """Runs it; -1 of the driver (no row count) is 0."""
        return max(self._execute(ready.text, values), 0)

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int:
        """One `executemany`."""
        if self._is_stopped:
            raise refused(Kind.CANCELLED)
        try:
            return max(self.connection.executemany(ready.text, values).rowcount, 0)
        except (UnicodeEncodeError, OverflowError) as error:
            raise no_value(error) from error
        except sqlite3.Error as error:
            raise translated(error) from error

    def commit(self) -> None:
        """Commits; a deferred foreign key may refuse here."""
        if self.connection.in_transaction:
            self._execute("COMMIT", ())

    def rollback(self) -> None:
        """Rolls back what is open."""
        try:
            if self.connection.in_transaction:
                self.connection.rollback()
        except sqlite3.Error as error:
            raise SessionLostError(str(error)) from error

    def stop(self) -> None:
        """Interrupts what runs; between two statements, the next one does not start."""
        self._is_stopped = True
        self.connection.interrupt()

    def prover(self) -> SqliteProver:
        """Describes on this connection."""
        return SqliteProver(self.connection)

    def close(self) -> None:
        """Closes it; an open transaction is rolled back by SQLite."""
        self.connection.close()
        if self._functions is not None:
            self._functions.close()


def _placeholder(cast: str) -> str:
    return f"CAST(? AS {cast})" if cast else "?"


class SqliteEngine:
    """One SQLite database: a file, or a memory that all its sessions share."""

    facts = FACTS

    def __init__(self, database: Database) -> None:
        self._database = database
        url = make_url(database.url.reveal()).set(drivername="sqlite")
        engine = create_engine(url)
        self._anchor: sqlite3.Connection | None = None
        self._path: Path | None = None
        name = url.database or ":memory:"
        self._is_memory = name == ":memory:"
        if self._is_memory:
            self._uri = f"file:/mcp-run-{uuid.uuid4().hex}?vfs=memdb"
            self._anchor = self._connect()
        elif name.startswith("file:"):
            self._uri = str(engine.dialect.create_connect_args(engine.url)[0][0])
        else:
            self._path = Path(name).absolute()
            self._uri = f"{self._path.as_uri()}?mode=rw"
        if database.create is not None:
            self._create(database.create)

    def _create(self, create: Create) -> None:
        if self._anchor is not None:
            try:
                run_scripts(self._anchor, create, source=self._database.name)
            except StartError:
                self._anchor.close()  # nobody gets the engine that would close it
                raise
        elif self._path is not None:
            create_file(self._path, create, source=self._database.name)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._uri,
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=self._database.pool_wait_s,
            cached_statements=_CACHED_STATEMENTS,
        )

    def open_session(self, *, writes: bool) -> SqliteSession:
        """A connection set up for reading only, or for writing."""
        return SqliteSession(self.open_connection(writes=writes), writes=writes)

    @property
    def is_private(self) -> bool:
        """Its connections share nothing but the file, and are as we set them up."""
        return "cache=shared" not in self._uri and not self._database.connect

    def open_connection(self, *, writes: bool, waits: bool = True) -> sqlite3.Connection:
        """A connection of the driver, set up for reading only, or for writing; `waits` for locks.

        Raises:
            StartError, BindingError: as `open_session`.
        """
        try:
            connection = self._connect()
        except sqlite3.Error as error:
            raise self._start_error(error) from error
        try:
            self._set_up(connection, writes=writes, waits=waits)
        except StartError:
            connection.close()
            raise
        except ConnectError as error:
            connection.close()
            raise connect_fault(self._database, error) from error
        except sqlite3.Error as error:
            connection.close()
            if writes and is_busy(error):  # the journal's mode changes under a lock
                raise translated(error) from error
            raise self._start_error(error) from error
        return connection

    def _read_head(self, connection: sqlite3.Connection) -> None:
        """Has SQLite itself look whether the file is a database.

        It must not be opened by anybody else in this process: closing it again would take away the
        locks of every connection that is open here, as POSIX has it.

        Raises:
            StartError: it is none.
        """
        try:
            connection.execute("PRAGMA schema_version").fetchall()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
                message = f"database '{self._database.name}': no SQLite file '{self._path}'"
                raise StartError(message) from error

    def _set_up(self, connection: sqlite3.Connection, *, writes: bool, waits: bool) -> None:
        self._read_head(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        if not waits:
            connection.execute("PRAGMA busy_timeout = 0").close()
        for index, statement in enumerate(self._database.connect):
            try:
                connection.execute(statement).close()
            except (sqlite3.Error, sqlite3.Warning) as error:
                if isinstance(error, sqlite3.Error) and is_busy(error):
                    raise
                raise ConnectError(index, str(error)) from error
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES)
        if writes:
            if not self._is_memory:
                connection.execute("PRAGMA journal_mode = WAL").close()
                connection.execute("PRAGMA synchronous = NORMAL")
            connection.text_factory = _TOLERANT_TEXT
            connection.set_authorizer(authorize_writing)
        else:
            connection.execute("PRAGMA query_only = ON")
            connection.set_authorizer(authorize_reading)

    def _start_error(self, error: sqlite3.Error) -> StartError:
        name = self._database.name
        if self._path is not None and not self._path.exists():
            hint = f"create it, or give 'databases.{name}.create'"
            return StartError(f"database '{name}': no file '{self._path}'", hint=hint)
        return StartError(f"database '{name}': cannot be opened: {error}")

    def close(self) -> None:
        """Lets the memory go."""
        if self._anchor is not None:
            self._anchor.close()
