"""From a failed call to the result that the model reads, in the author's words if any."""

from runner.catalog.content import TextContent
from runner.catalog.expressions import ExpressionError, Scope
from runner.catalog.result import CallResult
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool, Words
from runner.codec.json import encode
from runner.errors import BindingError, CallError


def failed(tool: Tool, error: CallError, scope: Scope) -> CallResult:
    """The result for `error`: the tool's own words for its kind, else the error's neutral text."""
    words = _words(tool, error)
    if words is None:
        return refusal(str(error))
    if words.template is None:
        return _empty(tool)
    response = error.response if isinstance(error, BindingError) else None
    try:
        return refusal(words.template.render({**scope, "response": response}))
    except ExpressionError:
        return refusal(str(error))


def refusal(text: str) -> CallResult:
    """A result with `isError: true` that says `text` and nothing else."""
    return CallResult([TextContent(text)], is_error=True)


def _words(tool: Tool, error: CallError) -> Words | None:
    if not isinstance(error, BindingError) or not tool.errors:
        return None
    if error.status is not None:
        return tool.errors.get(str(error.status))
    return tool.errors.get(error.kind)


def _empty(tool: Tool) -> CallResult:
    """What `empty` means for the tool's shape: no rows, 0, or null."""
    value: object = None
    if isinstance(tool.plan, SqlPlan):
        empty: dict[str, object] = {
            "rows": {"rows": [], "truncated": False},
            "column": [],
            "affected": 0,
        }
        value = empty.get(tool.plan.shape)
    encoded = encode(value)
    return CallResult([TextContent(encoded.decode())], encoded, isinstance(value, dict))
