"""Output schemas: what each shape wraps, what each type word looks like, declared and derived."""

from collections.abc import Mapping

import pytest

from runner.catalog.schema import OutputSchema
from runner.catalog.sql import Shape
from runner.compile.schemas.output import Form, OutputColumn, declared_output, derived_output
from runner.compile.schemas.type_words import output_fragment
from runner.config.spec.tools import ToolSpec
from runner.diagnostics import Diagnostic
from tests.compile.schemas.input_cases import document_of
from tests.compile.written import written

_COLUMNS = [OutputColumn("id", "uuid", nullable=False), OutputColumn("n", None)]
_ROW = {
    "type": "object",
    "properties": {"id": {"type": "string", "format": "uuid"}, "n": {}},
    "required": ["id", "n"],
    "additionalProperties": False,
}


def declared(
    text: str, shape: Shape = "rows", *, texts: Mapping[str, str] | None = None
) -> tuple[OutputSchema | None, tuple[Diagnostic, ...]]:
    """The output of the result in `text`, and what was reported."""
    spec, site = written(f"result: {text}", ToolSpec)
    assert spec.result is not None
    schemas = {name: document_of(name, content) for name, content in (texts or {}).items()}
    schema = declared_output(spec.result, Form(shape), site / "result", schemas)
    return schema, site.faults.sorted()


@pytest.mark.parametrize("paged", [True, False])
def test_rows_stand_in_an_object_that_says_whether_it_was_cut(paged: bool) -> None:
    schema = derived_output(_COLUMNS, Form("rows", paged=paged))
    assert schema.listed == {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": _ROW},
            "truncated": {"type": "boolean"},
            **({"next": {"type": "string"}} if paged else {}),
        },
        "required": ["rows", "truncated"],
        "additionalProperties": False,
    }
    assert (schema.is_declared, schema.is_valid({"rows": [], "truncated": False})) == (False, True)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("row", {**_ROW, "type": ["object", "null"]}),
        ("value", {"type": ["string", "null"], "format": "uuid"}),
        ("column", {"type": "array", "items": {"type": "string", "format": "uuid"}}),
        ("affected", {"type": "integer", "minimum": 0}),
    ],
)
def test_a_shape_has_its_schema(shape: Shape, expected: dict[str, object]) -> None:
    assert derived_output(_COLUMNS, Form(shape)).listed == expected


@pytest.mark.parametrize(
    ("shape", "expected"), [("row", _ROW), ("value", {"type": "string", "format": "uuid"})]
)
def test_a_result_that_is_never_missing_is_never_null(
    shape: Shape, expected: dict[str, object]
) -> None:
    """A nullable root keeps legacy clients from seeing the object as it is."""
    assert derived_output(_COLUMNS, Form(shape, may_be_null=False)).listed == expected


_NOT_FINITE = {"enum": ["NaN", "Infinity", "-Infinity"]}


@pytest.mark.parametrize(
    ("word", "good", "bad"),
    [
        ("integer", [1, -5], ["1", 1.5, None]),
        ("int64", [1, "9007199254740993"], ["x", 1.5]),
        ("number", [1.5, "NaN", "-Infinity"], ["1.5", None]),
        ("decimal", ["1.50"], [1.5]),
        ("boolean", [True], [1]),
        ("uuid", ["3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f"], ["x"]),
        ("date-time", ["2026-01-31T12:00:00Z"], ["2026-01-31T12:00:00"]),
        ("timestamp", ["2026-01-31T12:00:00"], [5]),
        ("bytes", ["aGk="], [5]),
        ("json", [None, {"a": [1]}, "x"], []),
        ("date", ["2026-01-31", "infinity", "0044-03-15 BC", "12026-03-29"], ["31.1.2026"]),
        ("date-time", ["-infinity", "0044-03-15T00:00:00+00 BC"], ["2026-01-31"]),
        ("time", ["10:00:00", "24:00:00", "10:00:00.5+02:00"], ["ten"]),
        ("duration", ["P1D", "P1Y2M-3D", "PT-1.5S"], ["1 day"]),
        ("integer[]", [[1, 2], [1, None], [[1], [2]]], [["x"], 1]),
        ("date[]", [["2026-01-31", None, "infinity"]], [["x"]]),
        (None, [None, 1], []),
        ("no such word", [1], []),
    ],
)
def test_a_type_word_admits_what_the_codec_writes(
    word: str | None, good: list[object], bad: list[object]
) -> None:
    is_valid = derived_output([OutputColumn("a", word, nullable=False)], Form("value"))
    column = derived_output([OutputColumn("a", word, nullable=False)], Form("column"))
    assert [column.is_valid([value]) for value in good] == [True] * len(good)
    assert [column.is_valid([value]) for value in bad] == [False] * len(bad)
    assert is_valid.is_valid(None) is True


