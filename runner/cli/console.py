"""Where output goes and how it looks: tables and colours for a terminal, plain lines for a pipe.

Results go to standard output, everything said about the work to standard error.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Output:
    """What the shared options decide: the format, how much is said, colours."""

    format: str = "text"
    quiet: bool = False
    verbose: bool = False
    color: bool = True

    @property
    def _out(self) -> Console:
        return Console(no_color=not self.color, highlight=False, soft_wrap=True)

    @property
    def _err(self) -> Console:
        return Console(stderr=True, no_color=not self.color, highlight=False, soft_wrap=True)

    def result(self, text: str) -> None:
        """Prints `text` as it is on standard output."""
        self._out.print(text, markup=False)

    def say(self, text: str, *, style: str | None = None) -> None:
        """Prints a remark on standard error, unless quiet."""
        if not self.quiet:
            self._err.print(text, markup=False, style=style)

    def fail(self, text: str, *, hint: str | None = None) -> None:
        """Prints what went wrong on standard error, also when quiet."""
        self._err.print(text, markup=False, style="bold red")
        if hint:
            self._err.print(f"  hint: {hint}", markup=False)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Prints a table on a terminal, tab-separated lines in a pipe."""
        if not self._out.is_terminal:
            for row in rows:
                self._out.print("\t".join(cell.replace("\n", " ") for cell in row), markup=False)
            return
        shown = Table(box=None, header_style="bold", pad_edge=False)
        for column in columns:
            shown.add_column(column, overflow="fold")
        for row in rows:
            shown.add_row(*row)
        Console(no_color=not self.color, highlight=False).print(shown, markup=False)
