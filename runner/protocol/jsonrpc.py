"""JSON-RPC 2.0 framing: which message came, and the envelope of the answer.

Knows no method. Of an object's repeated member the last one counts, in every place alike, so that
headers are compared with exactly the value that is used.
Source: JSON-RPC 2.0; MCP 2026-07-28, basic, "Messages".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from runner.codec.json import Json, encode
from runner.protocol.errors import Code, ProtocolError, error_message

EMPTY_RESULT: Final = b"{}"
_ID_TYPES: Final = (str, int)


@dataclass(slots=True)
class Message:
    """A request, or without an id a notification."""

    id: str | int | None
    id_json: bytes | None
    """The id as it is echoed; None: a notification."""
    method: str
    params: Json
    """As sent; None where there are none."""


Body = bytes | Iterator[bytes]
"""An encoded message, or the pieces of one that is too large to be held."""
Emit = Callable[[bytes], None]
"""Takes a notification that goes out before the answer; never blocks, never fails."""


@dataclass(slots=True)
class Answer:
    """What goes back: an HTTP status and one message; no body: nothing is answered."""

    status: int
    body: Body | None


ACCEPTED: Final = Answer(202, None)


class UnreadableError(ProtocolError):
    """Not one request or notification (-32600); `id_json` only if it could be read."""

    def __init__(self, message: str, id_json: bytes | None = None) -> None:
        super().__init__(Code.INVALID_REQUEST, message)
        self.id_json = id_json


PARSE_ERROR: Final = Answer(
    400, error_message(ProtocolError(Code.PARSE_ERROR, "The message is not valid JSON"), None)
)


def read(message: Json) -> Message:
    """The request or notification in a decoded body.

    Raises:
        UnreadableError: it is neither.
    """
    if not isinstance(message, dict):
        raise UnreadableError("A message is one JSON object")
    id_json = None
    id_value = message.get("id")
    if "id" in message:
        if not isinstance(id_value, _ID_TYPES) or isinstance(id_value, bool):
            raise UnreadableError("The id is a string or an integer of at most 64 bits")
        id_json = encode(id_value)
    if message.get("jsonrpc") != "2.0":
        raise UnreadableError("The member jsonrpc is '2.0'", id_json)
    method = message.get("method")
    if not isinstance(method, str):
        if "result" in message or "error" in message:
            # Without its id, which could be that of a request of the client's own.
            raise UnreadableError("This server asked nothing, so it takes no response")
        raise UnreadableError("The member method is a string", id_json)
    return Message(id_value, id_json, method, message.get("params"))


def result_message(id_json: bytes, result: Body) -> Body:
    """The response with `result`, an encoded object."""
    if isinstance(result, bytes):
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (id_json, result)
    return chain((b'{"jsonrpc":"2.0","id":%b,"result":' % id_json,), result, (b"}",))


def joined(body: Body) -> bytes:
    """The message in one piece."""
    return body if isinstance(body, bytes) else b"".join(body)


def refuse_unreadable(error: UnreadableError) -> Answer:
    """The answer to what is no message."""
    return Answer(400, error_message(error, error.id_json))
