"""Steps that call tools in one transaction: the tools are what they are elsewhere, and nothing that
one of them refuses leaves a part of the others behind."""

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Server, Source

TOOLS = """\
  add_customer:
    description: Adds a customer.
    writes: true
    input: {id: {type: integer, minimum: 1}, name: string}
    bind: {note: "'of ' ~ name"}
    check: [{that: name|length > 1, else: "“{{ name }}” is too short"}]
    sql: INSERT INTO customers (id, name, note) VALUES (:id, :name, :note)
    errors: {unique: "There is “{{ name }}” already."}
  customer:
    description: A customer.
    input: {id: integer}
    sql: SELECT id, name, note FROM customers WHERE id = :id
    result:
      shape: row
      max_bytes: 80
      columns: {id: {type: integer, maximum: 50}, name: string, note: string}
    errors: {missing: "There is no customer {{ id }}."}
  maybe_customer:
    description: A customer, or nothing.
    input: {id: integer}
    sql: SELECT id, name, note FROM customers WHERE id = :id
    result: {shape: row}
    errors: {missing: empty}
  ids:
    description: All customers.
    sql: SELECT id FROM customers ORDER BY id
    result: {shape: column}
"""
STEPS = """\
  NAME:
    description: Adds two customers.
    input: {first: string, second: string, id: integer, seen: integer}
    WHETHER
    steps:
      - {tool: add_customer, with: {id: 7, name: $first}, as: one}
      - {tool: add_customer, with: {id: $id, name: $second}, as: two}
      - {tool: maybe_customer, with: {id: 99}, as: nobody}
      - {tool: customer, with: {id: $seen}, as: found}
      - {value: "{{ found.name }}!", as: told}
      - {sql: "SELECT id FROM customers WHERE id >= :found.id ORDER BY id", as: rest}
      - {value: $rest.rows.0, as: row}
      - {sql: "SELECT name FROM customers WHERE id = :row.id", as: again}
    select: "{found: found, told: told, nobody: nobody, again: again.rows[0].name}"
"""


@pytest.fixture
def server(source: Source, served: Serve) -> Server:
    """`both` adds two customers in one transaction, `each` each by itself."""
    source.execute(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(400) NOT NULL UNIQUE,"
        " note TEXT NOT NULL)",
        "INSERT INTO customers VALUES (1, 'Ann', 'x')",
    )
    both = STEPS.replace("NAME", "both").replace("WHETHER", "transaction: true")
    each = STEPS.replace("NAME", "each").replace("    WHETHER\n", "")
    return served(TOOLS + both + each)


def test_tools_are_called_with_their_hidden_parameters_and_seen_by_later_steps(
    server: Server,
) -> None:
    value = server.value("both", first="Bob", second="Cyd", id=8, seen=8)
    assert value == {
        "found": {"id": 8, "name": "Cyd", "note": "of Cyd"},
        "told": "Cyd!",
        "nobody": None,
        "again": "Cyd",
    }
    assert server.value("ids") == [1, 7, 8]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"second": "C"}, "step 'two': “C” is too short"),
        ({"id": 0}, "step 'two': id: expected at least 1, found 0"),
        ({"second": "Ann"}, "step 'two': There is “Ann” already."),
        ({"seen": 55}, "step 'found': There is no customer 55."),
        ({"second": "C" * 99},
         "step 'found': a row is larger than the limit of 80 bytes"),
        ({"id": 60, "seen": 60},
         "step 'found': the result's id does not fit the tool's output schema"),
    ],
    ids=["rule", "input", "constraint", "nothing-found", "too-large", "output"],
)  # fmt: skip
def test_what_a_called_tool_refuses_undoes_every_step(
    server: Server, changed: dict[str, object], told: str
) -> None:
    sent = {"first": "Bob", "second": "Cyd", "id": 8, "seen": 8, **changed}

    assert server.refusal("both", **sent) == told
    assert server.value("ids") == [1]
    assert server.refusal("each", **sent) == told
    assert server.value("ids") != [1]


def test_tool_is_listed_as_one_that_writes(server: Server) -> None:
    both, each = server.listed["both"], server.listed["each"]
    assert both["annotations"] == each["annotations"]
    assert both["annotations"] == {
        "readOnlyHint": False, "destructiveHint": False, "idempotentHint": False,
        "openWorldHint": False,
    }  # fmt: skip


NOTING = """\
  add:
    description: Adds a customer.
    writes: true
    input: {id: integer, name: string}
    sql: INSERT INTO customers (id, name, note) VALUES (:id, :name, '')
  note:
    description: Notes something of a customer who was there before.
    writes: true
    input:
      name: {type: string, enum_from: {sql: SELECT name FROM customers, refresh: REFRESH}}
      text: string
    sql: UPDATE customers SET note = :text WHERE name = :name
  both:
    description: Adds one customer, and notes something of another.
    input: {name: string}
    transaction: true
    steps:
      - {tool: add, with: {id: 2, name: Bob}, as: one}
      - {tool: note, with: {name: $name, text: after Bob}, as: two}
"""


@pytest.mark.parametrize("refresh", ["1ms", "1h"])
def test_values_that_a_query_allows_are_read_before_the_transaction(
    source: Source, served: Serve, refresh: str
) -> None:
    """The only connection cannot be asked for them while the transaction has it."""
    source.execute(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), note TEXT)",
        "INSERT INTO customers VALUES (1, 'Ann', '')",
    )
    databases = {"main": {"url": source.url, "pool": {"size": 1}}}
    server = served(NOTING.replace("REFRESH", refresh), databases=databases)

    assert server.refusal("both", name="Bob") == "step 'two': name: expected 'Ann', found 'Bob'"
    assert server.value("both", name="Ann") == {"one": 1, "two": 1}
