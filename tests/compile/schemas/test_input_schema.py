"""`input_schema:`: listed untouched, checked in full, every fault at its node."""

import json

import pytest

from runner.catalog.schema import HeaderParameter, Parameter
from runner.errors import ArgumentsError
from tests.compile.schemas.input_cases import attempt, compiled, faults
from tests.requirements import requirement

_START = "input_schema: {type: object, properties: {a: "


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("{type: strng}", "53 wrong-schema: 'type': expected the name of a JSON type or a list "
         "of them, found 'strng'"),
        ("{minimum: x}", "56 wrong-schema: 'minimum': expected a number, found 'x'"),
        ("{properties: [1]}", "59 wrong-schema: 'properties': expected an object, found a list"),
        ("{items: 5}", "54 wrong-schema: 'items': expected a schema, found 5"),
        ("{type: array}", "46 untyped-list: expected the type of the list's elements"),
        ("{$ref: '#/nope'}", "53 unresolved-reference: no schema stands at '#/nope'"),
        ("{$ref: '#/type'}", "53 unresolved-reference: no schema stands at '#/type'"),
        ("{$ref: '#name'}", "53 unresolved-reference: no schema stands at '#name'"),
        ("{$ref: 'http://127.0.0.1:1/x'}",
         "53 remote-reference: expected a reference inside this schema, "
         "found 'http://127.0.0.1:1/x'"),
        ("{$ref: other.json}",
         "53 remote-reference: expected a reference inside this schema, found 'other.json'"),
        ("{required: [x, x]}",
         "57 wrong-schema: 'required': expected each element once, found one that repeats"),
        ("{anyOf: []}", "54 wrong-schema: 'anyOf': expected at least one element, found none"),
        ("{minLength: -1}", "58 wrong-schema: 'minLength': expected at least 0, found -1"),
        ("{multipleOf: 0}", "59 wrong-schema: 'multipleOf': expected more than 0, found 0"),
        ("{$anchor: '1'}", "56 wrong-schema: '$anchor': expected another form, found '1'"),
        ("{$id: 'urn:x'}", "52 wrong-schema: '$id' may stand at the root only"),
        ("{$ref: '#/properties/a'}",
         "46 endless-reference: the schema refers to itself without going into the value"),
        ("{pattern: '\\bx'}", "56 wrong-pattern: the regular expression is not portable at "
         "character 1: '\\b' is not portable"),
        ("{patternProperties: {'(?i)x': {}}}",
         "67 wrong-pattern: the regular expression is not portable at "
         "character 1: look-around, named groups and modes are not portable"),
        ("{type: integer, default: x}", "71 wrong-default: expected an integer, found 'x'"),
        ("{items: {type: string, x-mcp-header: A}}",
         "83 wrong-header: expected a parameter that is reached through objects alone"),
        ("{type: [string, 'null'], x-mcp-header: A}",
         "85 wrong-header: expected a parameter of type string, integer or boolean that admits "
         "no null"),
    ],
)  # fmt: skip
@requirement("P-049", "P-092")
def test_a_fault_is_reported_at_its_node(schema: str, expected: str) -> None:
    assert faults(f"{_START}{schema}}}}}") == [f"1:{expected}"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("{type: array, items: {}}",
         "22 wrong-schema: expected type: object at the root, found 'array'"),
        ("{}", "15 wrong-schema: expected type: object at the root, found no type"),
        ("5", "15 wrong-schema: expected a JSON Schema, found another value"),
        ("{type: object, $schema: 'http://json-schema.org/draft-07/schema#'}",
         "39 unsupported-dialect: expected JSON Schema 2020-12, found the dialect "
         "'http://json-schema.org/draft-07/schema#'"),
        ("{type: object, properties: {now: {}}}",
         "43 reserved-name: 'now' means something else in expressions"),
    ],
)  # fmt: skip
@requirement("P-091")
def test_a_root_with_a_fault_is_refused(schema: str, expected: str) -> None:
    assert faults(f"input_schema: {schema}") == [f"1:{expected}"]


def test_a_schema_is_listed_untouched_and_its_parameters_are_known() -> None:
    schema = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "n": {"type": ["integer", "null"], "default": 3},
            "when": {"$ref": "#/$defs/day"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "o": {"type": "object", "properties": {"x": {"type": "string", "x-mcp-header": "X"}}},
            "any": {},
        },
        "$defs": {"day": {"type": "string", "format": "date"}},
        "x-mine": 1,
    }
    found = compiled(json.dumps({"input_schema": schema}))
    assert (found.listed, found.headers) == (schema, (HeaderParameter("X", ("o", "x"), "string"),))
    assert found.parameters == {
        "id": Parameter("id", "uuid"),
        "n": Parameter("n", "integer", nullable=True),
        "when": Parameter("when", "date", required=False),
        "tags": Parameter("tags", "string", is_list=True, required=False),
        "o": Parameter("o", "object", required=False, fields={
            "x": Parameter("x", "string", required=False)}),
        "any": Parameter("any", "", nullable=True, required=False),
    }  # fmt: skip


