"""DuckDB's errors as ours: kind and column, never its words.

Instances write their errors as JSON, so that names and places need not be read from sentences.
The log's `reason` has the error's class, and its sentence only where that names parts of the
schema: others quote what was sent.
"""

import re
from collections.abc import Sequence
from typing import Final

import duckdb

from runner.bindings.sql.offsets import author_offset, word_offset
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.wording import Fault, FaultKind, refused
from runner.catalog.proving import Refusal, RefusalKind
from runner.codec.json import JsonFault, decode
from runner.errors import BindingError, Kind

_KINDS: Final[tuple[tuple[type[duckdb.Error], Kind], ...]] = (
    (duckdb.InterruptException, Kind.CANCELLED),
    (duckdb.OutOfMemoryException, Kind.UNAVAILABLE),
    (duckdb.IOException, Kind.UNAVAILABLE),
)
_SENTENCES: Final[tuple[tuple[re.Pattern[str], Kind], ...]] = (
    (re.compile(r"^Duplicate key|violation: duplicate key"), Kind.UNIQUE),
    (re.compile(r"^NOT NULL constraint failed"), Kind.NOT_NULL),
    (re.compile(r"^CHECK constraint failed"), Kind.CHECK),
    (re.compile(r"foreign key constraint"), Kind.FOREIGN_KEY),
    (re.compile(r"\bread-only mode"), Kind.READ_ONLY),
    (re.compile(r"\b[Cc]onflict\b"), Kind.CONFLICT),
    (re.compile(r"maximum supported string size"), Kind.TOO_LARGE),
)
_LOST: Final = (duckdb.FatalException, duckdb.InternalException, duckdb.ConnectionException)
_KEY: Final = re.compile(r'^Duplicate key "(\w+): ')
_NEXT_COLUMN: Final = re.compile(r", \w+: ")
_NOT_NULL: Final = re.compile(r'failed: .*?"?(\w+)"?$')
_NEAR: Final = re.compile(r'at or near "(.*)"', re.DOTALL)
_REFUSALS: Final[tuple[tuple[re.Pattern[str], RefusalKind], ...]] = (
    (re.compile(r'^Cannot access (?:file|directory) "([^"]+)"'), "file-refused"),
    (re.compile(r'^No files found that match the pattern "([^"]+)"'), "file-missing"),
    (re.compile(r'^(?:Table with name|Referenced table) "?([^" ]+)"?'), "unknown-table"),
    (re.compile(r'^Ambiguous reference to column name "([^"]+)"'), "ambiguous-column"),
    (re.compile(r'does not have a column (?:named|with name) "([^"]+)"'), "unknown-column"),
    (re.compile(r"^Referenced update column (.+?) not found"), "unknown-column"),
    (re.compile(r'^Referenced column "([^"]+)"'), "unknown-column"),
)
_LITERAL: Final = re.compile(r"'((?:[^']|'')*)'")
_MISFIT: Final = re.compile(
    r"^(?:No function matches|Could not choose|Cannot (?:compare|cast|mix|combine|deduce))"
    r"|explicit cast is required|cannot be cast|can't be cast"
)

_FAULTS: Final[tuple[tuple[re.Pattern[str], FaultKind], ...]] = (
    (re.compile(r"^Division by zero"), "division-by-zero"),
    (re.compile(r"must appear in the GROUP BY clause"), "grouping"),
    (re.compile(r"^More than one row returned by a subquery"), "cardinality"),
    (re.compile(r"same number of result columns$"), "column-count"),
)
_TOO_LARGE: Final = re.compile(r"out of range|^Could not cast value")
_PLACEHOLDER: Final = re.compile(r"\$(\d+)")


class Told:
    """What an error tells: its sentence, what it is about, and where."""

    def __init__(self, error: duckdb.Error) -> None:
        text = str(error)
        self.name: str | None = None
        self.type = ""
        self.position: int | None = None
        """In the UTF-8 of the text."""
        self.subtype = ""
        self.sentence = text.partition(": ")[2] or text
        try:
            found = decode(self.sentence.encode())
        except (JsonFault, UnicodeEncodeError):
            return
        if isinstance(found, dict):
            self.sentence = str(found.get("exception_message", ""))
            self.name = str(found["name"]) if "name" in found else None
            self.type = str(found.get("type", ""))
            self.subtype = str(found.get("error_subtype", ""))
            position = str(found.get("position", ""))
            self.position = int(position) if position.isdecimal() else None

    @property
    def first_line(self) -> str:
        """The sentence as a diagnostic has it, without what the engine guesses below."""
        return self.sentence.partition("\n")[0].rstrip("!.")

    @property
    def is_misfit(self) -> bool:
        """Types do not fit together; a cast may help."""
        return _MISFIT.search(self.sentence) is not None


def is_busy(error: duckdb.Error) -> bool:
    """Another process has the file open for writing, or for reading where this one writes."""
    return isinstance(error, duckdb.IOException) and "Could not set lock" in str(error)


