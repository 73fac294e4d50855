"""How one process comes to its end: a signal asks, a deadline insists.

    serving ──signal──▶ draining ──all answered──▶ closing ──▶ exit 0
                            └──deadline, or a second signal──▶ exit 1

The handlers are Python's own and the deadline is a thread's, not the loop's: a tool that blocks the
event loop, or a thread that an author's code left behind, holds up neither.
"""

import asyncio
import logging
import os
import signal
import threading
from contextlib import suppress
from types import FrameType
from typing import Final

log = logging.getLogger("runner.stopping")

FORCED_STATUS: Final = 1
CLOSING_S: Final = 2.0
"""For what remains when no call runs any more: connections, pools, the author's own clean-up."""


def stop_signals() -> set[signal.Signals]:
    """What asks a process to stop: a hangup too, unless it is ignored, as under `nohup`."""
    signals = {signal.SIGTERM, signal.SIGINT}
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.add(signal.SIGHUP)
    return signals


class Stopping:
    """The end of the process, as the loop that makes it sees it."""

    def __init__(self, drain_s: float, *, is_worker: bool = False) -> None:
        """A worker leaves the second signal to its parent: many send a signal to all at once."""
        self.event = asyncio.Event()
        """Set by the first signal."""
        self._loop = asyncio.get_running_loop()
        self._drain_s = drain_s
        self._is_worker = is_worker
        self._is_asked = False
        self._deadline: threading.Timer | None = None
        for number in stop_signals():
            signal.signal(number, self._ask)

    def finish(self) -> None:
        """Every call is answered; what remains has `CLOSING_S`, and the status is 0."""
        self._set_deadline(CLOSING_S, 0, "threads of a tool still run; ending without them")

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_asked and not self._is_worker:
            os._exit(FORCED_STATUS)
        if self._is_asked:
            return
        self._is_asked = True
        why = "a tool blocks the event loop; ending without its answer"
        self._set_deadline(self._drain_s + CLOSING_S, FORCED_STATUS, why)
        # A loop that has closed needs no telling.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.event.set)

    def _set_deadline(self, seconds: float, status: int, why: str) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = threading.Timer(seconds, _end, (status, why))
        self._deadline.daemon = True
        self._deadline.start()


def _end(status: int, why: str) -> None:
    log.warning(why)
    os._exit(status)
