"""Schemas that every client can read, names that every client takes.

Guards against `$ref` and `$defs`, which clients drop or prune, against models that hold themselves
and never end, against tools without arguments that are refused for want of `properties`, against
names that become one after cleaning, and against rules that only hold where a client reads them.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.io.product import Message, Product, faults_of, served
from tests.requirements import requirement
from tests.wire.recording import takes_more

CODE = '''
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Optional, TypedDict

from pydantic import BaseModel, Field


class Colour(Enum):
    RED = "red"


class Inner(BaseModel):
    a: Annotated[int, Field(gt=0)]
    colour: Colour = Colour.RED
    tags: list[str] = []


class Outer(BaseModel):
    one: Inner
    two: list[Inner]
    three: dict[str, Inner] | None = None


@dataclass
class Node:
    children: list[Node]


class Tree(TypedDict):
    left: Optional[Tree]


class First(BaseModel):
    second: Second | None = None


class Second(BaseModel):
    firsts: list[First] = []


def nested(outer: Outer, inner: Inner) -> Outer:
    """Takes and gives the same model at several places."""
    return outer


def nothing() -> int:
    """Takes nothing."""
    return 1


def node(v: Node) -> int:
    """Of a dataclass that holds itself."""
    return 1


def tree(v: Tree) -> int:
    """Of a dictionary that holds itself."""
    return 1


def pair(v: First) -> int:
    """Of two models that hold each other."""
    return 1


def back() -> Node:
    """Gives what holds itself."""
    raise AssertionError
'''
BODY = """
tools:
  nested: {writes: false, python: 'tools.code:nested'}
  nothing: {writes: false, python: 'tools.code:nothing'}
  plain: {description: x, value: 1}
  empty: {description: x, input: {}, value: 1}
  objects:
    description: x
    input: {items: {type: "object[]", fields: {id: uuid, at: {type: object, fields: {x: number}}}}}
    value: 1
  ruled:
    description: Keywords that some clients refuse.
    input:
      n: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5}
      d?: date
      s?: {type: string, pattern: "^[a-z]+$", minLength: 2}
      l?: {type: "string[]", uniqueItems: true, minItems: 1}
      o?: {type: object, fields: {k: string}}
    value: 1
"""


@pytest.fixture(scope="module")
def product(folder: Path) -> Iterator[Product]:
    """Tools with and without models."""
    with served(folder, BODY, {"tools/code.py": CODE}) as found:
        yield found


def keys(value: object) -> Iterator[str]:
    """Every key at every depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


def test_no_schema_that_is_made_refers_to_another(product: Product) -> None:
    schemas = [
        tool.get(kind)
        for tool in product.tools().values()
        for kind in ("inputSchema", "outputSchema")
    ]
    assert not {"$ref", "$defs", "definitions", "$dynamicRef"} & set(keys(schemas))


def test_model_at_several_places_is_written_out_at_each(product: Product) -> None:
    inner = {
        "type": "object",
        "additionalProperties": False,
        "required": ["a"],
        "properties": {
            "a": {"type": "integer", "exclusiveMinimum": 0},
            "colour": {"type": "string", "enum": ["red"], "default": "red"},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        },
    }
    properties = _properties(product.tools()["nested"])
    outer = properties["outer"]["properties"]
    assert (properties["inner"], outer["one"], outer["two"]["items"]) == (inner, inner, inner)
    assert outer["three"]["anyOf"][0]["additionalProperties"] == inner
    value = {"one": {"a": 1}, "two": [{"a": 2, "tags": ["x"]}]}
    assert product.value("nested", outer=value, inner={"a": 3}) == {
        "one": {"a": 1, "colour": "red", "tags": []},
        "two": [{"a": 2, "colour": "red", "tags": ["x"]}],
        "three": None,
    }


def _properties(tool: Message) -> dict[str, dict]:  # type: ignore[type-arg]  # JSON of any depth
    schema = tool["inputSchema"]
    assert isinstance(schema, dict)
    return schema["properties"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["node", "tree", "pair", "back"])
def test_hint_that_holds_itself_is_an_error_within_a_second(tmp_path: Path, name: str) -> None:
    body = f"tools: {{t: {{writes: false, python: 'tools.code:{name}'}}}}\n"
    started = time.process_time()

    [found] = faults_of(tmp_path, body, {"tools/code.py": CODE})

    assert time.process_time() - started < 1
    assert (found.code, found.severity) == ("recursive-hint", "error")
    assert "holds itself, so that no finite schema says it" in found.message


@pytest.mark.parametrize(
    ("definition", "code", "severity"),
    [
        ("{type: object, properties: {c: {$ref: '#/$defs/n'}}}", "recursive-schema", "warning"),
        ("{$ref: '#/$defs/n'}", "endless-reference", "error"),
        ("{$ref: 'https://example.com/n'}", "remote-reference", "error"),
        ("{$ref: '#/$defs/m'}", "unresolved-reference", "error"),
    ],
)
def test_authored_schema_that_refers_to_itself_or_outside_is_told(
    tmp_path: Path, definition: str, code: str, severity: str
) -> None:
    schema = (
        f"{{type: object, properties: {{a: {{$ref: '#/$defs/n'}}}}, $defs: {{n: {definition}}}}}"
    )
    body = f"tools: {{t: {{description: x, value: 1, input_schema: {schema}}}}}\n"
    started = time.process_time()

    [found] = faults_of(tmp_path, body)

    assert time.process_time() - started < 1
    assert (found.code, found.severity) == (code, severity)


