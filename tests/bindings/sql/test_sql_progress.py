"""Rows read so far, told to who asked for progress: while it reads, on the loop, rising."""

import asyncio
import threading
from dataclasses import replace

import pytest

from runner.bindings.python.services import Access
from runner.bindings.sql.progress import EVERY_ROWS, RowProgress
from runner.catalog.call import CallContext, Outcome
from runner.catalog.sql import SqlPlan, Statement
from tests.bindings.sql.lab import Lab, call, statement
from tests.bindings.sql.test_sql_handle import handle

ROWS = 3000
NUMBERS = "SELECT a.n * 100 + b.n AS n FROM numbers AS a, numbers AS b WHERE a.n < 30"
Told = tuple[float, float | None, str | None]


@pytest.fixture
def numbers(lab: Lab) -> Lab:
    """A database with the numbers 0 to 99."""
    values = ", ".join(f"({number})" for number in range(100))
    lab.execute(
        "CREATE TABLE numbers (n INTEGER PRIMARY KEY)", f"INSERT INTO numbers VALUES {values}"
    )
    return lab


class Heard:
    """What a client is told, and on which threads."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.threads: set[int] = set()

    def report(self, done: float, total: float | None, message: str | None) -> None:
        self.told.append((done, total, message))
        self.threads.add(threading.get_ident())

    def invoke(self, lab: Lab, plan: SqlPlan, **arguments: object) -> Outcome:
        """The outcome of a call that asks for progress."""

        async def main() -> Outcome:
            asked = call(arguments)
            context = replace(asked.context, report=self.report)
            return await lab.binding(plan).invoke(replace(asked, context=context))

        return lab.run(main())


def wide(lab: Lab, *statements: str | Statement) -> SqlPlan:
    return lab.plan(*statements, max_rows=ROWS * 2)


def check_told(heard: Heard, *, rows: int = ROWS) -> None:
    """Rising by so many rows at least, on the thread of the loop, to the end of what was read."""
    counts = [int(done) for done, _, _ in heard.told]
    assert heard.told == [(count, None, f"{count} rows read") for count in counts]
    assert heard.threads == {threading.get_ident()}
    steps = [after - before for before, after in zip([0, *counts], counts, strict=False)]
    assert min(steps) >= EVERY_ROWS
    assert rows * 3 // 4 < counts[-1] <= rows


def test_read_tells_its_rows(numbers: Lab) -> None:
    heard = Heard()
    outcome = heard.invoke(numbers, wide(numbers, NUMBERS))
    assert isinstance(outcome.value, dict)
    assert len(outcome.value["rows"]) == ROWS
    check_told(heard)


def test_result_among_several_statements_tells_its_rows(numbers: Lab) -> None:
    heard = Heard()
    first = "SELECT a.n FROM numbers AS a, numbers AS b"
    plan = wide(numbers, statement(first), "DELETE FROM numbers WHERE n = -1", NUMBERS)
    heard.invoke(numbers, plan)
    check_told(heard)


def test_statement_that_the_client_wrote_tells_its_rows(numbers: Lab) -> None:
    heard = Heard()
    plan = replace(wide(numbers), client_parameter="sql")
    heard.invoke(numbers, plan, sql=NUMBERS)
    check_told(heard)


def test_read_of_a_few_rows_tells_nothing(numbers: Lab) -> None:
    heard = Heard()
    heard.invoke(numbers, numbers.plan("SELECT n FROM numbers"))
    assert heard.told == []


def test_rows_that_a_function_reads_are_not_its_progress(numbers: Lab) -> None:
    heard = Heard()

    async def main() -> None:
        access = Access(CallContext(call({}).context.now, report=heard.report), "tool", False, 20.0)
        database = handle(numbers, numbers.engine, max_rows=ROWS)
        assert len(await database.query(NUMBERS, {}, access)) == ROWS

    numbers.run(main())
    assert heard.told == []


def test_rows_that_are_read_anew_are_told_from_where_it_was(numbers: Lab) -> None:
    """A lost connection begins again: progress never falls."""

    async def main(heard: Heard) -> None:
        progress = RowProgress(heard.report)
        for count in (100, 128, 200, 256, 128, 256, 400, 100_000, 101_000, 106_250):
            progress(count)
        await asyncio.sleep(0)

    heard = Heard()
    numbers.run(main(heard))
    assert [done for done, _, _ in heard.told] == [128, 256, 400, 100_000, 106_250]


def test_statement_that_outlives_the_loop_tells_nobody() -> None:
    heard = Heard()

    async def main() -> RowProgress:
        return RowProgress(heard.report)

    progress = asyncio.run(main())
    progress(1000)
    assert heard.told == []
