"""One call on its way: what a binding is given, and what it gives back.

The `Binding` protocol is the seam between the request path and SQL, HTTP, Python.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar, Protocol

from runner.catalog.asking import Ask, Question, Reply
from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.content import ContentBlock
from runner.catalog.expressions import Scope
from runner.catalog.schema import Arguments
from runner.codec.packed import PackedRows
from runner.errors import ClientCannotError

Report = Callable[[float, float | None, str | None], None]
"""Reports progress: how far, of how much, in which words. Never blocks."""
Log = Callable[[str, object, str | None], None]
"""Logs to the client, where it asked: level, data, logger."""


@dataclass(slots=True)
class RequestFacts:
    """What the request says of itself; the client's own words, never proof of anything.

    Made anew for each call, and therefore not frozen: that would cost more than all the rest.
    """

    id: str | int | None = None
    tool: str | None = None
    """The tool, prompt or resource that is asked for."""
    version: str = ""
    """The protocol version."""
    client: Mapping[str, object] | None = None
    """`name` and `version` as the client gives them."""
    capabilities: Mapping[str, object] = field(default_factory=dict)
    """What the client declared on this request."""
    trace: Mapping[str, str] = field(default_factory=dict)
    """The well-formed ones of `traceparent`, `tracestate` and `baggage`, by name."""


def drop_progress(_done: float, _total: float | None, _message: str | None) -> None:
    """Reports to nobody."""


def drop_log(_level: str, _data: object, _logger: str | None) -> None:
    """Logs to nobody."""


async def ask_nobody(_questions: Mapping[str, Question]) -> Mapping[str, Reply]:
    """There is nobody to ask."""
    raise ClientCannotError("nobody can be asked here", {})


@dataclass(slots=True)
class CallContext:
    """What a request brings beside the arguments; made anew for each call."""

    now: datetime
    """UTC, fixed for the request."""
    caller: Caller = ANONYMOUS
    request: RequestFacts = field(default_factory=RequestFacts)
    report: Report = drop_progress
    log: Log = drop_log
    ask: Ask = ask_nobody


@dataclass(slots=True)
class Call:
    """A tool's call, its arguments checked and its hidden parameters bound.

    Cancellation is asyncio's: a binding that is cancelled stops the work itself (the statement in
    the database, the upstream request) before it lets the cancellation pass.
    """

    tool: str
    arguments: Arguments
    context: CallContext
    scope: Scope
    """For the expressions and templates of the plan."""
    timeout_s: float
    """The whole call's limit; enforced around the binding and told to engines that enforce it."""


@dataclass(slots=True)
class Outcome:
    """What a binding returns.

    `value` is JSON-safe (see `runner.codec.values`) and becomes the structured content; `content`
    holds finished blocks. Either may be missing; a binding that returns plain text gives one
    TextContent and leaves `is_structured` false.
    """

    value: object = None
    is_structured: bool = True
    content: Sequence[ContentBlock] | None = None
    columns: Sequence[str] | None = None
    """Column names in order, where `value` holds rows; for CSV and Markdown."""
    packed: PackedRows | None = None
    """The rows of `value`, which has an empty list in their place: too many to hold as values."""
    note: str | None = None
    """Said to the model in a block of its own: what was cut and how to get the rest."""


def whole(outcome: Outcome) -> Outcome:
    """The outcome with all its rows as values, for who reads them and does not only send them."""
    if outcome.packed is None or not isinstance(outcome.value, dict):
        return outcome
    rows = [row for block in outcome.packed.blocks() for row in block]
    return replace(outcome, value={**outcome.value, "rows": rows}, packed=None)


class Binding(Protocol):
    """The live runner of one plan."""

    keeps_time: ClassVar[bool]
    """It ends a call at `timeout_s` by itself, so that nobody has to stand beside it."""

    async def invoke(self, call: Call) -> Outcome:
        """The outcome of one call.

        Raises:
            CallError: the tool failed; anything else is a bug and is redacted by the caller.
        """
