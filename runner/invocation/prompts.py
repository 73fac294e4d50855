"""A prompt made: its hidden arguments bound, its templates rendered, its resources read."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from runner.catalog.call import CallContext
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from runner.catalog.expressions import Scope, Template
from runner.catalog.prompt import Embedding, Prompt, PromptMessage, ResourceAt, Source
from runner.catalog.resource import ResourceIndex
from runner.errors import BindingError, Kind
from runner.invocation.read import Reader
from runner.invocation.scope import bind


class Prompter:
    """Makes the messages of prompts."""

    def __init__(
        self, reader: Reader, variables: Mapping[str, object], served: ResourceIndex
    ) -> None:
        """`served` are the resources of all endpoints."""
        self._reader = reader
        self._variables = variables
        self._served = served

    async def get(
        self,
        prompt: Prompt,
        sent: Mapping[str, str],
        resources: ResourceIndex,
        context: CallContext,
    ) -> Sequence[PromptMessage]:
        """The messages; what was sent beside the prompt's arguments means nothing. `resources` are
        those that a client may name.

        Raises:
            CallError: kind `missing` where a resource is not there; its text is for the client.
        """
        arguments: dict[str, object] = {
            item.name: sent[item.name] for item in prompt.arguments if item.name in sent
        }
        scope = bind(prompt, arguments, context, self._variables)
        found: list[PromptMessage] = []
        left = prompt.max_bytes
        for message in prompt.messages:
            blocks = await self._blocks(message.source, scope, resources, context)
            left -= sum(_bytes_of(block) for block in blocks)
            if left < 0:
                raise BindingError(
                    Kind.TOO_LARGE,
                    f"the prompt is larger than the limit of {prompt.max_bytes} bytes",
                )
            found += [PromptMessage(message.role, block) for block in blocks]
        return found

    async def _blocks(
        self, source: Source, scope: Scope, resources: ResourceIndex, context: CallContext
    ) -> Sequence[ContentBlock]:
        match source:
            case Template():
                return [TextContent(source.render(scope))]
            case ImageContent() | AudioContent():
                return [source]
            case Embedding():
                text = None if source.text is None else source.text.render(scope)
                uri = source.uri.render(scope)
                return [EmbeddedResource(uri, text, source.blob, source.mime)]
            case ResourceAt():
                known = self._served if source.is_fixed else resources
                return await self._read(source.uri.render(scope), known, context)
            case _:
                assert_never(source)

    async def _read(
        self, uri: str, resources: ResourceIndex, context: CallContext
    ) -> Sequence[ContentBlock]:
        found = resources.find(uri)
        if found is None:
            raise BindingError(Kind.MISSING, "there is no such resource")
        resource, variables = found
        contents = await self._reader.read(resource, uri, variables, context)
        return [
            EmbeddedResource(item.uri, item.text, item.blob, item.mime, item.meta)
            for item in contents
        ]


def _bytes_of(block: ContentBlock) -> int:
    """Of what was made for this request; images and sounds were held to the limit before."""
    match block:
        case TextContent(text):
            return len(text.encode(errors="replace"))
        case EmbeddedResource():
            return len(block.blob or b"") + len((block.text or "").encode(errors="replace"))
        case _:
            return 0
