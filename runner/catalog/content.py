"""Content blocks of a result, by the specification's names.

Plain frozen values; `runner.protocol` writes them to the wire and replaces what a version lacks.
Source: MCP 2026-07-28, server/tools, "Tool Result".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Annotations:
    """Whom a block is for and how much it matters."""

    audience: Sequence[str] | None = None
    """`user`, `assistant`."""
    priority: float | None = None
    """From 0 to 1."""
    last_modified: str | None = None
    """ISO 8601."""


@dataclass(frozen=True, slots=True)
class TextContent:
    """Text for the model."""

    text: str
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image; `data` is the raw bytes."""

    data: bytes
    mime_type: str
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class AudioContent:
    """A sound; `data` is the raw bytes."""

    data: bytes
    mime_type: str
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A link to a resource, which need not be listed."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource's contents in the result: `text`, or raw bytes as `blob`."""

    uri: str
    text: str | None = None
    blob: bytes | None = None
    mime_type: str | None = None
    meta: Mapping[str, object] | None = None
    annotations: Annotations | None = None


ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
