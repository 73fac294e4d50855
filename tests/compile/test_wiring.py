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
  ids:
    description: The numbers of all orders.
    sql: SELECT id FROM orders
    result: {shape: column, columns: {id: integer}}
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
      - {tool: ids, as: ids}
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


SQL = '{sql: "SELECT 1 AS n WHERE 1 = TEXT", as: z}'
HTTP = '{http: {url: "https://a.example", REQUEST}, as: z}'
VALUE = '{value: "TEXT", as: z}'
RULES = '{sql: {run: "SELECT 1 AS n", check: [{that: "THAT", else: "ELSE"}]}, as: z}'
EACH = '{sql: [{run: "SELECT 1 AS n WHERE 1 = BOUND", each: OVER}, "SELECT 1 AS n"], as: z}'


@pytest.mark.parametrize(
    "last",
    [
        SQL.replace("TEXT", ":customer.id OR :orders = :open.what.ever OR :tags = :both.one.id"),
        RULES.replace("THAT", "customer.id == rows and n").replace("ELSE", "{{ customer.name }}"),
        EACH.replace("BOUND", ":item").replace("OVER", "ids"),
        EACH.replace("BOUND", ":item.any").replace("OVER", "open"),
        HTTP.replace("REQUEST", "get: /, query: {a: $n, b: '{{ orders.rows[0].id }}'}"),
        VALUE.replace("TEXT", "{% for row in all.rows %}{{ row.id ~ loop.index }}{% endfor %}"),
        VALUE.replace("TEXT", "{{ customer.nmae|default('x') }}"),
        VALUE.replace("TEXT", "{{ customer.nmae if customer.nmae is defined else open.x }}"),
        VALUE.replace("TEXT", "{% set r = open %}{% for r in all.rows %}{{ r.x }}{% endfor %}"),
        VALUE.replace("TEXT", "{{ customer.name.upper() ~ all.rows[-1].x ~ all['ro' ~ 'x'] }}"),
        VALUE.replace("TEXT", "{% for key, x in customer.items() %}{{ key.a }}{% endfor %}"),
    ],
    ids=[
        "statement", "rules", "each", "each-unknown", "request", "loop", "default", "is-defined",
        "set", "computed", "pairs",
    ],
)  # fmt: skip
def test_text_that_may_fit_is_not_reported(tmp_path: Path, last: str) -> None:
    assert told(tmp_path, last) == []


@pytest.mark.parametrize(
    ("last", "faults"),
    [
        (SQL.replace("TEXT", ":customer.^nmae OR 1 = :orders.^id"),
         ["unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?",
          "unknown-name: there is no 'id' in 'orders' | a statement reads no list: name the row"
          " before, by 'value: $orders.rows.0'"]),
        (SQL.replace("TEXT", ":customer.id.^x"),
         ["no-fields: 'customer.id' is an integer; it has no 'x'"]),
        (SQL.replace("TEXT", "1 [[ AND 2 = :all.rows.^name ]]"),
         ["no-fields: 'all.rows' is a list; it has no 'name' | a statement reads no list: name"
          " the item before, by 'value: $all.rows.0'"]),
        (RULES.replace("THAT", "customer.^nmae == 1").replace("ELSE", "{{ words.^titel }}"),
         ["unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?",
          "unknown-name: there is no 'titel' in 'words' | did you mean 'title'?"]),
        (EACH.replace("BOUND", ":item.^id").replace("OVER", "ids"),
         ["no-fields: 'item' is an integer; it has no 'id'"]),
        (EACH.replace("BOUND", "1").replace("OVER", "^customer"),
         ["not-a-list: expected a list, found the result of step 'customer', which is none"]),
        (HTTP.replace("REQUEST", "get: /, query: {q: $customer.^nmae}, headers: {A: $words.^tite}"),
         ["unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?",
          "unknown-name: there is no 'tite' in 'words' | did you mean 'title'?"]),
        (HTTP.replace("REQUEST", "post: /, body: {a: [$both.one.^nam]}"),
         ["unknown-name: there is no 'nam' in 'both.one' | did you mean 'name'?"]),
        (HTTP.replace("REQUEST", "post: /, form: {a: '{{ customer.^nmae }}'}"),
         ["unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?"]),
        (HTTP.replace("REQUEST", "post: /, text: '{{ customer.^nmae }}'"),
         ["unknown-name: there is no 'nmae' in 'customer' | did you mean 'name'?"]),
        (VALUE.replace("TEXT", "{{ all.^id }} {{ all . rows ['^x'] }}"),
         ["unknown-name: there is no 'id' in 'all' | write all.rows.0.id for the first row",
          "no-fields: 'all.rows' is a list; it has no 'x' | write all.rows.0.x for the first"
          " item"]),
        (VALUE.replace("TEXT", "{% for row in all.rows if row.^a %}{{ row.^nam }}{% endfor %}"),
         ["unknown-name: there is no 'a' in 'row'",
          "unknown-name: there is no 'nam' in 'row' | did you mean 'name'?"]),
        (VALUE.replace("TEXT", "{% for row in all.^rws %}{{ row.x }}{% endfor %}"),
         ["unknown-name: there is no 'rws' in 'all' | did you mean 'rows'?"]),
        (VALUE.replace("TEXT", "{{ ^customr.id }}"),
         ["unknown-name: there is no 'customr' here | did you mean 'customer'?"]),
        ('{tool: orders, with: {customer: "{{ customer.^idd }}"}, as: z}',
         ["unknown-name: there is no 'idd' in 'customer' | did you mean 'id'?"]),
    ],
    ids=[
        "statement", "statement-number", "statement-optional", "rules", "each-item",
        "each-over-a-mapping", "request", "body", "form", "text", "template", "loop",
        "loop-over-nothing", "name", "argument",
    ],
)  # fmt: skip
def test_text_that_reads_in_vain_is_reported_at_its_place(
    tmp_path: Path, last: str, faults: list[str]
) -> None:
    """The places are those marked by `^`."""
    first = len("      - ") + 1
    marks = [place for place, character in enumerate(last) if character == "^"]
    columns = [first + place - number for number, place in enumerate(marks)]
    expected = [f"{column} {fault}" for column, fault in zip(columns, faults, strict=True)]
    assert told(tmp_path, last.replace("^", "")) == expected


def test_statement_in_a_file_is_reported_there(tmp_path: Path) -> None:
    text = HEAD + FILE.replace("LAST", "{sql: {file: last.sql}, as: z}")
    statement = "SELECT 1 AS n\nWHERE 1 = :customer.nmae\n"
    for name, content in {"mcp.yaml": text, "shop.sql": SCHEMA, "last.sql": statement}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    [fault] = check(tmp_path / "mcp.yaml", {}).diagnostics

    assert str(fault.position) == "last.sql:2:21"
    assert (fault.message, fault.hint) == (
        "there is no 'nmae' in 'customer'",
        "did you mean 'name'?",
    )


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
