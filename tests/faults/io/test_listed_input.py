"""What is listed is what is taken: one model makes the schema and judges the arguments.

Guards against tools that are listed without their parameters, that refuse what their own schema
admits, and that quietly take what it does not. The judge here is another library than the
product's.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.faults.io.product import Product, served

BODY = """
tools:
  strict:
    description: As sent.
    coerce: false
    input:
      a: string
      b?: {type: integer, minimum: 0, maximum: 9}
      c: {type: "string|null", default: null, maxLength: 3}
      d?: [red, blue]
      e?: {type: object, fields: {x: number, y?: "boolean[]"}}
      f?: {type: "object[]", maxItems: 2, fields: {k: {enum: [1, 2]}}}
    value: {a: $a, b: $b, c: $c, d: $d, e: $e, f: $f}
  authored:
    description: A schema of the author's.
    coerce: false
    input_schema:
      type: object
      additionalProperties: false
      required: [a]
      properties:
        a: {anyOf: [{type: string, minLength: 1}, {type: integer, exclusiveMinimum: 3}]}
        b: {type: array, items: {type: number}, uniqueItems: true}
        c: {const: 7}
    value: {a: $a, b: $b, c: $c}
  coded:
    writes: false
    coerce: false
    python: tools.coded:coded
  search:
    description: Bound to a statement.
    coerce: false
    input: {a: string, b?: integer}
    bind: {d: caller.user_id}
    sql: SELECT :a AS a, :b AS b, :d AS d
    database: lab
"""
CODE = '''
from typing import Literal

def coded(a: int, b: list[str] | None = None, c: Literal["x", "y"] = "x") -> dict[str, int]:
    """Coded."""
    return {"a": a}
'''
FILES = {"tools/coded.py": CODE, "lab.sql": ""}
DATABASE = 'databases: {lab: {url: "sqlite:///lab.db", create: {schema: lab.sql}}}\n'
LEAVES = st.sampled_from(
    [None, True, False, 0, 1, 2, 7, -1, 10, 1.0, 2.5, "", "x", "y", "red", "7", "long text", 0.1]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "k", "z"]), inner, max_size=2)
    ),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(st.sampled_from([*"abcdef", "g"]), TREES, max_size=4)


@pytest.fixture(scope="module")
def product(folder: Path) -> Iterator[Product]:
    """A tool of each way to say an input."""
    with served(folder, DATABASE + BODY, FILES) as found:
        yield found


@pytest.fixture(scope="module")
def judges(product: Product) -> Mapping[str, Draft202012Validator]:
    """A judge for each listed schema."""
    schemas = {name: tool["inputSchema"] for name, tool in product.tools().items()}
    return {name: Draft202012Validator(schema) for name, schema in schemas.items()}  # type: ignore[arg-type]


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(["strict", "authored", "coded", "search"]), ARGUMENTS)
def test_arguments_are_taken_if_and_only_if_the_listed_schema_admits_them(
    product: Product,
    judges: Mapping[str, Draft202012Validator],
    tool: str,
    arguments: dict[str, object],
) -> None:
    """Null for an optional member that does not admit it counts as absent, at every depth."""
    schema = judges[tool].schema
    assert isinstance(schema, Mapping)
    admitted = judges[tool].is_valid(without_untouched(arguments, schema))

    result = product.call(tool, arguments)

    assert (not result.get("isError", False)) == admitted, (result, arguments)


def test_integer_whose_digits_are_lost_is_refused_although_a_schema_cannot_say_so(
    product: Product,
) -> None:
    """Ours: JSON Schema takes 1e300 for an integer, but the one who sent it meant another."""
    assert product.refusal("coded", a=1e300) == (
        "a: expected an integer, found 1e+300: its digits are lost, send it as text"
    )


def without_untouched(value: object, schema: Mapping[str, object]) -> object:
    """The value without the nulls that mean that nothing was entered."""
    if isinstance(value, list):
        items = schema.get("items")
        return [without_untouched(v, items) if isinstance(items, Mapping) else v for v in value]
    members = schema.get("properties")
    if not isinstance(value, Mapping) or not isinstance(members, Mapping):
        return value
    return {
        name: without_untouched(item, members.get(name, {}))
        for name, item in value.items()
        if item is not None or name not in members or admits_null(members[name])
    }


def admits_null(schema: Mapping[str, object]) -> bool:
    """Whether null is a value of the schema."""
    return Draft202012Validator(schema).is_valid(None)


def test_listed_schema_holds_every_parameter_and_no_hidden_one(product: Product) -> None:
    listed = {
        name: (list(schema["properties"]), schema.get("required", []))
        for name, tool in product.tools().items()
        if isinstance(schema := tool["inputSchema"], dict)
    }
    assert listed == {
        "strict": (["a", "b", "c", "d", "e", "f"], ["a"]),
        "authored": (["a", "b", "c"], ["a"]),
        "coded": (["a", "b", "c"], ["a"]),
        "search": (["a", "b"], ["a"]),
    }


def test_hidden_parameter_cannot_be_sent(product: Product) -> None:
    told = product.refusal("search", a="x", d="another user")
    assert told == "d: unknown argument, expected 'a' or 'b'"
