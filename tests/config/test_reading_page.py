"""`docs/reading.md`: what it shows is right."""

import re
from pathlib import Path

from runner.config.check import check
from runner.config.interpolate import Interpolator
from runner.config.source import parse

PAGE = Path(__file__).parents[2] / "docs/reading.md"


def test_every_snippet_of_the_page_is_a_good_file() -> None:
    snippets = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert snippets
    for snippet in snippets:
        document, faults = parse(snippet.encode(), "mcp.yaml")
        assert document is not None
        spec, found = check(document, Interpolator({"PASSWORD": "p"}, lambda path: path))
        assert (*faults, *found) == ()
        assert spec is not None
