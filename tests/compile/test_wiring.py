"""What steps refer to is held against what the steps before are known to give."""

from pathlib import Path

import pytest

from runner.app import check
from tests.compile.whole import HEAD

FILE = """\
databases: {shop: {url: "sqlite://", create: {schema: shop.sql}}}
tools:
  customer:
    description: One customer.
    input: {id: integer}
    sql: SELECT id, name, since FROM customer WHERE id = :id
    result: {shape: row, columns: {id: integer, name: string, since: {type: date}}}
    errors: {missing: "There is none."}
  orders:
    description: The orders of a customer.
    input: {customer: integer, named?: string, ids?: {type: "integer[]"}}
    sql: >-
      SELECT id, total FROM orders
      WHERE customer = :customer [[ AND id IN :ids ]] [[ AND note = :named ]]
  open:
    description: Whatever comes.
    http: {url: "https://a.example", get: /}
  words:
    description: A value.
    value: {title: a, parts: [1, 2]}
  both:
    description: Two steps.
    input: {n: integer}
    steps: [{tool: customer, with: {id: $n}, as: one}, {tool: words, as: two}]
  report:
    description: The steps that are checked.
    input: {n: integer, tags: {type: "string[]"}}
    steps:
      - {tool: customer, with: {id: $n}, as: customer}
      - {tool: orders, with: {customer: $customer.id}, as: orders}
      - {tool: open, as: open}
      - {tool: words, as: words}
      - {tool: both, with: {n: 1}, as: both}
      - {sql: "SELECT id, name FROM customer", as: all}
      - LAST
"""
SCHEMA = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, since TEXT);"
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL,"
    " total INTEGER, note TEXT)"
)


def told(folder: Path, last: str) -> list[str]:
    """What is reported of the last step: its column, code, message and hint."""
    text = HEAD + FILE.replace("LAST", last)
    (folder / "mcp.yaml").write_text(text, encoding="utf-8")
    (folder / "shop.sql").write_text(SCHEMA, encoding="utf-8")
    line = text.count("\n")
    found = check(folder / "mcp.yaml", {}).diagnostics
    assert all(one.position.line == line for one in found), found
    return [
        f"{one.position.column} {one.code}: {one.message}" + (f" | {one.hint}" if one.hint else "")
        for one in found
    ]


@pytest.mark.parametrize(
    "last",
    [
        "{tool: orders, with: {customer: $orders.rows.0.id}, as: z}",
        "{tool: orders, with: {customer: $customer.name}, as: z}",
        "{tool: orders, with: {customer: $open.what.ever}, as: z}",
        "{tool: orders, with: {customer: $both.one.id, named: $both.two.title}, as: z}",
        "{tool: orders, with: {customer: $all.rows.0.id, ids: [1, $n]}, as: z}",
        "{value: [$customer.since, $words.parts.0, {a: $all.truncated}], as: z}",
    ],
    ids=["row", "text-may-be-a-number", "unknown", "steps-of-steps", "inline-sql", "value"],
)
def test_reference_that_may_fit_is_not_reported(tmp_path: Path, last: str) -> None:
    assert told(tmp_path, last) == []


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        ("{tool: orders, with: {customer: $customer.nmae}, as: z}",
         "51 unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?"),
        ("{tool: orders, with: {customer: $orders.id}, as: z}",
         "49 unknown-name: there is no 'id' in 'orders' | write $orders.rows.0.id for the first"
         " row"),
        ("{tool: orders, with: {customer: $orders.rows.id}, as: z}",
         "54 no-fields: 'orders.rows' is a list; it has no 'id' | write $orders.rows.0.id for the"
         " first item"),
        ("{tool: orders, with: {customer: $customer.id.x}, as: z}",
         "54 no-fields: 'customer.id' is an integer; it has no 'x'"),
        ("{tool: orders, with: {customer: $words.parts}, as: z}",
         "41 wrong-argument: 'customer' of 'orders' takes an integer, and '$words.parts' is a"
         " list"),
        ("{tool: orders, with: {customer: $customer.since}, as: z}",
         "41 wrong-argument: 'customer' of 'orders' takes an integer, and '$customer.since' is a"
         " text (date)"),
        ("{tool: orders, with: {customer: 1, named: $customer.id}, as: z}",
         "51 wrong-argument: 'named' of 'orders' takes a text, and '$customer.id' is an integer"),
        ("{tool: orders, with: {customer: 1, named: $tags}, as: z}",
         "51 wrong-argument: 'named' of 'orders' takes a text, and '$tags' is a list"
         " | write $tags.0 for the first item"),
        ("{tool: orders, with: {customer: 1, ids: $n}, as: z}",
         "49 wrong-argument: 'ids' of 'orders' takes a list, and '$n' is an integer"),
        ("{tool: orders, with: {customer: {id: $n}}, as: z}",
         "41 wrong-argument: 'customer' of 'orders' takes an integer, and what is written here is"
         " a mapping"),
        ("{tool: orders, with: {customer: $both.one.nam}, as: z}",
         "51 unknown-name: there is no 'nam' in 'both.one' | did you mean 'name'?"),
        ("{tool: orders, with: {customer: $words.titel}, as: z}",
         "48 unknown-name: there is no 'titel' in 'words' | did you mean 'title'?"),
        ("{value: {deep: [$all.rows.0.nam]}, as: z}",
         "37 unknown-name: there is no 'nam' in 'all.rows.0' | did you mean 'name'?"),
        ("{tool: orders, with: {customer: $z.id}, as: z}",
         "42 unknown-name: there is no 'z' here | a step sees the results of the steps above it"
         " alone"),
    ],
    ids=[
        "unknown-field", "field-of-the-rows", "field-of-a-list", "field-of-a-number",
        "list-for-one", "date-for-a-number", "number-for-a-text", "first-item",
        "one-for-a-list", "mapping-for-one", "steps-of-steps", "value-of-a-tool",
        "inline-sql-that-is-proven", "forward",
    ],
)  # fmt: skip
def test_reference_that_cannot_fit_is_reported_at_its_place(
    tmp_path: Path, last: str, fault: str
) -> None:
    assert told(tmp_path, last) == [fault]


def test_without_coercion_a_text_is_no_number(tmp_path: Path) -> None:
    strict = FILE.replace(
        "input: {customer: integer", "coerce: false\n    input: {customer: integer"
    )
    text = HEAD + strict.replace("LAST", "{tool: orders, with: {customer: $customer.name}, as: z}")
    (tmp_path / "mcp.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "shop.sql").write_text(SCHEMA, encoding="utf-8")
    [fault] = check(tmp_path / "mcp.yaml", {}).diagnostics
    assert fault.message == (
        "'customer' of 'orders' takes an integer, and '$customer.name' is a text"
    )
