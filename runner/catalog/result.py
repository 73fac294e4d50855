"""The finished result of a call, between the invocation and the protocol."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.catalog.content import ContentBlock


@dataclass(slots=True)
class CallResult:
    """The finished result of a call: encoded once, spliced into messages."""

    content: Sequence[ContentBlock]
    structured: bytes | None = None
    """JSON of the structured content; None: there is none (JSON null is b"null")."""
    is_object: bool = True
    """The structured content's root is an object."""
    is_error: bool = False
