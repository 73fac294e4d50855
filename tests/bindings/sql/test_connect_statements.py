"""`connect`: the statement that an engine refuses is told by its number and the engine's words."""

from dataclasses import replace

import pytest

from runner.catalog.sources import Database
from runner.errors import BindingError, StartError
from tests.bindings.sql.lab import open_lab

GOOD = {
    "sqlite": "PRAGMA cache_size = 100",
    "postgresql": "SET work_mem = '7MB'",
    "duckdb": "SET threads = 2",
    "mariadb": "SET lock_wait_timeout = 7",
}
BAD = {
    "sqlite": ("DELETE FROM nowhere", "no such table: nowhere"),
    "postgresql": ("SET wrk_mem = '7MB'", 'unrecognized configuration parameter "wrk_mem"'),
    "duckdb": ("SET threds = 2", 'unrecognized configuration parameter "threds"'),
    "mariadb": ("SET lock_wait = 7", "Unknown system variable 'lock_wait'"),
}


def failure(source: Database, *connect: str) -> StartError:
    with pytest.raises(StartError) as caught, open_lab(replace(source, connect=connect)):
        pass
    return caught.value


def test_statement_that_is_refused_is_told_by_its_number(source: Database) -> None:
    statement, words = BAD[source.dialect]
    error = failure(source, GOOD[source.dialect], statement)
    what = "database 'lab': the engine refuses statement 2 of 2 of 'connect'"
    assert (str(error), error.field) == (f"{what}: {words}", ("connect", 1))


def test_what_stands_in_quotes_is_not_repeated(source: Database) -> None:
    """It may be a password."""
    error = failure(source, "FROBNICATE 'hunter2' 'b' 'hunter'")
    assert error.field == ("connect", 0)
    assert str(error).startswith("database 'lab': the engine refuses 'connect': ")
    assert "hunter" not in str(error)


@pytest.mark.engines("sqlite", "postgresql", "mariadb", why="DuckDB runs them all")
def test_several_statements_in_one_of_connect_are_refused(source: Database) -> None:
    good = GOOD[source.dialect]
    assert failure(source, f"{good}; {good}").field == ("connect", 0)


def test_call_of_a_lazy_database_has_the_reason_in_the_log(source: Database) -> None:
    statement, words = BAD[source.dialect]
    with open_lab(replace(source, connect=(statement,), is_lazy=True)) as lab:
        error: BindingError = lab.fails(lab.plan("SELECT 1 AS one"))
    assert (error.kind, error.reason) == (
        "unavailable",
        f"database 'lab': the engine refuses 'connect': {words}",
    )
