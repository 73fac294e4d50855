"""A run of the official suite that ends otherwise than expected is told, in either direction."""

import pytest

from tests.conformance.expected import FILE, read

TEXT = """
reasons: {session: it wants a session}
runs:
  2025-11-25:
    passed: 2
    failed: {polling: session}
    skipped: {skills: session}
"""
ENDED = {"ping": "pass", "tools": "pass", "polling": "FAIL", "skills": "skip"}


@pytest.mark.parametrize(
    ("otherwise", "told"),
    [
        ({}, []),
        (
            {"ping": "FAIL"},
            ["ping: expected 'pass', found 'FAIL'", "expected 2 scenarios to pass, and 1 did"],
        ),
        (
            {"polling": "pass"},
            ["polling: expected 'FAIL', found 'pass'", "expected 2 scenarios to pass, and 3 did"],
        ),
        ({"skills": "FAIL"}, ["skills: expected 'skip', found 'FAIL'"]),
        ({"new": "pass"}, ["expected 2 scenarios to pass, and 3 did"]),
    ],
    ids=["as expected", "fails now", "passes now", "no longer skipped", "new"],
)
def test_difference_of_a_run_is_told(otherwise: dict[str, str], told: list[str]) -> None:
    run = read(TEXT)["2025-11-25"]

    assert list(run.differences({**ENDED, **otherwise})) == told


def test_scenario_that_did_not_run_is_told() -> None:
    found = {name: word for name, word in ENDED.items() if name != "polling"}

    assert list(read(TEXT)["2025-11-25"].differences(found)) == [
        "polling: expected 'FAIL', found 'not run'"
    ]


def test_every_reason_of_the_file_is_one_that_is_given() -> None:
    """Reading fails on an unknown one; a reason that nothing has is a leftover."""
    runs = read(FILE.read_text("utf-8"))
    assert [*runs] == ["2026-07-28", "2025-11-25", "2025-06-18", "extensions"]
    assert runs["2026-07-28"].others == {}
