"""Where suggestions for an argument of a prompt, or a variable of a URI, come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MAX_SUGGESTIONS: Final = 100
"""MCP 2026-07-28, server/utilities/completion: a response has no more."""
TYPED: Final = "value"
"""The parameter of a suggester that holds what was typed."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The source of one argument's suggestions: `values`, a hidden tool, or allowed values."""

    values: Sequence[str] = ()
    """In the author's order; what was typed must begin them."""
    suggester: str | None = None
    """The tool's name in the catalog's `suggesters`. It takes what was typed, and of the other
    arguments those that are chosen."""
    source: str | None = None
    """The name in the catalog's `sources` of what alone is allowed."""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What a client is told, best first."""

    values: Sequence[str]
    total: int | None
    """None where it is not known."""
    has_more: bool