def is_over(error: duckdb.Error) -> bool:
    """There is no transaction that could be ended."""
    return isinstance(error, duckdb.TransactionException) and (
        "no transaction is active" in str(error)
    )


def translated(
    error: duckdb.Error, text: str = "", *, prefix: int | None = 0
) -> BindingError | SessionLostError:
    """What the client is told of an error while a statement ran; or that nothing works here.

    `text` is what the engine got, behind `prefix` characters of ours; None: another text.
    """
    if isinstance(error, _LOST):
        return SessionLostError(type(error).__name__)
    told = Told(error)
    kind = _kind(error, told)
    offset = None
    if told.position is not None and prefix is not None:
        offset = len(text.encode()[: max(told.position - prefix, 0)].decode(errors="ignore"))
    fault = _fault(error, told, offset, text) if kind is Kind.INVALID else None
    return refused(kind, field=_field(kind, told), reason=_reason(error, kind, told), fault=fault)


def _kind(error: duckdb.Error, told: Told) -> Kind:
    for kind_of, kind in _KINDS:
        if isinstance(error, kind_of):
            return kind
    if type(error) is duckdb.Error:  # the driver has no class for it: the file is corrupt
        return Kind.UNAVAILABLE
    found = (kind for pattern, kind in _SENTENCES if pattern.search(told.sentence))
    return next(found, Kind.INVALID) if _tells_of_itself(error) else Kind.INVALID


def _fault(error: duckdb.Error, told: Told, offset: int | None, text: str) -> Fault:
    for pattern, kind in _FAULTS:
        if pattern.search(told.sentence):
            return Fault(kind, offset=offset)
    if isinstance(error, duckdb.OutOfRangeException):
        return Fault("out-of-range")
    if isinstance(error, duckdb.ConversionException):
        found = None if offset is None else _PLACEHOLDER.match(text, offset)
        is_size = _TOO_LARGE.search(told.sentence)
        return Fault(
            "out-of-range" if is_size else "misfit",
            parameter=int(found[1]) - 1 if found else None,
        )
    known, name = _refusal(error, told)
    if known == "other" and isinstance(error, duckdb.CatalogException):
        return Fault("unknown-name", name)
    return Fault(known, name, offset)


def _tells_of_itself(error: duckdb.Error) -> bool:
    """The sentence is the engine's own; those of conversions quote values, `error()` anything."""
    own = (duckdb.ConstraintException, duckdb.TransactionException, duckdb.OutOfRangeException)
    return isinstance(error, own) or (
        isinstance(error, duckdb.InvalidInputException)
        and Told(error).sentence.startswith("Cannot execute statement of type")
    )


def _reason(error: duckdb.Error, kind: Kind, told: Told) -> str:
    name = type(error).__name__
    if kind is Kind.NOT_NULL or isinstance(error, duckdb.CatalogException):
        return f"{name} {told.first_line}"
    return name


def _field(kind: Kind, told: Told) -> str | None:
    """The column, where the sentence has one; of a key of several nothing, for a value may look
    like a further column."""
    if kind is Kind.NOT_NULL:
        found = _NOT_NULL.search(told.sentence)
    elif kind is Kind.UNIQUE and not _NEXT_COLUMN.search(told.sentence):
        found = _KEY.search(told.sentence)
    else:
        found = None
    return found[1] if found else None


def refusal(error: duckdb.Error, texts: Sequence[str], text: str, *, prefix: int | None) -> Refusal:
    """What the prover says of an error; `text` is the whole statement as it was given to the
    engine, behind `prefix` characters of ours, None where the error is of another text. The
    offset is as it is without placeholders."""
    told = Told(error)
    kind, name = _refusal(error, told)
    if name is not None and kind in ("file-refused", "file-missing"):
        name = _as_written(name, text)
    offset = None
    if told.position is not None and prefix is not None:
        given = text.encode()[: max(told.position - prefix, 0)].decode(errors="ignore")
        offset = author_offset(len(given), texts, text)
    elif name is not None:
        offset = word_offset(name, texts)
    return Refusal(kind, name, offset, type(error).__name__.removesuffix("Exception"))


def _as_written(path: str, text: str) -> str:
    """The file as the statement names it, where the engine tells it with the folder."""
    literals = (found[1].replace("''", "'") for found in _LITERAL.finditer(text))
    ends = [literal for literal in literals if literal and f"/{path}".endswith(f"/{literal}")]
    return max(ends, key=len, default=path)


def _refusal(error: duckdb.Error, told: Told) -> tuple[RefusalKind, str | None]:
    if isinstance(error, duckdb.ParserException):
        near = _NEAR.search(told.sentence)
        return "syntax", near[1] if near else None
    if told.type.endswith("Function"):
        return "unknown-function", told.name
    for pattern, kind in _REFUSALS:
        if found := pattern.search(told.sentence):
            return kind, told.name or found[1]
    return "type-mismatch" if told.is_misfit else "other", told.name
