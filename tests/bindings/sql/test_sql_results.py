"""What comes back: shapes, budgets, notes."""

import tracemalloc

import pytest

from runner.catalog.call import Outcome, whole
from runner.catalog.sql import SqlPlan
from runner.codec.json import encode
from runner.errors import Kind
from tests.bindings.sql.lab import Lab, names, statement

ALL = "SELECT id, name FROM items ORDER BY id"


def test_rows_are_an_object_that_says_whether_it_is_whole(items: Lab) -> None:
    outcome = items.invoke(items.plan("SELECT id, name FROM items WHERE id < 3 ORDER BY id"))
    rows = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
    assert outcome == Outcome({"rows": rows, "truncated": False}, columns=["id", "name"])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [("row", {"id": 1, "name": "a"}), ("value", 1), ("column", [1, 2, 3, 4, 5])],
)
def test_each_shape_has_its_value(items: Lab, shape: str, expected: object) -> None:
    assert items.invoke(items.plan(ALL, shape=shape)).value == expected


@pytest.mark.parametrize(("shape", "expected"), [("row", None), ("value", None), ("column", [])])
def test_nothing_found_is_null_or_empty(items: Lab, shape: str, expected: object) -> None:
    plan = items.plan("SELECT id FROM items WHERE id = 99", shape=shape)
    assert items.invoke(plan).value == expected


def test_exactly_the_budget_is_not_truncated(items: Lab) -> None:
    outcome = items.invoke(items.plan(ALL, max_rows=5))
    assert (len(outcome.value["rows"]), outcome.value["truncated"]) == (5, False)  # type: ignore[index]


def test_one_row_more_than_the_budget_is_truncated_and_said(items: Lab) -> None:
    outcome = items.invoke(items.plan(ALL, max_rows=4))
    assert (len(outcome.value["rows"]), outcome.value["truncated"]) == (4, True)  # type: ignore[index]
    assert outcome.note == "Only the first 4 rows are shown; narrow the request to see others."


def test_a_limit_parameter_asks_for_one_more_to_know_the_truth(items: Lab) -> None:
    plan = items.plan(f"{ALL} LIMIT :limit", types={"limit": "integer"})
    cut = items.invoke(plan, limit=4).value
    whole = items.invoke(plan, limit=5).value
    assert (len(cut["rows"]), cut["truncated"]) == (4, True)  # type: ignore[index]
    assert (len(whole["rows"]), whole["truncated"]) == (5, False)  # type: ignore[index]


def test_an_absent_limit_is_the_budget(items: Lab) -> None:
    plan = items.plan(f"{ALL} LIMIT :limit", types={"limit": "integer"}, max_rows=2)
    assert len(items.invoke(plan).value["rows"]) == 2  # type: ignore[index]


def test_bytes_are_cut_between_rows(items: Lab) -> None:
    plan = items.plan(
        "SELECT name, 'xxxxxxxxxxxxxxxxxxxx' AS pad FROM items ORDER BY id", max_bytes=130
    )
    outcome = items.invoke(plan)
    assert names(outcome.value["rows"]) == ["a", "b"]  # type: ignore[index]
    assert (
        outcome.note
        == "Only the first 2 rows are shown (size limit); narrow the request to see others."
    )


def test_a_single_row_over_the_budget_is_too_large(items: Lab) -> None:
    error = items.fails(items.plan(ALL, max_bytes=10))
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        "a row is larger than the limit of 10 bytes",
    )


def test_two_columns_of_one_name_are_refused(items: Lab) -> None:
    error = items.fails(items.plan("SELECT id AS x, name AS x FROM items"))
    assert (error.kind, error.field) == (Kind.INVALID, "x")


def test_affected_counts_the_last_statement_that_writes(items: Lab) -> None:
    plan = items.plan(
        "DELETE FROM items WHERE id > 3",
        "UPDATE items SET price = 9 WHERE id < 3",
        shape="affected",
    )
    assert items.invoke(plan).value == 2


def test_returning_gives_rows(items: Lab) -> None:
    plan = items.plan(
        "INSERT INTO items (id, name) VALUES (:id, :name) RETURNING id, name",
        types={"id": "integer", "name": "string"},
        shape="row",
    )
    assert items.invoke(plan, id=9, name="z").value == {"id": 9, "name": "z"}
    assert len(items.rows("SELECT id FROM items")) == 6


