"""`runner.config.availability`: what this version does not have."""

import pytest

from runner.config.availability import NOT_AVAILABLE, is_available
from runner.config.check import check
from runner.config.interpolate import Interpolator
from runner.config.source import parse

HEAD = "mcp: 1\nserver: {name: x, version: 1}\n"
BESIDE = {
    "databases": "url: 'sqlite://', ",
    "tools": "value: 1, ",
    "endpoints": "path: /x, ",
    "resources": "uri: 'x:y', text: z, ",
    "prompts": "template: z, ",
}


@pytest.mark.parametrize("pattern", NOT_AVAILABLE)
def test_each_field_of_the_table_is_refused_at_its_key_and_by_nothing_else(pattern: str) -> None:
    first, *steps = pattern.split(".")
    text = "{nonsense: [1]}"
    for depth, step in reversed(list(enumerate(steps))):
        beside = BESIDE.get(first, "") if depth == 1 else ""
        text = f"{{{beside}{'x' if step == '*' else step}: {text}}}"
    document, _ = parse(f"{HEAD}{first}: {text}\n".encode(), "mcp.yaml")
    assert document is not None
    spec, faults = check(document, Interpolator({}, lambda path: path))
    assert [fault.code for fault in faults] == ["not-available"]
    assert spec is not None


def test_the_rest_is_available() -> None:
    assert is_available(("tools", "x", "tests"))
    assert is_available(("auth", "stdio"))
    assert not is_available(("tools", "x", "ui"))
