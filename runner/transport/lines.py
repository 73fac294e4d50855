"""Splits a stream of bytes into lines, each bounded.

Knows no content. A line that is too long is dropped up to its end, so that what follows is read.
"""

from collections.abc import Iterator
from typing import Final

TOO_LONG: Final = None
"""Stands for a line that exceeded the limit."""


class Lines:
    """The lines of a stream that comes in chunks."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Of one line, in bytes; may be changed between chunks."""
        self._rest = bytearray()
        self._is_dropping = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Each line that `chunk` completes, without its end and never empty; or TOO_LONG."""
        *whole, last = chunk.split(b"\n")
        for part in whole:
            yield from self._complete(part)
        self._keep(last)

    def end(self) -> Iterator[bytes | None]:
        """What stands after the last line end."""
        yield from self._complete(b"")

    def _complete(self, part: bytes) -> Iterator[bytes | None]:
        self._keep(part)
        if self._is_dropping:
            yield TOO_LONG
        elif line := bytes(self._rest).strip(b" \t\r"):
            yield line
        self._rest.clear()
        self._is_dropping = False

    def _keep(self, part: bytes) -> None:
        if self._is_dropping:
            return
        self._rest += part
        if len(self._rest) > self.limit:
            self._rest.clear()
            self._is_dropping = True
