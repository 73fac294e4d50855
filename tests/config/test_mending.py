"""`runner.config.mending`: the lines of one entry taken out, so that the others can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config.mending import without_entry

TEXT = """\
mcp: 1
tools:
  one:
    value: 1
  # of two
  two:
    value: 2
    title: "open
  three: {value: 3}
vars: {a: 1}
"""
LINES = TEXT.split("\n")


@pytest.mark.parametrize(
    ("line", "emptied", "path"),
    [
        (7, {5, 6, 7}, ("tools", "two")),
        (3, {2, 3, 4}, ("tools", "one")),
        (8, {8}, ("tools", "three")),
        (9, {9, 10}, ("vars",)),
        (0, {0}, ("mcp",)),
        (1, set(range(1, 9)), ("tools",)),
    ],
)
def test_the_entry_around_a_line_is_emptied(
    line: int, emptied: set[int], path: tuple[str, ...]
) -> None:
    lines, lost = without_entry(LINES, line)
    assert [at for at, text in enumerate(lines) if text != LINES[at]] == sorted(emptied - {10})
    assert lost == path


def test_a_sections_only_entry_takes_the_section_with_it() -> None:
    """An empty section would be a fault of its own."""
    lines, lost = without_entry(["a:", "  b: [", "c: 1"], 1)
    assert (lines, lost) == (["", "", "c: 1"], ("a", "b"))


@given(
    st.lists(st.text(' -:#ab"[', max_size=8), min_size=1, max_size=12).flatmap(
        lambda lines: st.tuples(st.just(lines), st.integers(0, len(lines) - 1))
    )
)
def test_any_text_loses_lines_and_keeps_their_number(given: tuple[list[str], int]) -> None:
    lines, line = given
    found, _ = without_entry(lines, line)
    assert len(found) == len(lines)
    assert all(new in (old, "") for new, old in zip(found, lines, strict=True))
