"""PostgreSQL's errors as ours, by SQLSTATE; the log's `reason` has names, and never a value.

The engine's own sentence may quote a value or a whole row, so that it stays in the cause.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from psycopg import errors
from psycopg.pq import DiagnosticField
from psycopg.pq.abc import PGresult

from runner.bindings.sql.offsets import author_offset
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.wording import Fault, FaultKind, refused
from runner.catalog.proving import Refusal, RefusalKind
from runner.errors import BindingError, Kind

STOPPED: Final = "57014"
"""By its time limit, or by somebody."""
_KINDS: Final = {
    "23505": Kind.UNIQUE,
    "23P01": Kind.UNIQUE,
    "23503": Kind.FOREIGN_KEY,
    "23502": Kind.NOT_NULL,
    "23514": Kind.CHECK,
    "40001": Kind.CONFLICT,
    "40P01": Kind.CONFLICT,
    "55P03": Kind.BUSY,
    "25006": Kind.READ_ONLY,
    STOPPED: Kind.TIMEOUT,
    "54000": Kind.TOO_LARGE,
    "53100": Kind.UNAVAILABLE,
    "53200": Kind.UNAVAILABLE,
    "53300": Kind.BUSY,
}
_WORDS: Final = {
    "25001": "the statement cannot run in the transaction that a call has",
}
"""What is told of some that are `invalid`."""
_OF_NO_SIZE: Final = frozenset({"chr"})
"""The server's own functions whose 54000 is of a value that does not exist."""
_NAMING: Final = frozenset({"42P01", "42703", "42883", "42704", "3F000", "42501"})
"""Their sentences name what the statement names: a table, a column, a function, a role."""
_LOST: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})
_KEY = re.compile(r"\(([^()]+)\)=\(")
_QUOTED = re.compile(r'"([^"]+)"')
_FUNCTION = re.compile(r"\b([\w.]+)\(")
_REFUSALS: Final[dict[str, RefusalKind]] = {
    "42601": "syntax",
    "42P01": "unknown-table",
    "42703": "unknown-column",
    "42883": "unknown-function",
    "42702": "ambiguous-column",
    "42804": "type-mismatch",
    "42846": "type-mismatch",
    "22P02": "type-mismatch",
    "42725": "type-mismatch",
    "42P18": "untyped-parameter",
    "42P08": "untyped-parameter",
    "25006": "writes",
    "42501": "permission",
    STOPPED: "timeout",
}

_FAULTS: Final[dict[str, FaultKind]] = {
    "22012": "division-by-zero",
    "22003": "out-of-range",
    "22008": "out-of-range",
    "22001": "too-long",
    "22P02": "misfit",
    "22P03": "misfit",
    "22007": "misfit",
    "42804": "type-mismatch",
    "42846": "type-mismatch",
    "42803": "grouping",
    "21000": "cardinality",
    "42704": "unknown-name",
    "3F000": "unknown-name",
}
_UNQUOTED: Final[dict[RefusalKind, re.Pattern[str]]] = {
    "unknown-column": re.compile(r"^\S+ (\S+)"),  # column t.x does not exist
    "permission": re.compile(r" for \w+ (\S+)$"),  # permission denied for table t
}
_PORTAL = re.compile(r"portal parameter \$(\d+)")
_MOST_OF_PART: Final = 8 * 1024
"""Bytes; names have at most 63."""


class EngineError(Exception):
    """A statement failed; the parts of the engine's message that say why, each cut to a length at
    which it may be kept: a message may quote a value of any size."""

    def __init__(self, result: PGresult) -> None:
        self.size = 0
        """Of all parts before they were cut, in bytes."""

        def part(which: DiagnosticField) -> str | None:
            text = result.error_field(which)
            if text is None:
                return None
            self.size += len(text)
            return text[:_MOST_OF_PART].decode(errors="replace")

        self.sqlstate = part(DiagnosticField.SQLSTATE) or ""
        self.message = part(DiagnosticField.MESSAGE_PRIMARY) or ""
        self.detail = part(DiagnosticField.MESSAGE_DETAIL) or ""
        self.context = part(DiagnosticField.CONTEXT) or ""
        self.column = part(DiagnosticField.COLUMN_NAME)
        self.table = part(DiagnosticField.TABLE_NAME)
        self.constraint = part(DiagnosticField.CONSTRAINT_NAME)
        position = part(DiagnosticField.STATEMENT_POSITION)
        self.source = part(DiagnosticField.SOURCE_FUNCTION)
        """The server's function, in C, that refused."""
        self.position = int(position) - 1 if position else None
        super().__init__(f"{self.sqlstate} {self.message} {self.detail}".strip())

    @property
    def is_loss(self) -> bool:
        """The connection is gone."""
        return self.sqlstate in _LOST or self.sqlstate.startswith("08")


def translated(error: EngineError) -> BindingError | SessionLostError:
    """What the client is told; or that the connection is gone."""
    if error.is_loss:
        return SessionLostError(_reason(error))
    kind = _KINDS.get(error.sqlstate, Kind.INVALID)
    if kind is Kind.TOO_LARGE and error.source in _OF_NO_SIZE:
        kind = Kind.INVALID
    words = _WORDS.get(error.sqlstate)
    if words is not None:
        return BindingError(kind, words, reason=_reason(error))
    return refused(kind, field=_field(kind, error), reason=_reason(error), fault=_fault(error))


def _fault(error: EngineError) -> Fault | None:
    kind: FaultKind | None = _FAULTS.get(error.sqlstate)
    name = None  # the sentence behind these states may quote a value
    if kind in ("unknown-name", None):
        known, name = _named(_REFUSALS.get(error.sqlstate, "other"), error)
        kind = kind or known
    found = _PORTAL.search(error.context)
    return Fault(kind, name, error.position, int(found[1]) - 1 if found else None)


def _reason(error: EngineError) -> str:
    """The state by number and name, and what it is about."""
    parts = [error.sqlstate]
    with suppress(KeyError):
        parts.append(errors.lookup(error.sqlstate).__name__)
    about = {"table": error.table, "column": error.column, "constraint": error.constraint}
    parts += [f"{what} {name}" for what, name in about.items() if name]
    if error.sqlstate in _NAMING:
        parts.append(error.message)
    return " ".join(parts)


def _field(kind: Kind, error: EngineError) -> str | None:
    if kind is Kind.NOT_NULL:
        return error.column
    if kind is Kind.CHECK:
        return error.constraint
    if kind in (Kind.UNIQUE, Kind.FOREIGN_KEY):
        found = _KEY.search(error.detail)
        return found[1].replace('"', "") if found else None
    return None


def refusal(error: EngineError, texts: Sequence[str], text: str) -> Refusal:
    """What the prover says of an error; offsets as they are without placeholders."""
    kind, name = _named(_REFUSALS.get(error.sqlstate, "other"), error)
    position = error.position
    offset = None if position is None else author_offset(position, texts, text)
    return Refusal(kind, name, offset, error.sqlstate)


def _named(kind: RefusalKind, error: EngineError) -> tuple[RefusalKind, str | None]:
    """The kind, more exactly, and what the sentence names."""
    quoted = _QUOTED.search(error.message)
    name = quoted[1] if quoted else None
    if kind == "unknown-function":
        called = _FUNCTION.search(error.message)
        name = called[1] if called else None
        kind = kind if called else "type-mismatch"  # an operator
    elif quoted is None and kind in _UNQUOTED:
        found = _UNQUOTED[kind].search(error.message)
        name = found[1] if found else None
    return kind, name
