"""A prompt as compiled: what is listed, and the messages that a client gets of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runner.catalog.completion import Completion
from runner.catalog.content import AudioContent, ContentBlock, ImageContent
from runner.catalog.expressions import Bind, Template
from runner.catalog.tool import Icon

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a prompt; its value is a text."""

    name: str
    title: str | None
    description: str | None
    required: bool
    complete: Completion | None = None


@dataclass(frozen=True, slots=True)
class ResourceAt:
    """A resource of this server, read whenever the prompt is asked for."""

    uri: Template
    is_fixed: bool = False
    """The author names it, so that it may be one that the endpoint does not offer."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Contents of the author's own, under a URI that need be no resource of this server."""

    uri: Template
    mime: str
    text: Template | None = None
    blob: bytes | None = None
    """Where there is no `text`."""


Source = Template | ImageContent | AudioContent | ResourceAt | Embedding
"""What a message says; a template is a text."""


@dataclass(frozen=True, slots=True)
class MessageSource:
    """One message before it is made; a resource of several contents becomes several."""

    role: Role
    source: Source


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt."""

    name: str
    title: str | None
    description: str | None
    icons: Sequence[Icon]
    tags: Sequence[str]
    arguments: Sequence[Argument]
    """In the order of the file."""
    binds: Sequence[Bind]
    """Only those that the messages use."""
    messages: Sequence[MessageSource]
    max_bytes: int
    """Of all texts and resources together."""
    scope_names: frozenset[str] = frozenset()
    """Every argument, hidden ones too: what its expressions may name."""


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message as a client gets it."""

    role: Role
    content: ContentBlock
