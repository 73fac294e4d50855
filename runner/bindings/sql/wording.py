"""The neutral sentences for what a database refuses: kind and field, no engine's own words.

What a client wrote itself is told to it as far as the engine's word names nothing but what stands
in that statement: `told`. What an author wrote stays the author's: of it only the value is told.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from runner.catalog.proving import RefusalKind
from runner.errors import BindingError, Kind, StartError

_PLAIN: Final = {
    Kind.UNIQUE: "there is already a row with these values",
    Kind.FOREIGN_KEY: "a row that this one refers to, or that refers to it, stands in the way",
    Kind.NOT_NULL: "a value is missing that must not be null",
    Kind.CHECK: "a rule of the database refuses these values",
    Kind.CONFLICT: "another change was made at the same time; try again",
    Kind.BUSY: "the database is busy; try again in a moment",
    Kind.TIMEOUT: "the statement took longer than its time limit",
    Kind.CANCELLED: "the statement was stopped",
    Kind.UNAVAILABLE: "the database cannot be reached at present",
    Kind.TOO_LARGE: "a value is larger than the database allows",
    Kind.READ_ONLY: "the statement would change something, and this tool only reads",
    Kind.INVALID: "the database refuses a value or the statement",
    Kind.MISSING: "nothing was found",
}
_UNCOUNTED: Final = "the database does not tell how many rows were changed"
_WITH_FIELD: Final = {
    Kind.UNIQUE: "there is already a row with this value of '{field}'",
    Kind.NOT_NULL: "'{field}' must not be null",
    Kind.FOREIGN_KEY: "'{field}' refers to a row that does not exist, or is referred to",
    Kind.CHECK: "the rule '{field}' of the database refuses these values",
    Kind.INVALID: "the database refuses the value of '{field}'",
}


FaultKind = (
    RefusalKind
    | Literal[
        "unknown-name",
        "arguments",
        "grouping",
        "cardinality",
        "column-count",
        "division-by-zero",
        "out-of-range",
        "misfit",
        "too-long",
    ]
)
"""What is wrong with a value or a statement, as far as the engine tells."""
_OF_VALUES: Final[dict[str, str]] = {
    "out-of-range": "out of range",
    "misfit": "out of range or of the wrong type",
    "too-long": "too long",
}
_BY_ITSELF: Final[dict[str, str]] = {
    "division-by-zero": "a number is divided by zero",
    "permission": "the login of the database may not do this",
}
_OF_STATEMENTS: Final[dict[str, str]] = {
    "syntax": "the statement cannot be read as SQL",
    "unknown-table": "there is no such table",
    "unknown-column": "there is no such column",
    "unknown-function": "there is no such function for these arguments",
    "unknown-name": "there is nothing of this name",
    "ambiguous-column": "more than one table has a column of this name",
    "type-mismatch": "types do not fit together; cast one of them",
    "arguments": "a function has the wrong number of arguments",
    "grouping": "a column stands neither in GROUP BY nor inside an aggregate",
    "cardinality": "a subquery that stands for one value returns several rows",
    "column-count": "the parts of a UNION, INTERSECT or EXCEPT have different numbers of columns",
    "permission": "the login of the database may not read this",
}
_PLACED: Final = frozenset({"syntax", "type-mismatch", "grouping"})
"""Told by the word that stands where the engine points; the others by the name that it says."""
_WORD: Final = re.compile(r"\w+|\S")


@dataclass(frozen=True, slots=True)
class Fault:
    """What an engine tells of a refusal: for whoever may know it."""

    kind: FaultKind
    name: str | None = None
    """Of a table, column or function, as the engine says it; shown only where it was sent."""
    offset: int | None = None
    """Where in the text that the engine got."""
    parameter: int | None = None
    """Which of the values is meant."""


class RefusedError(BindingError):
    """A refusal of which the engine tells more than the kind."""

    def __init__(
        self, kind: Kind, message: str, fault: Fault, *, field: str | None, reason: str | None
    ) -> None:
        super().__init__(kind, message, field=field, reason=reason)
        self.fault = fault


def refused(
    kind: Kind, *, field: str | None = None, reason: str | None = None, fault: Fault | None = None
) -> BindingError:
    """The error of this kind in our own words; `reason` is for the log alone."""
    words = _WITH_FIELD.get(kind) if field else None
    message = words.format(field=field) if words else _PLAIN[kind]
    if fault is None or kind not in (Kind.INVALID, Kind.READ_ONLY):
        return BindingError(kind, message, field=field, reason=reason)
    if fault.kind in _OF_VALUES:
        subject = f"the value of '{field}'" if field else "a value"
        message = f"{subject} is {_OF_VALUES[fault.kind]}"
    else:
        message = _BY_ITSELF.get(fault.kind, message)
    return RefusedError(kind, message, fault, field=field, reason=reason)


def told(error: RefusedError, statement: str) -> BindingError:
    """The error in words for the client that wrote `statement`; every name in them stands there."""
    fault = error.fault
    words = _OF_STATEMENTS.get(fault.kind)
    if words is None:
        return BindingError(error.kind, str(error), reason=error.reason)
    if fault.kind in _PLACED:
        found = None if fault.offset is None else _WORD.match(statement, max(fault.offset, 0))
        name = found[0] if found else _written(fault.name, statement)
        words += f", near '{name}'" if name else ""
    elif name := _written(fault.name, statement):
        words += f": '{name}'"
    return BindingError(
        error.kind, f"the database refuses the statement: {words}", reason=error.reason
    )


def _written(name: str | None, statement: str) -> str | None:
    """The name as the statement writes it; of one with a schema the last part may do."""
    for known in (name, (name or "").rpartition(".")[2]):
        if known and (found := re.search(_alone(known), statement, re.IGNORECASE)):
            return found[0]
    return None


def _alone(word: str) -> str:
    return rf"(?<!\w){re.escape(word)}(?!\w)"


def option_refused(source: str) -> StartError:
    """The error of an address with an option that its driver does not know, or not so; the value is
    not told."""
    return StartError(f"database '{source}': the driver refuses an option of the address")


def uncounted(rule: str) -> BindingError:
    """The error of a rule that reads how many rows were changed, where nothing tells that."""
    return BindingError(
        Kind.REDACTED,
        f"{_UNCOUNTED}, which a rule of this tool asks",
        reason=f"the driver gives no count of rows, which '{rule}' reads;"
        " ask with a query beside it",
    )
