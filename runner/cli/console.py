"""Where output goes and how it looks: tables and colours for a terminal, plain lines for a pipe.

Results go to standard output exactly as they are, everything said about the work to standard
error. A reader that has gone away is no failure: what it no longer reads is not written.
"""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.errors import StartError

# What a terminal would obey: a result may come from anywhere.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Output:
    """What the shared options decide: the format, how much is said, colours."""

    format: str = "text"
    quiet: bool = False
    verbose: bool = False
    color: bool = True

    def result(self, text: str) -> None:
        """Writes `text` on standard output: in a pipe as it is, on a terminal without commands.

        It ends with a line break, its own or one that is added.
        """
        shown = visible(text) if sys.stdout.isatty() else text
        _write(shown, sys.stdout, end="" if shown.endswith("\n") else "\n")

    def say(self, text: str, *, bold: bool = False, color: str | None = None) -> None:
        """Writes a remark on standard error, unless quiet."""
        if not self.quiet:
            _write(self._styled(text, bold=bold, color=color), sys.stderr)

    def fail(self, text: str, *, hint: str | None = None) -> None:
        """Writes what went wrong on standard error, also when quiet."""
        _write(self._styled(text, bold=True, color="red"), sys.stderr)
        if hint:
            _write(f"  hint: {hint}", sys.stderr)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Prints a table on a terminal, tab-separated lines without a head in a pipe."""
        if not sys.stdout.isatty():
            for row in rows:
                _write("\t".join(" ".join(cell.split()) for cell in row), sys.stdout)
            return
        is_plain = not _has_color(self.color, sys.stdout)
        shown = Table(box=None, header_style="" if is_plain else "bold", pad_edge=False)
        for column in columns:
            shown.add_column(column, overflow="fold")
        for row in rows:
            shown.add_row(*(Text(visible(cell)) for cell in row))
        Console(no_color=is_plain, highlight=False).print(shown)

    def _styled(self, text: str, *, bold: bool, color: str | None) -> str:
        if not _has_color(self.color, sys.stderr):
            return text
        return click.style(visible(text), bold=bold, fg=color)


def visible(text: str) -> str:
    """The text with control characters as their pictures, line breaks and tabs kept."""
    return _CONTROL.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def _has_color(is_wanted: bool, stream: TextIO) -> bool:
    """Colours are wanted, and `stream` shows them. Source: no-color.org."""
    return is_wanted and stream.isatty() and not os.environ.get("NO_COLOR")


def _write(text: str, stream: TextIO, *, end: str = "\n") -> None:
    try:
        stream.write(f"{text}{end}")
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        if stream is sys.stdout:
            why = (error.strerror or "it is closed").lower()
            raise StartError(f"the output cannot be written: {why}") from error


def silence(stream: TextIO) -> None:
    """Nothing more is written: what is left in the buffer would fail again at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