def test_a_nullable_column_admits_null() -> None:
    assert output_fragment("number", is_nullable=True) == {
        "anyOf": [{"type": "number"}, _NOT_FINITE, {"type": "null"}]
    }


def test_null_is_admitted_once() -> None:
    assert derived_output([OutputColumn("a", "date")], Form("value")).listed == {
        "type": ["string", "null"],
        "anyOf": [
            {"format": "date"},
            {"pattern": "^-?infinity$|^[0-9]{5,}-| BC$|^0000-|^[0-9]{4}-(00-|[0-9]{2}-00)"},
            {"type": "null"},
        ],
    }


def test_null_passes_where_type_and_any_of_stand_together() -> None:
    column = derived_output([OutputColumn("a", "date")], Form("column"))
    assert column.is_valid([None, "2026-01-31"])


def test_decimals_are_numbers_on_request() -> None:
    """Those that no number holds exactly stay texts."""
    assert output_fragment("decimal", is_nullable=False, decimals="number") == {
        "type": ["number", "string"]
    }


def test_declared_columns_use_the_grammar_of_input() -> None:
    schema, reported = declared("{columns: {id: uuid, n: 'decimal|null', data?: bytes}}", "row")
    assert schema is not None
    assert (reported, schema.is_declared) == ((), True)
    assert schema.listed == {
        "type": ["object", "null"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "n": {"type": ["string", "null"]},
            "data": {"type": "string", "contentEncoding": "base64"},
        },
        "required": ["id", "n"],
        "additionalProperties": False,
    }


def test_a_declared_schema_may_have_any_root() -> None:
    schema, reported = declared("{schema: {type: array, items: {type: integer}}}")
    assert schema is not None
    assert (reported, schema.is_valid([1]), schema.is_valid(["x"])) == ((), True, False)


def test_a_declared_schema_may_stand_in_a_file() -> None:
    schema, _ = declared("{schema: {file: out.json}}", texts={"out.json": '{"type": "string"}'})
    assert schema is not None
    assert schema.listed == {"type": "string"}


def test_nothing_declared_gives_nothing() -> None:
    assert declared("{max_rows: 3}") == (None, ())


@pytest.mark.parametrize(
    ("text", "shape", "code"),
    [
        ("{columns: {a: string}, schema: {type: string}}", "rows", "conflicting-fields"),
        ("{columns: {a: string, b: string}}", "value", "wrong-columns"),
        ("{columns: {a: {type: string, default: x}}}", "rows", "misplaced-field"),
        ("{columns: {a: {type: string, header: X}}}", "rows", "misplaced-field"),
        ("{columns: {a: strin}}", "rows", "unknown-type"),
        ("{schema: {type: strin}}", "rows", "wrong-schema"),
    ],
)
def test_a_declaration_with_a_fault_is_refused(text: str, shape: Shape, code: str) -> None:
    schema, reported = declared(text, shape)
    assert (schema, [d.code for d in reported]) == (None, [code])
