"""The page about expressions names all that there is, and nothing else."""

import re
from pathlib import Path

from runner.compile.expressions.filters import FILTERS, TESTS
from runner.compile.expressions.operations import METHOD_NAMES

PAGE = Path(__file__).parents[3] / "docs" / "expressions.md"


def words_of(section: str) -> set[str]:
    """The names between back-quotes of a section's lists."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    body = text if section == "Methods" else text.strip().split("\n\n")[0]
    return set(re.findall(r"`([a-z0-9_]+)`", body)) - {"loop"}


def test_page_lists_filters_tests_and_methods() -> None:
    assert words_of("Filters") == set(FILTERS)
    assert words_of("Tests") == {name for name in TESTS if name.isidentifier()}
    assert words_of("Methods") == METHOD_NAMES | {"join"}
