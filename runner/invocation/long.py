"""From an outcome with packed rows to a long result, which is never held whole.

What `runner.invocation.shape` does at once is done here block by block: the check against a
declared schema before anything is sent, in a thread, since it takes long; text and JSON while they
are sent.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from weakref import WeakSet

from runner.catalog.call import Outcome, whole
from runner.catalog.content import TextContent
from runner.catalog.expressions import Scope
from runner.catalog.result import CallResult, LongResult
from runner.catalog.schema import OutputSchema
from runner.catalog.tool import Tool
from runner.codec.json import Json, encode
from runner.codec.packed import PackedRows
from runner.codec.tables import csv_head, csv_lines, markdown_head, markdown_lines
from runner.errors import BindingError, Kind
from runner.invocation.shape import check_declared, shape

MAX_LONG_RESULTS: Final = 8
"""Of one worker, from their packing to the end of their sending; clients may read slowly."""
_OPEN: Final = b'{"rows":['
Row = Mapping[str, Json]
_TABLES: Final[
    Mapping[
        str,
        tuple[Callable[[Sequence[str]], str], Callable[[Sequence[str], Sequence[Row]], str]],
    ]
] = {"csv": (csv_head, csv_lines), "markdown": (markdown_head, markdown_lines)}


class LongResults:
    """How many long results there are at this moment: each counts as long as its memory is held."""

    def __init__(self) -> None:
        self._held: WeakSet[PackedRows] = WeakSet()

    def admit(self, packed: PackedRows) -> None:
        """Takes one more into account.

        Raises:
            BindingError: `busy`, where there are too many.
        """
        if len(self._held) >= MAX_LONG_RESULTS:
            gc.collect()  # what ended in a cycle holds its rows until the collector comes
        if len(self._held) >= MAX_LONG_RESULTS:
            raise BindingError(
                Kind.BUSY, "the server is busy: too many long results are read; try again"
            )
        self._held.add(packed)


async def shape_long(tool: Tool, outcome: Outcome, packed: PackedRows, scope: Scope) -> CallResult:
    """The result that the client gets for an outcome whose rows are `packed`.

    Raises:
        BindingError: it does not fit the declared schema.
    """
    if tool.text.template is not None or not isinstance(outcome.value, dict):
        return shape(tool, whole(outcome), scope)  # a template reads the rows as values
    value: dict[str, object] = outcome.value
    if tool.output is not None and tool.output.is_declared:
        await asyncio.to_thread(_check_blocks, tool.output, value, packed)

    def structured() -> Iterator[bytes]:
        yield _OPEN
        yield from packed.json()
        yield encode(value)[len(_OPEN) :]

    def text() -> Iterator[str]:
        table = _TABLES.get(tool.text.format)
        if table is None:
            yield from (piece.decode() for piece in structured())
            return
        head, lines = table
        columns = outcome.columns or ()
        yield head(columns)
        for block in packed.blocks():
            yield lines(columns, block)

    notes = [] if outcome.note is None else [TextContent(outcome.note)]
    return CallResult(notes, long=LongResult(text, structured), has_note=bool(notes))


def _check_blocks(output: OutputSchema, value: Mapping[str, object], packed: PackedRows) -> None:
    for rows in packed.blocks():
        check_declared(output, {**value, "rows": rows})
