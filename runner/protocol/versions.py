"""The protocol versions, and what each of them knows.

One row a version; nothing else in the program compares version strings.
Source: MCP 2026-07-28, basic/versioning, and the change logs of the four earlier revisions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MODERN: Final = "2026-07-28"
LATEST_LEGACY: Final = "2025-11-25"
BATCHING: Final = "2025-03-26"
"""The one version with batches; also what a legacy client without the header is taken for."""
HEADERLESS: Final = ""
"""A legacy client over HTTP that does not name its version: 2025-03-26, or newer and forgetful."""
SUPPORTED: Final = (MODERN,)
"""What `server/discover` and -32022 name; legacy versions are reached through `initialize` only."""


@dataclass(frozen=True, slots=True)
class Features:
    """What a version knows; what it lacks is left out or replaced."""

    is_modern: bool = False
    annotations: bool = True
    structured: bool = True
    """`outputSchema` and `structuredContent`; legacy ones with an object at the root only."""
    audio: bool = True
    resource_links: bool = True
    implementation_details: bool = True
    """`icons` everywhere, `description` and `websiteUrl` of the server."""
    progress_messages: bool = True
    completions: bool = True
    """The capability; the method is older."""
    completion_context: bool = True
    batches: bool = False
    forms: bool = True
    """The user can be asked by a form; of the model and of folders every version knows."""
    newer_questions: bool = True
    """The user sent to an address, a model that is given tools, and forms with lists, titles of
    choices beside them and defaults of texts and numbers."""


FEATURES: Final[Mapping[str, Features]] = {
    MODERN: Features(is_modern=True),
    LATEST_LEGACY: Features(),
    "2025-06-18": Features(implementation_details=False, newer_questions=False),
    BATCHING: Features(
        structured=False,
        resource_links=False,
        implementation_details=False,
        completion_context=False,
        batches=True,
        forms=False,
        newer_questions=False,
    ),
    "2024-11-05": Features(
        annotations=False,
        structured=False,
        audio=False,
        resource_links=False,
        implementation_details=False,
        progress_messages=False,
        completions=False,
        completion_context=False,
        forms=False,
        newer_questions=False,
    ),
    HEADERLESS: Features(resource_links=False, implementation_details=False, batches=True),
}
LEGACY: Final = tuple(version for version in FEATURES if version not in (MODERN, HEADERLESS))
"""Newest first."""
