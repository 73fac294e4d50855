"""From a binding's outcome to a finished result: encode once, check, put the text beside it.

For an object the author's text takes the place of the JSON text; for a list or a scalar the JSON
text comes first, since older clients read nothing else. A note stands in a block of its own.
Source: MCP 2026-07-28, server/tools, "Structured Content"; SEP-2106.
"""

from collections.abc import Mapping, Sequence

from runner.catalog.call import Outcome
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from runner.catalog.expressions import Scope
from runner.catalog.result import CallResult
from runner.catalog.schema import OutputSchema
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.codec.tables import csv, markdown
from runner.errors import BindingError, Kind
from runner.invocation.scope import extend


def shape(tool: Tool, outcome: Outcome, scope: Scope) -> CallResult:
    """The result that the client gets for `outcome`.

    Raises:
        BindingError: the result is larger than allowed, or does not fit the declared schema.
    """
    if not outcome.is_structured:
        blocks = list(outcome.content or ())
        _check_size(sum(map(_size, blocks)), tool)
        return CallResult(_with_note(blocks, outcome.note), has_note=outcome.note is not None)
    encoded = encode(outcome.value)
    _check_size(len(encoded), tool)
    if tool.output is not None and tool.output.is_declared:
        check_declared(tool.output, outcome.value)
    if outcome.content is not None:
        blocks = list(outcome.content)
        _check_size(sum(map(_size, blocks)), tool)
    else:
        blocks = _text_blocks(tool, outcome, encoded, scope)
    is_object = isinstance(outcome.value, dict)
    has_note = outcome.note is not None
    return CallResult(_with_note(blocks, outcome.note), encoded, is_object, has_note=has_note)


def _check_size(size: int, tool: Tool) -> None:
    if size > tool.max_bytes:
        raise BindingError(
            Kind.TOO_LARGE,
            f"the result has {size} bytes, more than the {tool.max_bytes} allowed; ask for less",
        )


def _size(block: ContentBlock) -> int:
    """The bytes of what a block carries; a link carries nothing."""
    match block:
        case TextContent(text):
            return len(text.encode(errors="replace"))
        case ImageContent(data) | AudioContent(data):
            return len(data)
        case EmbeddedResource(text=text, blob=blob):
            return len((text or "").encode(errors="replace")) + len(blob or b"")
        case _:
            return 0


def _text_blocks(tool: Tool, outcome: Outcome, encoded: bytes, scope: Scope) -> list[ContentBlock]:
    chosen = _chosen_text(tool, outcome, scope)
    if chosen is None:
        return [TextContent(encoded.decode())]
    if isinstance(outcome.value, dict):
        return [TextContent(chosen)]
    return [TextContent(encoded.decode()), TextContent(chosen)]


def _chosen_text(tool: Tool, outcome: Outcome, scope: Scope) -> str | None:
    wanted = tool.text
    if wanted.template is not None:
        return wanted.template.render(extend(scope, result=outcome.value))
    if wanted.format == "json":
        return None
    rows = _rows(outcome.value)
    if rows is None:
        return None
    columns = outcome.columns or list(dict.fromkeys(key for row in rows for key in row))
    return csv(columns, rows) if wanted.format == "csv" else markdown(columns, rows)


def _rows(value: object) -> Sequence[Mapping[str, object]] | None:
    """The rows of a value that is a table: `{rows}`, a list of objects, or one object."""
    match value:
        case {"rows": list(rows)}:
            return rows
        case list() if all(isinstance(item, dict) for item in value):
            return value
        case dict():
            return [value]
        case _:
            return None


def check_declared(output: OutputSchema, value: object) -> None:
    """Nothing, where the value fits the schema that the author declared.

    Raises:
        BindingError: it does not; the value is not in the error.
    """
    if output.is_valid(value):
        return
    misfit = output.misfit(value)
    place = misfit.place
    what = f"the result's {place} does" if place else "the result does"
    mended = ": it is null, which 'TYPE|null' or a hint with None would admit"
    raise BindingError(
        Kind.REDACTED,
        f"{what} not fit the tool's output schema",
        field=place or None,
        reason=f"{what} not fit the output that the file or the return hint declares"
        + (mended if misfit.is_null else ""),
    )


def _with_note(blocks: list[ContentBlock], note: str | None) -> list[ContentBlock]:
    return blocks if note is None else [*blocks, TextContent(note)]
