"""Work that waits in the open: a generator that says what it waits for, driven by whoever can wait.

A database thread waits by blocking, the event loop by watching the connection. The same work may
begin on the loop and go on in a thread.
"""

from collections.abc import Callable, Generator
from enum import Enum, auto
from typing import TypeVar

T = TypeVar("T")


class Wait(Enum):
    """What has to come before the work goes on."""

    READ = auto()
    """Bytes from the server."""
    WRITE = auto()
    """Room for bytes to the server, or bytes from it: one of them makes room for the other."""
    THREAD = auto()
    """A thread: what follows blocks, or takes long."""


Steps = Generator[Wait, None, T]
"""Work that returns a `T`."""


def drain(steps: Steps[T], wait: Callable[[Wait], object]) -> T:
    """What the work returns; `wait` blocks until what it waits for is there."""
    while True:
        try:
            awaited = next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
        wait(awaited)
