"""Content blocks as they are written, by what the client's version knows.

Source: MCP 2026-07-28, server/tools, "Tool Result".
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from runner.catalog.content import (
    Annotations,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from runner.codec.json import encode
from runner.protocol.versions import Features


def encode_content(blocks: Sequence[ContentBlock], features: Features) -> bytes:
    """The JSON array of `blocks`; what the version does not know is replaced by text."""
    if len(blocks) == 1:
        block = blocks[0]
        if isinstance(block, TextContent) and block.annotations is None:
            return b'[{"type":"text","text":%b}]' % encode(block.text)
    return encode([describe_block(block, features) for block in blocks])


def describe_block(block: ContentBlock, features: Features) -> dict[str, object]:
    """One block, replaced by text where the version does not know it."""
    return _block(_known(block, features))


def text_pieces(text: Iterable[str]) -> Iterator[bytes]:
    """One text block whose text comes in pieces."""
    yield b'{"type":"text","text":"'
    for piece in text:
        yield encode(piece)[1:-1]
    yield b'"}'


def _known(block: ContentBlock, features: Features) -> ContentBlock:
    if isinstance(block, AudioContent) and not features.audio:
        return TextContent(
            f"(a sound of type {block.mime_type}, which this version of the protocol cannot carry)",
            block.annotations,
        )
    if isinstance(block, ResourceLink) and not features.resource_links:
        return TextContent(f"{block.title or block.name}: {block.uri}", block.annotations)
    return block


def _block(block: ContentBlock) -> dict[str, object]:
    match block:
        case TextContent():
            found: dict[str, object] = {"type": "text", "text": block.text}
        case ImageContent():
            found = {"type": "image", "data": _base64(block.data), "mimeType": block.mime_type}
        case AudioContent():
            found = {"type": "audio", "data": _base64(block.data), "mimeType": block.mime_type}
        case ResourceLink():
            found = _given(
                type="resource_link",
                uri=block.uri,
                name=block.name,
                title=block.title,
                description=block.description,
                mimeType=block.mime_type,
                size=block.size,
            )
        case EmbeddedResource():
            found = {"type": "resource", "resource": _contents(block)}
        case _:
            assert_never(block)
    if block.annotations is not None:
        found["annotations"] = _annotations(block.annotations)
    return found


def _contents(block: EmbeddedResource) -> dict[str, object]:
    blob = block.blob
    return _given(
        uri=block.uri,
        mimeType=block.mime_type,
        text=(block.text or "") if blob is None else None,
        blob=None if blob is None else _base64(blob),
        _meta=block.meta,
    )


def _annotations(annotations: Annotations) -> dict[str, object]:
    return _given(
        audience=annotations.audience,
        priority=annotations.priority,
        lastModified=annotations.last_modified,
    )


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _given(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
