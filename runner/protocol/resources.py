"""`resources/list`, `resources/templates/list` and `resources/read`, the same for both eras.

Source: MCP 2026-07-28, server/resources.
"""

import logging
from base64 import b64encode
from collections.abc import Mapping
from functools import partial

from runner.catalog.asking import Ask
from runner.catalog.resource import Contents, Resource, ResourceIndex
from runner.codec.json import encode
from runner.errors import ArgumentsError, BindingError, CallError, ClientCannotError, Kind
from runner.protocol.backend import Backend
from runner.protocol.contexts import open_context
from runner.protocol.edition import RESOURCES, TEMPLATES
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.jsonrpc import Body
from runner.protocol.request import Handler, Request, answer_list, invalid_params
from runner.protocol.rounds import OF_ROUNDS, in_rounds

_logger = logging.getLogger("runner.resource")


class Resources:
    """The resources of one endpoint."""

    def __init__(self, resources: Mapping[str, Resource], backend: Backend) -> None:
        self._index = ResourceIndex(resources.values())
        self._backend = backend

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {RESOURCES: answer_list, TEMPLATES: answer_list, "resources/read": self.read}

    async def read(self, request: Request) -> Body:
        """What a URI holds."""
        uri = request.params.get("uri")
        if not isinstance(uri, str):
            raise invalid_params("params.uri is a string: the URI of a resource")
        found = self._index.find(uri)
        if found is None:
            raise _unknown(uri, request)
        resource, variables = found
        run = partial(self._run, request, resource, uri, variables)
        return await in_rounds(request, self._backend, run)

    async def _run(
        self,
        request: Request,
        resource: Resource,
        uri: str,
        variables: Mapping[str, str],
        ask: Ask,
    ) -> Body:
        context, reports = open_context(request, resource.name, self._backend, ask)
        try:
            contents = await self._backend.read_resource(resource, uri, variables, context)
        except ClientCannotError:
            raise
        except CallError as error:
            raise _refused(error, uri, resource, request) from error
        finally:
            if reports is not None:
                reports.close()
        written = encode([_contents(item) for item in contents])
        is_answered = not OF_ROUNDS.isdisjoint(request.params)
        return request.edition.read_result(written, is_answered=is_answered)


def _refused(error: CallError, uri: str, resource: Resource, request: Request) -> ProtocolError:
    """What the client is told of a resource that cannot be read."""
    if is_missing(error):
        return _unknown(uri, request)
    reason = error.reason if isinstance(error, BindingError) else None
    _logger.warning("resource %s failed: %s", resource.name, reason or error)
    return ProtocolError(Code.INTERNAL_ERROR, str(error))


def is_missing(error: CallError) -> bool:
    """Nothing is there, by the word of the variables, the database, the folder or the API."""
    if isinstance(error, BindingError):
        return error.kind is Kind.MISSING or error.status in (404, 410)
    return isinstance(error, ArgumentsError)


def _unknown(uri: str, request: Request) -> ProtocolError:
    is_modern = request.edition.features.is_modern
    code = Code.INVALID_PARAMS if is_modern else Code.RESOURCE_NOT_FOUND
    return ProtocolError(code, "No such resource", data={"uri": uri})


def _contents(item: Contents) -> dict[str, object]:
    found: dict[str, object] = {"uri": item.uri}
    if item.mime is not None:
        found["mimeType"] = item.mime
    if item.blob is not None:
        found["blob"] = b64encode(item.blob).decode("ascii")
    else:
        found["text"] = item.text or ""
    if item.meta is not None:
        found["_meta"] = item.meta
    return found
