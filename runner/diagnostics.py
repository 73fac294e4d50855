"""What is wrong with a configuration, and where: `Position`, `Diagnostic`, hints of spelling.

Knows no file format, no layer; standard library only. Rendering for people and for programs
is the command line's.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file as written; `line` and `column` count from 1, columns in characters."""

    path: str
    """Relative to the root configuration's folder, with forward slashes."""
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One fault of the configuration, in four parts: code, message, details, hint.

    The message starts in lower case, has no full stop, puts names in single quotes, and says
    what was expected before what was found. It never holds a secret or a traceback.
    """

    position: Position
    code: str
    """A key of `runner.codes.CODES`."""
    message: str
    details: tuple[str, ...] = ()
    """Why, one line each."""
    hint: str | None = field(default=None, compare=False)
    """How to mend it."""
    severity: Severity = "error"


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint naming the closest known name, or None where nothing is close."""
    meant = closest(name, known)
    return f"did you mean '{meant}'?" if meant else None


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is probably meant to be, or None."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


class Faults:
    """Collects diagnostics; knows whether any of them is an error."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(self, *diagnostics: Diagnostic) -> None:
        """Keeps each of `diagnostics`."""
        self._found.extend(diagnostics)

    @property
    def has_errors(self) -> bool:
        """At least one of them keeps the configuration from being served."""
        return any(item.severity == "error" for item in self._found)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All of them by position, each once."""
        return tuple(sorted(dict.fromkeys(self._found)))
