"""What a DuckDB statement is wrapped in so that its columns leave the engine as they should.

The wrapper names the columns, so that none is taken for another, casts what the driver would round,
and withholds what is too large before the driver makes it a value, which it does with everything
else standing still. Two columns of ours stand behind: the size of the row, and one that is always
null and whose type is a struct of the columns as they are at this run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb
from duckdb.sqltypes import DuckDBPyType

from runner.bindings.sql.collect import BLOCK_ROWS, Cell, Sink
from runner.bindings.sql.duckdb_describe import Described
from runner.bindings.sql.duckdb_guard import StatementKind, body_of
from runner.bindings.sql.duckdb_types import Form, quoted

Columns = Sequence[tuple[str, str]]
"""Names and types, as the engine writes them."""
BLOCK_BYTES: Final = 1024 * 1024
"""Of the texts in the rows that are held at once."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A statement as it runs, for the columns that it had when it was made."""

    statement: duckdb.Statement
    """Parsed, so that it need not be again; each run takes a copy."""
    text: str
    columns: Columns
    names: Sequence[str]
    cells: Mapping[int, Cell]
    limit: int
    """Rows beyond so many bytes come without their values."""
    is_wrapped: bool
    is_bounded: bool
    """No type of the columns admits a large value."""


def selected(
    connection: duckdb.DuckDBPyConnection,
    described: Described,
    forms: Sequence[Form],
    *,
    limit: int,
    measures: bool,
) -> Selected:
    """The statement for these columns; `measures` where texts, too, are withheld when large.

    Raises:
        duckdb.Error: it cannot be parsed.
    """
    text, kind, columns = described.text, described.kind, described.columns
    names = [name for name, _ in columns]
    wraps = kind != "explain" and any(
        form.cast or form.is_nested or (form.size and measures) for form in forms
    )
    if wraps:
        text = _wrapped(text, kind, names, forms, limit)
    return Selected(
        connection.extract_statements(text)[0],
        text,
        tuple(columns),
        names,
        {index: form.cell for index, form in enumerate(forms) if form.cell is not None},
        limit,
        wraps,
        not any(form.size for form in forms),
    )


def _wrapped(
    text: str, kind: StatementKind, names: Sequence[str], forms: Sequence[Form], limit: int
) -> str:
    folded = {name.casefold() for name in names}
    source = "_r"
    while source in folded:
        source += "_"
    body, inner = body_of(text), [quoted(name) for name in names]
    listed = ""
    if len(folded) < len(names):  # names that say nothing; two of one name are refused anyway
        inner = [f"c{index}" for index in range(len(names))]
        listed = f"({', '.join(inner)})"
    sizes = [form.size.format(name) for name, form in zip(inner, forms, strict=True) if form.size]
    size = " + ".join(f"coalesce({size}, 0)" for size in sizes) or "0"
    outer = []
    for name, column, form in zip(names, inner, forms, strict=True):
        value = f"CAST({column} AS {form.cast})" if form.cast else column
        if form.size:
            value = f"CASE WHEN {size} <= {limit} THEN {value} END"
        outer.append(f"{value} AS {quoted(name)}")
    shape = f"CASE WHEN false THEN {source} END"
    columns = ", ".join([*outer, f"{size} AS _size", f"{shape} AS _shape"])
    if kind == "change":
        return f"WITH {source}{listed} AS (\n{body}\n) SELECT {columns} FROM {source}"
    return f"SELECT {columns} FROM (\n{body}\n) AS {source}{listed}"


def columns_of(description: Sequence[Sequence[object]], ready: Selected) -> Columns:
    """The columns of a run, without what the wrapper made of them."""
    if not ready.is_wrapped:
        return tuple((str(entry[0]), str(entry[1])) for entry in description)
    shape = description[-1][1]
    if not isinstance(shape, DuckDBPyType) or shape.id != "struct":
        return ()
    found = tuple((name, str(kind)) for name, kind in shape.children)
    if len(found) == len(ready.names) and len({n.casefold() for n in ready.names}) < len(found):
        return tuple((name, kind) for name, (_, kind) in zip(ready.names, found, strict=True))
    return found


def fetch(cursor: duckdb.DuckDBPyConnection, ready: Selected, sink: Sink) -> bool:
    """Gives the rows to the sink, in blocks of bounded size; whether a row was larger than the
    limit although nothing withheld it."""
    if ready.is_bounded and not ready.is_wrapped:
        wants_more = True
        while wants_more:
            size = min(sink.wanted, BLOCK_ROWS)
            rows = cursor.fetchmany(size)
            wants_more = sink.add(rows) and len(rows) == size
        return False
    return _fetch_singly(cursor, ready, sink)


def _fetch_singly(cursor: duckdb.DuckDBPyConnection, ready: Selected, sink: Sink) -> bool:
    measured = _measured if ready.is_wrapped else _estimated
    was_large = False
    block: list[Sequence[object]] = []
    held = 0
    while (row := cursor.fetchone()) is not None:
        size, cells = measured(row)
        if size > ready.limit and ready.is_wrapped:  # its values were withheld
            if not block or sink.add(block):
                sink.overflow()
            return False
        was_large |= size > ready.limit
        block.append(cells)
        held += size
        if held <= BLOCK_BYTES and len(block) < min(sink.wanted, BLOCK_ROWS):
            continue
        if not sink.add(block):
            return was_large
        block, held = [], 0
    sink.add(block)
    return was_large


def _measured(row: Sequence[object]) -> tuple[int, Sequence[object]]:
    size = row[-2]
    return size if isinstance(size, int) else 0, row[:-2]


def _estimated(row: Sequence[object]) -> tuple[int, Sequence[object]]:
    return sum(len(cell) for cell in row if isinstance(cell, str | bytes)), row
