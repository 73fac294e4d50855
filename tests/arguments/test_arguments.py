"""The check of a call's arguments as a whole: states, faults, budget, ownership."""

from collections.abc import Mapping

import pytest

from runner.arguments.check import Check, arguments_check
from runner.arguments.shapes import Member, Shape
from runner.catalog.expressions import ABSENT
from runner.errors import ArgumentsError, FieldFault

_INTEGER = Shape("integer", nullable=False)


def check_of(members: Mapping[str, Member], schema: Mapping[str, object]) -> Check:
    """The check of a closed object with these members."""
    whole = {"type": "object", "additionalProperties": False, **schema}
    return arguments_check(
        Shape("object", False, members), whole, coerce=True, input_elements=10_000
    )


def faults_of(check: Check, sent: Mapping[str, object]) -> list[FieldFault]:
    """What is wrong with the arguments."""
    with pytest.raises(ArgumentsError) as caught:
        check(sent)
    return list(caught.value.faults)


def test_every_failing_field_is_named_in_the_order_of_the_schema() -> None:
    check = check_of(
        {"a": Member(_INTEGER), "b": Member(_INTEGER), "c": Member(Shape("int64", False))},
        {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {}},
         "required": ["b"]},
    )  # fmt: skip
    assert faults_of(check, {"z": 1, "c": "x", "a": "ten"}) == [
        FieldFault("a", "expected an integer, found 'ten'"),
        FieldFault("b", "required, but missing"),
        FieldFault("c", "expected an integer, found 'x'"),
        FieldFault("z", "unknown argument, expected 'a', 'b' or 'c'"),
    ]


def test_faults_beyond_twenty_are_counted() -> None:
    items = {"type": "array", "items": {"type": "integer"}}
    member = Member(Shape("array", False, item=_INTEGER))
    check = check_of({"a": member}, {"properties": {"a": items}})
    found = faults_of(check, {"a": ["x"] * 25})
    assert found[0] == FieldFault("a[0]", "expected an integer, found 'x'")
    assert found[20:] == [FieldFault("", "and 5 more faults")]


def test_a_hostile_call_does_not_get_a_book_back() -> None:
    items = {"type": "array", "items": {"type": "integer"}}
    member = Member(Shape("array", False, item=_INTEGER))
    check = check_of({"a": member}, {"properties": {"a": items}})
    found = faults_of(check, {"a": ["x"] * 9_000})
    assert (len(found), found[20]) == (21, FieldFault("", "and at least 180 more faults"))


def test_the_budget_of_values_gives_one_fault() -> None:
    check = check_of({"a": Member(Shape("array", False))}, {"properties": {"a": {}}})
    assert len(check({"a": [1] * 9_999})) == 1
    assert faults_of(check, {"a": [1] * 10_000, "z": 1}) == [
        FieldFault("", "expected at most 10000 values, nested ones counted, found more")
    ]


def test_neither_what_was_sent_nor_a_default_is_shared() -> None:
    member = Member(Shape("array", False, item=_INTEGER), default=[1])
    check = check_of(
        {"a": member, "b": member},
        {"properties": {key: {"type": "array", "items": {"type": "integer"}} for key in "ab"}},
    )
    sent = {"a": ["2"]}
    first, second = check(sent), check({})
    assert (sent, first) == ({"a": ["2"]}, {"a": [2], "b": [1]})
    assert first["b"] is not second["b"]
    assert second["a"] is not second["b"]


def test_text_that_is_not_unicode_is_a_fault_not_a_crash() -> None:
    check = check_of({"a": Member(Shape("string", False))}, {"properties": {"a": {"pattern": "x"}}})
    assert faults_of(check, {"a": "\ud800"}) == [
        FieldFault("", "expected Unicode text, found an unpaired surrogate")
    ]


def test_a_refused_value_is_not_judged_again_below() -> None:
    check = check_of(
        {"a": Member(Shape("decimal", False), ABSENT)},
        {"properties": {"a": {"type": "number", "minimum": 3}}},
    )
    assert faults_of(check, {"a": "x"}) == [
        FieldFault("a", "expected a decimal number such as '12.50', found 'x'")
    ]
