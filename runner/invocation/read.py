"""Reading a resource: the call of its hidden tool, and its outcome as contents.

Structured outcomes become text: a text as it is, anything else as the tool's chosen text, or as
JSON. Where the resource's media type is no text, a text is the base64 of its bytes.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from runner.catalog.call import CallContext, Outcome, whole
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from runner.catalog.media import is_text
from runner.catalog.resource import Contents, Resource
from runner.errors import BindingError, Kind
from runner.invocation.call import Invoker
from runner.invocation.shape import shape

_JSON = "application/json"
_TEXT = "text/plain"
_BY_FORMAT = {"csv": "text/csv", "markdown": "text/markdown"}


class Reader:
    """Reads resources on live bindings."""

    def __init__(self, invoker: Invoker) -> None:
        self._invoker = invoker

    async def read(
        self, resource: Resource, uri: str, variables: Mapping[str, str], context: CallContext
    ) -> Sequence[Contents]:
        """What `uri` holds, never nothing; `variables` are what the template reads out of it.

        Raises:
            CallError: kind `missing` where there is no such resource; its text is for the client.
        """
        outcome, scope = await self._invoker.run(resource.tool, variables, context)
        outcome = whole(outcome)
        note, outcome = outcome.note, replace(outcome, note=None)
        result = shape(resource.tool, outcome, scope)
        if result.structured is None:
            found = list(_of_blocks(resource, uri, result.content))
        else:
            found = [_of_value(resource, uri, outcome, _text_of(result.content))]
        if not found:
            raise BindingError(Kind.MISSING, "there is no such resource")
        return found if note is None else [*found, Contents(uri, _TEXT, note)]


def _text_of(blocks: Sequence[ContentBlock]) -> str:
    """The chosen text, which comes last, or the JSON."""
    last = blocks[-1]
    return last.text if isinstance(last, TextContent) else ""


def _of_value(resource: Resource, uri: str, outcome: Outcome, text: str) -> Contents:
    if not isinstance(outcome.value, str):
        mime = resource.mime or _BY_FORMAT.get(resource.tool.text.format, _JSON)
        return Contents(uri, mime, text)
    mime = resource.mime or _TEXT
    if is_text(mime):
        return Contents(uri, mime, outcome.value)
    return Contents(uri, mime, blob=_decoded(outcome.value))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BindingError(
            Kind.REDACTED,
            "the resource does not fit its media type",
            reason="its media type is no text, and its value is not base64",
        ) from error


def _of_blocks(resource: Resource, uri: str, blocks: Sequence[ContentBlock]) -> Iterator[Contents]:
    for block in blocks:
        match block:
            case TextContent(text):
                yield Contents(uri, resource.mime or _TEXT, text)
            case ImageContent(data, mime) | AudioContent(data, mime):
                yield Contents(uri, mime, blob=data)
            case EmbeddedResource():
                own = block.mime_type or resource.mime
                yield Contents(block.uri or uri, own, block.text, block.blob, block.meta)
            case _:
                raise BindingError(
                    Kind.REDACTED,
                    "the resource cannot be shown",
                    reason="a link is no contents of a resource",
                )
