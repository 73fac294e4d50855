"""Output schemas that are no objects, wrapped for clients that know only objects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from runner.catalog.schema import OutputSchema
from runner.protocol.wrapping import Form, object_form, wrap_schema

TREE = {
    "$defs": {"leaf": {"type": "integer"}},
    "type": "array",
    "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#"}]},
}


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "object"}, Form.PLAIN),
        ({"type": "array"}, Form.WRAPPED),
        ({"type": ["object", "null"]}, Form.WRAPPED),
        ({"oneOf": [{"type": "object"}]}, Form.WRAPPED),
        ({"$id": "https://x.example", "type": "array"}, Form.OMITTED),
        ({"type": "array", "items": {"$anchor": "a"}}, Form.OMITTED),
        ({"$defs": {"a": {"$dynamicRef": "#a"}}}, Form.OMITTED),
        ({"properties": {"$id": {"type": "string"}}}, Form.WRAPPED),
        ({"enum": [{"$id": "data"}]}, Form.WRAPPED),
    ],
    ids=str,
)
def test_form_depends_on_the_root_and_on_what_can_move(
    schema: dict[str, object], form: Form
) -> None:
    assert object_form(OutputSchema(schema, lambda _: True, is_declared=True)) is form


def test_tool_without_a_schema_is_wrapped_by_its_value() -> None:
    assert object_form(None) is Form.BY_VALUE


def test_definitions_stand_at_the_new_root_and_references_still_lead_there() -> None:
    assert wrap_schema(TREE) == {
        "$defs": {"leaf": {"type": "integer"}},
        "type": "object",
        "properties": {
            "result": {
                "type": "array",
                "items": {"anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#/properties/result"}]},
            }
        },
        "required": ["result"],
    }


def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    schema = {"enum": [{"$ref": "#"}], "properties": {"$ref": {"const": {"$ref": "#/x"}}}}

    assert wrap_schema(schema)["properties"] == {"result": schema}


@given(st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_wrapped_schema_accepts_exactly_the_wrapped_values(value: object) -> None:
    plain, wrapped = Draft202012Validator(TREE), Draft202012Validator(wrap_schema(TREE))

    assert wrapped.is_valid({"result": value}) == plain.is_valid(value)
