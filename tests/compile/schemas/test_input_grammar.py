"""`input:` form by form: what is listed, what is accepted, what bindings are told."""

from decimal import Decimal

import pytest

from runner.catalog.schema import HeaderParameter, Parameter
from runner.errors import ArgumentsError
from tests.compile.schemas.input_cases import attempt, compiled

_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"


def test_a_tool_without_input_lists_a_closed_object_with_properties() -> None:
    """Some clients refuse a schema without `properties`."""
    schema = compiled("description: x")
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    assert (schema.listed, schema.check({})) == (empty, {})


@pytest.mark.parametrize(
    ("declared", "fragment"),
    [
        ("string", {"type": "string"}),
        ("uuid", {"type": "string", "format": "uuid"}),
        ("integer|null", {"type": ["integer", "null"]}),
        ("'date[]'", {"type": "array", "items": {"type": "string", "format": "date"}}),
        ("'integer[]|null'", {"type": ["array", "null"], "items": {"type": "integer"}}),
        ("'string|null[]'", {"type": "array", "items": {"type": ["string", "null"]}}),
        ("'integer[][]'",
         {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
        ("object", {"type": "object"}),
        ("decimal", {"type": ["number", "string"], "pattern": _DECIMAL}),
        ("int64", {"type": ["integer", "string"], "pattern": "^-?(0|[1-9][0-9]{0,18})$"}),
        ("[a, b]", {"type": "string", "enum": ["a", "b"]}),
        ("[1, 2]", {"type": "integer", "enum": [1, 2]}),
        ("[1, 2.5]", {"type": "number", "enum": [1, 2.5]}),
        ("{enum: [a], nullable: true}", {"type": ["string", "null"], "enum": ["a", None]}),
        ("{type: string, format: email}", {"type": "string", "format": "email"}),
        ("{format: ipv4}", {"type": "string", "format": "ipv4"}),
        ("{type: string, maxLength: 3, description: D, pattern: '^a'}",
         {"type": "string", "description": "D", "maxLength": 3, "pattern": "^a"}),
        ("{items: {type: string, minLength: 1}, maxItems: 2}",
         {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 2}),
        ("{choose: {new: created DESC, old: created}}", {"type": "string", "enum": ["new", "old"]}),
        ("{type: 'string[]', choose: [a, b]}",
         {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        ("{fields: {a: string, b?: date}}",
         {"type": "object",
          "properties": {"a": {"type": "string"}, "b": {"type": "string", "format": "date"}},
          "required": ["a"], "additionalProperties": False}),
        ("{type: integer, header: N}",
         {"type": "integer", "x-mcp-header": "N", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}),
    ],
)  # fmt: skip
def test_a_form_lists_its_schema(declared: str, fragment: dict[str, object]) -> None:
    assert compiled(f"input: {{a: {declared}}}").listed == {
        "type": "object",
        "properties": {"a": fragment},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_properties_stand_in_the_order_of_the_file() -> None:
    listed = compiled(
        "input: {zeta: string, alpha?: string, mid: {type: integer, default: 1}}"
    ).listed
    assert (list(listed["properties"]), listed["required"]) == (["zeta", "alpha", "mid"], ["zeta"])  # type: ignore[call-overload]  # a mapping


def test_bindings_are_told_type_list_null_and_choice() -> None:
    parameters = compiled(
        "input: {id: uuid, tags?: 'string[]|null', sort: {choose: {n: x DESC}, default: n},"
        " steps: {type: 'object[]', fields: {text?: string}}}"
    ).parameters
    assert parameters == {
        "id": Parameter("id", "uuid"),
        "tags": Parameter("tags", "string", is_list=True, nullable=True, required=False),
        "sort": Parameter("sort", "string", choose={"n": "x DESC"}),
        "steps": Parameter(
            "steps", "object", is_list=True,
            fields={"text": Parameter("text", "string", required=False)},
        ),
    }  # fmt: skip


def test_text_of_a_text_parameter_stays_what_was_written() -> None:
    schema, reported = attempt(
        "input: {a: {type: string, enum: [NO, SE, 0123, 1e3], default: NO}, b: {type: date,"
        " default: 2024-01-01}, c: {type: string, const: 12:30:00}}"
    )
    assert schema is not None
    assert schema.check({"c": "12:30:00"}) == {"a": "NO", "b": "2024-01-01", "c": "12:30:00"}
    assert [d.message.split()[0] for d in reported] == ["'NO'", "'0123'", "'1e3'", "'NO'"]
    assert {(d.code, d.severity) for d in reported} == {("ambiguous-text", "warning")}


def test_quoted_text_is_not_ambiguous() -> None:
    assert compiled("input: {a: {type: string, enum: ['NO', \"1\"]}}").check({"a": "1"})


def test_a_decimal_meets_its_limits_as_a_number() -> None:
    check = compiled("input: {a: {type: decimal, exclusiveMinimum: 0.1, default: 1.50}}").check
    assert check({"a": "0.10000000000000000001"}) == {"a": Decimal("0.10000000000000000001")}
    assert check({}) == {"a": Decimal("1.50")}
    with pytest.raises(ArgumentsError, match=r"a: expected more than 0\.1, found 0\.1"):
        check({"a": "0.1"})


def test_unknown_keys_are_refused_or_dropped_at_every_level() -> None:
    text = "input: {o: {fields: {a: string}}}"
    sent = {"o": {"a": "x", "b": 1}, "z": 1}
    with pytest.raises(ArgumentsError) as caught:
        compiled(text).check(sent)
    assert [fault.path for fault in caught.value.faults] == ["o.b", "z"]
    assert compiled(f"strict: false\n{text}").check(sent) == {"o": {"a": "x"}}


def test_an_object_without_fields_takes_any_key() -> None:
    assert compiled("strict: false\ninput: {o: object}").check({"o": {"x": 1}}) == {"o": {"x": 1}}


def test_coercion_reaches_into_fields_and_items_and_can_be_switched_off() -> None:
    text = "input: {l: {type: 'object[]', fields: {n: integer, on: boolean}}}"
    sent = {"l": '[{"n": "4", "on": "true"}]'}
    assert compiled(text).check(sent) == {"l": [{"n": 4, "on": True}]}
    with pytest.raises(ArgumentsError, match="l: expected a list, found"):
        compiled(f"coerce: false\n{text}").check(sent)


def test_headers_are_found_inside_objects() -> None:
    text = (
        "input: {city: {type: string, header: City}, o?: {fields: {n: {type: integer, header: N}}}}"
    )
    assert compiled(text).headers == (
        HeaderParameter("City", ("city",), "string"),
        HeaderParameter("N", ("o", "n"), "integer"),
    )


def test_a_header_that_carries_a_secret_is_a_warning() -> None:
    schema, [warning] = attempt("input: {api_key: {type: string, header: Key}}")
    assert schema is not None
    assert (warning.code, warning.severity) == ("secret-header", "warning")


def test_decimals_are_exact_in_every_keyword() -> None:
    check = compiled(
        "input: {a?: {type: decimal, enum: ['1.50', 2]}, b?: {type: decimal, const: 0.10},"
        " c?: {type: decimal, multipleOf: 0.01}}"
    ).check
    assert check({"a": "1.5", "b": 0.1, "c": "12345678901234567890.25"}) == {
        "a": Decimal("1.5"),
        "b": Decimal("0.1"),
        "c": Decimal("12345678901234567890.25"),
    }
    with pytest.raises(ArgumentsError, match=r"c: expected a multiple of 0\.01, found 0\.001"):
        check({"c": "0.001"})


def test_values_inside_objects_are_read_by_their_own_types() -> None:
    schema, _ = attempt(
        "input: {o: {fields: {zip: string, n: integer}, default: {zip: 0123, n: 4}},"
        " e: {type: string, examples: [NO], nullable: true, enum: [NO, null]}}"
    )
    assert schema is not None
    assert schema.check({"e": None}) == {"o": {"zip": "0123", "n": 4}, "e": None}
