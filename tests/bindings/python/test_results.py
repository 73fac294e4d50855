"""What a returned value becomes: a text, content blocks, or JSON."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypedDict
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from runner import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from runner.bindings.python.threads import Threads
from runner.catalog.call import Outcome
from tests.bindings.python.tool_bench import Bench


class Colour(StrEnum):
    RED = "red"


class Row(TypedDict):
    id: int


@dataclass
class Point:
    x: int


class Model(BaseModel):
    points: list[Point]


BLOCKS: list[ContentBlock] = [
    TextContent("a"),
    ImageContent(b"\x89", "image/png"),
    AudioContent(b"\x00", "audio/wav"),
    ResourceLink("docs://a", "a"),
    EmbeddedResource("docs://a", text="a"),
]


def test_a_string_is_a_text_block(bench: Bench) -> None:
    assert bench.outcome(lambda: "hello") == Outcome(
        content=[TextContent("hello")], is_structured=False
    )


def test_a_string_is_a_value_where_an_output_is_declared(bench: Bench) -> None:
    bench.declares_output = True
    assert bench.value(lambda: "hello") == "hello"


@pytest.mark.parametrize("block", BLOCKS, ids=[type(block).__name__ for block in BLOCKS])
def test_a_content_block_passes_through(bench: Bench, block: ContentBlock) -> None:
    assert bench.outcome(lambda: block) == Outcome(content=[block], is_structured=False)


def test_blocks_and_strings_make_one_content(bench: Bench) -> None:
    found = bench.outcome(lambda: [*BLOCKS, "b"])
    assert found == Outcome(content=[*BLOCKS, TextContent("b")], is_structured=False)


def test_a_block_beside_something_else_is_a_failure(bench: Bench) -> None:
    error = bench.failure(lambda: [TextContent("a"), {"b": 1}])
    assert str(error) == "the tool failed unexpectedly; error id e-1"


def test_a_list_of_strings_is_a_value(bench: Bench) -> None:
    assert bench.value(lambda: ["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (None, None),
        (Model(points=[Point(1)]), {"points": [{"x": 1}]}),
        ({"deep": [Point(1), Model(points=[])]}, {"deep": [{"x": 1}, {"points": []}]}),
        (Row(id=1), {"id": 1}),
        (Decimal("1.20"), "1.20"),
        (date(2026, 1, 2), "2026-01-02"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"hi", "aGk="),
        (Colour.RED, "red"),
        ({Colour.RED: {1}}, {"red": [1]}),
        ([float("nan"), float("-inf")], ["NaN", "-Infinity"]),
        ((1, 2), [1, 2]),
        (2**60, str(2**60)),
        (True, True),
    ],
)
def test_a_value_becomes_json(bench: Bench, returned: object, value: object) -> None:
    assert bench.value(lambda: returned) == value


def test_a_value_without_json_form_is_a_failure(bench: Bench) -> None:
    failure = bench.failure(lambda: [object()])
    assert str(failure) == "the tool returned something that has no JSON form"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
).filter(lambda value: not isinstance(value, str))


@given(JSON)
def test_any_json_value_comes_out_equal(value: object) -> None:
    async def run() -> object:
        return value

    assert Bench(Threads(1, waiting=0)).value(run) == value
