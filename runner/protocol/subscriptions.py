"""`subscriptions/listen`: a stream that says when lists and resources change.

Source: MCP 2026-07-28, `subscriptions/listen`.
"""

from collections.abc import Mapping

from runner.catalog.catalog import Endpoint
from runner.catalog.plans import DirectoryPlan, FilePlan
from runner.catalog.resource import Resource, ResourceIndex
from runner.codec.json import encode
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.jsonrpc import Body
from runner.protocol.listeners import (
    LISTS,
    SUBSCRIPTION_KEY,
    TASK_IDS,
    URIS,
    Listener,
    Listeners,
    Wanted,
)
from runner.protocol.request import Handler, Request, invalid_params
from runner.protocol.tasks import TaskMethods, require_tasks

MAX_URIS = 1000
"""Of one stream."""
MAX_TASKS = 100
"""Of one stream."""
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class Subscriptions:
    """The streams of one endpoint."""

    def __init__(
        self, endpoint: Endpoint, listeners: Listeners, tasks: TaskMethods | None = None
    ) -> None:
        self._endpoint = endpoint
        self._tasks = tasks
        self._index = ResourceIndex(endpoint.resources.values())
        self._listeners = listeners
        self._lists = lists_of(endpoint)

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {"subscriptions/listen": self.listen}

    async def listen(self, request: Request) -> Body:
        """Answers when the server ends the stream; the client ends it by leaving."""
        wanted = await self._granted(request, request.params.get("notifications"))
        emit = request.exchange.emit
        if emit is None:
            message = "The Accept admits text/event-stream, which is how this method answers"
            raise ProtocolError(Code.INVALID_REQUEST, message, status=406)
        principal = request.exchange.caller.principal
        listener = Listener(self._endpoint.path, principal, request.id, emit, wanted)
        self._listeners.add(listener)
        try:
            listener.tell(_ACKNOWLEDGED, {"notifications": wanted.members()})
            await listener.over.wait()
        finally:
            self._listeners.remove(listener)
        request.exchange.farewell = _farewell(request)
        return request.edition.with_meta({SUBSCRIPTION_KEY: request.id})

    async def _granted(self, request: Request, asked: object) -> Wanted:
        """What of all that is asked for can be told."""
        if not isinstance(asked, dict):
            raise invalid_params(
                'params.notifications must be an object, such as {"toolsListChanged": true}'
            )
        for name in LISTS:
            if not isinstance(asked.get(name, False), bool):
                raise invalid_params(f"params.notifications.{name} is true or false")
        uris = _texts(asked, URIS, "URIs", MAX_URIS)
        lists = frozenset(name for name in self._lists if asked.get(name))
        tasks = await self._owned(request, _texts(asked, TASK_IDS, "ids of tasks", MAX_TASKS))
        return Wanted(lists, frozenset(filter(self._is_watched, uris)), tasks)

    async def _owned(self, request: Request, tasks: list[str]) -> frozenset[str]:
        """Those of the tasks that are the caller's."""
        if not tasks or self._tasks is None:
            return frozenset()
        require_tasks(request, f"params.notifications.{TASK_IDS}")
        return await self._tasks.known(request, tasks)

    def _is_watched(self, uri: str) -> bool:
        found = self._index.find(uri)
        return found is not None and is_watched(found[0])


def _texts(asked: Mapping[str, object], name: str, what: str, most: int) -> list[str]:
    """The strings under a name of what is asked for."""
    found = asked.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise invalid_params(f"params.notifications.{name} is an array of {what}")
    if len(found) > most:
        raise invalid_params(f"params.notifications.{name} has at most {most} {what}")
    return found


def lists_of(endpoint: Endpoint) -> frozenset[str]:
    """The lists of an endpoint whose changes are told (keys of `listeners.LISTS`)."""
    offered = {
        "toolsListChanged": bool(endpoint.tools),
        "promptsListChanged": bool(endpoint.prompts),
        "resourcesListChanged": bool(endpoint.resources),
    }
    return frozenset(name for name, is_there in offered.items() if is_there)


def is_watched(resource: Resource) -> bool:
    """Its changes are seen: it is a file."""
    return isinstance(resource.tool.plan, FilePlan | DirectoryPlan)


def _farewell(request: Request) -> bytes | None:
    """Over stdio the end of a stream is told once more, after the answer."""
    if request.exchange.cancel is None:
        return None
    params = {"requestId": request.id, "reason": "the server ends the stream"}
    return encode({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
