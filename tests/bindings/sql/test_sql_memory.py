"""What a call leaves in memory: nothing of its result."""

import gc
import os
import resource
from pathlib import Path

import pytest

from runner.bindings.sql.postgres_errors import EngineError
from runner.catalog.sql import ResultColumns
from runner.errors import Kind
from tests.bindings.sql.lab import Lab

MIB = 1024**2


def test_result_is_not_kept_when_its_call_is_over(items: Lab) -> None:
    """A thread that waits for its next job must not hold what its last one gave."""
    plan = items.plan("SELECT 'row ' || count(*) AS mark FROM items")
    assert items.invoke(plan).value == {"rows": [{"mark": "row 5"}], "truncated": False}
    kept = [
        found
        for found in gc.get_objects()
        if isinstance(found, list) and len(found) == 1 and found == [{"mark": "row 5"}]
    ]
    assert kept == []


def resident_mib() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // MIB


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux tells the memory")
@pytest.mark.engines("postgresql", why="the others' drivers hold no row in a buffer that stays")
@pytest.mark.parametrize(
    "text",
    [
        "SELECT repeat('x', 100000000) AS x",
        "SELECT jsonb_build_array(repeat('x', 100000000)) AS x",
        "SELECT array_fill(1000000000::bigint, ARRAY[8000000]) AS x",
    ],
    ids=["text", "json", "array"],
)
def test_row_far_beyond_the_budget_leaves_nothing_in_memory(lab: Lab, text: str) -> None:
    assert lab.value("SELECT 1 AS n") == 1
    before = resident_mib()
    error = lab.fails(lab.plan(text))
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        "a row is larger than the limit of 1048576 bytes",
    )
    assert resident_mib() - before < 100  # malloc keeps blocks below 32 MiB
    assert lab.value("SELECT 1 AS n") == 1


@pytest.mark.engines("postgresql", why="the others' errors quote no value of any size")
def test_error_that_quotes_a_large_value_leaves_nothing_in_memory(lab: Lab) -> None:
    assert lab.value("SELECT 1 AS n") == 1
    before = resident_mib()
    error = lab.fails(lab.plan("SELECT CAST(repeat('y', 200000000) AS integer) AS n"))
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        "a row is larger than the limit of 1048576 bytes",
    )
    assert "y" * 10 not in f"{error.reason}"
    assert resident_mib() - before < 100
    assert lab.value("SELECT 1 AS n") == 1


@pytest.mark.engines("postgresql", why="the others' errors quote no value of any size")
def test_error_that_quotes_a_value_is_kept_without_most_of_it(lab: Lab) -> None:
    """Below the limit of a result it is an error like others."""
    error = lab.fails(lab.plan("SELECT CAST(repeat('y', 1000000) AS integer) AS n"))
    assert error.kind is Kind.INVALID
    assert isinstance(error.__cause__, EngineError)
    assert (error.__cause__.size > 1_000_000, len(str(error.__cause__)) < 20_000) == (True, True)
    assert "y" * 10 not in f"{error} {error.reason}"
    assert lab.value("SELECT 1 AS n") == 1


def wide_rows(lab: Lab, rows: int, size: int) -> None:
    made = f"printf('%.{size}c', 'x')" if lab.is_sqlite else f"repeat('x', {size})"
    lab.execute("CREATE TABLE wide (id integer, x text)")
    for number in range(rows):
        lab.execute(f"INSERT INTO wide SELECT {number}, {made}")


def test_rows_that_are_too_large_together_are_given_as_far_as_they_fit(lab: Lab) -> None:
    """Fewer than a block of them are more than a database may send at once."""
    wide_rows(lab, rows=25, size=60_000 if lab.is_mariadb else 400_000)
    plan = lab.plan("SELECT id, x FROM wide ORDER BY id", max_bytes=900_000)
    value = lab.invoke(plan).value
    fitting = 14 if lab.is_mariadb else 2
    assert isinstance(value, dict)
    assert [row["id"] for row in value["rows"]] == list(range(fitting))
    assert value["truncated"] is True
    assert lab.value("SELECT count(*) AS n FROM wide") == 25


def test_row_that_is_too_large_ends_the_rows_before_it(lab: Lab) -> None:
    wide_rows(lab, rows=1, size=60_000)
    text = "SELECT id, CASE WHEN id = 0 THEN 'a' ELSE x END AS x FROM {0} ORDER BY id"
    both = "(SELECT id, x FROM wide UNION ALL SELECT id + 1, x FROM wide) AS b"
    value = lab.invoke(lab.plan(text.format(both), max_bytes=10_000)).value
    assert value == {"rows": [{"id": 0, "x": "a"}], "truncated": True}


def test_json_beyond_the_budget_is_refused_before_it_is_read(lab: Lab) -> None:
    """What is not read is not found to be no JSON."""
    wide_rows(lab, rows=1, size=60_000)
    columns = ResultColumns(json=frozenset({"x"}))
    error = lab.fails(lab.plan("SELECT x FROM wide", columns=columns, max_bytes=10_000))
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        "a row is larger than the limit of 10000 bytes",
    )
    text = "SELECT '[1]' AS x, 0 AS id UNION ALL SELECT x, 1 FROM wide ORDER BY 2"
    value = lab.invoke(lab.plan(text, columns=columns, max_bytes=10_000)).value
    assert value == {"rows": [{"x": [1], "id": 0}], "truncated": True}
