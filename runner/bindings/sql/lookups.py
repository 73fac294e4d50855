"""Look-ups: reads so small that the event loop makes them itself, without a thread.

A hop to a database thread and back costs more than finding a row by its key in an embedded
database. A statement earns it: the engine's own plan shows a fixed amount of work, and runs of it
in threads were quick. One that holds up the loop too often goes back to the threads for long; now
and then it may be the machine's doing, which gave the processor to others.
Whatever is not answered here, for whatever reason, goes the ordinary way, which also words errors.

The plan bounds instructions, not the bytes that one of them reads: a row that grew by megabytes is
noticed after it was read, once. A lock is refused at once, except those few for which SQLite itself
waits: a reader that meets another process while it resets the log.

`learn` runs in database threads, all else on the event loop. They share `_runs_left` alone, whose
reads and writes are each one step of the interpreter.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from runner.bindings.sql.collect import Rows
from runner.bindings.sql.session import LookupSource, Ready, Session, SessionLostError, Terms
from runner.bindings.sql.transaction import Step
from runner.catalog.rendering import Values
from runner.errors import BindingError, Kind, StartError

QUICK_S: Final = 0.001
"""A run in a thread that is to count as quick."""
QUICK_RUNS: Final = 3
"""So many of them earn the loop."""
SLOW_S: Final = 0.002
"""A look-up on the loop that took longer was slow."""
PATIENCE_S: Final = 0.02
"""What slow look-ups of a statement may take together; beyond, it goes back to the threads."""
FORGIVEN_S: Final = 0.0001
"""Of that, each quick one makes good so much: a fortieth may take 4 ms."""
RUNS_AFTER_SLOW: Final = 2_000
"""So many quick runs in threads it needs then."""
REST_S: Final = 1.0
"""Between a connection that failed and the next one."""
MAX_TEXTS: Final = 256
"""Statements of which something is known; fewer than a connection keeps compiled."""
MAX_TEXT_LENGTH: Final = 4096
"""Of a statement; a longer one takes long to compile, and is no look-up."""
_NEVER: Final = -1
_TERMS: Final = Terms(writes=False, is_single=True, timeout_s=SLOW_S)
"""The time is not enforced: nothing of a look-up takes so long."""
_PASSING: Final = frozenset({Kind.INVALID, Kind.BUSY})
"""A value of the caller, or a lock of somebody else: it says nothing of the connection."""


class Lookups:
    """The look-ups of one database; used on one event loop only."""

    def __init__(
        self,
        source: LookupSource,
        *,
        recycle_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds and agrees with `Session.opened_at`."""
        self._source = source
        self._recycle_s = recycle_s
        self._clock = clock
        self._session: Session | None = None
        self._is_stale = True
        self._is_closed = False
        self._opening: asyncio.Task[None] | None = None
        self._rests_until = 0.0
        self._runs_left: dict[str, int] = {}
        """By text, how many quick runs a statement needs to earn the loop; 0: it has."""
        self._slowness_s: dict[str, float] = {}
        """By text, what its slow look-ups took and quick ones have not yet made good."""

    def learn(self, session: Session, ready: Ready, took_s: float) -> None:
        """Takes note of a run in a thread, on that thread's session."""
        text = ready.text
        left = self._runs_left.get(text)
        if left is None:
            if len(self._runs_left) < MAX_TEXTS:
                self._runs_left[text] = self._judged(session, ready)
        elif left > 0 and took_s < QUICK_S:
            self._runs_left[text] = left - 1

    def _judged(self, session: Session, ready: Ready) -> int:
        if len(ready.text) > MAX_TEXT_LENGTH:
            return _NEVER
        try:
            return QUICK_RUNS if self._source.is_lookup(session, ready) else _NEVER
        except BindingError:
            return _NEVER

    def find(self, step: Step, values: Values) -> Rows | None:
        """The rows, or nothing where the threads are to be asked."""
        session = self._usable_session()
        if session is None:
            return None
        try:
            ready = step.ready(session, values)
        except BindingError:
            return None
        if self._runs_left.get(ready.text) != 0:
            return None
        start = self._clock()
        try:
            return self._query(session, ready, step, values)
        except BindingError as error:
            self._take_note(error, ready)
            return None
        except SessionLostError:
            self._replace_later()
            return None
        finally:
            took_s = self._clock() - start
            if took_s > SLOW_S or self._slowness_s:
                self._weigh(ready.text, took_s)

    def _weigh(self, text: str, took_s: float) -> None:
        slowness_s = self._slowness_s.pop(text, 0.0)
        slowness_s += took_s if took_s > SLOW_S else -FORGIVEN_S
        if slowness_s > PATIENCE_S:
            self._runs_left[text] = RUNS_AFTER_SLOW
        elif slowness_s > 0.0:
            self._slowness_s[text] = slowness_s

    @staticmethod
    def _query(session: Session, ready: Ready, step: Step, values: Values) -> Rows:
        rows = step.sink(values)
        session.begin(_TERMS)
        try:
            session.query(ready, step.bound(ready, values), rows)
        finally:
            session.rollback()
        return rows

    def _take_note(self, error: BindingError, ready: Ready) -> None:
        if error.kind is Kind.TOO_LARGE:
            self._runs_left[ready.text] = RUNS_AFTER_SLOW
        elif error.kind not in _PASSING:
            self._replace_later()

    def _usable_session(self) -> Session | None:
        if self._is_closed:
            return None
        session = self._session
        if session is not None and not self._is_stale:
            if self._clock() - session.opened_at <= self._recycle_s:
                return session
            self._is_stale = True
        if self._opening is None and self._clock() >= self._rests_until:
            self._opening = asyncio.create_task(self.open())
        return None

    async def open(self) -> None:
        """Opens a fresh connection beside the loop; if that fails, it is tried again after a rest.

        Who does not wait for it loses nothing: the first call opens it too.
        """
        old, self._session = self._session, None
        self._forget()
        try:
            if old is not None:
                await asyncio.to_thread(old.close)
            self._session = await asyncio.to_thread(self._source.open_session)
            self._is_stale = False
        except (StartError, BindingError):
            self._rests_until = self._clock() + REST_S
        finally:
            self._opening = None

    def _replace_later(self) -> None:
        """The connection is lost, or its schema has changed: what was found out is void."""
        self._is_stale = True
        self._rests_until = self._clock() + REST_S
        self._forget()

    def _forget(self) -> None:
        self._runs_left.clear()
        self._slowness_s.clear()

    async def close(self) -> None:
        """Closes the connection; nothing is looked up any more."""
        self._is_closed = True
        if self._opening is not None:
            await self._opening
        session, self._session = self._session, None
        if session is not None:
            await asyncio.to_thread(session.close)
