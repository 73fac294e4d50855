"""A database as the project's own functions have it: what `execute` counts."""

from functools import partial
from pathlib import Path

import pytest

from runner.bindings.handles import DatabaseHandle
from runner.bindings.python.services import Access
from runner.catalog.call import CallContext
from runner.catalog.caller import Caller
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.compile.sql.handle import read_statement
from runner.compile.sql.plan import SqlSurroundings
from runner.secret import Secret
from tests.bindings.sql.lab import NOW, Lab, open_lab

WRITING = Access(CallContext(NOW, Caller(user_id="ann")), "tool", writes=True, timeout_s=20.0)


def handle(lab: Lab, dialect: str, *, max_rows: int = 1) -> DatabaseHandle:
    """The database of the lab, as a function gets it."""
    around = SqlSurroundings(
        "lab",
        dialect,
        {},
        may_write=False,
        max_rows=max_rows,
        max_bytes=1024**2,
        compile_checks=lambda _specs, _site, _names: (),
    )
    read = partial(read_statement, around=around)

    def statement(text: str, names: frozenset[str], writes: bool) -> SqlPlan:
        return read(text, names, may_write=writes)

    return DatabaseHandle(lab.database, statement)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("DELETE FROM items WHERE id > :least", 3),
        ("DELETE FROM items WHERE id > :least RETURNING id", 3),
        ("SELECT id FROM items WHERE id > :least", 0),
    ],
    ids=["change", "returning", "query"],
)
def test_execute_counts_what_was_changed_and_not_what_came_back(
    items: Lab, text: str, count: int
) -> None:
    """Three rows come back, of which the budget lets one through; three were changed."""
    run = handle(items, items.engine).execute(text, {"least": 2}, WRITING)
    assert items.run(run) == count


@pytest.mark.filterwarnings("ignore:The dbapi:DeprecationWarning")
def test_execute_says_minus_one_where_the_driver_does_not_count(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text('"id"\n1\n')
    database = Database("lab", Secret("shillelagh://"), "shillelagh", pool_size=1)
    with open_lab(database) as lab:
        text = f'INSERT INTO "{table}" (id) VALUES (:id)'
        assert lab.run(handle(lab, "shillelagh").execute(text, {"id": 2}, WRITING)) == -1
    assert table.read_text().count("\n") == 3
