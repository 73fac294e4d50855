"""Where the log goes and how much of it: standard error, one line an event.

`MCP_RUN_LOG` (error, warning, info, debug) says how much of this program's own log is written;
without it -q means error, -v debug, and neither warning. Libraries are held at warnings, because
what they tell below that holds addresses and headers.
"""

import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import click

VARIABLE: Final = "MCP_RUN_LOG"
LEVELS: Final[Mapping[str, int]] = {
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}
OWN: Final = "runner"
"""The logger above all of this program's."""
HELD: Final = ("hpack", "h2", "httpcore2", "httpx2", "asyncio", "sqlalchemy")
"""Libraries that would log each frame, request or statement."""
SILENCED: Final = ("sqlglot", "procrastinate")
"""Libraries whose warnings quote statements or show tracebacks; what they find is told as a
diagnostic, or by the task."""
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


class Line(logging.Formatter):
    """One line an event, in UTC; what follows at the level DEBUG is indented below it."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - the standard library's name
        """`2026-08-03T09:00:00.000Z`."""
        del datefmt
        at = datetime.fromtimestamp(record.created, UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def format(self, record: logging.LogRecord) -> str:
        """The event as text; what moves a terminal's cursor or turns its writing is written as an
        escape (`\\n`, `\\r`, `\\x1b`), so that no line can be forged or hidden."""
        text = super().format(record).rstrip()
        if record.levelno > logging.DEBUG:
            return _CONTROLS.sub(_escaped, text)
        return "\n    ".join(_CONTROLS.sub(_escaped, line) for line in text.split("\n"))


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def set_up_logging(environment: Mapping[str, str], *, quiet: bool, verbose: bool) -> None:
    """Logs and Python's warnings go to standard error; called once, by the command.

    Raises:
        click.UsageError: `MCP_RUN_LOG` is none of the levels.
    """
    level = log_level(environment, quiet=quiet, verbose=verbose)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Line(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(OWN).setLevel(level)
    for name in HELD:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in SILENCED:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.captureWarnings(True)


def log_level(environment: Mapping[str, str], *, quiet: bool, verbose: bool) -> int:
    """The level of this program's own log.

    Raises:
        click.UsageError: `MCP_RUN_LOG` is none of the levels.
    """
    word = environment.get(VARIABLE, "").lower()
    if word and word not in LEVELS:
        raise click.UsageError(f"{VARIABLE}: expected one of {', '.join(LEVELS)}, found '{word}'")
    if word:
        return LEVELS[word]
    return logging.ERROR if quiet else logging.DEBUG if verbose else logging.WARNING
