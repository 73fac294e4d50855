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


class LoopRun:
    """Drives `steps` until they end, as `end` is told, or want a thread, which `go_on` finds."""

    def __init__(
        self, steps: Steps[None], descriptor: int, *, go_on: Callable[[], None], end: End
    ) -> None:
        self._steps: Final = steps
        self._descriptor: Final = descriptor
        self._go_on: Final = go_on
        self._end: Final = end
        self._loop: Final = asyncio.get_running_loop()
        self._reads = False
        self._writes = False

    def advance(self) -> None:
        """Does what can be done without waiting."""
        try:
            awaited = next(self._steps)
        except StopIteration:
            self._watch(reads=False, writes=False)
            self._end(None)
        except BaseException as error:  # carried over: who awaits the job raises it
            self._watch(reads=False, writes=False)
            self._end(error)
        else:
            is_over = awaited is Wait.THREAD
            self._watch(reads=not is_over, writes=awaited is Wait.WRITE)
            if is_over:
                self._go_on()

    def _watch(self, *, reads: bool, writes: bool) -> None:
        if reads != self._reads:
            self._reads = reads
            if reads:
                self._loop.add_reader(self._descriptor, self.advance)
            else:
                self._loop.remove_reader(self._descriptor)
        if writes != self._writes:
            self._writes = writes
            if writes:
                self._loop.add_writer(self._descriptor, self.advance)
            else:
                self._loop.remove_writer(self._descriptor)


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
