"""What comes out of a tool: the schema of its structured result, declared or derived.

Both are wrapped by the result's shape in the same way, so that a declared result and a derived one
look alike to a client.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.arguments.check import validator
from runner.catalog.schema import JsonSchema, Misfit, OutputSchema
from runner.catalog.sql import Shape
from runner.codec.paths import dotted
from runner.codec.values import Decimals
from runner.compile.schemas.json_schema import check_authored
from runner.compile.schemas.parameters import Grammar, compile_members
from runner.compile.schemas.source import read_schema
from runner.compile.schemas.type_words import Fragment, derived_fragment, nullable
from runner.compile.site import Site
from runner.config.nodes import Document
from runner.config.spec.tools import ResultSpec


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column as the engine described it."""

    name: str
    type_word: str | None
    """A word of `DERIVED_WORDS`; None where the engine tells none."""
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """What surrounds the columns of a result."""

    shape: Shape
    paged: bool = False
    """The rows may have a `next`."""
    may_be_null: bool = True
    """A row or a value that was not found is null; False where that is an error."""
    is_counted: bool = True
    """The database tells how many rows were changed; else that is null."""


def declared_output(
    spec: ResultSpec, form: Form, site: Site, schemas: Mapping[str, Document]
) -> OutputSchema | None:
    """The output that `result.columns` or `result.schema` declares.

    None where neither is given, or where they have a fault, which is reported then. `site` is the
    result's; `schemas` holds files by the path as written.
    """
    if spec.columns is not None and spec.schema_ is not None:
        (site / "schema").error_at_key(
            "conflicting-fields", "expected one of 'columns' and 'schema', found both"
        )
        return None
    if spec.schema_ is not None:
        value, place = read_schema(spec.schema_, site / "schema", schemas)
        schema = check_authored(value, place, must_be_object=False) if value is not None else None
        return _output(schema, is_declared=True) if schema is not None else None
    if spec.columns is None:
        return None
    grammar = Grammar(is_output=True, decimals=spec.decimals)
    members = compile_members(spec.columns, site / "columns", grammar)
    if members is None:
        return None
    columns = {name: draft.listed for name, draft in members.drafts.items()}
    if form.shape in ("value", "column") and len(columns) != 1:
        (site / "columns").error(
            "wrong-columns",
            f"expected one column for the shape '{form.shape}', found {len(columns)}",
        )
        return None
    return _output(_wrapped(members.listed, columns, form), is_declared=True)


def output_of_hints(schema: JsonSchema) -> OutputSchema:
    """The output that a return hint says: a declaration, to which Python holds nobody."""
    return _output(schema, is_declared=True)


def derived_output(
    columns: Sequence[OutputColumn], form: Form, *, decimals: Decimals = "text"
) -> OutputSchema:
    """The output that an engine's description of the columns gives; `decimals` as in the file."""
    fragments = {
        column.name: derived_fragment(
            column.type_word, is_nullable=column.nullable, decimals=decimals
        )
        for column in columns
    }
    row: Fragment = {
        "type": "object",
        "properties": fragments,
        "required": list(fragments),
        "additionalProperties": False,
    }
    return _output(_wrapped(row, fragments, form), is_declared=False)


def _wrapped(row: Fragment, columns: Mapping[str, Fragment], form: Form) -> JsonSchema:
    first = next(iter(columns.values()), {})
    match form.shape:
        case "row":
            return nullable(row) if form.may_be_null else row
        case "value":
            return nullable(first) if form.may_be_null else first
        case "column":
            return {"type": "array", "items": first}
        case "affected":
            count: Fragment = {"type": "integer", "minimum": 0}
            return count if form.is_counted else nullable(count)
        case _:
            following: Fragment = {"next": {"type": "string"}} if form.paged else {}
            return {
                "type": "object",
                "properties": {
                    "rows": {"type": "array", "items": row},
                    "truncated": {"type": "boolean"},
                    **following,
                },
                "required": ["rows", "truncated"],
                "additionalProperties": False,
            }


def _output(schema: JsonSchema, *, is_declared: bool) -> OutputSchema:
    compiled = validator(schema)

    def misfit(value: object) -> Misfit:
        fault = next(iter(compiled.iter_errors(value)), None)
        if fault is None:
            return Misfit()
        return Misfit(dotted(fault.instance_path), is_null=fault.instance is None)

    return OutputSchema(schema, compiled.is_valid, is_declared, misfit)
