"""The part of ASGI 3 that the HTTP transport uses: types, and one response."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NotRequired, TypedDict

Header = tuple[bytes, bytes]


class Scope(TypedDict):
    """What a connection is about."""

    type: str
    method: str
    path: str
    root_path: NotRequired[str]
    headers: Sequence[Header]
    client: NotRequired[tuple[str, int] | None]


class Event(TypedDict):
    """What comes in."""

    type: str
    body: NotRequired[bytes]
    more_body: NotRequired[bool]


Receive = Callable[[], Awaitable[Event]]
Send = Callable[[dict[str, object]], Awaitable[None]]


async def respond(
    send: Send, status: int, body: bytes | None, headers: Sequence[Header] = ()
) -> None:
    """Sends one whole response; a client that left is no error."""
    length = b"0" if body is None else b"%d" % len(body)
    pairs = [(b"content-length", length), *headers]
    try:
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body or b""})
    except OSError:
        return
