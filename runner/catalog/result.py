"""The finished result of a call, ready for every version of the protocol."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from runner.catalog.content import ContentBlock


@dataclass(frozen=True, slots=True)
class LongResult:
    """A result that is too large to be held: its text and its JSON are made while they are sent.

    Each gives the whole anew, in pieces of some ten kilobytes.
    """

    text: Callable[[], Iterator[str]]
    structured: Callable[[], Iterator[bytes]]
    """The JSON of an object."""


@dataclass(slots=True)
class CallResult:
    """The finished result of a call: encoded once, spliced into messages."""

    content: Sequence[ContentBlock]
    structured: bytes | None = None
    """JSON of the structured content; None: there is none (JSON null is `b"null"`)."""
    is_object: bool = True
    """The structured content's root is an object."""
    is_error: bool = False
    long: LongResult | None = None
    """Takes the place of `structured`, and of the first block of `content`."""
    has_note: bool = False
    """The last block of `content` is about the result: what was cut, how to go on."""
