"""Lists of statements: one transaction, kept whole or not at all."""

import pytest

from runner.catalog.expressions import Check, Expression, Scope, Template
from runner.catalog.tool import Words
from runner.errors import BindingError, Kind, ToolError
from tests.bindings.sql.lab import Lab, call, names, statement

TYPES = {"id": "integer", "name": "string", "more": "string[]", "parts": "object[]"}


def rows_are(expected: int) -> Check:
    """A check that wants so many rows."""
    that = Expression("…", frozenset(), lambda scope: scope["rows"] == expected)
    return Check(that, Template("…", frozenset(), _words))


def _words(scope: Scope) -> str:
    return f"rows: {scope['rows']}, id: {scope['id']}, item: {scope.get('item')}"


def test_a_failing_statement_undoes_the_ones_before(items: Lab) -> None:
    plan = items.plan(
        "DELETE FROM items WHERE id = 1", "INSERT INTO items (id, name) VALUES (2, 'twice')"
    )
    assert items.fails(plan).kind is Kind.UNIQUE
    assert len(items.rows("SELECT id FROM items")) == 5


def test_a_false_check_rolls_back_with_the_authors_words(items: Lab) -> None:
    plan = items.plan(
        statement("UPDATE items SET price = 0 WHERE id = :id", TYPES, checks=[rows_are(1)])
    )
    with pytest.raises(ToolError, match=r"^rows: 0, id: 99, item: None$"):
        items.invoke(plan, id=99)
    items.invoke(plan, id=1)
    assert items.rows("SELECT id FROM items WHERE price = 0") == [{"id": 1}]


def test_a_check_after_the_change_undoes_it(items: Lab) -> None:
    plan = items.plan(statement("DELETE FROM items", TYPES, checks=[rows_are(1)]))
    with pytest.raises(ToolError, match=r"^rows: 5"):
        items.invoke(plan, id=1)
    assert len(items.rows("SELECT id FROM items")) == 5


def test_each_runs_once_per_element_with_item_and_index(items: Lab) -> None:
    each = statement(
        "INSERT INTO items (id, name) VALUES (:index + 10, :item)",
        {"index": "integer", "item": "string"},
        each="more",
    )
    plan = items.plan(each, "SELECT id, name FROM items WHERE id >= 10 ORDER BY id")
    rows = items.invoke(plan, more=["x", "y"]).value["rows"]  # type: ignore[index]
    assert rows == [{"id": 10, "name": "x"}, {"id": 11, "name": "y"}]


def test_each_reads_members_of_its_item(items: Lab) -> None:
    each = statement("INSERT INTO items (id, name) VALUES (:item.id, :item.name)", each="parts")
    plan = items.plan(each, "SELECT name FROM items WHERE id >= 10 ORDER BY id")
    parts = [{"id": 10, "name": "x"}, {"id": 11, "name": "y"}]
    assert names(items.invoke(plan, parts=parts).value["rows"]) == ["x", "y"]  # type: ignore[index]


@pytest.mark.parametrize("sent", [{}, {"more": []}, {"more": None}], ids=["absent", "none", "null"])
def test_each_over_nothing_does_not_run(items: Lab, sent: dict[str, object]) -> None:
    each = statement("DELETE FROM items WHERE name = :item", {"item": "string"}, each="more")
    assert items.invoke(items.plan(each, shape="affected"), **sent).value == 0


def test_each_checks_every_element(items: Lab) -> None:
    each = statement(
        "DELETE FROM items WHERE name = :item",
        {"item": "string"},
        each="more",
        checks=[rows_are(1)],
    )
    with pytest.raises(ToolError, match=r"^rows: 0, id: 7, item: nobody$"):
        items.invoke(items.plan(each), more=["a", "nobody"], id=7)
    assert len(items.rows("SELECT id FROM items")) == 5


def test_affected_of_each_is_the_sum(items: Lab) -> None:
    each = statement("DELETE FROM items WHERE name = :item", {"item": "string"}, each="more")
    assert items.invoke(items.plan(each, shape="affected"), more=["a", "b", "?"]).value == 2


def test_if_sent_runs_only_when_the_parameter_was_sent(items: Lab) -> None:
    conditional = statement("DELETE FROM items WHERE name = :name", TYPES, if_sent="name")
    plan = items.plan(conditional, "SELECT count(*) AS n FROM items", shape="value")
    assert [items.invoke(plan).value, items.invoke(plan, name="a").value] == [5, 4]


def test_as_names_the_first_row_for_later_statements(items: Lab) -> None:
    made = statement(
        "INSERT INTO items (id, name) VALUES (:id, :name) RETURNING id, name", TYPES, as_name="made"
    )
    plan = items.plan(made, "SELECT name FROM items WHERE id = :made.id", shape="value")
    assert items.invoke(plan, id=20, name="new").value == "new"


def test_as_is_null_where_there_was_no_row(items: Lab) -> None:
    found = statement("SELECT id FROM items WHERE id = 99", as_name="found")
    plan = items.plan(found, "SELECT count(*) AS n FROM items WHERE id = :found.id", shape="value")
    assert items.invoke(plan).value == 0


def test_checks_see_the_named_row(items: Lab) -> None:
    that = Expression("…", frozenset(), lambda scope: scope["found"] == {"id": 1})
    check = Check(that, Template("…", frozenset(), lambda scope: f"found {scope['found']}"))
    found = statement("SELECT id FROM items WHERE id = :id", TYPES, as_name="found", checks=[check])
    assert items.invoke(items.plan(found, shape="value"), id=1).value == 1
    with pytest.raises(ToolError, match=r"^found None$"):
        items.invoke(items.plan(found, shape="value"), id=99)


def test_missing_rolls_back_only_where_there_are_words(items: Lab) -> None:
    plan = items.plan(
        "DELETE FROM items WHERE id = 1",
        "UPDATE items SET price = 1 WHERE id = 99",
        shape="affected",
    )
    template = Template("…", frozenset(), lambda _scope: "gone")
    worded = items.database.binding(plan, "tool", errors={"missing": Words(template)})
    with pytest.raises(BindingError) as caught:
        items.run(worded.invoke(call({})))
    assert (caught.value.kind, len(items.rows("SELECT id FROM items"))) == (Kind.MISSING, 5)
    assert (items.invoke(plan).value, len(items.rows("SELECT id FROM items"))) == (0, 4)


def test_a_read_of_several_statements_sees_one_moment(items: Lab) -> None:
    first = statement("SELECT max(id) AS top FROM items", as_name="first")
    plan = items.plan(first, "SELECT name FROM items WHERE id = :first.top", shape="value")
    assert items.invoke(plan).value == "e"
