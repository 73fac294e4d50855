"""A result with packed rows says what the same rows say that were never packed."""

import asyncio

import pytest

from runner.catalog.call import Outcome, whole
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.schema import OutputSchema
from runner.catalog.tool import ResultText, Tool
from runner.codec.packed import PackedRows
from runner.errors import BindingError, Kind
from runner.invocation.long import shape_long
from runner.invocation.shape import shape
from tests.invocation.tools import saying, tool

ROWS = [{"a": number, "b": text} for number, text in enumerate(["x,y", "|", "", "é\n"] * 25)]
NOTE = "There are more rows."


def outcome() -> Outcome:
    """A hundred rows in ten blocks."""
    packed = PackedRows()
    for start in range(0, len(ROWS), 10):
        packed.add_rows([*ROWS[start : start + 10]])
    value: dict[str, object] = {"rows": [], "truncated": True, "next": "cursor"}
    return Outcome(value, columns=["a", "b"], note=NOTE, packed=packed)


def long_result(tool: Tool) -> CallResult:
    made = outcome()
    assert made.packed is not None
    return asyncio.run(shape_long(tool, made, made.packed, {}))


def plain_result(tool: Tool) -> CallResult:
    """The same rows, held as values."""
    return shape(tool, whole(outcome()), {})


def roomy(text: ResultText) -> Tool:
    return tool(text=text, max_bytes=1_000_000)


@pytest.mark.parametrize("text", ["json", "csv", "markdown"])
def test_text_and_structured_content_are_those_of_a_short_result(text: str) -> None:
    probe = roomy(ResultText(text))  # type: ignore[arg-type]  # one of the three
    expected = plain_result(probe)
    result = long_result(probe)
    assert result.long is not None
    assert b"".join(result.long.structured()) == expected.structured
    long_text = TextContent("".join(result.long.text()))
    assert [long_text, *result.content] == expected.content
    assert (result.structured, result.is_error) == (None, False)


def test_a_template_reads_all_rows_as_values() -> None:
    probe = roomy(ResultText(template=saying("{0[rows][99][a]}", "result")))
    result = long_result(probe)
    assert result == plain_result(probe)
    assert result.content[0] == TextContent("99")


def test_every_block_is_checked_against_a_declared_schema() -> None:
    def has_no_50(value: object) -> bool:
        assert isinstance(value, dict)
        return all(row["a"] != 50 for row in value["rows"])

    output = OutputSchema({"type": "object"}, has_no_50, is_declared=True)
    with pytest.raises(BindingError) as caught:
        long_result(tool(output=output, max_bytes=1_000_000))
    assert caught.value.kind is Kind.REDACTED


def test_a_step_reads_all_rows_as_values() -> None:
    made = whole(outcome())
    assert made.value == {"rows": ROWS, "truncated": True, "next": "cursor"}
    assert made.packed is None
