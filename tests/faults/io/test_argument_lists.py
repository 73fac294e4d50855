"""Lists of values are bound whole, whatever their length, and judged element by element.

Guards against servers without list parameters, against the baffling driver error for a list after
IN, against lists joined into text, and against array schemas that clients refuse because they do
not say what an element is.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import ENGINES
from tests.faults.io.product import Product, database, faults_of, served

DDL = "CREATE TABLE items (id integer, name text); INSERT INTO items VALUES " + ", ".join(
    f"({number}, 'n{number}')" for number in range(1, 1201)
)
TOOLS = """
budgets: {rows: 5000}
tools:
  within:
    description: Those of the ids.
    input: {ids: "integer[]"}
    sql: SELECT id FROM items WHERE id IN :ids ORDER BY id
    result: {shape: column, max_rows: 5000}
  outside:
    description: All but those of the ids.
    input: {ids: "integer[]"}
    sql: SELECT id FROM items WHERE id NOT IN :ids ORDER BY id
    result: {shape: column, max_rows: 5000}
  named:
    description: Those of the names.
    input: {names: "string[]", few?: {type: "integer[]", maxItems: 2}}
    sql: SELECT id FROM items WHERE name IN :names [[ AND id IN :few ]] ORDER BY id
    result: {shape: column}
"""


@pytest.fixture(scope="module", params=ENGINES)
def items(request: pytest.FixtureRequest, folder: Path) -> Iterator[Product]:
    """1200 items on an engine."""
    with (
        database(request.param, DDL) as (section, files),
        served(folder / request.param, section + TOOLS, files) as product,
    ):
        yield product


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1000])
def test_list_after_in_may_have_any_length(items: Product, count: int) -> None:
    """An empty list matches nothing, and its opposite everything."""
    ids = list(range(1, count + 1))

    assert items.value("within", ids=ids) == ids
    assert items.value("outside", ids=ids) == list(range(count + 1, 1201))


def test_repeated_and_unknown_values_in_a_list_change_nothing(items: Product) -> None:
    assert items.value("within", ids=[3, 3, 9999, 1]) == [1, 3]


def test_texts_of_a_list_are_values_and_never_sql(items: Product) -> None:
    names = ["n1", "n2') OR ('1'='1", "n3,n4", "%", "'", ""]
    assert items.value("named", names=names) == [1]


def test_list_over_the_cap_is_refused_before_the_database(items: Product) -> None:
    told = "expected at most 10000 values, nested ones counted, found more"
    assert items.refusal("within", ids=list(range(10_001))) == told
    assert items.refusal("named", names=[], few=[1, 2, 3]) == (
        "few: expected at most 2 elements, found 3 elements"
    )


def test_elements_are_checked_each_by_its_place(items: Product) -> None:
    assert items.refusal("within", ids=[1, "2", "x", None, 2.5, [3]]).splitlines() == [
        "ids[2]: expected an integer, found 'x'",
        "ids[3]: expected an integer, found null",
        "ids[4]: expected an integer, found 2.5",
        "ids[5]: expected an integer, found a list",
    ]
    assert items.refusal("named", names=["a", 7]) == "names[1]: expected text, found 7"


def test_list_sent_as_json_text_is_a_list(items: Product) -> None:
    assert items.value("within", ids="[2, 1]") == [1, 2]
    assert items.refusal("within", ids="2,1") == "ids: expected a list, found '2,1'"


def test_every_listed_array_says_what_an_element_is(items: Product) -> None:
    listed = [tool["inputSchema"]["properties"] for tool in items.tools().values()]  # type: ignore[index]
    arrays = [schema for properties in listed for schema in properties.values()]
    assert [schema["items"]["type"] for schema in arrays] == [
        *("integer", "integer"),
        *("string", "integer"),
    ]


@pytest.mark.parametrize(
    "written",
    [
        "input: {ids: array}",
        "input: {ids: list}",
        "input: {ids: {type: array}}",
        "input: {ids: '[]'}",
        "input: {a: {type: object, fields: {ids: array}}}",
        "input_schema: {type: object, properties: {ids: {type: array}}}",
        "input_schema: {type: object, properties: {a: {anyOf: [{type: array}, {type: 'null'}]}}}",
        "input_schema: {type: object, properties: {a: {type: array, items: {type: array}}}}",
    ],
)
def test_array_without_an_element_type_is_refused(tmp_path: Path, written: str) -> None:
    body = f"tools: {{t: {{description: x, value: 1, {written}}}}}"
    assert [(fault.code, fault.severity) for fault in faults_of(tmp_path, body)] == [
        ("untyped-list", "error")
    ]


@pytest.mark.parametrize("hint", ["list", "list[int]", "list | None", "tuple", "set[str]"])
def test_hint_of_a_list_always_lists_its_items(tmp_path: Path, hint: str) -> None:
    """A bare `list` says that elements may be anything, and says so in the place of their type."""
    code = f'def pick(ids: {hint}) -> int:\n    """Picks."""\n    return 1\n'
    body = "tools: {t: {writes: false, python: 'tools.pick:pick'}}"
    with served(tmp_path, body, {"tools/pick.py": code}) as product:
        schema = product.tools()["t"]["inputSchema"]["properties"]["ids"]  # type: ignore[index]
    arrays = [item for item in schema.get("anyOf", [schema]) if item["type"] == "array"]
    assert [set(item) >= {"items"} for item in arrays] == [True]
