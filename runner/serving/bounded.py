"""uvicorn's HTTP/1.1 with bounds that it lacks: how large a head is, how long it may take, and how
long a client may leave an answer unread.

A head is everything of a request but its body: the line, the headers, the frames of chunks and what
follows them. Without a bound one client could fill the memory, or hold its connections for ever.
"""

import asyncio
from typing import ClassVar

from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runner.serving.bounds import HEAD_BYTES, HEAD_S, LEAST_BYTES, STALL_S
from runner.serving.joined import JoinedWrites


class HeadTooLargeError(HttpParserError):
    """The head of a request exceeds `HEAD_BYTES`."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection; refuses with 400 what is too large, and closes what is too slow."""

    head_s: ClassVar[float] = HEAD_S
    stall_s: ClassVar[float] = STALL_S
    _head_bytes = 0
    """Received since a head or a piece of a body was last complete."""
    _unparsed_bytes = 0
    """Received in all pieces of which a part may belong to the head that is being read."""
    _has_head_ended = False
    _is_in_head = True
    _deadline: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Waits for the first head."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits no longer."""
        self._end_wait()
        self._end_stall()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Counts what brings no body on; a head in pieces has a deadline."""
        size = len(data)
        self._head_bytes += size
        self._unparsed_bytes += size
        super().data_received(data)
        if self._has_head_ended:  # what follows it in this piece may be a part of the next
            self._has_head_ended = False
            self._unparsed_bytes = size
        if self._head_bytes and not self.transport.is_closing():
            self._judge_head()

    def _judge_head(self) -> None:
        """It has come in part."""
        if self._head_bytes > HEAD_BYTES:
            self._refuse()
        elif self._is_in_head:
            self._await_head()

    def on_headers_complete(self) -> None:
        """The head is whole: what came in one piece is judged here."""
        if self._unparsed_bytes > HEAD_BYTES and self._head_size() > HEAD_BYTES:
            raise HeadTooLargeError
        self._has_head_ended = True
        self._is_in_head = False
        self._head_bytes = 0
        if self._deadline is not None:
            self._end_wait()
        before = self.cycle
        super().on_headers_complete()
        cycle = self.cycle
        # An answer to HEAD has no second write, and `100 Continue` is one before the first.
        is_plain = self.scope["method"] == "POST" and not self.expect_100_continue
        if is_plain and cycle is not before:
            cycle.transport = JoinedWrites(self.transport)  # type: ignore[assignment]  # all it uses

    def _head_size(self) -> int:
        """The bytes of its address and its headers."""
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The next thing is a head."""
        self._is_in_head = True
        self._head_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A body that nobody reads any more has the time of a head to end."""
        is_abandoned = self.cycle.response_complete and self.cycle.more_body
        super().on_response_complete()
        if is_abandoned:
            self._await_head()

    def pause_writing(self) -> None:
        """The client does not keep up: it has to take something from time to time."""
        super().pause_writing()
        self._await_reading()

    def resume_writing(self) -> None:
        """It took what there was."""
        self._end_stall()
        super().resume_writing()

    def _await_reading(self) -> None:
        self._end_stall()
        left = self.transport.get_write_buffer_size()
        self._stall = self.loop.call_later(self.stall_s, self._look_at_reading, left)

    def _look_at_reading(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > before - LEAST_BYTES:
            self.transport.abort()
        else:
            self._await_reading()

    def _end_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _refuse(self) -> None:
        if self._is_in_head:
            self.send_400_response("The head of the request is too large.")
        else:
            self.transport.close()

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.head_s, self.transport.close)

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
