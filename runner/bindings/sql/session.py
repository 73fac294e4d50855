"""What every engine offers to a database thread: one connection, kept clean.

A `Session` is used by one thread at a time; only `stop` may be called from another. Errors leave
it translated: a `BindingError` that is safe for the client, or `SessionLostError`.
"""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from runner.bindings.sql.collect import Sink
from runner.bindings.sql.steps import Steps, Wait
from runner.bindings.sql.wording import refused
from runner.catalog.proving import Prover
from runner.catalog.rendering import Key, Shapes, Slot
from runner.errors import BindingError, Kind


class SessionLostError(Exception):
    """The connection broke; a read may be tried once on a fresh one. For the log: the text."""

    def as_error(self) -> BindingError:
        """What the client is told."""
        return refused(Kind.UNAVAILABLE, reason=str(self))


def end_connection(descriptor: int) -> None:
    """Ends a connection, so that whoever waits for it, in any thread, finds it closed."""
    with (
        suppress(OSError),  # it ended by itself
        socket.fromfd(descriptor, socket.AF_INET, socket.SOCK_STREAM) as twin,
    ):
        twin.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class Ready:
    """A shape as an engine runs it: its driver text, what is bound, how a value is written."""

    text: str
    slots: Sequence[Slot]
    encoders: Sequence[Callable[[object], object]]
    """One a slot.

    Raises:
        ValueError: the value does not fit.
    """
    simple_names: Sequence[str] | None = None
    """The names of the values, where each slot binds one as it stands in the values."""
    leaves_traces: bool = field(default=False, kw_only=True)
    """A read of it may leave something in the session, which is made anew then."""


def simple_names(slots: Sequence[Slot]) -> tuple[str, ...] | None:
    """For `Ready.simple_names`."""
    if any(
        len(slot.bound.path) > 1 or slot.bound.is_limit or slot.element is not None
        for slot in slots
    ):
        return None
    return tuple(slot.bound.path[0] for slot in slots)


def added(affected: int | None, more: int | None) -> int | None:
    """How many rows two statements changed; not known where one of them is not."""
    return None if affected is None or more is None else affected + more


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a transaction runs."""

    writes: bool
    is_single: bool
    """One statement only; a read needs no transaction of its own round trips then."""
    timeout_s: float
    is_foreign: bool = False
    """A client wrote the statement."""
    settings: Sequence[tuple[str, str]] = ()
    """Set for this transaction, in this order."""


class Session(Protocol):
    """One connection."""

    opened_at: float
    """On the monotonic clock."""

    def prepare(self, shapes: Shapes, key: Key) -> Ready:
        """The shape as this engine runs it; the same for every session of the database."""

    def adopt(self, text: str, count: int) -> Ready:
        """A text that has the driver's placeholders, `count` of them."""

    def begin(self, terms: Terms) -> None:
        """Starts a transaction; a reading one is read-only by the engine."""

    def query(self, ready: Ready, values: Sequence[object], sink: Sink) -> None:
        """Runs a statement that returns rows, until it ends or the sink wants no more."""

    def change(self, ready: Ready, values: Sequence[object]) -> int | None:
        """Runs a statement; how many rows it changed, None where nothing tells that."""

    def change_many(self, ready: Ready, values: Sequence[Sequence[object]]) -> int | None:
        """Runs a statement once per list of values; how many rows all of them changed."""

    def commit(self) -> None:
        """Ends the transaction and keeps what it did."""

    def rollback(self) -> None:
        """Ends the transaction, if there is one, and keeps nothing.

        Raises:
            SessionLostError: it cannot be ended; the connection is of no use.
        """

    def stop(self) -> None:
        """Stops the running statement in the engine; without one, does nothing."""

    def prover(self) -> Prover:
        """Describes statements on this connection."""

    def close(self) -> None:
        """Closes the connection; never fails."""


class SteppedSession(Session, Protocol):
    """A connection whose reads need no thread while they wait."""

    @property
    def is_clean(self) -> bool:
        """`rollback` has nothing to do for which it would wait."""

    def query_steps(self, ready: Ready, values: Sequence[object], sink: Sink) -> Steps[None]:
        """As `query`; asks for a thread before anything that blocks or takes long."""

    def wait(self, awaited: Wait) -> None:
        """Blocks until it is there."""

    def fileno(self) -> int:
        """What the event loop watches."""

    def cut(self) -> None:
        """Ends the connection under what waits for it, from any thread; never waits or fails."""


class LookupSource(Protocol):
    """Look-ups of a database that lives in this process: reads of small, fixed work."""

    def open_session(self) -> Session:
        """A connection for the event loop: it waits for no lock and gives up what takes long.

        Raises:
            StartError, BindingError: the database cannot be opened, or not now.
        """

    def is_lookup(self, session: Session, ready: Ready) -> bool:
        """Whether the engine's own plan shows a look-up; asked on any session, in its thread.

        Raises:
            BindingError: the engine cannot say.
        """


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """How an engine is used."""

    splits_writes: bool
    """Writes have one thread and connection of their own."""
    seconds_between_stops: float
    """How soon a stop is repeated while a statement goes on."""
    proves: bool = True
    """It describes statements without running them."""
    steps: bool = False
    """Its sessions are `SteppedSession`s."""
    gives_up: bool = False
    """A statement that does not stop when told is left alone with its thread and connection."""
    splits_foreign: bool = False
    """Statements of clients have threads and connections of their own."""
    stops_of_reads: int | None = None
    """A read alone is left so, once it was told so often: an engine hears a stop between two pieces
    of work, and a piece may be large. Of a write nobody would know what became of it."""


class Engine(Protocol):
    """One database of one dialect: opens sessions."""

    facts: EngineFacts

    def open_session(self, *, writes: bool) -> Session:
        """A fresh connection; `writes` is false where it may only ever read.

        Raises:
            StartError: says source, host and stage, never the password.
            BindingError: `busy` where a connection that writes finds a lock in its way.
        """

    def close(self) -> None:
        """Frees what sessions share."""
