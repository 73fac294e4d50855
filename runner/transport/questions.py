"""The requests that a legacy client is sent over stdio, and the responses to them.

Knows no question: a request goes out, and what comes back under its id is its result. Modern
clients are never sent one.
Source: MCP 2025-11-25, basic, "Messages"; basic/utilities/cancellation.
"""

import asyncio
from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

from runner.codec.json import Json, JsonFault, decode, encode
from runner.errors import ToolError

MAX_OPEN: Final = 64
"""Requests that wait for their response at one time."""
_PREFIX: Final = "mcp-run-question-"
"""Of our ids; the client's own requests may have any, for each side counts by itself."""
_MARK: Final = _PREFIX.encode()


class Questions:
    """The open requests of one process; used on one event loop."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put = put
        self._numbers = count(1)
        self._open: dict[str, asyncio.Future[Json]] = {}
        self._is_closed = False

    async def ask(self, request: Mapping[str, object]) -> Json:
        """The result of a request, None where the client answered with an error.

        A request that is given up is cancelled, so that the client need not go on.

        Raises:
            ToolError: the input has ended, or too many requests are open.
        """
        if self._is_closed:
            raise ToolError(_ENDED)
        if len(self._open) >= MAX_OPEN:
            raise ToolError(f"The client has {MAX_OPEN} questions to answer already; try again.")
        id_ = f"{_PREFIX}{next(self._numbers)}"
        reply: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._open[id_] = reply
        self._put(encode({"jsonrpc": "2.0", "id": id_, **request}))
        try:
            return await reply
        except asyncio.CancelledError:
            self._put(encode({**_CANCELLED, "params": {"requestId": id_}}))
            raise
        finally:
            del self._open[id_]

    def take(self, line: bytes, *, has_batches: bool) -> bytes | None:
        """What is left of a line once responses to our requests are taken out of it.

        A response that comes too late, or again, is dropped: the client did no wrong.
        """
        if _MARK not in line:
            return line
        try:
            message = decode(line)
        except JsonFault:
            return line
        if not (has_batches and isinstance(message, list)):
            return None if self._takes(message) else line
        rest = [member for member in message if not self._takes(member)]
        if len(rest) == len(message):
            return line
        return encode(rest) if rest else None

    def _takes(self, message: Json) -> bool:
        if not isinstance(message, dict) or "method" in message:
            return False
        id_ = message.get("id")
        if not isinstance(id_, str) or not id_.startswith(_PREFIX):
            return False
        reply = self._open.get(id_)
        if reply is not None and not reply.done():
            reply.set_result(message.get("result"))
        return True

    def close(self) -> None:
        """Ends what waits: nothing comes in any more."""
        self._is_closed = True
        for reply in self._open.values():
            if not reply.done():
                reply.set_exception(ToolError(_ENDED))


_ENDED: Final = "The client ended its input, so that nobody can be asked."
_CANCELLED: Final[Mapping[str, object]] = {
    "jsonrpc": "2.0",
    "method": "notifications/cancelled",
}
