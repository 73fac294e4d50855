"""Progress and log messages of one call, by a clock that the test turns."""

import json

import pytest

from runner.protocol.reports import BURST, PER_SECOND, Reports


class Hands:
    """A clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_progress_that_comes_too_fast_is_dropped_until_time_passes() -> None:
    seen: list[bytes] = []
    clock = Hands()
    report = Reports(seen.append, clock).progress("p", has_messages=True)

    for done in range(10 * BURST):
        report(done, None, None)
    assert len(seen) == BURST

    clock.now = 2 / PER_SECOND
    for done in range(10 * BURST, 20 * BURST):
        report(done, None, None)
    assert len(seen) == BURST + 2


def test_closed_reports_are_silent() -> None:
    seen: list[bytes] = []
    reports = Reports(seen.append, Hands())
    report, log = reports.progress(1, has_messages=True), reports.log("debug")

    reports.close()
    report(1, None, None)
    log("emergency", "late", None)

    assert seen == []


def test_total_that_is_no_number_is_left_out() -> None:
    seen: list[bytes] = []

    Reports(seen.append, Hands()).progress(1, has_messages=True)(0.5, float("inf"), None)

    assert [json.loads(message)["params"] for message in seen] == [
        {"progressToken": 1, "progress": 0.5}
    ]


def test_unknown_level_is_the_authors_error() -> None:
    log = Reports(lambda _message: None, Hands()).log("info")

    with pytest.raises(ValueError, match=r"expected one of debug, .*, found 'loud'"):
        log("loud", "x", None)
