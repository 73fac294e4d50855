"""The neutral sentences for what a database refuses: kind and field, no engine's own words."""

from typing import Final

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


def refused(kind: Kind, *, field: str | None = None, reason: str | None = None) -> BindingError:
    """The error of this kind in our own words; `reason` is for the log alone."""
    words = _WITH_FIELD.get(kind) if field else None
    message = words.format(field=field) if words else _PLAIN[kind]
    return BindingError(kind, message, field=field, reason=reason)


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
