"""What may be said of an exception that nobody expected."""

import json
import logging

import pytest

from runner.codec.values import UnknownTypeError, plain
from runner.unexpected import log_unexpected, place_of, traced


def caught(action: object) -> BaseException:
    """The exception of calling `action`."""
    try:
        action()  # type: ignore[operator]  # it is called to see how it fails
    except Exception as error:
        return error
    raise AssertionError("it did not fail")


def test_the_place_is_the_innermost_frame_of_the_project() -> None:
    error = caught(lambda: json.loads("{"))
    assert place_of(error).startswith("JSONDecodeError at tests/test_unexpected.py:")


def test_a_frame_of_this_program_is_named_from_its_folder() -> None:
    error = caught(lambda: plain(object()))
    assert isinstance(error, UnknownTypeError)
    assert place_of(error).startswith("UnknownTypeError at runner/codec/values.py:")


def test_an_exception_that_was_never_raised_has_a_type_alone() -> None:
    assert place_of(ValueError("secret")) == "ValueError"


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG], ids=["info", "debug"])
def test_the_traceback_is_logged_at_debug_alone(
    level: int, caplog: pytest.LogCaptureFixture
) -> None:
    error = caught(lambda: int("hunter2"))
    with caplog.at_level(level, "runner.test"):
        log_unexpected(logging.getLogger("runner.test"), error, "tools/call", error_id="e-1")
    event, *rest = caplog.records
    assert event.getMessage().startswith("error e-1: tools/call: ValueError at tests/")
    assert ("hunter2" in caplog.text) is (level == logging.DEBUG)
    assert [record.getMessage() for record in rest] == (
        [f"error e-1: tools/call in full\n{traced(error)}"] if level == logging.DEBUG else []
    )


def test_a_failure_without_an_id_is_named_by_what_failed(caplog: pytest.LogCaptureFixture) -> None:
    log_unexpected(logging.getLogger("runner.test"), ValueError(), "the lifespan failed")
    assert caplog.records[0].getMessage() == "the lifespan failed: ValueError"
