"""The flights: DuckDB and PostgreSQL answer alike, to the last character of the text."""

from collections.abc import Mapping

import pytest
import yaml

from tests.examples.flights.loaded import FILE
from tests.examples.talking import Talk, texts

TOOLS: Mapping[str, Mapping[str, list[Mapping[str, object]]]] = yaml.safe_load(
    FILE.read_text("utf-8")
)["tools"]
CALLS = [
    (name, arguments)
    for name, tool in TOOLS.items()
    for arguments in [*tool["examples"], *(case["call"] for case in tool["tests"])]
    if name != "export_flights"  # held against the frame whole, on each engine
]


def without_cursor(value: object) -> object:
    """A cursor is sealed by the server that gives it, so no two are the same."""
    if not isinstance(value, dict):
        return value
    return {key: "sealed" if key == "next" else item for key, item in value.items()}


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_engines_give_the_same(
    talks: Mapping[str, Talk], tool: str, arguments: Mapping[str, object]
) -> None:
    one, other = (talk.ask(tool, **arguments) for talk in talks.values())
    assert one.is_error is other.is_error
    assert without_cursor(one.structured_content) == without_cursor(other.structured_content)
    assert texts(one)[0] == texts(other)[0]


def test_engines_take_the_same_arguments(talks: Mapping[str, Talk]) -> None:
    one, other = (
        {name: tool.input_schema for name, tool in talk.tools().items()} for talk in talks.values()
    )
    assert one == other


def test_page_of_one_engine_begins_where_the_same_page_of_the_other_does(
    talks: Mapping[str, Talk],
) -> None:
    pages = []
    for talk in talks.values():
        first = talk.give("search_flights", carrier="HA", limit=50)
        pages.append(talk.rows("search_flights", carrier="HA", limit=50, cursor=first["next"]))
    assert pages[0] == pages[1]
    assert len(pages[0]) == 50
