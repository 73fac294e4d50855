"""What takes long in one request: a body that does not come, a client that leaves, slow work.

A request that is quick costs neither a timer nor a task: one clock looks at all that run. Only a
request that lasts longer is watched for the client's leaving, which cancels a modern one; in the
legacy versions leaving means nothing, and bounded work finishes.
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
    """A request that ends within it is not watched; one that lasts twice as long is."""
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


class Watches:
    """The requests that run on one event loop, looked at together, `grace_s` apart."""

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self._running: set[Watch] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_ticking = False

    def begin(self, receive: Receive, exchange: Exchange, reply: Reply) -> "Watch":
        """Watches one request, run by the current task, until `release`."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # the loop before has ended, with all that ran on it
            self._loop = loop
            self._running.clear()
            self._is_ticking = False
        watch = Watch(self, loop, receive, exchange, reply)
        self._running.add(watch)
        if not self._is_ticking:
            self._tick_later(loop)
        return watch

    def release(self, watch: "Watch") -> None:
        """Watches it no longer."""
        self._running.discard(watch)
        watch.stop()

    def end_all(self, ending: Ending) -> int:
        """Ends every request from outside; how many they are."""
        for watch in self._running:
            watch.end(ending)
        return len(self._running)

    def _tick_later(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_ticking = True
        loop.call_later(self.timing.grace_s, self._tick, loop)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_ticking = False
        before = loop.time() - self.timing.grace_s
        for watch in self._running:
            watch.look(before)
        if self._running:
            self._tick_later(loop)


class Watch:
    """Watches one request."""

    __slots__ = (
        "_exchange", "_is_noticed", "_is_working", "_leaving", "_loop", "_receive", "_reply",
        "_since", "_task", "_timer", "_timing", "ending",
    )  # fmt: skip

    def __init__(
        self,
        watches: Watches,
        loop: asyncio.AbstractEventLoop,
        receive: Receive,
        exchange: Exchange,
        reply: Reply,
    ) -> None:
        self._timing = watches.timing
        self._loop = loop
        self._receive = receive
        self._exchange = exchange
        self._reply = reply
        self._task = asyncio.current_task(loop)
        self._since = loop.time()
        self._leaving: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_working = self._is_noticed = False
        self.ending: Ending | None = None

    def begin_work(self) -> None:
        """The body is there; from now on the client's leaving counts."""
        self._is_working = True
        if self._is_noticed:
            self.stop()
            self._is_noticed = False
            self._since = self._loop.time()

    def stop(self) -> None:
        """Nothing of it rings any more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._leaving is not None:
            self._leaving.cancel()

    def look(self, before: float) -> None:
        """Notices, once a phase, that the request runs since `before`, on the loop's clock."""
        if self._is_noticed or self._since > before:
            return
        self._is_noticed = True
        if not self._is_working:
            self._timer = self._loop.call_later(self._timing.body_s, self.end, Ending.SLOW_BODY)
            return
        if self._exchange.is_modern:
            self._leaving = self._loop.create_task(self._await_leaving())
        if self._reply.can_stream:
            self._timer = self._loop.call_later(self._timing.deferral_s, self._reply.defer)

    async def _await_leaving(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.end(Ending.CLIENT_LEFT)

    def end(self, ending: Ending) -> None:
        """Ends the request from outside; its task is cancelled."""
        self.ending = ending
        if self._task is not None:
            self._task.cancel()
