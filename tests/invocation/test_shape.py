"""From an outcome to a result: what is structured, which text is beside it, what is too much."""

import pytest

from runner.catalog.call import Outcome
from runner.catalog.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from runner.catalog.result import CallResult
from runner.catalog.tool import ResultText
from runner.errors import BindingError, Kind
from runner.invocation.shape import shape
from tests.invocation.tools import TOOL, declared, saying, tool

ROWS = {"rows": [{"a": 1, "b": "x,y"}, {"a": None, "b": "|"}], "truncated": False}


def test_value_is_repeated_as_compact_json_text() -> None:
    assert shape(TOOL, Outcome({"a": [1, None]}), {}) == CallResult(
        [TextContent('{"a":[1,null]}')], b'{"a":[1,null]}', is_object=True
    )


@pytest.mark.parametrize("value", [None, 7, "x", [1], True])
def test_value_that_is_no_object_is_structured_all_the_same(value: object) -> None:
    result = shape(TOOL, Outcome(value), {})
    assert (result.structured is not None, result.is_object) == (True, False)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (ResultText("csv"), 'a,b\r\n1,"x,y"\r\n,|\r\n'),
        (ResultText("markdown"), "| a | b |\n| --- | --- |\n| 1 | x,y |\n|  | \\| |\n"),
        (ResultText(template=saying("{0[truncated]}", "result")), "False"),
    ],
    ids=["csv", "markdown", "template"],
)
def test_chosen_text_takes_the_place_of_json_for_an_object(form: ResultText, expected: str) -> None:
    result = shape(tool(text=form), Outcome(ROWS, columns=["a", "b"]), {})
    assert [block.text for block in result.content if isinstance(block, TextContent)] == [expected]


def test_chosen_text_comes_after_json_for_a_list() -> None:
    result = shape(tool(text=ResultText("csv")), Outcome([{"a": 1}]), {})
    assert result.content == [TextContent('[{"a":1}]'), TextContent("a\r\n1\r\n")]


def test_format_of_a_table_changes_nothing_for_a_scalar() -> None:
    assert shape(tool(text=ResultText("csv")), Outcome(7), {}).content == [TextContent("7")]


def test_note_stands_in_a_block_of_its_own() -> None:
    result = shape(TOOL, Outcome(1, note="Only the first row."), {})
    assert result.content == [TextContent("1"), TextContent("Only the first row.")]


def test_finished_blocks_pass_through_without_structured_content() -> None:
    blocks: list[ContentBlock] = [TextContent("a"), ResourceLink("docs://a", "a")]
    assert shape(TOOL, Outcome(is_structured=False, content=blocks), {}) == CallResult(blocks)


def test_finished_blocks_may_stand_beside_a_structured_value() -> None:
    result = shape(TOOL, Outcome({"a": 1}, content=[TextContent("one")]), {})
    assert result == CallResult([TextContent("one")], b'{"a":1}', is_object=True)


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("x" * 1000),
        Outcome(is_structured=False, content=[TextContent("é" * 501)]),
        Outcome(is_structured=False, content=[ImageContent(bytes(1001), "image/png")]),
        Outcome(is_structured=False, content=[AudioContent(bytes(1001), "audio/wav")]),
        Outcome(is_structured=False, content=[EmbeddedResource("a://b", blob=bytes(1001))]),
        Outcome(1, content=[TextContent("x" * 1001)]),
    ],
    ids=["value", "text", "image", "audio", "resource", "beside"],
)
def test_result_over_its_budget_is_an_error_that_says_so(outcome: Outcome) -> None:
    with pytest.raises(BindingError) as caught:
        shape(TOOL, outcome, {})
    assert caught.value.kind is Kind.TOO_LARGE
    assert str(caught.value).endswith("more than the 1000 allowed; ask for less")


def test_result_that_does_not_fit_its_declared_schema_is_never_sent() -> None:
    with pytest.raises(BindingError) as caught:
        shape(tool(output=declared(is_valid=False)), Outcome({"secret": 1}), {})
    assert str(caught.value) == "the result does not fit the tool's output schema"


def test_result_that_fits_its_declared_schema_is_sent() -> None:
    assert shape(tool(output=declared(is_valid=True)), Outcome({}), {}).structured == b"{}"
