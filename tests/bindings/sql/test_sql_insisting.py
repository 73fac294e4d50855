"""What must not fail is tried again where a late stop hit it, and not for ever."""

from collections.abc import Callable

import pytest

from runner.bindings.sql.insisting import TIMES, insist
from runner.bindings.sql.session import SessionLostError


class StoppedError(Exception):
    """The engine stopped a command."""


def stopped(times: int, runs: list[int]) -> Callable[[], None]:
    """A command that is stopped so often; notes its runs."""

    def run() -> None:
        runs.append(len(runs))
        if len(runs) <= times:
            raise StoppedError("stopped")

    return run


def test_stop_that_comes_late_is_outlived() -> None:
    runs: list[int] = []
    insist(stopped(TIMES - 1, runs), StoppedError)
    assert len(runs) == TIMES


def test_command_that_is_always_stopped_loses_the_session() -> None:
    runs: list[int] = []
    with pytest.raises(SessionLostError, match=r"^stopped$"):
        insist(stopped(TIMES, runs), StoppedError)
    assert len(runs) == TIMES


def test_other_faults_are_not_tried_again() -> None:
    runs: list[int] = []
    with pytest.raises(StoppedError):
        insist(stopped(1, runs), KeyError)
    assert len(runs) == 1