def test_coercion_and_defaults_reach_through_references() -> None:
    check = compiled(
        "input_schema: {type: object, $defs: {p: {type: object, properties: {n: {type: integer},"
        " k: {default: 7}}}}, properties: {p: {$ref: '#/$defs/p'}}}"
    ).check
    assert check({"p": {"n": "4"}}) == {"p": {"n": 4, "k": 7}}


def test_an_open_schema_admits_unknown_keys_and_a_closed_one_refuses_or_drops_them() -> None:
    closed = "input_schema: {type: object, properties: {a: {}}, additionalProperties: false}"
    assert compiled("input_schema: {type: object}").check({"z": 1}) == {"z": 1}
    with pytest.raises(ArgumentsError, match="z: unknown argument, expected 'a'"):
        compiled(closed).check({"z": 1})
    assert compiled(f"strict: false\n{closed}").check({"z": 1, "a": 2}) == {"a": 2}


@pytest.mark.parametrize(
    "reference", ["#day", "#/$defs/a~1b%20c", "urn:x#/allOf/0", "#/$defs/chain"]
)
def test_a_local_reference_may_be_written_in_every_way(reference: str) -> None:
    day = {"$anchor": "day", "type": "string", "format": "date"}
    schema = {
        "$id": "urn:x",
        "type": "object",
        "properties": {"a": {"$ref": reference}},
        "$defs": {"a/b c": day, "chain": {"$ref": "#day"}},
        "allOf": [{"type": "object"} if "allOf" not in reference else {"format": "date"}],
    }
    check = compiled(json.dumps({"input_schema": schema})).check
    assert check({"a": "2026-01-31"}) == {"a": "2026-01-31"}
    with pytest.raises(ArgumentsError, match="a: expected a date such as"):
        check({"a": "soon"})


def test_recursion_is_served_and_flagged() -> None:
    schema, [warning] = attempt(
        "input_schema: {type: object, properties: {n: {type: integer}, next: {$ref: '#'}}}"
    )
    assert schema is not None
    assert (warning.code, warning.severity) == ("recursive-schema", "warning")
    assert schema.check({"next": {"next": {"n": 1}}}) == {"next": {"next": {"n": 1}}}
    with pytest.raises(ArgumentsError, match=r"next\.next\.n: expected an integer, found 'x'"):
        schema.check({"next": {"next": {"n": "x"}}})


def test_a_recursive_schema_of_many_branches_is_finite() -> None:
    branches = {f"p{n}": {"$ref": "#"} for n in range(30)}
    schema, _ = attempt(json.dumps({"input_schema": {"type": "object", "properties": branches}}))
    assert schema is not None
    assert schema.check({"p1": {"p2": {}}}) == {"p1": {"p2": {}}}


@requirement("P-093")
def test_a_huge_schema_is_refused() -> None:
    wide = {"type": "object", "properties": {f"p{n}": {} for n in range(2000)}}
    [fault] = faults(json.dumps({"input_schema": wide}))
    assert "schema-too-large" in fault


def test_a_likely_typo_is_a_warning() -> None:
    _, [warning] = attempt("input_schema: {type: object, aditionalProperties: false}")
    assert (warning.code, warning.hint) == (
        "unknown-keyword", "did you mean 'additionalProperties'?",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ['{"type": "object", "properties": {"n": {"maximum": 1e3}}}',
     "type: object\nproperties:\n  n:\n    maximum: 1000.0\n"],
    ids=["json", "yaml"],
)  # fmt: skip
def test_a_schema_may_stand_in_a_file(text: str) -> None:
    schema = compiled("input_schema: {file: in.json}", **{"in.json": text})
    assert schema.listed == {"type": "object", "properties": {"n": {"maximum": 1000.0}}}


def test_a_fault_in_a_file_has_its_place_there() -> None:
    text = "type: object\nproperties:\n  n: {type: integr}\n"
    _, [fault] = attempt("input_schema: {file: in.yaml}", **{"in.yaml": text})
    assert str(fault.position) == "in.yaml:3:13"


def test_a_file_that_could_not_be_read_is_not_reported_twice() -> None:
    """Reading files is the configuration's; what it could not read it has reported."""
    assert attempt("input_schema: {file: f}") == (None, ())
