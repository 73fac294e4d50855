"""Turns the chunks of rows that libpq gives into rows for a sink.

What came is measured first: a cell beyond the budget is never made a text or a value. Whatever
goes wrong is kept, for the rest of the pipeline must be read before it is told.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Final, Protocol

import psycopg
from psycopg.pq.abc import PGresult

from runner.bindings.sql.collect import Cell, Sink
from runner.bindings.sql.postgres_types import JSON, JSONB
from runner.bindings.sql.session import SessionLostError
from runner.errors import BindingError

_RAW_PER_JSON: Final = 4
"""Bytes of an array as the server writes it, a byte of JSON, at most: escapes, hex digits."""
_RAW_PER_BYTE: Final = 2
"""The same of others: `bytea` in hex digits, the spaces that `jsonb` has."""
_NO_DECODERS: Final[Mapping[int, Cell]] = {}
_UNREADABLE: Final = (ValueError, TypeError, psycopg.Error)
"""What a loader raises. The server checks what it sends, so it came wrong over the wire."""


class RowLoader(Protocol):
    """What is used of psycopg's Transformer, whose class depends on how psycopg is built."""

    def set_pgresult(self, result: PGresult | None, *, set_loaders: bool = True) -> None:
        """Takes the chunk to read from; choosing the loaders again costs as much as a row."""

    def load_rows(
        self, row0: int, row1: int, make_row: Callable[[Sequence[object]], tuple[object, ...]]
    ) -> list[tuple[object, ...]]:
        """The rows from `row0` up to, not including, `row1`."""


class Reception:
    """Takes the rows of one statement."""

    def __init__(
        self,
        loader: RowLoader,
        sink: Sink,
        arrays: Container[int],
        cancel: Callable[[], None],
    ) -> None:
        self._loader = loader
        self._sink = sink
        self._arrays = arrays
        self._cancel = cancel
        self._weights: Sequence[tuple[int, int]] = ()
        self._costly: Sequence[tuple[int, int]] = ()
        self._is_started = False
        self.is_over = False
        """No more rows are wanted."""
        self.was_cut = False
        self.fault: BindingError | SessionLostError | None = None

    def take(self, result: PGresult, received: int) -> bool:
        """Takes a chunk, for which at least `received` bytes came; whether more are wanted."""
        wants_more = False
        try:
            wants_more = self._take(result, received)
        except BindingError as error:
            self.fault = error.with_traceback(None)  # whose frames hold the chunk
        except _UNREADABLE as error:
            self.fault = SessionLostError(f"a value cannot be read ({type(error).__name__})")
        finally:
            self._loader.set_pgresult(None, set_loaders=False)  # which would keep the chunk
        self.is_over = not wants_more
        return wants_more

    def _take(self, result: PGresult, received: int) -> bool:
        self._loader.set_pgresult(result, set_loaders=not self._is_started)
        if not self._is_started:
            self._start(result)
        columns = self._weights if received > self._sink.max_bytes else self._costly
        count = self._readable(result, columns) if columns else result.ntuples
        wants_more = self._sink.add(self._loader.load_rows(0, count, tuple))
        if wants_more and count < result.ntuples:
            self._sink.overflow()
        return wants_more and count == result.ntuples

    def _start(self, result: PGresult) -> None:
        self._is_started = True
        columns = range(result.nfields)
        types = [result.ftype(column) for column in columns]
        self._weights = [
            (column, _RAW_PER_JSON if types[column] in self._arrays else _RAW_PER_BYTE)
            for column in columns
        ]
        self._costly = [
            pair
            for pair in self._weights
            if types[pair[0]] in (JSON, JSONB) or types[pair[0]] in self._arrays
        ]
        names = [(result.fname(column) or b"").decode() for column in columns]
        self._sink.start(names, _NO_DECODERS)

    def _readable(self, result: PGresult, columns: Iterable[tuple[int, int]]) -> int:
        """How many rows come before one that is too large."""
        for row in range(result.ntuples):
            room = self._sink.max_bytes
            for column, raw in columns:
                room -= len(result.get_value(row, column) or b"") // raw
                if room < 0:
                    return row
        return result.ntuples

    def cut(self) -> None:
        """Stops the statement: enough rows came."""
        self.was_cut = True
        self._cancel()

    def end(self) -> None:
        """Tells a fault."""
        if self.fault is not None:
            raise self.fault
