"""Collects the rows of a result within its budgets: rows and bytes, cut between rows.

Rows come in blocks from a cursor, so that a result of any size needs little memory. The sink says
when it wants no more; one row more than allowed is asked for, and shows that there was one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol
from uuid import UUID

from runner.catalog.sql import ResultColumns
from runner.codec.json import Json, JsonFault, encode
from runner.codec.packed import PackedRows
from runner.codec.seal import MAC_BYTES
from runner.codec.values import UnknownTypeError, decimal, json_text, plain, plain_cell
from runner.errors import BindingError, Kind

BLOCK_ROWS: Final = 128
"""Rows fetched at once: bounds what is held beyond the budgets."""
MAX_UNPACKED_BYTES: Final = 4 * 1024 * 1024
"""Of JSON: a tool with raised budgets holds so much as values, which take ten times the memory."""
_TEXT_PER_JSON: Final = 2
"""What a text may have that its JSON value does not: spaces."""
_UUID_BYTES: Final = 16
_DECIMAL: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
Cell = Callable[[object], Json]


class Sink(Protocol):
    """Takes the rows of one statement."""

    wanted: int
    """How many rows are still wanted; a cursor need not fetch more."""
    has_replacements: bool
    """Text that could not be decoded came with replacement characters."""

    def start(self, columns: Sequence[str], decoders: Mapping[int, Cell]) -> None:
        """Begins with no rows, of these columns; `decoders` are the engine's, by position, for
        cells that are not yet plain."""

    @property
    def max_bytes(self) -> int:
        """What a row may have as JSON, at most."""

    def add(self, rows: Sequence[Sequence[object]]) -> bool:
        """Takes a block; whether more rows are wanted."""

    def overflow(self) -> None:
        """Ends before a row that is larger than `max_bytes`; the first one must not be."""


class Rows:
    """The rows of a result as JSON-safe maps."""

    def __init__(
        self,
        columns: ResultColumns,
        *,
        max_rows: int,
        max_bytes: int,
        keys: Sequence[str] = (),
        envelope: int = 0,
        packs: bool = False,
    ) -> None:
        """`envelope` is what stands around the rows, in bytes, the cursor of a key apart; `packs`
        where rows that are too many to be held as values are packed."""
        self._packs = packs
        self.tell: Callable[[int], None] | None = None
        """Hears after each block how many rows are kept."""
        self.has_replacements = False
        self._envelope = envelope
        self._clear(max_rows, max_bytes)
        self._declared = columns
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._keys = keys

    def _clear(self, max_rows: int, max_bytes: int) -> None:
        self.wanted = max_rows + 1
        self.columns: Sequence[str] = ()
        self.rows: list[dict[str, Json]] = []
        """Empty once they are packed."""
        self.packed: PackedRows | None = None
        self.count = 0
        """Rows kept, packed or not."""
        self.is_cut_by_rows = False
        self.is_cut_by_bytes = False
        self.last_key: tuple[object, ...] | None = None
        """Of the last row kept: the columns `keys`, as the engine gave them."""
        self._first: Sequence[object] | None = None
        self._bytes_left = max_bytes - self._envelope
        self._key_positions: tuple[int, ...] = ()
        self._cells: Sequence[tuple[int, Cell]] = ()

    @property
    def max_bytes(self) -> int:
        """The budget of the whole result."""
        return self._max_bytes

    @property
    def first(self) -> Mapping[str, object] | None:
        """The first row as the engine gave it, to be bound again."""
        return None if self._first is None else dict(zip(self.columns, self._first, strict=True))

    @property
    def is_truncated(self) -> bool:
        """There were more rows than came."""
        return self.is_cut_by_rows or self.is_cut_by_bytes

    def start(self, columns: Sequence[str], decoders: Mapping[int, Cell]) -> None:
        """Takes the columns; refuses two of one name, of which one would be lost."""
        if len(set(columns)) != len(columns):
            twice = next(name for name in columns if list(columns).count(name) > 1)
            raise BindingError(
                Kind.INVALID, f"two columns of the result are named '{twice}'", field=twice
            )
        if self.columns:  # a second start
            self._clear(self._max_rows, self._max_bytes)
        self.columns = columns
        self._key_positions = tuple(columns.index(key) for key in self._keys)
        if decoders or self._declared != _NOTHING_DECLARED:
            self._cells = tuple(self._special_cells(columns, decoders))

    def _special_cells(
        self, columns: Sequence[str], decoders: Mapping[int, Cell]
    ) -> list[tuple[int, Cell]]:
        cells: list[tuple[int, Cell]] = []
        for position, name in enumerate(columns):
            cell = _declared_cell(name, self._declared) or decoders.get(position)
            if cell is None and self._declared.decimals == "number":
                cell = _number_cell
            if cell is not None:
                cells.append((position, cell))
        return cells

    def add(self, rows: Sequence[Sequence[object]]) -> bool:
        """Takes a block; whether more rows are wanted."""
        room = self._max_rows - self.count
        if len(rows) > room:
            self.is_cut_by_rows = True
            rows = rows[:room]
        count = self._readable(rows) if self._cells else len(rows)
        is_whole = count == len(rows)
        wants_more = self._add(rows if is_whole else rows[:count])
        if not (is_whole or self.is_cut_by_bytes):
            self.overflow()
        if self.tell is not None:
            self.tell(self.count)
        return wants_more and is_whole

    def _readable(self, rows: Sequence[Sequence[object]]) -> int:
        """How many rows come before one whose JSON texts are too large, which would be parsed."""
        limit = self._max_bytes * _TEXT_PER_JSON
        for index, row in enumerate(rows):
            cells = (row[position] for position, _ in self._cells)
            if sum(len(cell) for cell in cells if isinstance(cell, str | bytes)) > limit:
                return index
        return len(rows)

    def _add(self, rows: Sequence[Sequence[object]]) -> bool:
        start = self.count + 1
        block = [self._row(row, number) for number, row in enumerate(rows, start)]
        encoded = encode(block)
        size = len(encoded) - 1 if block else 0
        if block and size + self._cursor_bytes(rows[-1]) > self._bytes_left:
            block = self._fitting(block, rows)
            encoded = encode(block)
        else:
            self._bytes_left -= size
        if rows and not self.count:
            self._first = rows[0]
        if block:
            self._keep(block, encoded)
        if block and self._key_positions:
            last = rows[len(block) - 1]
            self.last_key = tuple(last[position] for position in self._key_positions)
        self.wanted = self._max_rows + 1 - self.count
        return not self.is_truncated

    def _keep(self, block: list[dict[str, Json]], encoded: bytes) -> None:
        self.count += len(block)
        if self.packed is not None:
            self.packed.add(encoded)
            return
        self.rows += block
        if self._packs and self._max_bytes - self._bytes_left > MAX_UNPACKED_BYTES:
            self._pack()

    def _pack(self) -> None:
        self.packed = PackedRows()
        for start in range(0, len(self.rows), BLOCK_ROWS):
            self.packed.add_rows(self.rows[start : start + BLOCK_ROWS])
        self.rows = []

    def _fitting(
        self, block: list[dict[str, Json]], rows: Sequence[Sequence[object]]
    ) -> list[dict[str, Json]]:
        """The rows of a block that fit, each with the cursor that would follow it."""
        for index, row in enumerate(block):
            self._bytes_left -= len(encode(row)) + 1
            if self._bytes_left < self._cursor_bytes(rows[index]):
                if index == 0:
                    self.overflow()
                self.is_cut_by_bytes = True
                return block[:index]
        return block

    def overflow(self) -> None:
        """Ends before a row that does not fit; the first one must."""
        self.is_cut_by_bytes = True
        if not self.count:
            raise BindingError(
                Kind.TOO_LARGE, f"a row is larger than the limit of {self._max_bytes} bytes"
            )

    def _cursor_bytes(self, row: Sequence[object]) -> int:
        if not self._key_positions:
            return 0
        return sealed_bytes(encode([plain(row[position]) for position in self._key_positions]))

    def _row(self, row: Sequence[object], number: int) -> dict[str, Json]:
        if not self._cells:
            try:
                return dict(zip(self.columns, map(plain_cell, row), strict=True))
            except UnknownTypeError as error:
                raise _unknown(self._unknown_column(row), error) from error
        cells = list(row)
        for position, cell in self._cells:
            if cells[position] is not None:
                cells[position] = self._cell(position, cell, cells[position], number)
        return dict(zip(self.columns, map(plain_cell, cells), strict=True))

    def _cell(self, position: int, cell: Cell, value: object, number: int) -> Json:
        try:
            return cell(value)
        except UnknownTypeError as error:
            raise _unknown(self.columns[position], error) from error
        except JsonFault as error:
            name = self.columns[position]
            message = f"column '{name}', row {number}: the text is not JSON"
            raise BindingError(Kind.INVALID, message, field=name) from error

    def _unknown_column(self, row: Sequence[object]) -> str:
        for name, value in zip(self.columns, row, strict=True):
            try:
                plain(value)
            except UnknownTypeError:
                return name
        raise AssertionError("some cell was refused")


def sealed_bytes(value: bytes) -> int:
    """The size of a cursor with its name, that holds a value of this JSON."""
    return len(',"next":""') + -(-4 * (MAC_BYTES + len(value)) // 3)


class Discarded:
    """A sink that wants no rows, only their number."""

    def __init__(self) -> None:
        self.wanted = 1 << 62
        self.max_bytes = 1 << 62
        self.has_replacements = False
        self.count = 0

    def start(self, columns: Sequence[str], decoders: Mapping[int, Cell]) -> None:
        """Needs no columns."""

    def add(self, rows: Sequence[Sequence[object]]) -> bool:
        """Counts the block."""
        self.count += len(rows)
        return True

    def overflow(self) -> None:
        """No row is too large to be counted."""


def _unknown(column: str, error: UnknownTypeError) -> BindingError:
    return BindingError(Kind.INVALID, f"column '{column}': {error}", field=column)


def _declared_cell(name: str, declared: ResultColumns) -> Cell | None:
    if name in declared.json:
        return _json_cell
    parameter = declared.types.get(name)
    if parameter is not None:
        if parameter.is_list or parameter.type == "object":
            return _json_cell
        if parameter.type == "boolean":
            return _boolean_cell
        if parameter.type == "uuid":
            return _uuid_cell
        if parameter.type == "decimal":
            return _decimal_cell if declared.decimals == "text" else _exact_number_cell
    return None


def _number_cell(value: object) -> Json:
    return plain(value, decimals="number")


def _json_cell(value: object) -> Json:
    return json_text(value) if isinstance(value, str | bytes) else plain(value)


def _boolean_cell(value: object) -> Json:
    """Engines without booleans keep 0 and 1."""
    return bool(value) if value in (0, 1) else plain(value)


def _uuid_cell(value: object) -> Json:
    """Engines without the type keep text in any case, or the sixteen bytes."""
    match value:
        case bytes() if len(value) == _UUID_BYTES:
            return str(UUID(bytes=value))
        case str():
            return value.lower()
        case _:
            return plain(value)


def _exact_number_cell(value: object) -> Json:
    """Engines without exact numbers keep them as texts."""
    if isinstance(value, str) and _DECIMAL.match(value):
        return decimal(Decimal(value), "number")
    return _number_cell(value)


def _decimal_cell(value: object) -> Json:
    return str(value) if isinstance(value, int | float) else plain(value)


_NOTHING_DECLARED: Final = ResultColumns()
