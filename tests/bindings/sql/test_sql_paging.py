"""Pages: sealed cursors that go on exactly where the last page ended."""

import pytest

from runner.catalog.schema import Parameter
from runner.catalog.sql import Page, SqlPlan
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, call, names

TYPES = {"limit": "integer", "like": "string", "offset": "integer"}


def keyed(lab: Lab) -> SqlPlan:
    """Newest first, by two columns."""
    text = (
        "SELECT name, id FROM items WHERE name <> :like [[ AND (price, id) < (:cursor.price,"
        " :cursor.id) ]] AND price IS NOT NULL ORDER BY price DESC, id DESC LIMIT :limit"
    )
    text = text.replace("SELECT name, id", "SELECT name, price, id")
    return lab.plan(text, types=TYPES, page=Page("limit", ("price", "id")))


def by_offset(lab: Lab) -> SqlPlan:
    text = "SELECT name FROM items WHERE name <> :like ORDER BY id LIMIT :limit OFFSET :offset"
    return lab.plan(text, types=TYPES, page=Page("limit", ()))


def walk(lab: Lab, plan: SqlPlan, limit: int) -> list[list[object]]:
    """The names of all pages."""
    pages: list[list[object]] = []
    sent: dict[str, object] = {"limit": limit, "like": "?"}
    while True:
        value = lab.invoke(plan, **sent).value
        assert isinstance(value, dict)
        pages.append(names(value["rows"]))
        assert value["truncated"] == ("next" in value)
        if "next" not in value:
            return pages
        sent["cursor"] = value["next"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(2, [["d", "c"], ["b", "a"]]), (3, [["d", "c", "b"], ["a"]]), (4, [["d", "c", "b", "a"]])],
)
def test_a_key_goes_on_after_the_last_row(items: Lab, limit: int, expected: object) -> None:
    assert walk(items, keyed(items), limit) == expected


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_an_offset_goes_on_after_the_last_row(items: Lab, limit: int) -> None:
    pages = walk(items, by_offset(items), limit)
    assert [name for page in pages for name in page] == ["a", "b", "c", "d", "e"]
    assert all(len(page) == limit for page in pages[:-1])


def refusal(
    lab: Lab, plan: SqlPlan, cursor: object, like: str = "?", user: str = "ann"
) -> BindingError:
    sent = call({"limit": 2, "like": like, "cursor": cursor}, user=user)
    with pytest.raises(BindingError) as caught:
        lab.run(lab.binding(plan).invoke(sent))
    return caught.value


@pytest.mark.parametrize("broken", ["", "x", "é", "AAAA", "a" * 200])
def test_a_cursor_that_was_never_given_out_is_invalid(items: Lab, broken: str) -> None:
    error = refusal(items, keyed(items), broken)
    assert (error.kind, error.field) == (Kind.INVALID, "cursor")


def test_a_cursor_is_bound_to_caller_and_arguments(items: Lab) -> None:
    plan = keyed(items)
    cursor = items.invoke(plan, limit=2, like="?").value["next"]  # type: ignore[index]
    assert refusal(items, plan, cursor, like="other").field == "cursor"
    assert refusal(items, plan, cursor, user="bob").field == "cursor"
    assert refusal(items, plan, cursor[:-1] + ("A" if cursor[-1] != "A" else "B")).field == "cursor"


def test_the_size_of_a_page_and_hidden_values_may_change(items: Lab) -> None:
    plan = keyed(items)
    hidden = {**plan.parameters, "now": Parameter("now", "string", hidden=True)}
    plan = items.plan(*plan.statements, types=TYPES, page=plan.page, parameters=hidden)
    cursor = items.invoke(plan, limit=1, like="?", now="1").value["next"]  # type: ignore[index]
    second = items.invoke(plan, limit=9, like="?", now="2", cursor=cursor).value
    assert names(second["rows"]) == ["c", "b", "a"]  # type: ignore[index]


def test_a_null_in_the_key_is_an_error(items: Lab) -> None:
    text = "SELECT name, price FROM items ORDER BY id DESC LIMIT :limit"
    plan = items.plan(text, types=TYPES, page=Page("limit", ("price",)))
    assert str(items.fails(plan, limit=1)) == "column 'price' of the page's key is null in a row"


def test_a_key_beyond_what_json_keeps_goes_on_exactly(lab: Lab) -> None:
    lab.execute("CREATE TABLE t (name BIGINT)")
    lab.execute("INSERT INTO t VALUES (9007199254740992), (9007199254740993), (9007199254740994)")
    text = "SELECT name FROM t WHERE 1 = 1 [[ AND name > :cursor.name ]] ORDER BY name LIMIT :limit"
    plan = lab.plan(text, types=TYPES, page=Page("limit", ("name",)))
    assert walk(lab, plan, 1) == [["9007199254740992"], ["9007199254740993"], ["9007199254740994"]]
