"""A table that is not as it was when a tool first read it: values stand under their own names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, call, duckdb, open_lab

TIMES = {"postgresql": "TIMESTAMP", "duckdb": "TIMESTAMP", "mariadb": "DATETIME"}
DAY = "2024-01-31 10:00:00"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("(b INTEGER, a INTEGER)", [{"b": 3, "a": 4}]),
        ("(a INTEGER, c INTEGER)", [{"a": 3, "c": 4}]),
        ("(a INTEGER)", [{"a": 3}]),
        ("(a INTEGER, b INTEGER, c INTEGER)", [{"a": 3, "b": 4, "c": 5}]),
        ("(a VARCHAR(9), b INTEGER)", [{"a": "3", "b": 4}]),
    ],
    ids=["order", "names", "fewer", "more", "types"],
)
@pytest.mark.parametrize("times", [False, True], ids=["plain", "times"])
def test_a_table_that_was_made_anew_is_read_as_it_is(
    lab: Lab, made: str, expected: list[dict[str, object]], times: bool
) -> None:
    """With a time in it, too, for which DuckDB wraps the statement."""
    kind = TIMES.get(lab.engine, "TEXT") if times else "INTEGER"
    value, shown = (f"'{DAY}'", time_of(lab)) if times else ("0", 0)
    plan = lab.plan("SELECT * FROM t")
    binding = lab.binding(plan)

    def read() -> list[object]:
        return [lab.run(binding.invoke(call({}))).value for _ in range(4)]

    lab.execute(
        f"CREATE TABLE t (a INTEGER, b INTEGER, z {kind})", f"INSERT INTO t VALUES (1, 2, {value})"
    )
    assert read() == [{"rows": [{"a": 1, "b": 2, "z": shown}], "truncated": False}] * 4
    values = ", ".join(map(str, (3, 4, 5)[: made.count(",") + 1]))
    lab.execute(
        "DROP TABLE t",
        f"CREATE TABLE t {made[:-1]}, z {kind})",
        f"INSERT INTO t VALUES ({values}, {value})",
    )
    rows = [{**row, "z": shown} for row in expected]
    assert read() == [{"rows": rows, "truncated": False}] * 4
    lab.execute("DELETE FROM t")
    assert read() == [{"rows": [], "truncated": False}] * 4


def time_of(lab: Lab) -> str:
    return DAY if lab.is_sqlite else DAY.replace(" ", "T")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Lab]:
    """A folder of data."""
    (tmp_path / "data").mkdir()
    external = (str(tmp_path / "data"),)
    with open_lab(duckdb("duckdb://", external=external, folder=str(tmp_path))) as lab:
        yield lab


def test_a_file_that_was_replaced_is_read_as_it_is(folder: Lab, tmp_path: Path) -> None:
    file = tmp_path / "data" / "s.csv"
    binding = folder.binding(folder.plan(f"SELECT * FROM '{file}'"))
    for content, expected in (
        ("a,b\n1,x\n", {"a": 1, "b": "x"}),
        ("b,a\ny,2\n", {"b": "y", "a": 2}),
        ("b,a,c\n2024-01-31 10:00:00,2,3\n", {"b": "2024-01-31T10:00:00", "a": 2, "c": 3}),
        ("c\n1\n", {"c": 1}),
        ("c\n2024-01-31\n", {"c": "2024-01-31"}),
    ):
        file.write_text(content)
        for _ in range(2):
            found = folder.run(binding.invoke(call({}))).value
            assert found == {"rows": [expected], "truncated": False}


def test_a_change_whose_columns_are_others_is_undone_and_right_the_next_time(duck: Lab) -> None:
    duck.execute("CREATE TABLE t (a TIMESTAMP, b INTEGER)")
    plan = duck.plan("INSERT INTO t SELECT NULL, 1 RETURNING *", writes=True)
    binding = duck.binding(plan)
    right = {"rows": [{"a": None, "b": 1}], "truncated": False}
    assert duck.run(binding.invoke(call({}))).value == right
    duck.execute("DROP TABLE t", "CREATE TABLE t (b TIMESTAMP, a INTEGER)")
    with pytest.raises(BindingError) as caught:
        duck.run(binding.invoke(call({})))
    assert caught.value.kind is Kind.CONFLICT
    assert duck.rows("SELECT * FROM t") == []
    right = {"rows": [{"b": None, "a": 1}], "truncated": False}
    assert duck.run(binding.invoke(call({}))).value == right
