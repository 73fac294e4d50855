"""Who calls: the one decision, over HTTP before the body is read, over stdio once a process.

Knows headers and callers, neither messages nor how a refusal is written: that is the transport's.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.catalog import Identities


@dataclass(frozen=True, slots=True)
class Challenge:
    """The request is refused for want of credentials."""

    status: int
    """400, 401 or 403."""
    authenticate: bytes
    """The value of `WWW-Authenticate`."""
    error: str
    """The code of OAuth for it."""


Identify = Callable[[Mapping[bytes, bytes]], Awaitable[Caller | Challenge]]
"""The caller of a request with these headers (by lower-case name), or what it is refused with."""


def everyone(identities: Identities) -> Identify:
    """Takes every caller over HTTP for the anonymous one; refuses all where there is none."""
    refusal = Challenge(401, b"Bearer", "unauthorized")
    found = refusal if identities.anonymous is None else identities.anonymous

    async def identify(_headers: Mapping[bytes, bytes]) -> Caller | Challenge:
        return found

    return identify


def stdio_caller(identities: Identities) -> Caller:
    """The caller over stdio, where the process itself is the proof."""
    return identities.stdio or ANONYMOUS
