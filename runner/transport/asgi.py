"""The part of ASGI 3 that the HTTP transport uses: types, and one response."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
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


async def respond_in_pieces(
    send: Send, status: int, pieces: Iterable[bytes], headers: Sequence[Header] = ()
) -> None:
    """Sends one response whose length is not known before its end."""
    try:
        await send({"type": "http.response.start", "status": status, "headers": [*headers]})
        await send_pieces(send, pieces)
        await send({"type": "http.response.body", "body": b""})
    except OSError:
        return


async def send_pieces(send: Send, pieces: Iterable[bytes]) -> None:
    """Sends a part of a body; making a piece takes milliseconds, so a thread does it."""
    iterator = iter(pieces)
    while (piece := await asyncio.to_thread(next, iterator, None)) is not None:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
