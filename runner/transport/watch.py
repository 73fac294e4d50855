"""What takes long in one request: a body that does not come, a client that leaves, slow work.

A request that is quick costs one timer and no task. Only when the timer has rung is the connection
watched for the client's leaving, which cancels a modern request; in the legacy versions leaving
means nothing, and bounded work finishes.
Source: MCP 2026-07-28, streamable-http, "Cancellation"; 2025-11-25, basic/utilities/cancellation.
"""

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from runner.protocol.exchange import Exchange
from runner.transport.asgi import Receive
from runner.transport.reply import Reply


@dataclass(frozen=True, slots=True)
class Timing:
    """When what takes long is noticed, in seconds."""

    grace_s: float = 0.05
    """A request that ends within it is not watched."""
    body_s: float = 30.0
    """For the whole body to come."""
    deferral_s: float = 15.0
    """Work that lasts longer is answered as a stream, so that comments keep it alive."""
    keep_alive_s: float = 15.0


DEFAULT_TIMING: Final = Timing()


class Ending(Enum):
    """Why a request was ended from outside."""

    SLOW_BODY = auto()
    CLIENT_LEFT = auto()
    SERVER_STOPS = auto()


class Watch:
    """Watches one request, run by the current task, until it is stopped."""

    __slots__ = (
        "_exchange", "_is_working", "_leaving", "_loop", "_rang", "_receive", "_reply", "_task",
        "_timer", "_timing", "ending",
    )  # fmt: skip

    def __init__(self, receive: Receive, exchange: Exchange, reply: Reply, timing: Timing) -> None:
        self._receive = receive
        self._exchange = exchange
        self._reply = reply
        self._timing = timing
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._leaving: asyncio.Task[None] | None = None
        self._is_working = self._rang = False
        self._timer = self._loop.call_later(timing.grace_s, self._ring)
        self.ending: Ending | None = None

    def begin_work(self) -> None:
        """The body is there; from now on the client's leaving counts."""
        self._is_working = True
        if self._rang:
            self._timer.cancel()
            self._timer = self._loop.call_later(self._timing.grace_s, self._ring)

    def stop(self) -> None:
        """Nothing of it rings any more."""
        self._timer.cancel()
        if self._leaving is not None:
            self._leaving.cancel()

    def _ring(self) -> None:
        self._rang = True
        if not self._is_working:
            self._timer = self._loop.call_later(self._timing.body_s, self.end, Ending.SLOW_BODY)
            return
        if self._exchange.is_modern:
            self._leaving = self._loop.create_task(self._await_leaving())
        if self._reply.can_stream:
            self._timer = self._loop.call_later(self._timing.deferral_s, self._reply.open_stream)

    async def _await_leaving(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.end(Ending.CLIENT_LEFT)

    def end(self, ending: Ending) -> None:
        """Ends the request from outside; its task is cancelled."""
        self.ending = ending
        if self._task is not None:
            self._task.cancel()
