"""One job on the event loop, as far as it needs no thread: the loop watches its connection.

The thread that owns the session is idle meanwhile. What would hold up the loop goes on there.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Final, TypeVar, cast

from runner.bindings.sql.session import Session, SteppedSession
from runner.bindings.sql.steps import Steps, Wait, drain

T = TypeVar("T")
CAN_WATCH: Final = sys.platform != "win32"
"""The event loop there watches no connection of others."""
End = Callable[[BaseException | None], None]


class Watch:
    """Watches the connection of one thread's session for the event loop, from its first run there
    until a thread takes it: to begin and to end for each run costs more than the run's own work."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._descriptor = -1
        self._has_writer = False
        self._callback: Callable[[], None] | None = None

    def call_back(self, awaited: Wait, descriptor: int, callback: Callable[[], None]) -> None:
        """Calls back when it is there, and each time from then on, until told otherwise."""
        self._callback = callback
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._descriptor = descriptor
            self._loop.add_reader(descriptor, self._ready)
        self._watch_writing(self._loop, wants=awaited is Wait.WRITE)

    def _ready(self) -> None:
        """Something came; while nobody runs, it is the end of the connection."""
        if self._callback is None:
            self.end()
        else:
            self._callback()

    def rest(self) -> None:
        """Nobody runs there at present."""
        self._callback = None
        if self._loop is not None:
            self._watch_writing(self._loop, wants=False)

    def _watch_writing(self, loop: asyncio.AbstractEventLoop, *, wants: bool) -> None:
        if wants and not self._has_writer:
            loop.add_writer(self._descriptor, self._ready)
        elif self._has_writer and not wants:
            loop.remove_writer(self._descriptor)
        self._has_writer = wants

    def end(self) -> None:
        """Watches no longer: a thread has the connection."""
        if self._loop is not None:
            self.rest()
            self._loop.remove_reader(self._descriptor)
            self._loop = None


class LoopRun:
    """Drives `steps` until they end, as `end` is told, or want a thread, which `go_on` finds."""

    def __init__(
        self,
        steps: Steps[None],
        descriptor: int,
        watch: Watch,
        *,
        go_on: Callable[[], None],
        end: End,
    ) -> None:
        self._steps: Final = steps
        self._descriptor: Final = descriptor
        self._watch: Final = watch
        self._go_on: Final = go_on
        self._end: Final = end

    def advance(self) -> None:
        """Does what can be done without waiting."""
        try:
            awaited = next(self._steps)
        except StopIteration:
            self._watch.rest()
            self._end(None)
        except BaseException as error:  # carried over: who awaits the job raises it
            self._watch.rest()
            self._end(error)
        else:
            if awaited is Wait.THREAD:
                self._go_on()
            else:
                self._watch.call_back(awaited, self._descriptor, self.advance)


def drained(steps_of: Callable[[SteppedSession], Steps[T]]) -> Callable[[Session], T]:
    """The same work for a thread, from its beginning."""

    def work(session: Session) -> T:
        stepped = cast(SteppedSession, session)
        return drain(steps_of(stepped), stepped.wait)

    return work


def going_on(steps: Steps[None], again: Callable[[Session], None]) -> Callable[[Session], None]:
    """The rest of what was begun, for the thread of its session; `again` on any session later."""
    rest: list[Steps[None]] = [steps]

    def work(session: Session) -> None:
        if rest:
            drain(rest.pop(), cast(SteppedSession, session).wait)
        else:
            again(session)

    return work


def ended(error: BaseException | None) -> Callable[[Session], None]:
    """What has ended on the loop, to be noted by the thread."""

    def work(_session: Session) -> None:
        if error is not None:
            raise error

    return work
