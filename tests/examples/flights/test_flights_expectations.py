"""The flights: what the file itself expects of its tools holds on every engine."""

from collections.abc import Iterator, Mapping

import pytest
import yaml

from tests.examples.flights.loaded import FILE
from tests.examples.talking import Talk, texts

Case = Mapping[str, object]
TOOLS: Mapping[str, Mapping[str, object]] = yaml.safe_load(FILE.read_text("utf-8"))["tools"]


def cases() -> Iterator[tuple[str, Case]]:
    """Each test of the file with its tool."""
    for name, tool in TOOLS.items():
        tests = tool["tests"]
        assert isinstance(tests, list)
        for case in tests:
            yield name, case


def has(value: object, wanted: object) -> bool:
    """The value has the part: members of an object, elements of a list, in any order."""
    match wanted:
        case dict():
            return isinstance(value, dict) and all(
                key in value and has(value[key], item) for key, item in wanted.items()
            )
        case list():
            return isinstance(value, list) and all(
                any(has(element, item) for element in value) for item in wanted
            )
        case _:
            return value == wanted


def counted(value: object) -> int:
    """The rows of a result, or the elements of a list."""
    rows = value["rows"] if isinstance(value, dict) else value
    assert isinstance(rows, list)
    return len(rows)


@pytest.mark.parametrize(("tool", "case"), list(cases()))
def test_expectation_of_the_file_holds(talk: Talk, tool: str, case: Case) -> None:
    arguments, expected = case["call"], case["expect"]
    assert isinstance(arguments, dict)
    assert isinstance(expected, dict)
    assert expected.keys() <= {"equals", "contains", "lacks", "count", "error"}
    result = talk.ask(tool, **arguments)
    value = result.structured_content
    assert result.is_error is ("error" in expected), texts(result)
    assert str(expected.get("error", "")) in "\n".join(texts(result))
    assert value == expected.get("equals", value)
    assert "contains" not in expected or has(value, expected["contains"])
    assert "lacks" not in expected or not has(value, expected["lacks"])
    assert "count" not in expected or counted(value) == expected["count"]


def test_every_tool_has_words_for_the_model_an_example_and_a_test() -> None:
    for name, tool in TOOLS.items():
        for field in ("title", "description", "examples", "tests"):
            assert tool.get(field), f"{name} has no {field}"


@pytest.mark.parametrize("tool", TOOLS)
def test_examples_of_the_file_are_right(talk: Talk, tool: str) -> None:
    examples = TOOLS[tool]["examples"]
    assert isinstance(examples, list)
    for arguments in examples:
        result = talk.ask(tool, **arguments)
        assert not result.is_error, texts(result)
        assert result.structured_content not in ({}, [], None, {"rows": [], "truncated": False})
