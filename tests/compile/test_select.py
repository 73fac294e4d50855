"""JMESPath: what it selects, its faults, its limits."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.expressions import ExpressionError
from runner.compile.select import compile_select
from runner.config.nodes import Scalar
from tests.compile.expressions.bench import START, Bench


def select(text: str, value: object) -> object:
    bench = Bench()
    compiled = compile_select(Scalar(text, START), bench.site)
    assert compiled is not None, bench.messages()
    return compiled(value)


def test_selection_makes_the_value() -> None:
    days = {"days": [{"date": "2026-07-28", "temp": {"max": 21.5}, "x": 1}]}
    assert select("days[].{date: date, high: temp.max}", days) == [
        {"date": "2026-07-28", "high": 21.5}
    ]


def test_result_is_json_safe() -> None:
    value = {"a": Decimal("0.10"), "b": 2**60, "c": float("nan")}
    assert select("[a, b, c]", value) == ["0.10", "1152921504606846976", "NaN"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("days[", "6: select-syntax: this is no JMESPath: it ends too early"),
        ("a b", "3: select-syntax: this is no JMESPath: unexpected 'b'"),
        ("", "1: select-syntax: this is no JMESPath"),
        ("a.lenght(@)", "3: select-syntax: JMESPath has no function 'lenght'"),
    ],
)
def test_fault_of_a_selection_stands_at_its_place(bench: Bench, text: str, told: str) -> None:
    assert compile_select(Scalar(text, START), bench.site) is None
    assert bench.messages() == [told]


@pytest.mark.parametrize("text", ["length(@)", "sort(@)", "max_by(@, &a)"])
def test_value_that_does_not_fit_is_a_neutral_error(text: str) -> None:
    with pytest.raises(ExpressionError, match="'select' does not fit what came"):
        select(text, 5)


@pytest.mark.parametrize("step", ["[@, @]", "[@, @][]", "{a: @, b: @}", "to_array([@, @])"])
def test_selection_ends_at_its_limits(step: str) -> None:
    with pytest.raises(ExpressionError):
        select(" | ".join([step] * 40), [1])


@given(text=st.one_of(st.text(), st.text("ab.[]{}()*@&|:'\"`, 0-9?<=!")))
def test_any_text_compiles_or_is_reported(text: str) -> None:
    bench = Bench()
    compiled = compile_select(Scalar(text, START), bench.site)
    assert (compiled is None) == bench.faults.has_errors
