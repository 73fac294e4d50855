"""From a failed call to the result that the model reads, in the author's words if any."""

from runner.catalog.call import Outcome
from runner.catalog.content import TextContent
from runner.catalog.expressions import ExpressionError, Scope
from runner.catalog.result import CallResult
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool, Words
from runner.codec.json import encode
from runner.errors import BindingError, CallError
from runner.invocation.scope import extend


def failed(tool: Tool, error: CallError, scope: Scope) -> CallResult:
    """The result for `error`: the tool's own words for its kind, else the error's neutral text."""
    if _is_empty(tool, error):
        value = _empty(tool)
        encoded = encode(value)
        return CallResult([TextContent(encoded.decode())], encoded, isinstance(value, dict))
    return CallResult([TextContent(_worded(tool, error, scope))], is_error=True)


def recovered(tool: Tool, error: BindingError, scope: Scope) -> Outcome:
    """The empty outcome where the tool calls that failure `empty`; for a step of another tool.

    Raises:
        BindingError: of the same kind, in the tool's own words.
    """
    if _is_empty(tool, error):
        return Outcome(_empty(tool))
    raise in_words(tool, error, scope) from error


def in_words(tool: Tool, error: BindingError, scope: Scope) -> BindingError:
    """The error of the same kind in the tool's own words, where it has any."""
    return BindingError(
        error.kind,
        _worded(tool, error, scope),
        field=error.field,
        status=error.status,
        response=error.response,
        reason=error.reason,
    )


def _words(tool: Tool, error: CallError) -> Words | None:
    if not isinstance(error, BindingError) or not tool.errors:
        return None
    if error.status is not None:
        return tool.errors.get(str(error.status))
    return tool.errors.get(error.kind)


def _is_empty(tool: Tool, error: CallError) -> bool:
    words = _words(tool, error)
    return words is not None and words.template is None


def _worded(tool: Tool, error: CallError, scope: Scope) -> str:
    words = _words(tool, error)
    if words is None or words.template is None:
        return str(error)
    response = error.response if isinstance(error, BindingError) else None
    try:
        return words.template.render(extend(scope, response=response))
    except ExpressionError:
        return str(error)


def _empty(tool: Tool) -> object:
    """What `empty` means for the tool's shape: no rows, 0, or null."""
    if not isinstance(tool.plan, SqlPlan):
        return None
    empty: dict[str, object] = {
        "rows": {"rows": [], "truncated": False},
        "column": [],
        "affected": 0,
    }
    return empty.get(tool.plan.shape)
