"""Sentences of the reference about members of the program's own tables; a test compares the two."""

from collections.abc import Mapping

from runner.errors import Kind

NOT_FROM_WORDS = "–"
KINDS: Mapping[Kind, str] = {
    Kind.MISSING: "a `row`, `value` or `affected` found nothing; only where `errors:` has words",
    Kind.UNIQUE: "there is already a row with these values",
    Kind.FOREIGN_KEY: "a row that is referred to is missing, or still referred to",
    Kind.NOT_NULL: "a column that must not be null would be",
    Kind.CHECK: "a rule of the database refuses the values",
    Kind.CONFLICT: "another change came in between: a deadlock or a serialization failure",
    Kind.STATUS: "an API answered with a status of 400 or more",
    Kind.BUSY: "no connection, thread or place became free in time",
    Kind.TIMEOUT: "the time limit passed; the work was stopped",
    Kind.CANCELLED: "the client cancelled it",
    Kind.UNAVAILABLE: "the database or the API cannot be reached",
    Kind.TOO_LARGE: "the result, or a value, is larger than its limit",
    Kind.READ_ONLY: "a statement would have written, and the tool only reads",
    Kind.INVALID: "the database or the API refused a value or a client's statement",
    Kind.REDACTED: "something unexpected happened; the text has an error id that the log explains",
}
