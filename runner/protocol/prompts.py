"""`prompts/list` and `prompts/get`, the same for both eras.

Source: MCP 2026-07-28, server/prompts.
"""

import logging
from collections.abc import Mapping
from functools import partial

from runner.catalog.asking import Ask
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource, ResourceIndex
from runner.codec.json import encode
from runner.errors import BindingError, CallError, ClientCannotError
from runner.protocol.backend import Backend
from runner.protocol.content import describe_block
from runner.protocol.contexts import open_context
from runner.protocol.edition import PROMPTS
from runner.protocol.errors import Code, ProtocolError, shown
from runner.protocol.jsonrpc import Body
from runner.protocol.request import Handler, Request, answer_list, invalid_params, texts
from runner.protocol.resources import is_missing
from runner.protocol.rounds import in_rounds

_logger = logging.getLogger("runner.prompt")


class Prompts:
    """The prompts of one endpoint, which may embed its resources."""

    def __init__(
        self, prompts: Mapping[str, Prompt], resources: Mapping[str, Resource], backend: Backend
    ) -> None:
        self._prompts = prompts
        self._resources = ResourceIndex(resources.values())
        self._backend = backend

    def methods(self) -> Mapping[str, Handler]:
        """What answers, by method."""
        return {PROMPTS: answer_list, "prompts/get": self.get}

    async def get(self, request: Request) -> Body:
        """The messages of one prompt."""
        prompt, arguments = self._read(request.params)
        run = partial(self._run, request, prompt, arguments)
        return await in_rounds(request, self._backend, run)

    async def _run(
        self, request: Request, prompt: Prompt, arguments: Mapping[str, str], ask: Ask
    ) -> Body:
        context, reports = open_context(request, prompt.name, self._backend, ask)
        try:
            messages = await self._backend.get_prompt(prompt, arguments, self._resources, context)
        except ClientCannotError:
            raise
        except CallError as error:
            raise _refused(error, prompt) from error
        finally:
            if reports is not None:
                reports.close()
        features = request.edition.features
        written = [
            {"role": message.role, "content": describe_block(message.content, features)}
            for message in messages
        ]
        return request.edition.prompt_result(encode(written), prompt.description)

    def _read(self, params: Mapping[str, object]) -> tuple[Prompt, Mapping[str, str]]:
        name = params.get("name")
        if not isinstance(name, str):
            raise invalid_params("params.name is a string: the name of a prompt")
        arguments = texts(params.get("arguments"), "params.arguments")
        prompt = self._prompts.get(name)
        if prompt is None:
            raise invalid_params(f"No prompt is named {shown(name)}")
        needed = [item.name for item in prompt.arguments if item.required]
        missing = [f"'{item}'" for item in needed if item not in arguments]
        if missing:
            raise invalid_params(f"params.arguments lacks {', '.join(missing)}")
        return prompt, arguments


def _refused(error: CallError, prompt: Prompt) -> ProtocolError:
    """What the client is told of a prompt that cannot be made."""
    if is_missing(error):
        return invalid_params("No such resource")
    reason = error.reason if isinstance(error, BindingError) else None
    _logger.warning("prompt %s failed: %s", prompt.name, reason or error)
    return ProtocolError(Code.INTERNAL_ERROR, str(error))
