"""How long a connection may take to be opened: until it is logged in and set up.

Whoever waits inside a driver cannot look at a clock, so that another thread looks and ends the
wait from outside.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

CONNECT_TIMEOUT_S: Final = 5
"""Unless the address says otherwise (`connect_timeout`)."""


class Bound:
    """Whether the time is over."""

    def __init__(self) -> None:
        self.is_over = False


@contextmanager
def bounded(seconds: float, end: Callable[[], None]) -> Iterator[Bound]:
    """Calls `end` once, in another thread, if what is done inside takes longer; never later."""
    bound = Bound()

    def over() -> None:
        bound.is_over = True
        end()

    clock = threading.Timer(max(seconds, 0), over)
    clock.daemon = True
    clock.start()
    try:
        yield bound
    finally:
        clock.cancel()
        clock.join()


def no_answer(seconds: float) -> str:
    """Why a connection was given up, for the operator."""
    return f"no answer within {seconds:g} s"
