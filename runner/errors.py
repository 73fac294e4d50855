"""The exceptions that cross layers.

    RunnerError
    ├── ConfigurationError      the file is wrong; carries every diagnostic
    ├── LoadError               an author's module or callable cannot be loaded
    ├── StartError              the server cannot start; worded for the operator
    └── CallError               a call ends as a tool error; the text is safe for the client
        ├── ArgumentsError      arguments do not fit; names every failing field
        ├── ToolError           raised by an author's code, or worded in the file
        ├── ClientCannotError   the client cannot be asked for what the call needs
        └── BindingError        SQL, HTTP or Python failed; `kind` says how

Errors of the wire (JSON-RPC codes) belong to `runner.protocol.errors`.
Knows no layer above; holds text only, never a secret, an SQL text or a traceback.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from runner.diagnostics import Diagnostic, Position


class RunnerError(Exception):
    """The base of every error that this program raises on purpose."""


class ConfigurationError(RunnerError):
    """The configuration has faults; all of them are in `diagnostics`, sorted by position."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(f"{len(diagnostics)} faults in the configuration")
        self.diagnostics = tuple(diagnostics)


class LoadError(RunnerError):
    """An author's module or callable cannot be loaded; becomes a diagnostic.

    `position` is the place in the author's own code, where the fault is there.
    """

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, position: Position | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.position = position


class StartError(RunnerError):
    """The server cannot start for a reason outside the file: a port in use, a database down."""

    def __init__(
        self, message: str, *, hint: str | None = None, field: Sequence[str | int] = ()
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.field = tuple(field)
        """Which field of the source's section is at fault, where one is: `connect`, 1."""


class CallError(RunnerError):
    """A call ends as a result with `isError: true`; `str(error)` is what the client reads."""


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One argument that does not fit: where, what was expected, what came."""

    path: str
    """Dotted from the arguments' root, list positions in brackets: `steps[0].text`."""
    message: str
    """Lower-case, expected before found: `expected an integer, found 'ten'`."""


class ArgumentsError(CallError):
    """Arguments do not fit the input schema; `faults` names every failing field, in order."""

    def __init__(self, faults: Sequence[FieldFault]) -> None:
        lines = [
            f"{fault.path}: {fault.message}" if fault.path else fault.message for fault in faults
        ]
        super().__init__("\n".join(lines))
        self.faults = tuple(faults)


class ToolError(CallError):
    """A failure worded by the author; the message reaches the client word for word.

    `code` and `details` (JSON values) are for programs; they travel in the error's text only
    as far as the author put them there, and in the log.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


class ClientCannotError(CallError):
    """The client cannot be asked; `required` are the capabilities that it would have to declare.

    An author's code may catch it and do without.
    """

    def __init__(self, message: str, required: Mapping[str, object]) -> None:
        super().__init__(message)
        self.required = required


class Kind(StrEnum):
    """How a binding failed; the names are the keys of `errors:` and the codes of the log."""

    MISSING = "missing"
    UNIQUE = "unique"
    FOREIGN_KEY = "foreign_key"
    NOT_NULL = "not_null"
    CHECK = "check"
    CONFLICT = "conflict"
    STATUS = "status"
    """An upstream HTTP status of 400 or more; `BindingError.status` has the number."""
    BUSY = "busy"
    """No pooled connection or worker became free in time."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"
    """The database or upstream cannot be reached."""
    TOO_LARGE = "too_large"
    READ_ONLY = "read_only"
    INVALID = "invalid"
    """The engine or upstream refused a value or a client-written statement."""
    REDACTED = "redacted"
    """An unexpected failure; the text holds only an error id that the log explains."""


class BindingError(CallError):
    """A binding failed in a known way.

    `message` is neutral and safe for the client: it names the kind and, where known, the field,
    never the driver's or the upstream's words. `reason` is for the operator's log alone.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        field: str | None = None,
        status: int | None = None,
        response: object = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.field = field
        self.status = status
        self.response = response
        self.reason = reason
