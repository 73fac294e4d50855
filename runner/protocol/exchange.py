"""What a transport brings with a message, and what the process keeps for stdio's legacy clients.

The seam between transports and the protocol: a transport makes one `Exchange` a message.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from runner.catalog.caller import Caller
from runner.protocol.headers import Headers
from runner.protocol.jsonrpc import Answer, Emit
from runner.protocol.listeners import Listener

Send = Callable[[Mapping[str, object]], Awaitable[object]]
"""Sends the client a request, and gives its result."""


@dataclass(slots=True)
class Session:
    """What `initialize` settled over stdio; it belongs to the process, not to a user."""

    emit: Emit
    """Sends the client what belongs to no request."""
    version: str | None = None
    """None: not initialized."""
    log_level: str | None = None
    client: Mapping[str, object] | None = None
    capabilities: Mapping[str, object] = field(default_factory=dict)
    listener: Listener | None = None
    """What the client is told unasked; None: what is served cannot change."""


@dataclass(slots=True)
class Exchange:
    """One message's way in and out."""

    caller: Caller
    headers: Headers | None = None
    """None: the transport has none (stdio)."""
    emit: Emit | None = None
    """None: the client reads nothing but the answer."""
    session: Session | None = None
    """Stdio only."""
    cancel: Callable[[bytes], None] | None = None
    """Stdio only: ends the running request with that id, as JSON."""
    ask: Send | None = None
    """Stdio's legacy clients only."""
    farewell: bytes | None = None
    """Stdio only: a message that follows the answer."""
    id_json: bytes | None = None
    """Set as soon as the request's id is read."""
    is_modern: bool = False
    """Set as soon as the era is known."""
    is_cancelled: bool = False
    """The client wants no answer any more, nor anything before it."""
    members: "Mapping[asyncio.Task[Answer], Exchange] | None" = None
    """Of a batch: each member's own, by what answers it."""
