"""The connection on which the event loop itself makes look-ups of SQLite.

It only reads, undoes no change that a killed writer left, waits for no lock that SQLite lets one
refuse, takes no value beyond a size, and runs a bounded number of instructions. It compiles each
statement once: if SQLite compiles it again, the schema has changed under it, and what was found out
about it is void.
"""

import os
import sqlite3
from collections.abc import Sequence
from typing import Final

from runner.bindings.sql.collect import Sink
from runner.bindings.sql.session import Ready, Session, Terms
from runner.bindings.sql.sqlite import SqliteEngine, SqliteSession
from runner.bindings.sql.sqlite_errors import translated
from runner.bindings.sql.sqlite_guard import authorize_reading
from runner.bindings.sql.sqlite_program import runs_once
from runner.bindings.sql.wording import refused
from runner.errors import Kind

VALUE_BYTES: Final = 64 * 1024
"""Of a value; a larger one takes a time that the event loop would feel."""
STEPS: Final = 500
"""The progress handler is called each time that a statement has run so many instructions more, all
its runs together; the second call in one look-up ends it. A look-up runs some fifty."""
_READ_SCHEMA: Final = "SELECT 1 FROM sqlite_master LIMIT 1"
"""Reads the schema, and recovers a journal that a killed writer left."""


class SqliteLookupSession(SqliteSession):
    """One connection; used by the event loop, opened in a thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, writes=False, own_value_bytes=VALUE_BYTES)
        connection.execute(_READ_SCHEMA).fetchall()
        self._journal = _journal_of(connection)
        self._marks_met = 0
        self._compiled: set[str] = set()
        self._may_compile = False
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
        self._value_bytes = VALUE_BYTES
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._is_too_long, STEPS)

    def _is_too_long(self) -> bool:
        self._marks_met += 1
        return self._marks_met > 1

    def _authorize(
        self, action: int, first: str | None, second: str | None, *rest: str | None
    ) -> int:
        """Asked while a statement is compiled, and only then."""
        if not self._may_compile:
            return sqlite3.SQLITE_DENY
        return authorize_reading(action, first, second, *rest)

    def begin(self, terms: Terms) -> None:
        """A single read is its own transaction.

        Raises:
            BindingError: `busy`, where a journal stands beside the file: a writer is at work, or
                was killed and the next reader undoes what it did, which takes as long as that did.
        """
        if self._journal is not None and _has_content(self._journal):
            raise refused(Kind.BUSY)
        self._marks_met = 0
        super().begin(terms)

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Runs a statement; compiles it only where it is new here.

        Raises:
            BindingError: `read_only`, where SQLite would compile it again.
        """
        self._may_compile = ready.text not in self._compiled
        super().query(ready, values, sink)
        self._compiled.add(ready.text)


def _journal_of(connection: sqlite3.Connection) -> str | None:
    """Where writers keep what they replace; nowhere in WAL mode, which no other process ends while
    this connection is open."""
    connection.set_authorizer(None)
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    file = next((row[2] for row in connection.execute("PRAGMA database_list")), "")
    return f"{file}-journal" if file and mode != "wal" else None


def _has_content(path: str) -> bool:
    if not os.access(path, os.F_OK):  # as it is nearly always; `stat` would raise, which is dearer
        return False
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


class SqliteLookups:
    """The look-ups of one SQLite database (`LookupSource`)."""

    def __init__(self, engine: SqliteEngine) -> None:
        self._engine = engine

    def open_session(self) -> SqliteLookupSession:
        """A connection for the event loop.

        Raises:
            StartError, BindingError: the database cannot be opened, or not now.
        """
        connection = self._engine.open_connection(writes=False, waits=False)
        try:
            return SqliteLookupSession(connection)
        except sqlite3.Error as error:
            connection.close()
            raise translated(error) from error

    def is_lookup(self, session: Session, ready: Ready) -> bool:
        """Whether no instruction of SQLite's program can run twice; asked in a database thread."""
        if not isinstance(session, SqliteSession):
            return False
        values = (None,) * len(ready.encoders)
        try:
            program = session.connection.execute(f"EXPLAIN {ready.text}", values).fetchall()
        except sqlite3.Error as error:
            raise translated(error) from error
        return runs_once(program)
