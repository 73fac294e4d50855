"""SQLite's errors as ours: kind and column, never its words.

The log's `reason` has the error's name, and its sentence only where that names parts of the
schema: others quote what was sent, as FTS5 does.
"""

import re
import sqlite3
from typing import Final

from runner.bindings.sql.wording import Fault, FaultKind, refused
from runner.catalog.proving import RefusalKind
from runner.errors import BindingError, Kind

_KINDS: Final = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE: Kind.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: Kind.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_ROWID: Kind.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: Kind.FOREIGN_KEY,
    sqlite3.SQLITE_CONSTRAINT_NOTNULL: Kind.NOT_NULL,
    sqlite3.SQLITE_CONSTRAINT_CHECK: Kind.CHECK,
    sqlite3.SQLITE_CONSTRAINT_TRIGGER: Kind.CHECK,
    sqlite3.SQLITE_BUSY_SNAPSHOT: Kind.CONFLICT,
}
_PRIMARY_KINDS: Final = {
    sqlite3.SQLITE_BUSY: Kind.BUSY,
    sqlite3.SQLITE_LOCKED: Kind.BUSY,
    sqlite3.SQLITE_INTERRUPT: Kind.CANCELLED,
    sqlite3.SQLITE_AUTH: Kind.READ_ONLY,
    sqlite3.SQLITE_READONLY: Kind.READ_ONLY,
    sqlite3.SQLITE_TOOBIG: Kind.TOO_LARGE,
    sqlite3.SQLITE_CANTOPEN: Kind.UNAVAILABLE,
    sqlite3.SQLITE_CORRUPT: Kind.UNAVAILABLE,
    sqlite3.SQLITE_FULL: Kind.UNAVAILABLE,
    sqlite3.SQLITE_IOERR: Kind.UNAVAILABLE,
    sqlite3.SQLITE_NOMEM: Kind.UNAVAILABLE,
    sqlite3.SQLITE_NOTADB: Kind.UNAVAILABLE,
}
REFUSALS: Final[tuple[tuple[re.Pattern[str], RefusalKind], ...]] = (
    (re.compile(r'near "(.*)": syntax error'), "syntax"),
    (re.compile(r"(incomplete input)"), "syntax"),
    (re.compile(r'unrecognized token: "(.*)"'), "syntax"),
    (re.compile(r"no such table: (.*)"), "unknown-table"),
    (re.compile(r"no such column: (.*)"), "unknown-column"),
    (re.compile(r"has no column named (.*)"), "unknown-column"),
    (re.compile(r"no such function: (.*)"), "unknown-function"),
    (re.compile(r"ambiguous column name: (.*)"), "ambiguous-column"),
)
_FAULTS: Final[tuple[tuple[re.Pattern[str], FaultKind], ...]] = (
    (re.compile(r'no such column: "([^"]+)" - '), "unknown-column"),
    *REFUSALS,
    (re.compile(r"wrong number of arguments to function (\w+)\("), "arguments"),
    (re.compile(r"misuse of (?:aggregate|window)[^:]*: (\w+)\("), "grouping"),
    (re.compile(r"do not have the same number of result columns"), "column-count"),
    (re.compile(r"^integer overflow$"), "out-of-range"),
    (re.compile(r"^datatype mismatch$|^cannot store \w+ value in \w+ column "), "misfit"),
)
_STRICT = re.compile(r"^cannot store \w+ value in \w+ column (?:.*\.)?(\w+)$")
_LONG_PATTERN: Final = "LIKE or GLOB pattern too complex"
_PATTERN_WORDS: Final = "a pattern of LIKE or GLOB is longer than the 1000 bytes allowed"
_COLUMNS = re.compile(r"constraint failed: (.+)$")
_NAMES_COLUMNS = frozenset({Kind.UNIQUE, Kind.NOT_NULL})


def is_busy(error: sqlite3.Error) -> bool:
    """Somebody else holds a lock."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and _PRIMARY_KINDS.get(code & 0xFF) is Kind.BUSY


def translated(error: sqlite3.Error) -> BindingError:
    """What the client is told of an error while a statement ran."""
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int):  # the module's own: several statements, a wrong value
        return refused(Kind.INVALID, reason=type(error).__name__)
    if str(error) == _LONG_PATTERN:
        return BindingError(Kind.TOO_LARGE, _PATTERN_WORDS, reason=error.sqlite_errorname)
    kind = _KINDS.get(code) or _PRIMARY_KINDS.get(code & 0xFF) or Kind.INVALID
    fault = _fault(str(error)) if kind is Kind.INVALID else None
    field = _field(kind, str(error))
    return refused(kind, field=field, reason=_reason(kind, error, fault), fault=fault)


def _fault(text: str) -> Fault | None:
    for pattern, kind in _FAULTS:
        if found := pattern.search(text):
            return Fault(kind, found[1] if pattern.groups else None)
    return None


def _reason(kind: Kind, error: sqlite3.Error, fault: Fault | None) -> str:
    name, text = error.sqlite_errorname, str(error)
    names_schema = kind in _NAMES_COLUMNS or text.startswith("no such table: ")
    if names_schema:
        return f"{name} {text}"
    return f"{name} {fault.kind}" if fault is not None else name


def _field(kind: Kind, text: str) -> str | None:
    if strict := _STRICT.match(text):
        return strict[1]
    found = _COLUMNS.search(text)
    if found is None or kind not in _NAMES_COLUMNS:
        return None
    columns = [name.strip().rpartition(".")[2] for name in found[1].split(",")]
    return None if found[1].startswith("index ") else ", ".join(columns)


def no_value(error: UnicodeEncodeError | OverflowError) -> BindingError:
    """What the client is told of a value that no type of SQLite holds."""
    reason = type(error).__name__
    fault = Fault("out-of-range") if isinstance(error, OverflowError) else None
    return refused(Kind.INVALID, reason=reason, fault=fault)
