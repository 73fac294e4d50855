"""The one response to a request: JSON, or a stream once something has to go before the answer."""

from collections.abc import Sequence
from typing import Final

from runner.protocol.jsonrpc import Answer
from runner.transport.asgi import Header, Send, respond, respond_in_pieces
from runner.transport.negotiation import JSON, Accepts
from runner.transport.sse import EventStream

_JSON_HEADER: Final = (b"content-type", JSON)


class Reply:
    """Starts as JSON; the first notification, or work that lasts, makes it a stream."""

    __slots__ = (
        "_accepts", "_headers", "_is_over", "_keep_alive_s", "_send", "_stream", "is_answering",
    )  # fmt: skip

    def __init__(
        self, send: Send, accepts: Accepts, headers: Sequence[Header], keep_alive_s: float
    ) -> None:
        self._send = send
        self._accepts = accepts
        self._headers = headers
        self._keep_alive_s = keep_alive_s
        self._stream: EventStream | None = None
        self._is_over = False
        self.is_answering = False
        """The answer has begun to go out; there is no second one."""

    @property
    def can_stream(self) -> bool:
        """The client reads streams."""
        return self._accepts.stream

    def open_stream(self) -> EventStream:
        """The stream; the status is 200 from now on."""
        if self._stream is None:
            self._stream = EventStream(self._send, self._headers, self._keep_alive_s)
        return self._stream

    def defer(self) -> None:
        """Makes a stream of an answer that lasts, so that it can be kept alive."""
        if not self.is_answering:
            self.open_stream()

    def emit(self, message: bytes) -> None:
        """Sends a notification before the answer."""
        if not self._is_over:
            self.open_stream().put(message)

    async def finish(self, answer: Answer) -> None:
        """Sends the answer."""
        self.is_answering = True
        body = answer.body
        if body is None:
            await respond(self._send, answer.status, None, self._headers)
        elif self._stream is not None:
            await self._stream.close(body)
        elif self._accepts.json or answer.status != 200:
            headers = (_JSON_HEADER, *self._headers)
            if isinstance(body, bytes):
                await respond(self._send, answer.status, body, headers)
            else:
                await respond_in_pieces(self._send, answer.status, body, headers)
        else:
            await self.open_stream().close(body)

    def abort(self) -> None:
        """Sends nothing more."""
        self._is_over = True
        if self._stream is not None:
            self._stream.abort()
