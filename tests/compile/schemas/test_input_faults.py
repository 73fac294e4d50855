"""Every fault of `input:` and `input_schema:` is reported, at its place, in our words."""

import pytest

from tests.compile.schemas.input_cases import attempt, faults
from tests.requirements import requirement


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("{type: strin}", "19 unknown-type: expected a type word, found 'strin'"),
        ("int", "12 unknown-type: expected a type word, found 'int'"),
        ("{type: bytes}", "19 unknown-type: expected a type word, found 'bytes'"),
        ("array", "12 untyped-list: expected the type of the list's elements"),
        ("'[]'", "12 untyped-list: expected the type of the list's elements"),
        ("{description: x}", "12 missing-type: expected a type, found none"),
        ("{type: integer, minLength: 3}",
         "28 wrong-keyword: 'minLength' does not fit the type 'integer'"),
        ("{type: 'string[]', minLength: 3}",
         "31 wrong-keyword: 'minLength' does not fit the type 'string[]'"),
        ("{type: boolean, minimum: 3}",
         "28 wrong-keyword: 'minimum' does not fit the type 'boolean'"),
        ("{type: string, minLength: x}",
         "38 wrong-schema: 'minLength': expected an integer, found 'x'"),
        ("{type: string, minLength: -1}",
         "38 wrong-schema: 'minLength': expected at least 0, found -1"),
        ("{type: integer, multipleOf: 0}",
         "40 wrong-schema: 'multipleOf': expected more than 0, found 0"),
        ("{type: string, patern: x}", "27 unknown-field: a parameter has no field 'patern'"),
        ("{type: object, properties: {}}", "27 unknown-field: 'properties' cannot stand here"),
        ("{type: string, anyOf: [{$ref: x}]}", "36 unknown-field: '$ref' cannot stand here"),
        ("{type: date, format: uuid}", "25 wrong-keyword: the type 'date' has its own format"),
        ("{type: string, pattern: '(?=a)'}",
         "36 wrong-pattern: the regular expression is not portable at character 1: "
         "look-around, named groups and modes are not portable"),
        ("{type: integer, default: ten}",
         "37 wrong-default: expected an integer, found 'ten'"),
        ("{type: integer, default: '10'}", "37 wrong-default: expected an integer, found '10'"),
        ("{type: integer, maximum: 3, default: 4}",
         "49 wrong-default: expected at most 3, found 4"),
        ("{type: string, default: }",
         "36 wrong-default: expected a value of the type 'string', found nothing"),
        ("{type: 'integer[]', default: [1, x]}",
         "41 wrong-default: '[1]': expected an integer, found 'x'"),
        ("{type: integer, enum: [1, x]}", "38 wrong-enum: expected an integer, found 'x'"),
        ("[1, 1]", "16 wrong-enum: expected each value once, found one that repeats"),
        ("[]", "12 wrong-enum: expected at least one value, found none"),
        ("{type: string, fields: {b: string}}",
         "27 misplaced-field: 'fields' cannot stand here"),
        ("{type: string, items: string}", "27 misplaced-field: 'items' cannot stand here"),
        ("{type: integer, choose: [a]}", "28 misplaced-field: 'choose' cannot stand here"),
        ("{choose: {}}", "21 wrong-enum: expected at least one word, found none"),
        ("{fields: {b: {choose: [x]}}}", "26 misplaced-field: 'choose' cannot stand here"),
        ("{type: 'object[]', fields: {b: {type: string, header: B}}}",
         "58 misplaced-field: 'header' cannot stand here"),
        ("{type: 'string[]', items: {type: integer}}",
         "45 wrong-type: expected 'string' as in 'string[]', found 'integer'"),
        ("{type: number, header: N}",
         "35 wrong-header: expected a parameter of type string, integer or boolean "
         "that admits no null"),
        ("{type: string, header: 'a b'}",
         "35 wrong-header: expected a header name of letters, digits and '-', found 'a b'"),
    ],
)  # fmt: skip
def test_a_parameter_with_a_fault_is_refused(declared: str, expected: str) -> None:
    assert faults(f"input: {{a: {declared}}}") == [f"1:{expected}"]


@requirement("P-049")
def test_two_headers_of_one_name_are_refused() -> None:
    assert faults("input: {a: {type: string, header: X}, b: {type: string, header: x}}") == [
        "1:65 wrong-header: expected another name for each header, found 'x' twice"
    ]


def test_all_faults_are_reported_at_once() -> None:
    text = "input:\n  a: strin\n  b: {type: integer, minLength: 1}\n  c: {fields: {d: {type: int}}}"
    assert [line.split(": ")[0] for line in faults(text)] == [
        "2:6 unknown-type", "3:22 wrong-keyword", "4:26 unknown-type",
    ]  # fmt: skip


def test_hints_name_what_was_meant() -> None:
    _, reported = attempt("input: {a: int, b: {type: string, minLenght: 1}, c: {type: datetime}}")
    assert [d.hint for d in reported] == [
        "did you mean 'integer'?", "did you mean 'minLength'?", "did you mean 'date-time'?",
    ]  # fmt: skip


def test_an_unknown_format_is_a_warning_with_a_suggestion() -> None:
    schema, [warning] = attempt("input: {a: {type: string, format: emial}}")
    assert schema is not None
    assert (warning.code, warning.hint) == ("unchecked-format", "did you mean 'email'?")
