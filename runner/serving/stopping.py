"""How one process comes to its end: a signal asks, a deadline insists.

    serving ──signal──▶ draining ──all answered──▶ closing ──▶ exit 0
                            └──deadline, or a second signal──▶ exit 1

Threads hear the signals and keep the deadline, not the event loop or the main thread: a tool that
blocks those, or a thread that an author's code left behind, holds up nothing.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Set
from contextlib import suppress
from types import FrameType
from typing import Final

log = logging.getLogger("runner.stopping")

FORCED_STATUS: Final = 1
CLOSING_S: Final = 2.0
"""For what remains when no call runs any more: connections, pools, the author's own clean-up."""
_BYTES: Final = 64


def stop_signals(*, reloads: bool = False) -> set[signal.Signals]:
    """What asks a process to stop: a hangup too, unless it reloads or is ignored (`nohup`)."""
    signals = {signal.SIGTERM, signal.SIGINT}
    if (
        not reloads
        and hasattr(signal, "SIGHUP")
        and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    ):
        signals.add(signal.SIGHUP)
    return signals


def hangups() -> frozenset[signal.Signals]:
    """The signal that asks for a reload, where there is one."""
    return frozenset({signal.SIGHUP}) if hasattr(signal, "SIGHUP") else frozenset()


def _do_nothing() -> None:
    """There is nothing to reload yet."""


class Stopping:
    """The end of the process; made in its main thread, by the loop that serves."""

    def __init__(self, drain_s: float, *, is_worker: bool = False, reloads: bool = False) -> None:
        """A worker leaves the second signal to its parent: many send a signal to all at once.

        With `reloads` a hangup is no stop: it calls `on_hangup` on the loop.
        """
        self.event = asyncio.Event()
        """Set by the first signal."""
        self.on_hangup: Callable[[], None] = _do_nothing
        self._stops = frozenset(stop_signals(reloads=reloads))
        self._signals = self._stops | (hangups() if reloads else frozenset())
        self._loop = asyncio.get_running_loop()
        self._drain_s = drain_s
        self._is_worker = is_worker
        self._is_asked = False
        self._deadline: threading.Timer | None = None
        self._hearing, self._heard = socket.socketpair()
        self._heard.setblocking(False)
        # The interpreter writes each signal's number here, whatever the main thread does just now.
        signal.set_wakeup_fd(self._heard.fileno(), warn_on_full_buffer=False)
        for number in self._signals:
            signal.signal(number, _leave_to_thread)
        if sys.platform != "win32":
            forks = _Forks(self._signals)
            os.register_at_fork(
                before=forks.hold, after_in_parent=forks.let_go, after_in_child=forks.forget
            )
            # Whoever began this process may have held back what it could not hear before.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._signals)
        threading.Thread(target=self._hear, name="signals", daemon=True).start()

    def finish(self) -> None:
        """Every call is answered; what remains has `CLOSING_S`, and the status is 0."""
        self._set_deadline(CLOSING_S, 0, "threads of a tool still run; ending without them")
        signal.set_wakeup_fd(-1)
        self._heard.close()

    def _hear(self) -> None:
        with self._hearing:
            while numbers := self._hearing.recv(_BYTES):
                for number in filter(self._signals.__contains__, numbers):
                    self._ask() if number in self._stops else self._hang_up()

    def _hang_up(self) -> None:
        with suppress(RuntimeError):  # the loop has closed: there is nothing to reload
            self._loop.call_soon_threadsafe(self._reload)

    def _reload(self) -> None:
        """On the loop, where what serves has said by now what a hangup does."""
        self.on_hangup()

    def _ask(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            why = "what runs does not end; ending without it"
            self._set_deadline(self._drain_s + CLOSING_S, FORCED_STATUS, why)
            # A loop that has closed needs no telling.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.event.set)
        elif not self._is_worker:
            os._exit(FORCED_STATUS)

    def _set_deadline(self, seconds: float, status: int, why: str) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = threading.Timer(seconds, _end, (status, why))
        self._deadline.daemon = True
        self._deadline.start()


def _leave_to_thread(_number: int, _frame: FrameType | None) -> None:
    """Keeps the signal from its default effect."""


class _Forks:
    """Keeps apart the signals of this process and those of processes that a tool forks."""

    def __init__(self, signals: Set[signal.Signals]) -> None:
        self._signals = signals
        self._held = threading.local()

    def hold(self) -> None:
        """The thread that forks takes no signal: the child would lose it, and we would hear it."""
        self._held.mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)

    def let_go(self) -> None:
        """Takes them again."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._held.mask)

    def forget(self) -> None:
        """In the child: it dies of its own signals, as any process does."""
        signal.set_wakeup_fd(-1)
        for number in self._signals:
            signal.signal(number, signal.SIG_DFL)
        self.let_go()


def _end(status: int, why: str) -> None:
    log.warning(why)
    os._exit(status)
