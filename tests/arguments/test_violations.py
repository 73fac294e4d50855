"""Every keyword of JSON Schema has words of ours; the library's are never shown."""

import pytest

from runner.arguments.check import validator
from runner.arguments.violations import Violations


def words(schema: dict[str, object], value: object) -> list[tuple[tuple[str | int, ...], str]]:
    """What `schema` finds wrong with `value`."""
    return list(Violations(schema, validator(schema)).of(value, known=set()))


_CASES: list[tuple[dict[str, object], object, str]] = [
    ({"type": "integer"}, "ten", "expected an integer, found 'ten'"),
    ({"type": ["null", "number"]}, True, "expected a number or null, found true"),
    ({"type": "string"}, {"a": 1}, "expected text, found an object"),
    ({"type": "boolean"}, [1], "expected true or false, found a list"),
    ({"enum": ["a", "b", 3]}, None, "expected 'a', 'b' or 3, found null"),
    ({"const": "a"}, "b", "expected 'a', found 'b'"),
    ({"minLength": 2}, "a", "expected at least 2 characters, found 1 character"),
    ({"maxLength": 1}, "abc", "expected at most 1 character, found 3 characters"),
    ({"pattern": "^a"}, "b", "expected text that matches ^a, found 'b'"),
    ({"format": "date"}, "soon", "expected a date such as 2026-01-31, found 'soon'"),
    ({"minimum": 3}, 2, "expected at least 3, found 2"),
    ({"maximum": 3}, 4.5, "expected at most 3, found 4.5"),
    ({"exclusiveMinimum": 3}, 3, "expected more than 3, found 3"),
    ({"exclusiveMaximum": 3}, 3, "expected less than 3, found 3"),
    ({"multipleOf": 2}, 3, "expected a multiple of 2, found 3"),
    ({"minItems": 2}, [1], "expected at least 2 elements, found 1 element"),
    ({"maxItems": 1}, [1, 2], "expected at most 1 element, found 2 elements"),
    ({"uniqueItems": True}, [1, 1], "expected each element once, found one that repeats"),
    ({"contains": {"const": 1}}, [2],
     "expected a list with an element of the right kind, found none"),
    ({"contains": {"const": 1}, "minContains": 2}, [1], "expected more elements of the right kind"),
    ({"contains": {"const": 1}, "maxContains": 1}, [1, 1],
     "expected fewer elements of the right kind"),
    ({"minProperties": 1}, {}, "expected at least 1 field, found 0 fields"),
    ({"maxProperties": 0}, {"a": 1}, "expected at most 0 fields, found 1 field"),
    ({"propertyNames": {"maxLength": 1}}, {"abc": 1},
     "a field's name: expected at most 1 character, found 3 characters"),
    ({"not": {"const": 1}}, 1, "expected something else, found 1"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, 1.5,
     "expected text or an integer, found 1.5"),
    ({"anyOf": [{"type": "string"}, {"required": ["a"]}]}, {},
     "expected one of several forms, none fits "
     "(expected text, found an object; a: required, but missing)"),
    ({"oneOf": [{"type": "integer"}, {"minimum": 1}]}, 2,
     "expected exactly one of several forms, more than one fits"),
    ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, "x",
     "expected an integer or null, found 'x'"),
    ({"unevaluatedItems": False}, [1], "expected another value, found a list"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "message"), _CASES, ids=lambda case: str(case)[:40])
def test_a_keyword_speaks_in_our_words(
    schema: dict[str, object], value: object, message: str
) -> None:
    assert words(schema, value) == [((), message)]


def test_a_forbidden_value_is_named() -> None:
    schema: dict[str, object] = {"properties": {"type": False}}
    assert words(schema, {"type": 1}) == [(("type",), "expected nothing here, found 1")]


def test_an_unknown_field_is_compared_with_the_known_ones() -> None:
    item = {"properties": {"text": {}, "title": {}}, "additionalProperties": False}
    schema: dict[str, object] = {"items": {"$ref": "#/$defs/item"}, "$defs": {"item": item}}
    assert words(schema, [{"tex": 1}, {"zzz": 2}]) == [
        ((0, "tex"), "unknown field, did you mean 'text'?"),
        ((1, "zzz"), "unknown field, expected 'text' or 'title'"),
    ]


def test_a_value_of_the_wrong_type_is_said_once() -> None:
    schema: dict[str, object] = {"type": "string", "enum": ["a"], "anyOf": [{"type": "string"}]}
    assert words(schema, 5) == [((), "expected text, found 5")]


def test_long_values_are_cut() -> None:
    [(_, message)] = words({"type": "integer"}, "x" * 1000)
    assert message == f"expected an integer, found '{'x' * 60}…'"
