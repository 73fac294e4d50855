"""The body of a request, bounded while it is read.

Knows no content; the limit holds for declared and for undeclared lengths.
"""

from runner.protocol.headers import Headers
from runner.transport.asgi import Receive


class BodyTooLargeError(Exception):
    """The body is larger than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class ClientLeftError(Exception):
    """The client closed the connection before the body was whole."""


async def read_body(receive: Receive, headers: Headers, limit: int) -> bytes:
    """The whole body.

    Raises:
        BodyTooLargeError: it has more than `limit` bytes; the rest is not read.
        ClientLeftError: it ends early.
    """
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and (len(declared) > 18 or int(declared) > limit):
        raise BodyTooLargeError(limit)
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientLeftError
        chunk = event.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise BodyTooLargeError(limit)
        chunks.append(chunk)
        more = event.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