def test_recursive_schema_of_the_author_is_listed_untouched_and_held(tmp_path: Path) -> None:
    schema = (
        "{type: object, properties: {v: {$ref: '#/$defs/n'}}, required: [v], $defs: {n: "
        "{type: object, additionalProperties: false, properties: {c: {$ref: '#/$defs/n'}}}}}"
    )
    body = f"tools: {{t: {{description: x, value: $v, input_schema: {schema}}}}}\n"
    with served(tmp_path, body) as product:
        assert product.value("t", v={"c": {"c": {}}}) == {"c": {"c": {}}}
        assert product.refusal("t", v={"c": {"c": {"d": 1}}}) == (
            "v.c.c.d: unknown field, expected 'c'"
        )


@pytest.mark.parametrize("tool", ["nothing", "plain", "empty"])
@takes_more("arguments that are null")
def test_tool_without_arguments_lists_no_properties_and_takes_none(
    product: Product, tool: str
) -> None:
    """Some clients send `{}`, some null, some leave `arguments` out."""
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    assert product.tools()[tool]["inputSchema"] == empty
    sent: list[Message] = [{"arguments": {}}, {"arguments": None}, {}]
    for params in sent:
        result = product.ask("tools/call", {"name": tool, **params})["result"]
        assert isinstance(result, dict)
        assert result["structuredContent"] == 1
    assert product.refusal(tool, x=1) == "x: unknown argument, none is expected here"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n: expected more than 0, found 0"),
        ({"n": 10}, "n: expected less than 10, found 10"),
        ({"n": 0.3}, "n: expected a multiple of 0.5, found 0.3"),
        ({"n": 1, "d": "soon"}, "d: expected a date such as 2026-01-31, found 'soon'"),
        ({"n": 1, "s": "A1"}, "s: expected text that matches ^[a-z]+$, found 'A1'"),
        ({"n": 1, "s": "a"}, "s: expected at least 2 characters, found 1 character"),
        ({"n": 1, "l": ["a", "a"]}, "l: expected each element once, found one that repeats"),
        ({"n": 1, "l": []}, "l: expected at least 1 element, found 0 elements"),
        ({"n": 1, "o": {"k": "x", "z": 1}}, "o.z: unknown field, expected 'k'"),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(value),
)
def test_rule_that_a_client_may_not_read_is_held_by_the_server(
    product: Product, arguments: Message, message: str
) -> None:
    assert product.refusal("ruled", **arguments) == message


@pytest.mark.parametrize("name", ["a", "A-b_9", "x" * 64])
def test_name_of_the_common_alphabet_is_taken_without_a_word(tmp_path: Path, name: str) -> None:
    assert faults_of(tmp_path, f"tools: {{{name}: {{description: x, value: 1}}}}\n") == ()


@pytest.mark.parametrize("name", ["a.b", "x" * 65, "x" * 128])
def test_name_that_some_clients_refuse_is_served_with_a_warning(tmp_path: Path, name: str) -> None:
    body = f"tools: {{{name}: {{description: x, value: 1}}}}\n"

    [found] = faults_of(tmp_path, body)

    assert (found.code, found.severity) == ("unportable-name", "warning")
    with served(tmp_path, body) as product:
        assert product.value(name) == 1


@requirement("P-090")
@pytest.mark.parametrize("name", ["a b", "ä", "a/b", "a:b", "", "x" * 129, "a\\n", "日本"])
def test_name_outside_the_alphabet_is_refused_and_never_cleaned(tmp_path: Path, name: str) -> None:
    body = f'tools: {{"{name}": {{description: x, value: 1}}}}\n'
    [found] = faults_of(tmp_path, body)
    assert (found.code, found.severity) == ("bad-name", "error")


def test_names_that_differ_only_in_case_are_refused_across_files(tmp_path: Path) -> None:
    body = "tools: {Find: {description: x, value: 1}}\ninclude: [more.yaml]\n"
    files = {"more.yaml": "tools: {find: {description: x, value: 1}}\n"}

    [found] = faults_of(tmp_path, body, files)

    assert (found.code, str(found.position)) == ("name-taken", "more.yaml:1:9")
    assert found.details == ("the first is at mcp.yaml:3:9",)


def test_names_that_another_server_would_clean_to_one_stay_two(tmp_path: Path) -> None:
    names = ["a.b", "a_b", "a-b"]
    tools = ", ".join(f"{name}: {{description: x, value: {name}}}" for name in names)
    with served(tmp_path, f"tools: {{{tools}}}\n") as product:
        assert list(product.tools()) == names
        assert [product.value(name) for name in names] == names
