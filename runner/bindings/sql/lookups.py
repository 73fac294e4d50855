"""Look-ups: reads so small that the event loop makes them itself, without a thread.

A hop to a database thread and back costs more than finding a row by its key in an embedded
database. What may run here, the engine decides by its own plan (`LookupSession.is_lookup`). The
loop is never held: the connection waits for no lock and gives up work beyond a fixed amount, and
where the disk is slow, look-ups rest for a while. Whatever is not answered here, for whatever
reason, goes the ordinary way through the threads, which also words every error.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from runner.bindings.sql.collect import Rows
from runner.bindings.sql.session import LookupSession, Ready, SessionLostError, Terms
from runner.bindings.sql.transaction import Step
from runner.catalog.rendering import Values
from runner.errors import BindingError, Kind, StartError

SLOW_S: Final = 0.005
"""A look-up that took longer met a slow disk."""
REST_S: Final = 1.0
"""How long all go through the threads after that, or after a lock or a lost connection."""
MAX_VERDICTS: Final = 1024
"""Statements whose plan is remembered."""
_TERMS: Final = Terms(writes=False, is_single=True, timeout_s=SLOW_S)
_FAULTS_OF_VALUES: Final = frozenset({Kind.INVALID, Kind.TOO_LARGE})
"""What a value of the caller may bring about; it says nothing of the database."""


class Lookups:
    """The look-ups of one database; used on one event loop only."""

    def __init__(
        self,
        open_session: Callable[[], LookupSession],
        *,
        recycle_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds and agrees with `Session.opened_at`."""
        self._open_session = open_session
        self._recycle_s = recycle_s
        self._clock = clock
        self._session: LookupSession | None = None
        self._is_stale = True
        self._opening: asyncio.Task[None] | None = None
        self._rests_until = 0.0
        self._verdicts: dict[str, bool] = {}

    def find(self, step: Step, values: Values) -> Rows | None:
        """The rows, or nothing where the threads are to be asked."""
        start = self._clock()
        session = self._usable_session(start)
        if session is None:
            return None
        try:
            ready = step.ready(session, values)
            if not self._is_lookup(session, ready):
                return None
            rows = self._query(session, ready, step, values)
        except BindingError as error:
            if error.kind not in _FAULTS_OF_VALUES:
                self._rest(start)
            return None
        except SessionLostError:
            self._rest(start)
            return None
        if self._clock() - start > SLOW_S:
            self._rests_until = start + REST_S
        return rows

    @staticmethod
    def _query(session: LookupSession, ready: Ready, step: Step, values: Values) -> Rows:
        rows = step.sink(values)
        session.begin(_TERMS)
        try:
            session.query(ready, step.bound(ready, values), rows)
        finally:
            session.rollback()
        return rows

    def _is_lookup(self, session: LookupSession, ready: Ready) -> bool:
        verdict = self._verdicts.get(ready.text)
        if verdict is None:
            if len(self._verdicts) >= MAX_VERDICTS:
                self._verdicts.clear()
            verdict = self._verdicts[ready.text] = session.is_lookup(ready)
        return verdict

    def _usable_session(self, now: float) -> LookupSession | None:
        if now < self._rests_until:
            return None
        session = self._session
        is_recent = session is not None and now - session.opened_at <= self._recycle_s
        if is_recent and not self._is_stale:
            return session
        if self._opening is None:
            self._opening = asyncio.create_task(self.open())
        return None

    async def open(self) -> None:
        """Opens a fresh connection beside the loop; if that fails, it is tried again after a rest.

        Who does not wait for it loses nothing: the first call opens it too.
        """
        old, self._session = self._session, None
        self._verdicts.clear()
        try:
            if old is not None:
                await asyncio.to_thread(old.close)
            self._session = await asyncio.to_thread(self._open_session)
            self._is_stale = False
        except (StartError, BindingError):
            self._rests_until = self._clock() + REST_S
        finally:
            self._opening = None

    def _rest(self, now: float) -> None:
        """After a lock, a lost connection or a plan that changed: later, on a fresh connection."""
        self._rests_until = now + REST_S
        self._is_stale = True

    async def close(self) -> None:
        """Closes the connection."""
        if self._opening is not None:
            await self._opening
        if self._session is not None:
            await asyncio.to_thread(self._session.close)
