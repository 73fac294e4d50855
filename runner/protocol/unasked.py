"""What a legacy client over stdio is told unasked: changed lists, and resources it subscribes to.

There is one such client in a process, so there is one listener, kept in its `Session`: it outlives
a reload. Its notifications name no subscription.
Source: MCP 2025-11-25, server/resources, "Subscriptions"; basic/lifecycle.
"""

from collections.abc import Mapping
from dataclasses import replace

from runner.catalog.catalog import Endpoint
from runner.catalog.resource import ResourceIndex
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.exchange import Session
from runner.protocol.jsonrpc import EMPTY_RESULT
from runner.protocol.listeners import Listener, Listeners, Wanted
from runner.protocol.request import Handler, Request, invalid_params
from runner.protocol.subscriptions import MAX_URIS, is_watched, lists_of


class Unasked:
    """The listener of the legacy client of one endpoint."""

    def __init__(self, endpoint: Endpoint, listeners: Listeners) -> None:
        self._path = endpoint.path
        self._lists = lists_of(endpoint)
        self._index = ResourceIndex(endpoint.resources.values())
        self._has_resources = bool(endpoint.resources)
        self._listeners = listeners

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        if not self._has_resources:
            return {}
        return {"resources/subscribe": self.subscribe, "resources/unsubscribe": self.unsubscribe}

    def open(self, session: Session) -> None:
        """Makes the listener anew, for the lists that the client just learnt of."""
        if session.listener is not None:
            self._listeners.remove(session.listener)
        wanted = Wanted(self._lists)
        session.listener = Listener(self._path, "", None, session.emit, wanted)

    def begin(self, session: Session) -> None:
        """The client is ready: it is told from now on."""
        if session.listener is not None:
            self._listeners.add(session.listener)

    async def subscribe(self, request: Request) -> bytes:
        """Tells of changes of a resource from now on."""
        uri, listener = _uri(request), _listener(request)
        found = self._index.find(uri)
        if found is None:
            raise ProtocolError(Code.RESOURCE_NOT_FOUND, "No such resource", data={"uri": uri})
        if not is_watched(found[0]):
            raise invalid_params("Changes of this resource are not seen: it is no file")
        uris = listener.wanted.uris | {uri}
        if len(uris) > MAX_URIS:
            raise invalid_params(f"At most {MAX_URIS} resources can be subscribed to")
        self._listeners.want(listener, replace(listener.wanted, uris=uris))
        return EMPTY_RESULT

    async def unsubscribe(self, request: Request) -> bytes:
        """Tells nothing more of a resource, whether or not it was subscribed to."""
        uri, listener = _uri(request), _listener(request)
        uris = listener.wanted.uris - {uri}
        self._listeners.want(listener, replace(listener.wanted, uris=uris))
        return EMPTY_RESULT


def _uri(request: Request) -> str:
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise invalid_params("params.uri is a string: the URI of a resource")
    return uri


def _listener(request: Request) -> Listener:
    session = request.exchange.session
    if session is None or session.listener is None:
        raise ProtocolError(Code.METHOD_NOT_FOUND, "This client can be told nothing unasked")
    return session.listener
