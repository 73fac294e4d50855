"""The authorizer of SQLite connections: what a statement may do, decided when it is compiled.

It stands beside `query_only`, so that a hole in one is closed by the other. Internal actions of
virtual tables (FTS5, `json_each`) look like changes of `sqlite_master`; they are let through, for
SQLite itself refuses real ones.
"""

import sqlite3
from typing import Final

from runner.catalog.guarded import SQLITE_FUNCTIONS, SQLITE_INTROSPECTION, SQLITE_TELLING

_SCHEMA_TABLES: Final = frozenset({"sqlite_master", "sqlite_schema", "sqlite_temp_master"})
_READING: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_SAVEPOINT,
    }
)
_REFUSED_WHEN_WRITING: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})


def authorize_reading(
    action: int, first: str | None, second: str | None, database: str | None, source: str | None
) -> int:
    """The verdict on a connection that only reads."""
    del database, source
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_UPDATE and first in _SCHEMA_TABLES:
        return sqlite3.SQLITE_OK
    return verdict_on_call(action, first, second)


def authorize_writing(
    action: int, first: str | None, second: str | None, database: str | None, source: str | None
) -> int:
    """The verdict on a connection that writes: rows and tables, but never other files."""
    del database, source
    if action in _REFUSED_WHEN_WRITING:
        return sqlite3.SQLITE_DENY
    if action in (sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_FUNCTION):
        return verdict_on_call(action, first, second)
    return sqlite3.SQLITE_OK


def verdict_on_call(action: int, first: str | None, second: str | None) -> int:
    """The verdict on a function or a pragma, the same on every connection."""
    allowed = False
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() not in SQLITE_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        allowed = name in SQLITE_INTROSPECTION or (name in SQLITE_TELLING and second is None)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
