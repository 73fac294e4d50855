"""Allowed values that come from queries: read when they are needed, and again when they are old.

A reading that fails leaves the values before it in force: rather old ones than none. Where there
are none yet, a call that needs them fails.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from runner.catalog.allowed import Allowed, Values
from runner.catalog.allowed_source import AllowedSource
from runner.catalog.schema import Arguments
from runner.catalog.tool import Tool
from runner.errors import ArgumentsError, BindingError, CallError, FieldFault, Kind

log = logging.getLogger("runner.allowed")
Draw = Callable[[Tool], Awaitable[object]]
"""The value that the query of a source returns.

Raises:
    CallError: it fails.
"""


@dataclass(slots=True)
class _Read:
    """What was read last, and until when that is enough."""

    values: Values | None
    due: float


class AllowedValues:
    """The values of all sources of a catalog; used on one event loop."""

    def __init__(
        self,
        sources: Mapping[str, AllowedSource],
        draw: Draw,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.revision = 0
        """Counts the changes of any values."""
        self._sources = sources
        self._draw = draw
        self._clock = clock
        self._read: dict[str, _Read] = {}
        self._reading: dict[str, asyncio.Task[Values]] = {}

    def known(self, source: str) -> Values | None:
        """What was read last; None before the first time."""
        read = self._read.get(source)
        return None if read is None else read.values

    async def hold(self, allowed: Mapping[str, Allowed], arguments: Arguments) -> None:
        """Returns if every argument is among its values.

        Raises:
            ArgumentsError: naming each that is not.
            BindingError: the values of one could never be read.
        """
        for name, one in allowed.items():
            if arguments.get(name) is not None:
                await self.values(one.source)
        self.hold_known(allowed, arguments)

    async def renew(self, allowed: Mapping[str, Allowed]) -> None:
        """Reads again what is old, for `hold_known`; one that cannot be read stays as it is."""
        for one in allowed.values():
            with suppress(CallError):  # told by who needs it
                await self.values(one.source)

    def hold_known(self, allowed: Mapping[str, Allowed], arguments: Arguments) -> None:
        """As `hold`, by what was read last; for a thread that cannot wait for a reading.

        Raises:
            ArgumentsError, BindingError: as `hold`.
        """
        faults: list[FieldFault] = []
        for name, one in allowed.items():
            value = arguments.get(name)
            if value is None:
                continue
            known = self.known(one.source)
            if known is None:
                raise _unreadable(one.source)
            faults += one.faults(value, known)
        if faults:
            raise ArgumentsError(faults)

    async def values(self, source: str) -> Values:
        """The values, not older than the file says unless they cannot be read.

        Raises:
            BindingError: they could never be read.
        """
        read = self._read.get(source)
        if read is not None and read.values is not None and self._clock() < read.due:
            return read.values
        try:
            return await asyncio.shield(self._begin(source))
        except CallError:
            known = self.known(source)
            if known is None:
                raise
            return known

    def look(self) -> None:
        """Begins to read again whatever is old, without waiting for it."""
        for source in self._sources:
            read = self._read.get(source)
            if read is None or self._clock() >= read.due:
                self._begin(source)

    def _begin(self, source: str) -> asyncio.Task[Values]:
        """The reading that runs; who asks meanwhile waits for the same."""
        reading = self._reading.get(source)
        if reading is None:
            reading = asyncio.create_task(self._renew(source))
            self._reading[source] = reading
            reading.add_done_callback(lambda ended: self._end(source, ended))
        return reading

    def _end(self, source: str, ended: asyncio.Task[Values]) -> None:
        del self._reading[source]
        if not ended.cancelled():
            ended.exception()  # seen: it was told where it happened

    async def _renew(self, source: str) -> Values:
        found, known = self._sources[source], self.known(source)
        try:
            values = found.read(_column(await self._draw(found.tool)))
        except (CallError, ValueError) as error:
            self._read[source] = _Read(known, self._clock() + found.refresh_s)
            reason = getattr(error, "reason", None) or str(error)
            log.warning("the values of %s cannot be read: %s", label(source), reason)
            raise _unreadable(source, reason) from error
        self._read[source] = _Read(values, self._clock() + found.refresh_s)
        if known != values:
            self.revision += 1
        return values


def _unreadable(source: str, reason: str | None = None) -> BindingError:
    parameter = label(source).rpartition(".")[2].removesuffix("?")
    words = f"the allowed values of '{parameter}' cannot be read at present"
    return BindingError(Kind.UNAVAILABLE, words, reason=reason)


def label(source: str) -> str:
    """A source as people are told of it: its place in the file."""
    return source.partition(":")[2]


def _column(value: object) -> list[object]:
    assert isinstance(value, list)  # the shape of the query is `column`
    return value
