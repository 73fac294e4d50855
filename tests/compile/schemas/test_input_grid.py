"""Absent, null and default are three states: how each declaration meets each way of sending."""

import pytest

from runner.errors import ArgumentsError
from tests.compile.schemas.input_cases import compiled

_ABSENT: dict[str, object] = {}
_NULL: dict[str, object] = {"a": None}
_VALUE: dict[str, object] = {"a": 5}
_MISSING = "a: required, but missing"


@pytest.mark.parametrize(
    ("declared", "sent", "expected"),
    [
        ("a: integer", _ABSENT, _MISSING),
        ("a: integer", _NULL, _MISSING),
        ("a: integer", _VALUE, {"a": 5}),
        ("a?: integer", _ABSENT, {}),
        ("a?: integer", _NULL, {}),
        ("a?: integer", _VALUE, {"a": 5}),
        ("a: {type: integer, default: 3}", _ABSENT, {"a": 3}),
        ("a: {type: integer, default: 3}", _NULL, {"a": 3}),
        ("a: {type: integer, default: 3}", _VALUE, {"a": 5}),
        ("a: integer|null", _ABSENT, _MISSING),
        ("a: integer|null", _NULL, {"a": None}),
        ("a: integer|null", _VALUE, {"a": 5}),
        ("a?: integer|null", _ABSENT, {}),
        ("a?: integer|null", _NULL, {"a": None}),
        ("a?: integer|null", _VALUE, {"a": 5}),
        ("a: {type: integer, nullable: true, default: 3}", _ABSENT, {"a": 3}),
        ("a: {type: integer, nullable: true, default: 3}", _NULL, {"a": None}),
        ("a: {type: integer, nullable: true, default: null}", _ABSENT, {"a": None}),
    ],
)
def test_a_cell_of_the_grid(
    declared: str, sent: dict[str, object], expected: dict[str, object] | str
) -> None:
    check = compiled(f"input: {{{declared}}}").check
    if isinstance(expected, dict):
        assert check(sent) == expected
    else:
        with pytest.raises(ArgumentsError) as caught:
            check(sent)
        assert str(caught.value) == expected


@pytest.mark.parametrize("sent", [_ABSENT, _NULL, _VALUE], ids=["absent", "null", "value"])
def test_the_grid_holds_inside_objects_and_lists(sent: dict[str, object]) -> None:
    fields = "fields: {a: {type: integer, default: 3}}"
    check = compiled(f"input: {{o: {{{fields}}}, l: {{type: 'object[]', {fields}}}}}").check
    expected = sent if sent == _VALUE else {"a": 3}
    assert check({"o": sent, "l": [sent]}) == {"o": expected, "l": [expected]}


def test_null_in_a_list_is_a_value_and_refused_where_it_is_none() -> None:
    check = compiled("input: {a: 'integer[]'}").check
    with pytest.raises(ArgumentsError, match=r"a\[1\]: expected an integer, found null"):
        check({"a": [1, None]})
