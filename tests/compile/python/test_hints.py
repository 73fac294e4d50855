"""What hints become: schemas as listed, values as built, results as converted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    Union,
)
from uuid import UUID

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, Field, JsonValue, field_validator

from runner.catalog.content import ImageContent, TextContent
from runner.compile.python.hints import HintFault, given, taken
from runner.errors import ArgumentsError

Schema = dict[str, object]


class Colour(StrEnum):
    RED = "red"


class Size(Enum):
    SMALL = 1


@dataclass
class Point:
    x: int
    y: int = 0


class Line(BaseModel):
    """A line."""

    start: Point
    end: Point | None = None
    colour: Colour = Colour.RED


class Row(TypedDict):
    id: int
    note: NotRequired[str]


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Pair(NamedTuple):
    left: int
    right: str


class Tree(BaseModel):
    children: "list[Tree]" = []


class Branch(TypedDict):
    children: "list[Branch]"


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


POINT: Schema = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
    "required": ["x"],
    "additionalProperties": False,
}
CAT_OR_DOG: Schema = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": word}},
            "required": ["kind"],
            "additionalProperties": False,
        }
        for word in ("cat", "dog")
    ]
}
TAKEN: list[tuple[Any, Schema]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Any, {}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
    (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),  # noqa: UP045 - the older form
    (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007 - the same
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Colour, {"type": "string", "enum": ["red"]}),
    (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
    (date, {"type": "string", "format": "date"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (timedelta, {"type": "string", "format": "duration"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (Path, {"type": "string"}),
    (Point, POINT),
    (Annotated[Cat | Dog, Field(discriminator="kind")], CAT_OR_DOG),
]


@pytest.mark.parametrize(("hint", "schema"), TAKEN, ids=[str(hint) for hint, _ in TAKEN])
def test_a_parameter_is_listed_as_its_hint_says(hint: object, schema: Schema) -> None:
    assert taken("x", hint).schema == schema


def test_nested_types_stand_in_place_without_references() -> None:
    """Some clients drop `$defs`, and the tool becomes unusable."""
    assert taken("line", Line).schema == {
        "type": "object",
        "description": "A line.",
        "properties": {
            "start": POINT,
            "end": {"anyOf": [POINT, {"type": "null"}], "default": None},
            "colour": {"type": "string", "enum": ["red"], "default": "red"},
        },
        "required": ["start"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("hint", [Row, list[Row], dict[str, Row], Row | None, Sequence[Row]])
def test_typed_dicts_of_the_standard_library_are_read(hint: object) -> None:
    text = str(taken("row", hint).schema)
    assert "'required': ['id']" in text
    assert "'additionalProperties': False" in text


@pytest.mark.parametrize("hint", [Tree, list[Tree], Branch, list[Branch]])
def test_a_type_that_holds_itself_is_a_fault(hint: object) -> None:
    with pytest.raises(HintFault) as caught:
        taken("tree", hint)
    assert caught.value.code == "recursive-hint"


def test_types_that_multiply_are_a_fault_soon() -> None:
    hint: Any = Point
    for level in range(40):
        fields = {"__annotations__": {"a": hint, "b": hint}, "__module__": __name__}
        hint = type(f"Level{level}", (BaseModel,), fields)
    with pytest.raises(HintFault) as caught:
        taken("x", hint)
    assert caught.value.code == "hint-too-large"


class Unknown:
    pass


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Unknown, "no JSON Schema says what 'Unknown' is"),
        (list[Unknown], "no JSON Schema says what 'list[Unknown]' is"),
        (Callable[[int], int], "no JSON Schema says what 'Callable[[int], int]' is"),
        (Annotated[str, Field(pattern="(")], "no JSON Schema says what 'str' is"),
    ],
)
def test_a_type_without_json_form_is_a_fault(hint: object, words: str) -> None:
    with pytest.raises(HintFault) as caught:
        taken("x", hint)
    assert (caught.value.code, str(caught.value)) == ("unsupported-hint", words)


@pytest.mark.parametrize("hint", [str, bool, Any, list[str], dict[str, Any], Literal["a"], list])
def test_values_that_are_already_right_are_passed_as_they_are(hint: object) -> None:
    assert taken("x", hint).build is None


@pytest.mark.parametrize(
    ("hint", "sent", "built"),
    [
        (int, 3.0, 3),
        (float, 3, 3.0),
        (date, "2026-07-28", date(2026, 7, 28)),
        (UUID, "00000000-0000-0000-0000-000000000001", UUID(int=1)),
        (Decimal, "1.20", Decimal("1.20")),
        (Decimal, Decimal("1.20"), Decimal("1.20")),
        (bytes, "aGk=", b"hi"),
        (Colour, "red", Colour.RED),
        (Size, 1, Size.SMALL),
        (set[int], [1, 2], {1, 2}),
        (Point, {"x": 1}, Point(1)),
        (list[Line], [{"start": {"x": 1}}], [Line(start=Point(1))]),
        (date | None, None, None),
        (Row, {"id": 1}, {"id": 1}),
    ],
)
def test_values_are_built_as_the_hint_says(hint: object, sent: object, built: object) -> None:
    build = taken("x", hint).build
    assert build is not None
    found = build(sent)
    assert (found, type(found)) == (built, type(built))


def test_a_validators_words_reach_the_client_with_their_place() -> None:
    build = taken("numbers", list[Even]).build
    assert build is not None
    with pytest.raises(ArgumentsError) as caught:
        build([{"number": 2}, {"number": 3}])
    assert str(caught.value) == "numbers[1].number: must be even"


@pytest.mark.parametrize(
    ("hint", "default", "listed"),
    [
        (int, 3, 3),
        (str | None, None, None),
        (Colour, Colour.RED, "red"),
        (date, date(2026, 1, 2), "2026-01-02"),
        (int, None, ...),
        (int, object(), ...),
        (float, float("nan"), ...),
        (Point, Point(1), {"x": 1, "y": 0}),
    ],
)
def test_a_default_is_listed_where_json_can_say_it(
    hint: object, default: object, listed: object
) -> None:
    assert taken("x", hint, default).default == listed


UserId = NewType("UserId", str)


@pytest.mark.parametrize(
    "hint",
    [
        str,
        UserId,
        str | None,
        str | dict[str, int],
        Literal["a"],
        Annotated[str, Field(max_length=3)],
        TextContent,
        list[ImageContent | str],
        TextContent | None,
        tuple[str, ImageContent],
        Any,
        object,
        list,
        list[Any],
        JsonValue,
    ],
)
def test_texts_content_and_anything_have_no_output_schema(hint: object) -> None:
    assert given(hint).schema is None


def made_of(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required}


LINE: Schema = {"start": {"x": 1, "y": 0}, "end": None, "colour": Colour.RED}
INTEGER: Schema = {"type": ["integer", "string"], "pattern": "^-?[0-9]+$"}
GIVEN: list[tuple[Any, Schema]] = [
    (None, {"type": "null"}),
    (bool, {"type": "boolean"}),
    (int, INTEGER),
    (Annotated[int, Field(ge=0, le=9)], {"type": "integer", "minimum": 0, "maximum": 9}),
    (float, {"type": ["number", "string"], "pattern": "^(NaN|-?Infinity)$"}),
    (Annotated[float, Field(allow_inf_nan=False)], {"type": "number"}),
    (Decimal, {"type": "string"}),
    (datetime, {"type": "string"}),
    (AwareDatetime, {"type": "string", "format": "date-time"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (list[str], {"type": "array", "items": {"type": "string"}}),
    (Colour, {"type": "string", "enum": ["red"]}),
    (Point, made_of({"x": INTEGER, "y": {**INTEGER, "default": 0}}, ["x", "y"])),
    (Row, made_of({"id": INTEGER, "note": {"type": "string"}}, ["id"])),
]


@pytest.mark.parametrize(("hint", "schema"), GIVEN, ids=[str(hint) for hint, _ in GIVEN])
def test_a_result_is_listed_as_it_is_written(hint: object, schema: Schema) -> None:
    assert given(hint).schema == schema


@pytest.mark.parametrize(
    ("hint", "value", "converted"),
    [
        (Point, Point(1, 2), {"x": 1, "y": 2}),
        (list[Line], [Line(start=Point(1))], [LINE]),
        (Point, {"x": 1, "y": 2}, {"x": 1, "y": 2}),
        (Pair, Pair(1, "b"), (1, "b")),
        (dict[str, Decimal], {"a": Decimal("1.0")}, {"a": Decimal("1.0")}),
    ],
)
def test_results_become_dicts_and_lists(hint: object, value: object, converted: object) -> None:
    convert = given(hint).convert
    assert convert is not None
    assert convert(value) == converted


def test_a_result_shows_no_more_fields_than_its_hint() -> None:
    class Secret(Cat):
        password: str

    convert = given(Cat).convert
    assert convert is not None
    assert convert(Secret(kind="cat", password="hunter2")) == {"kind": "cat"}


@examples(st.integers(-(2**53) + 1, 2**53 - 1) | st.text() | st.booleans() | st.none())
def test_a_json_scalar_is_built_unchanged(value: object) -> None:
    build = taken("x", int | str | bool | None).build
    assert build is not None
    assert build(value) == value
