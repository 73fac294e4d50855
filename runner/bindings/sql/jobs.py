"""One piece of work for a database thread: what is known of it, and how it is answered.

Knows no thread but by what a stop needs of it, and no session.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

from runner.bindings.sql.session import Session, SessionLostError
from runner.errors import BindingError, Kind, StartError

_STOP_WORDS: Final = {
    Kind.TIMEOUT: "the statement took longer than its time limit",
    Kind.CANCELLED: "the call was cancelled",
}


class Owner(Protocol):
    """Who works on a job."""

    is_opening: bool
    """It waits for a new session; there is nothing to stop."""

    def stop(self, job: "Job") -> None:
        """Stops the job in the engine, if it is still this one's."""

    def cut(self, job: "Job") -> None:
        """Ends the connection under the job, if it is still this one's; never waits."""


class Job:
    """One piece of work for a session; what it gives, it keeps itself."""

    __slots__ = (
        "deadline",
        "due",
        "error",
        "finished",
        "future",
        "is_begun",
        "is_being_stopped",
        "is_cut",
        "is_done",
        "may_repeat",
        "stop_kind",
        "stopped_at",
        "stops",
        "thread",
        "wait_until",
        "work",
    )

    def __init__(
        self, work: Callable[[Session], None], future: "asyncio.Future[None]", *, may_repeat: bool
    ) -> None:
        self.work = work
        self.future = future
        self.may_repeat = may_repeat
        """It only reads."""
        self.is_begun = False
        """Something of it ran; from then on it is run to its end, whatever that is."""
        self.wait_until = 0.0
        self.due = 0.0
        """When its time is over."""
        self.deadline = 0.0
        """When it is told to stop, again and again."""
        self.thread: Owner | None = None
        self.stop_kind: Kind | None = None
        """Why it is to stop; the first reason counts."""
        self.stops = 0
        """How often it was told to."""
        self.stopped_at = 0.0
        """When it was told first."""
        self.is_being_stopped = False
        self.is_cut = False
        """Its connection was ended, for the server did not answer."""
        self.is_done = False
        self.finished: asyncio.Future[None] | None = None
        self.error: BaseException | None = None

    def deliver(self) -> None:
        """On the event loop: tells who waits for the end of the work, or of a cancel."""
        if not self.future.done():
            if self.error is not None:
                self.future.set_exception(self.error)
            else:
                self.future.set_result(None)
        if self.finished is not None and not self.finished.done():
            self.finished.set_result(None)

    def answer(self, error: BaseException) -> None:
        """On the event loop: the same, before the work has ended; nobody asks how it ends."""
        if not self.future.done():
            self.future.set_exception(error)
        if self.finished is not None and not self.finished.done():
            self.finished.set_result(None)

    def overrun(self) -> BindingError | None:
        """The fault of a read that gave a result when its time was over: an engine may end a
        statement early without a word. What a change did is told in any case."""
        if not self.may_repeat or (self.stop_kind is None and time.monotonic() < self.due):
            return None
        return stopped(self.stop_kind or Kind.TIMEOUT)

    def translated(self, error: BaseException) -> BaseException:
        """The error of the work as who waits for it is told."""
        is_stop = isinstance(error, BindingError) and error.kind in _STOP_WORDS
        is_cut = self.is_cut and isinstance(error, SessionLostError)
        if self.stop_kind is not None and (is_stop or is_cut):
            told = stopped(self.stop_kind, str(error))
            told.__cause__ = error
            return told
        if isinstance(error, SessionLostError):
            return error.as_error()
        if isinstance(error, StartError):
            return SessionLostError(str(error)).as_error()
        return error


def stopped(kind: Kind, reason: str | None = None) -> BindingError:
    """The error of a call that was stopped; `reason` is for the log alone."""
    return BindingError(kind, _STOP_WORDS[kind], reason=reason)
