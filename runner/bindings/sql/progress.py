"""How many rows a statement has read, told while it reads: to a client that asked for progress.

Rows are counted where they are collected, in a database thread; reports belong to the event loop.
"""

import asyncio
from contextlib import suppress
from typing import Final

from runner.catalog.call import Report, drop_progress

EVERY_ROWS: Final = 128
"""Between two reports at least: a block, so that a quick statement reports nothing."""
SHARE: Final = 16
"""And at least this part of all rows so far: the largest results give about a hundred reports."""


class RowProgress:
    """Reports the rows of one call; made on its event loop, called in any thread.

    Counts that do not rise are left out, as after a lost connection, when it is read anew.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._next = EVERY_ROWS

    def __call__(self, count: int) -> None:
        """So many rows have been read."""
        if count < self._next:
            return
        self._next = count + max(EVERY_ROWS, count // SHARE)
        # A statement that was given up may outlive the loop, and then nobody listens.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._report, count, None, f"{count} rows read")


def from_thread(report: Report) -> Report:
    """The same report, made on its event loop, for whoever calls it in any thread."""
    if report is drop_progress:
        return drop_progress
    loop = asyncio.get_running_loop()

    def tell(done: float, total: float | None, message: str | None) -> None:
        with suppress(RuntimeError):  # as above
            loop.call_soon_threadsafe(report, done, total, message)

    return tell
