"""A call that goes on after its request was answered: as it is ordered, kept and told.

The `Tasks` protocol is the seam between the methods of the protocol and what keeps and runs tasks.
Source: MCP extension `io.modelcontextprotocol/tasks`, 2026-07-28.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from runner.catalog.caller import Caller
from runner.codec.json import Json
from runner.errors import CallError


class Status(StrEnum):
    """Where a task stands; the words of the specification."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL: Final = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED})
"""A task that stands so never changes again."""


@dataclass(frozen=True, slots=True)
class Order:
    """All that a task's call is made of, so that any worker can make it."""

    path: str
    """Of the endpoint."""
    tool: str
    arguments: Mapping[str, object]
    """As they were sent."""
    caller: Caller
    capabilities: Mapping[str, object]
    """What the client declared on the request."""
    client: Mapping[str, object] | None = None
    """`name` and `version` as the client gives them."""
    repeats: bool = False
    """Making the call twice does what making it once does."""
    answers: Mapping[str, Json] = field(default_factory=dict)
    """What the user has answered so far, by the key of the request for it."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The call gave a result, be it that of a tool that failed."""

    result: bytes
    """The result object of `tools/call`, encoded."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The call ended with a JSON-RPC error."""

    error: bytes
    """The error object, encoded."""
    message: str


@dataclass(frozen=True, slots=True)
class Asking:
    """The call goes on once the client has answered."""

    requests: Mapping[str, Json]
    """By key: method and parameters."""


Ending = Completed | Failed | Asking
Perform = Callable[[Order], Awaitable[Ending]]
"""Makes a task's call; raises nothing but cancellation, which stops the work itself."""


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task as its owner sees it."""

    id: str
    path: str
    status: Status
    created: datetime
    updated: datetime
    """Both UTC."""
    ttl_ms: int
    poll_ms: int
    revision: int
    """Grows with every change."""
    message: str | None = None
    requests: Mapping[str, Json] = field(default_factory=dict)
    """What is asked and not answered, by key."""
    result: bytes | None = None
    error: bytes | None = None


class TooManyTasksError(CallError):
    """No task can be begun at this time: the owner has too many, or the store, or a worker ends."""


class Tasks(Protocol):
    """Keeps tasks and runs them; a foreign task and an expired one are like one that never was."""

    async def create(self, order: Order) -> TaskState:
        """A new task of the order's caller, which any worker knows by now.

        Raises:
            TooManyTasksError: there are as many as there may be.
        """

    async def find(self, task: str, *, owner: str, path: str) -> TaskState | None:
        """The task of this owner (a principal) at this endpoint."""

    async def known(self, tasks: Collection[str], *, owner: str, path: str) -> frozenset[str]:
        """Those of the tasks that are this owner's at this endpoint."""

    async def answer(self, task: str, replies: Mapping[str, Json]) -> None:
        """Gives a task replies; those that nothing waits for are ignored."""

    async def cancel(self, task: str) -> None:
        """Ends a task that has not ended, and stops its work, whichever worker does it."""
