"""What the protocol has done for it: tools called, resources read, prompts made, the time told.

The seam between the protocol and `runner.invocation`; tests put their own functions in.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from runner.catalog.call import CallContext
from runner.catalog.completion import Completion, Suggestions
from runner.catalog.prompt import Prompt, PromptMessage
from runner.catalog.resource import Contents, Resource, ResourceIndex
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.seal import Seal

CallTool = Callable[[Tool, Mapping[str, object], CallContext], Awaitable[CallResult]]
"""Runs a tool. A failed call is a result with `is_error`; an exception is a bug."""
PrepareTool = Callable[[Tool, Mapping[str, object], CallContext], Awaitable[CallResult | None]]
"""Asks and checks all that a call would before it runs; the result of one that fails by then."""
ReadResource = Callable[
    [Resource, str, Mapping[str, str], CallContext], Awaitable[Sequence[Contents]]
]
"""Reads a URI of a resource, with the variables that its template found in it.

Raises:
    CallError: kind `missing` where there is no such resource; its text is for the client.
"""
GetPrompt = Callable[
    [Prompt, Mapping[str, str], ResourceIndex, CallContext], Awaitable[Sequence[PromptMessage]]
]
"""Makes the messages of a prompt, with the arguments that were sent.

Raises:
    CallError: kind `missing` where a resource is not there; its text is for the client.
"""
Complete = Callable[[Completion, str, Mapping[str, str], CallContext], Awaitable[Suggestions]]
"""Suggests values for what was typed, with the arguments that are chosen already.

Raises:
    CallError: the source failed; `ArgumentsError` where a chosen argument does not fit.
"""


async def _nothing_to_prepare(
    _tool: Tool, _arguments: Mapping[str, object], _context: CallContext
) -> CallResult | None:
    return None


@dataclass(frozen=True, slots=True)
class Backend:
    """What an endpoint's methods are answered with."""

    call_tool: CallTool
    read_resource: ReadResource
    get_prompt: GetPrompt
    complete: Complete
    clock: Callable[[], datetime]
    """The time in UTC."""
    error_id: Callable[[], str]
    """A new id for each unexpected failure."""
    seal: Seal
    """Seals what clients carry from one request to the next."""
    prepare_tool: PrepareTool = _nothing_to_prepare
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that never go back."""
