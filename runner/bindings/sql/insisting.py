"""What must not fail, such as ROLLBACK, though a stop that was meant for the statement before it
may come late and hit it."""

from collections.abc import Callable
from typing import Final

from runner.bindings.sql.session import SessionLostError

TIMES: Final = 3
"""A late stop hits once, and once more where it was repeated."""


def insist(run: Callable[[], object], stopped: type[Exception]) -> None:
    """Runs it until nothing stops it; `stopped` is what it raises when it is.

    Raises:
        SessionLostError: it was stopped too often.
    """
    for _ in range(TIMES):
        try:
            run()
        except stopped as error:
            last = error
        else:
            return
    raise SessionLostError(str(last)) from last
