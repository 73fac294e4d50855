"""Rows that are too many to be held as values: blocks of them as compressed JSON.

A block is written once and read once or twice, block by block, so that a result of any size needs
the memory of one block and of its compressed whole. Knows no engine, no wire and no table.
"""

import zlib
from collections.abc import Iterator, Mapping

from runner.codec.json import Json, decode, encode

_LEVEL = 1
"""The fastest: rows are much alike, and shrink to a tenth even so."""


class PackedRows:
    """A list of JSON objects that only grows."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []

    def add(self, block: bytes) -> None:
        """Appends the rows of a JSON array, which is not empty."""
        self._blocks.append(zlib.compress(block, _LEVEL))

    def add_rows(self, rows: list[dict[str, Json]]) -> None:
        """Appends rows."""
        if rows:
            self.add(encode(rows))

    def blocks(self) -> Iterator[list[Mapping[str, Json]]]:
        """The rows, block by block."""
        for block in self._blocks:
            yield decode(zlib.decompress(block))  # type: ignore[misc]  # as `add` was given it

    def json(self) -> Iterator[bytes]:
        """The JSON of all rows without the brackets around them, in pieces."""
        comma = b""
        for block in self._blocks:
            yield comma + zlib.decompress(block)[1:-1]
            comma = b","
