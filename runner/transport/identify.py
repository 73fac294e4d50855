"""Who calls over HTTP: the one decision, made before the body is read.

The rule that reads tokens takes the place of `everyone`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from runner.catalog.caller import Caller
from runner.catalog.catalog import Identities
from runner.codec.json import encode
from runner.protocol.headers import Headers
from runner.transport.asgi import Header


@dataclass(frozen=True, slots=True)
class Challenge:
    """The request is refused for want of credentials: a status of 400, 401 or 403."""

    status: int
    headers: Sequence[Header]
    body: bytes


Identify = Callable[[Headers], Awaitable[Caller | Challenge]]
"""The caller of a request with these headers, or what it is refused with."""


def everyone(identities: Identities) -> Identify:
    """Takes every caller for the anonymous one; refuses all where there is none."""
    anonymous = identities.anonymous
    refusal = Challenge(401, ((b"www-authenticate", b"Bearer"),), encode({"error": "unauthorized"}))

    async def identify(_headers: Headers) -> Caller | Challenge:
        return refusal if anonymous is None else anonymous

    return identify
