"""Several processes on one socket: the parent starts them, replaces the dead, stops them all.

The parent reads its signals one by one (`sigwait`), so that none interrupts anything; it holds no
event loop, no thread and no connection when it forks. A worker whose parent is gone stops as well:
nobody could stop it, and it would hold the port.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable

from runner.serving.stopping import hangups, stop_signals

log = logging.getLogger("runner.workers")

EARLY_DEATH_S = 2.0
MAX_EARLY_DEATHS = 5
"""So many workers dead within `EARLY_DEATH_S` of their start, one after the other, is a fault that
starting again does not mend."""


class Workers:
    """Keeps `count` processes running `work` until a stop signal.

    `work` runs in the child and returns its exit status; `release` is called once, in the parent,
    when no child is started any more. A second stop signal kills the children.
    """

    def __init__(
        self,
        count: int,
        work: Callable[[], int],
        *,
        release: Callable[[], None],
        reloads: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._work = work
        self._release = release
        self._clock = clock
        self._started: dict[int, float] = {}
        self._early_deaths = 0
        self._stopping = False
        self._hangups = hangups() if reloads else frozenset()
        """What the workers are told too, so that each reloads."""
        self._has_hung_up = False
        """What a worker is begun from may be older than what the others serve."""
        self._watched = {signal.SIGCHLD, *self._hangups, *stop_signals(reloads=reloads)}
        self._pipe = os.pipe()
        """Its end for writing is the parent's alone, so that it closes with the parent."""

    def run(self) -> int:
        """Starts the workers and supervises them; the exit status: 0 after a clean stop."""
        signal.pthread_sigmask(signal.SIG_BLOCK, self._watched)
        for _ in range(self._count):
            self._start()
        status = 0
        while self._started:
            match signal.sigwait(self._watched):
                case signal.SIGCHLD:
                    status = max(status, self._reap())
                case number if number in self._hangups:
                    self._has_hung_up = True
                    for pid in self._started:
                        os.kill(pid, number)
                case _:
                    self._stop()
        return status

    def _start(self) -> None:
        pid = os.fork()
        if pid:
            self._started[pid] = self._clock()
            return
        # The child never returns into the parent's stack: it ends here, whatever happens.
        status = 1
        try:
            self._follow_parent()
            # A hangup waits until the work hears it; by default it would end the process.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._watched - self._hangups)
            for number in self._hangups if self._has_hung_up else ():
                os.kill(os.getpid(), number)
            status = self._work()
        finally:
            os._exit(status)

    def _follow_parent(self) -> None:
        """Asks this worker to stop when the parent is gone."""
        reader, writer = self._pipe
        os.close(writer)

        def follow() -> None:
            os.read(reader, 1)
            # To the main thread, whose waiting it has to interrupt.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

        threading.Thread(target=follow, name="parent", daemon=True).start()

    def _stop(self) -> None:
        how = signal.SIGKILL if self._stopping else signal.SIGTERM
        if not self._stopping:
            self._release()
        self._stopping = True
        for pid in self._started:
            os.kill(pid, how)

    def _reap(self) -> int:
        """Takes every child that has ended; replaces it unless the end was wanted."""
        status = 0
        while self._started:
            pid, how = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            began = self._started.pop(pid, None)
            if began is None:
                continue
            code = os.waitstatus_to_exitcode(how)
            if self._stopping:
                status = max(status, 0 if code in (0, -signal.SIGTERM) else 1)
            elif self._gives_up(began):
                log.error("workers end as soon as they start; stopping")
                self._stop()
                status = 1
            else:
                log.warning("worker ended with status %s; starting another", code)
                self._start()
        return status

    def _gives_up(self, began: float) -> bool:
        is_early = self._clock() - began < EARLY_DEATH_S
        self._early_deaths = self._early_deaths + 1 if is_early else 0
        return self._early_deaths >= MAX_EARLY_DEATHS
