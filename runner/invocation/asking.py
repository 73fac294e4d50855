"""What a tool asks the user before it runs: values that are missing, and whether it is meant."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from runner.catalog.asking import Ask, AskedParameters, Form, Question, Reply
from runner.catalog.call import CallContext
from runner.catalog.expressions import Scope
from runner.catalog.tool import Confirm, Show
from runner.deadline import Deadline
from runner.errors import ClientCannotError, ToolError

CONFIRM: Final = "confirm"
VALUES: Final = "values"
_UNDONE: Final = {
    "decline": "The user declined; nothing was done.",
    "cancel": "The user cancelled; nothing was done.",
}
"""By what the user did instead of accepting."""
_NOTHING_TO_FILL_IN: Final = {"type": "object", "properties": {}}

ShowResult = Callable[[Show, Scope], Awaitable[str]]
"""The text of what a read tool returns."""


async def with_asked(
    asked: AskedParameters, sent: Mapping[str, object], context: CallContext
) -> Mapping[str, object]:
    """What was sent, with what the user gave for what was missing.

    A client that cannot ask goes on without: what is required is then a fault of the arguments,
    which the model can mend.

    Raises:
        ToolError: the user declined to give what the tool cannot do without.
        InputNeededError: the user has not answered yet.
    """
    missing = [name for name in asked.properties if sent.get(name) is None]
    if not missing:
        return sent
    needed = [name for name in missing if name in asked.required]
    schema = {
        "type": "object",
        "properties": {name: asked.properties[name] for name in missing},
        "required": needed,
    }
    try:
        reply = (await context.ask({VALUES: Form(asked.message, schema)}))[VALUES]
    except ClientCannotError:
        return sent
    content = reply.get("content")
    if reply.get("action") == "accept" and isinstance(content, Mapping):
        return {**sent, **{name: content[name] for name in missing if name in content}}
    if needed:
        raise _undone(reply)
    return sent


async def confirm(question: Confirm, scope: Scope, context: CallContext, show: ShowResult) -> None:
    """Returns once the user has accepted exactly this question.

    Raises:
        ToolError: the user declined.
        InputNeededError: the user has not answered yet.
        ClientCannotError: the client cannot ask, and the tool may not run without.
    """
    message = question.text.render(scope)
    if question.show is not None:
        message = f"{message}\n\n{await show(question.show, scope)}"
    form = Form(message, _NOTHING_TO_FILL_IN, is_strict=True)
    try:
        reply = (await context.ask({CONFIRM: form}))[CONFIRM]
    except ClientCannotError:
        if question.allows_without:
            return
        raise
    if reply.get("action") != "accept":
        raise _undone(reply)


def _undone(reply: Reply) -> ToolError:
    return ToolError(_UNDONE.get(str(reply.get("action")), _UNDONE["decline"]))


def in_time(context: CallContext, timeout_s: float) -> CallContext:
    """The context, whose questions are answered within `timeout_s` or fail the call."""
    return replace(context, ask=partial(_ask_in_time, context.ask, timeout_s))


async def _ask_in_time(
    ask: Ask, timeout_s: float, questions: Mapping[str, Question]
) -> Mapping[str, Reply]:
    """The replies of a client, which may be asked while the call waits.

    Raises:
        ToolError: they did not come within `timeout_s`.
    """
    try:
        with Deadline(timeout_s):
            return await ask(questions)
    except TimeoutError as error:
        raise ToolError(f"Nobody answered within {timeout_s:g} s.") from error
