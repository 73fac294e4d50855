"""The open `subscriptions/listen` streams of one process, and what they are told.

The legacy client of a process over stdio listens as well, without a request of its own.

A stream outlives a reload: it belongs to an address, not to what is served there at the moment.
Source: MCP 2026-07-28, `subscriptions/listen`.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from runner.codec.json import encode
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.jsonrpc import Emit
from runner.protocol.metadata import PREFIX

SUBSCRIPTION_KEY: Final = PREFIX + "subscriptionId"
MAX_STREAMS: Final = 32
"""Of one caller."""
LISTS: Final[Mapping[str, str]] = {
    "toolsListChanged": "notifications/tools/list_changed",
    "promptsListChanged": "notifications/prompts/list_changed",
    "resourcesListChanged": "notifications/resources/list_changed",
}
"""What a client asks for → what it is told."""
URIS: Final = "resourceSubscriptions"
TASK_IDS: Final = "taskIds"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a stream was granted."""

    lists: frozenset[str] = frozenset()
    uris: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    def members(self) -> dict[str, object]:
        """As the acknowledgement says it: what was not granted is left out."""
        found: dict[str, object] = {name: True for name in LISTS if name in self.lists}
        if self.uris:
            found[URIS] = sorted(self.uris)
        if self.tasks:
            found[TASK_IDS] = sorted(self.tasks)
        return found


@dataclass(slots=True, eq=False)
class Listener:
    """One stream."""

    path: str
    """Of its endpoint."""
    principal: str
    id: str | int | None
    """Of its request; None: a legacy client, which is told without one."""
    emit: Emit
    wanted: Wanted
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server ends it."""
    told: dict[str, int] = field(default_factory=dict)
    """The revision of each of its tasks that was told last."""

    def tell(self, method: str, params: Mapping[str, object] | None = None) -> None:
        """Sends one notification of this stream."""
        meta = {} if self.id is None else {"_meta": {SUBSCRIPTION_KEY: self.id}}
        whole = {**(params or {}), **meta}
        members = {"params": whole} if whole else {}
        self.emit(encode({"jsonrpc": "2.0", "method": method, **members}))

    def tell_encoded(self, method: str, members: bytes) -> None:
        """Sends one notification whose parameters are an encoded object without metadata."""
        meta = encode({"_meta": {SUBSCRIPTION_KEY: self.id}})
        params = members[:-1] + b"," + meta[1:]
        head = b'{"jsonrpc":"2.0","method":%b,"params":' % encode(method)
        self.emit(head + params + b"}")


class Listeners:
    """Every open stream; used on one event loop."""

    def __init__(self) -> None:
        self._open: set[Listener] = set()
        self.changes = 0
        """Grows with every stream that comes or goes or listens to something else."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, listener: Listener) -> None:
        """Keeps a stream until `remove`.

        Raises:
            ProtocolError: the caller has as many as it may.
        """
        streams = (other for other in self._open if other.id is not None)
        own = sum(other.principal == listener.principal for other in streams)
        if listener.id is not None and own >= MAX_STREAMS:
            message = f"A caller has at most {MAX_STREAMS} streams; end one of them"
            raise ProtocolError(Code.INTERNAL_ERROR, message, status=429)
        self._open.add(listener)
        self.changes += 1

    def remove(self, listener: Listener) -> None:
        """Tells it nothing any more."""
        self._open.discard(listener)
        self.changes += 1

    def want(self, listener: Listener, wanted: Wanted) -> None:
        """Lets a stream listen to something else from now on."""
        listener.wanted = wanted
        self.changes += 1

    def uris(self) -> Mapping[str, Collection[str]]:
        """The URIs that somebody listens to, by the path of the endpoint."""
        found: dict[str, set[str]] = {}
        for listener in self._open:
            if listener.wanted.uris:
                found.setdefault(listener.path, set()).update(listener.wanted.uris)
        return found

    def lists_changed(self, path: str, names: Collection[str]) -> None:
        """Tells the streams of an endpoint which of its lists have changed (keys of `LISTS`)."""
        for listener in tuple(self._open):
            wanted = listener.wanted.lists if listener.path == path else ()
            for name in (name for name in LISTS if name in names and name in wanted):
                listener.tell(LISTS[name])

    def resource_updated(self, path: str, uri: str) -> None:
        """Tells the streams that listen to a resource that it has changed."""
        for listener in tuple(self._open):
            if listener.path == path and uri in listener.wanted.uris:
                listener.tell("notifications/resources/updated", {"uri": uri})

    def tasks(self, paths: Collection[str]) -> Mapping[str, int]:
        """The tasks that somebody listens to at these endpoints, and the oldest revision told."""
        found: dict[str, int] = {}
        for listener in self._open:
            for task in listener.wanted.tasks if listener.path in paths else ():
                told = listener.told.get(task, 0)
                found[task] = min(found.get(task, told), told)
        return found

    def task_changed(self, task: str, revision: int, members: bytes) -> None:
        """Tells the streams that listen to a task, and do not know this revision of it yet.

        `members` is the whole task, an encoded object.
        """
        for listener in tuple(self._open):
            if task in listener.wanted.tasks and listener.told.get(task, 0) < revision:
                listener.told[task] = revision
                listener.tell_encoded("notifications/tasks", members)

    def end(self, path: str | None = None) -> None:
        """Ends the streams of an endpoint, or all; each answers its request."""
        for listener in self._open:
            if path is None or listener.path == path:
                listener.over.set()