def test_all_rows_are_written_although_few_are_returned(items: Lab) -> None:
    text = "UPDATE items SET price = 7 RETURNING id"
    if items.is_mariadb:  # an UPDATE returns nothing there
        text = "REPLACE INTO items SELECT id, name, 7 FROM items RETURNING id"
    outcome = items.invoke(items.plan(text, writes=True, max_rows=2))
    assert (len(outcome.value["rows"]), outcome.value["truncated"]) == (2, True)  # type: ignore[index]
    assert items.rows("SELECT count(*) AS n FROM items WHERE price = 7") == [{"n": 5}]


def test_ten_million_rows_are_cut_at_once(lab: Lab) -> None:
    """Peak memory and time are bounded by the budget, not by what the query could give."""
    text = {
        "postgresql": "SELECT n FROM generate_series(1, 10000000) AS n",
        "duckdb": "SELECT n FROM generate_series(1, 10000000) AS s(n)",
        "mariadb": "SELECT seq AS n FROM seq_1_to_10000000",
        "sqlite": "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 10000000)"
        " SELECT n FROM s",
    }[lab.engine]
    outcome = lab.invoke(lab.plan(text, max_rows=100), timeout_s=5)
    assert (len(outcome.value["rows"]), outcome.value["truncated"]) == (100, True)  # type: ignore[index]


def test_memory_is_bounded_by_the_budget_not_by_the_result(lab: Lab) -> None:
    """A hundred rows of 10 kB are kept of 2 GB that the query could give."""
    pad = "printf('%.*c', 10000, 'x')" if lab.is_sqlite else "repeat('x', 10000)"
    text = (
        "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 200000)"
        f" SELECT n, {pad} AS pad FROM s"
    )
    tracemalloc.start()
    outcome = lab.invoke(lab.plan(text, max_rows=100_000, max_bytes=1024**2))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome.value["truncated"] is True  # type: ignore[index]
    assert peak < 20 * 1024**2


def test_a_result_that_is_cut_leaves_the_connection_usable(lab: Lab) -> None:
    series = "SELECT a.n FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS a ORDER BY 1"
    plan = lab.plan(statement(series), max_rows=1)
    for _ in range(20):
        assert lab.invoke(plan).value == {"rows": [{"n": 1}], "truncated": True}


def many(lab: Lab, *, max_rows: int, max_bytes: int) -> SqlPlan:
    """Rows of 100 bytes and more, numbered from 1 to `n`."""
    text = (
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 60000)"
        " SELECT i, 'padding that makes each row of the result a hundred bytes long or so, "
        "exactly as wide rows are' AS t FROM r"
    )
    return lab.plan(text, max_rows=max_rows, max_bytes=max_bytes)


def test_rows_beyond_four_mebibytes_are_packed_and_none_is_lost(lab: Lab) -> None:
    outcome = lab.invoke(many(lab, max_rows=100_000, max_bytes=64 * 1024**2))
    assert outcome.packed is not None
    assert outcome.value == {"rows": [], "truncated": False}
    value = whole(outcome).value
    assert isinstance(value, dict)
    assert [row["i"] for row in value["rows"]] == list(range(1, 60_001))


def test_packed_rows_are_cut_where_others_are(lab: Lab) -> None:
    by_rows = lab.invoke(many(lab, max_rows=50_000, max_bytes=64 * 1024**2))
    assert by_rows.packed is not None
    assert by_rows.value == {"rows": [], "truncated": True}
    assert by_rows.note == "Only the first 50000 rows are shown; narrow the request to see others."

    by_bytes = lab.invoke(many(lab, max_rows=100_000, max_bytes=5 * 1024**2))
    assert by_bytes.packed is not None
    encoded = encode(whole(by_bytes).value)
    assert 5 * 1024**2 - 200 < len(encoded) <= 5 * 1024**2


def test_rows_within_four_mebibytes_are_held_as_values(lab: Lab) -> None:
    outcome = lab.invoke(many(lab, max_rows=1_000, max_bytes=64 * 1024**2))
    assert outcome.packed is None
    assert isinstance(outcome.value, dict)
    assert len(outcome.value["rows"]) == 1_000
