"""`completion/complete`, the same for both eras.

Source: MCP 2026-07-28, server/utilities/completion.
"""

import logging
from collections.abc import Mapping
from typing import Final

from runner.catalog.asking import Question, Reply
from runner.catalog.completion import Completion, Suggestions
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource, ResourceIndex
from runner.codec.json import encode
from runner.errors import ArgumentsError, BindingError, CallError, ClientCannotError
from runner.protocol.backend import Backend
from runner.protocol.contexts import open_context
from runner.protocol.errors import Code, ProtocolError, shown
from runner.protocol.jsonrpc import Body
from runner.protocol.request import Handler, Request, invalid_params, texts

_logger = logging.getLogger("runner.completion")
_NOTHING: Final = Suggestions((), 0, has_more=False)


class Completions:
    """What can be completed at one endpoint: arguments of prompts, variables of resources."""

    def __init__(
        self, prompts: Mapping[str, Prompt], resources: Mapping[str, Resource], backend: Backend
    ) -> None:
        self._prompts = prompts
        self._templates = {item.uri: item for item in resources.values() if item.template}
        self._index = ResourceIndex(resources.values())
        self._backend = backend

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {"completion/complete": self.complete}

    async def complete(self, request: Request) -> Body:
        """The suggestions for one argument."""
        name, sources = self._sources(request.params)
        argument, typed = _argument(request.params)
        if argument not in sources:
            raise invalid_params(f"There is no argument {shown(argument)} to complete")
        chosen = dict(_chosen(request))
        chosen.pop(argument, None)
        source = sources[argument]
        found = _NOTHING
        if source is not None:
            found = await self._complete(request, (name, source), typed, chosen)
        return request.edition.completion_result(encode(_written(found)))

    async def _complete(
        self,
        request: Request,
        named: tuple[str, Completion],
        typed: str,
        chosen: Mapping[str, str],
    ) -> Suggestions:
        name, source = named
        context, reports = open_context(request, name, self._backend, _cannot_ask)
        try:
            return await self._backend.complete(source, typed, chosen, context)
        except ArgumentsError as error:
            raise invalid_params(f"params.context.arguments: {error}") from error
        except CallError as error:
            reason = error.reason if isinstance(error, BindingError) else None
            _logger.warning("completion of %s failed: %s", name, reason or error)
            message = "The suggestions cannot be had at this time"
            raise ProtocolError(Code.INTERNAL_ERROR, message) from error
        finally:
            if reports is not None:
                reports.close()

    def _sources(self, params: Mapping[str, object]) -> tuple[str, Mapping[str, Completion | None]]:
        """The name of what is referred to, and the source of each of its arguments."""
        match params.get("ref"):
            case {"type": "ref/prompt", "name": str(name)}:
                prompt = self._prompts.get(name)
                if prompt is None:
                    raise invalid_params(f"No prompt is named {shown(name)}")
                return name, {item.name: item.complete for item in prompt.arguments}
            case {"type": "ref/resource", "uri": str(uri)}:
                resource = self._resource(uri)
                variables = () if resource.template is None else resource.template.variables
                return resource.name, {name: resource.complete.get(name) for name in variables}
            case _:
                raise invalid_params(
                    "params.ref is {type: ref/prompt, name} or {type: ref/resource, uri}"
                )

    def _resource(self, uri: str) -> Resource:
        """Of a template as it is listed, or of a URI."""
        listed = self._templates.get(uri)
        found = self._index.find(uri) if listed is None else (listed, {})
        if found is None:
            raise invalid_params(f"No resource has the URI {shown(uri)}")
        return found[0]


def _argument(params: Mapping[str, object]) -> tuple[str, str]:
    match params.get("argument"):
        case {"name": str(name), "value": str(value)}:
            return name, value
        case _:
            raise invalid_params("params.argument is an object with a name and a value, both texts")


def _chosen(request: Request) -> Mapping[str, str]:
    """The arguments that are chosen already, where the version knows them."""
    context = request.params.get("context")
    if context is None or not request.edition.features.completion_context:
        return {}
    if not isinstance(context, dict):
        raise invalid_params("params.context is an object")
    return texts(context.get("arguments"), "params.context.arguments")


async def _cannot_ask(_questions: Mapping[str, Question]) -> Mapping[str, Reply]:
    raise ClientCannotError("nobody is asked while an argument is completed", {})


def _written(found: Suggestions) -> dict[str, object]:
    total = {} if found.total is None else {"total": found.total}
    return {"values": list(found.values), **total, "hasMore": found.has_more}
