"""What may be said of an exception that nobody expected: its type and its place, never its words.

An exception's text and its frames may hold values, addresses and secrets; they are for a log at
the level DEBUG alone, which an operator asks for. Standard library only.
"""

import logging
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

_RUNNER: Final = Path(__file__).resolve().parent
_LIBRARIES: Final = tuple(
    Path(path).resolve()
    for path in {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
)


def place_of(error: BaseException) -> str:
    """`ValueError at code.py:7`: the innermost frame of the project or of this program.

    Paths below the current folder are relative to it, this program's begin with `runner/`.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_library(Path(frame.filename))]
    name = type(error).__qualname__
    if not own:
        return name
    return f"{name} at {_shown(Path(own[-1].filename))}:{own[-1].lineno}"


def log_unexpected(
    log: logging.Logger,
    error: BaseException,
    what: str,
    *,
    error_id: str | None = None,
    explain: Callable[[], str] | None = None,
) -> None:
    """Logs one line, `error <id>: <what>: <type> at <file:line>`; at DEBUG the traceback as well.

    `explain` words the traceback where the plain one would show too much.
    """
    begin = what if error_id is None else f"error {error_id}: {what}"
    log.error("%s: %s", begin, place_of(error))
    if log.isEnabledFor(logging.DEBUG):
        text = explain() if explain is not None else traced(error)
        log.debug("%s in full\n%s", begin, text)


def traced(error: BaseException) -> str:
    """The traceback as Python writes it."""
    return "".join(traceback.format_exception(error))


def _is_library(path: Path) -> bool:
    """Standard library, an installed package, or no file at all."""
    found = path.resolve()
    if found.is_relative_to(_RUNNER):
        return False
    return path.name.startswith("<") or any(found.is_relative_to(place) for place in _LIBRARIES)


def _shown(path: Path) -> str:
    found = path.resolve()
    if found.is_relative_to(_RUNNER):
        return found.relative_to(_RUNNER.parent).as_posix()
    here = Path.cwd()
    return found.relative_to(here).as_posix() if found.is_relative_to(here) else found.as_posix()
