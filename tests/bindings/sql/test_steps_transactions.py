"""Steps in one transaction, on every engine: kept together, undone together, on one connection."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from runner.bindings.steps import CallWithin, Within
from runner.bindings.value import ValueBinding
from runner.catalog.call import Binding, Call, Outcome
from runner.catalog.expressions import Check, Expression, ExpressionError, Template, TreeTemplate
from runner.catalog.plans import Select, Step, StepsPlan, StepsTransaction, ValuePlan
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.errors import BindingError, CallError, Kind, ToolError
from tests.bindings.sql.lab import Lab, call, open_lab, statement
from tests.bindings.sql.test_sql_budgets import (
    LOSES_CONNECTIONS,
    break_connections,
    endless,
    running,
)

TYPES = {"id": "integer", "name": "string"}
INSERT = "INSERT INTO items (id, name) VALUES (:id, :name)"
Part = SqlPlan | ValuePlan


@pytest.fixture
def lab(source: Database) -> Iterator[Lab]:
    """An empty database with one connection, so that each call gets the one that was left."""
    with open_lab(replace(source, pool_size=1)) as lab:
        yield lab


def refuse(_tool: str, _sent: dict[str, object], _call: Call, _run: object) -> Outcome:
    """These steps call no tool."""
    raise AssertionError("no tool is called")


async def ready(_tool: str) -> None:
    """There is nothing to wait for."""


def together(
    lab: Lab,
    parts: dict[str, Part],
    *,
    select: Select | None = None,
    call_within: CallWithin = refuse,
    called: Sequence[str] = (),
) -> Binding:
    """The binding of steps in one transaction; those of `called` are calls of tools."""
    plans = [part for part in parts.values() if isinstance(part, SqlPlan)]
    writes = any(plan.writes for plan in plans)
    steps = [
        Step(name, name, {}) if name in called else Step(name, None, {}, part)
        for name, part in parts.items()
    ]
    run = {
        name: lab.database.step(part, "tool", errors={})
        if isinstance(part, SqlPlan)
        else lambda _session, call, part=part: ValueBinding(part).outcome(call)
        for name, part in parts.items()
    }
    plan = StepsPlan(steps, select, StepsTransaction("lab", writes))
    return lab.database.transaction(plan, run, writes=writes, within=Within(ready, call_within))


def invoke(lab: Lab, binding: Binding, timeout_s: float = 20.0, **arguments: object) -> Outcome:
    async def invoked() -> Outcome:
        return await binding.invoke(call(arguments, timeout_s))

    return lab.run(invoked())


def fails(lab: Lab, binding: Binding, timeout_s: float = 20.0, **arguments: object) -> CallError:
    """The error of a call that must fail."""
    with pytest.raises(CallError) as caught:
        invoke(lab, binding, timeout_s, **arguments)
    return caught.value


def adding(lab: Lab) -> SqlPlan:
    return lab.plan(INSERT, types=TYPES, shape="affected")


def ids(lab: Lab) -> list[object]:
    return [row["id"] for row in lab.rows("SELECT id FROM items ORDER BY id")]


def value(build: Callable[[object], object]) -> ValuePlan:
    return ValuePlan(TreeTemplate(frozenset(), build))


def broken(_scope: object) -> object:
    raise ExpressionError("it cannot be built")


KEPT = [1, 2, 3, 4, 5]


def test_all_steps_are_kept_and_each_sees_what_those_before_did(items: Lab) -> None:
    found = items.plan("SELECT name, price FROM items WHERE id = :id", types=TYPES, shape="row")
    changed = items.plan(
        "UPDATE items SET price = 7 WHERE name = :found.name", types=TYPES, shape="affected"
    )
    counted = items.plan("SELECT count(*) AS n FROM items WHERE price = 7", shape="value")
    binding = together(
        items, {"added": adding(items), "found": found, "changed": changed, "counted": counted}
    )

    outcome = invoke(items, binding, id=9, name="new")

    assert outcome == Outcome(
        {"added": 1, "found": {"name": "new", "price": None}, "changed": 1, "counted": 1}
    )
    assert items.rows("SELECT name FROM items WHERE price = 7") == [{"name": "new"}]


def test_statement_that_fails_undoes_the_step_before(items: Lab) -> None:
    twice = items.plan("INSERT INTO items (id, name) VALUES (10, 'a')", shape="affected")
    error = fails(items, together(items, {"one": adding(items), "two": twice}), id=9, name="new")

    assert isinstance(error, BindingError)
    assert (error.kind, str(error).partition(": ")[0]) == (Kind.UNIQUE, "step 'two'")
    assert ids(items) == KEPT


def test_false_check_undoes_the_step_before(items: Lab) -> None:
    that = Expression("…", frozenset({"rows"}), lambda scope: scope["rows"] == 1)
    check = Check(that, Template("…", frozenset(), lambda _scope: "there is none"))
    found = items.plan(statement("SELECT id FROM items WHERE id = 99", checks=[check]))
    error = fails(items, together(items, {"one": adding(items), "two": found}), id=9, name="new")

    assert (type(error), str(error)) == (ToolError, "step 'two': there is none")
    assert ids(items) == KEPT


@pytest.mark.parametrize("where", ["step", "select"])
def test_value_that_cannot_be_built_undoes_the_steps_before(items: Lab, where: str) -> None:
    parts: dict[str, Part] = {"one": adding(items), "two": value(lambda _scope: 1)}
    if where == "step":
        binding, told = together(items, {**parts, "two": value(broken)}), "step 'two': "
    else:
        binding, told = together(items, parts, select=broken), ""

    assert str(fails(items, binding, id=9, name="new")) == f"{told}it cannot be built"
    assert ids(items) == KEPT


def test_called_tool_that_is_refused_undoes_the_step_before(items: Lab) -> None:
    """What a tool's own rules and input say is told by who calls it, within the transaction."""

    def refused(_tool: str, _sent: object, _call: Call, _run: object) -> Outcome:
        raise ToolError("not you")

    parts: dict[str, Part] = {"one": adding(items), "two": adding(items)}
    binding = together(items, parts, call_within=refused, called=["two"])

    assert str(fails(items, binding, id=9, name="new")) == "step 'two': not you"
    assert ids(items) == KEPT


def test_called_tool_runs_in_the_transaction(items: Lab) -> None:
    def called(tool: str, _sent: object, call: Call, run: Callable[[Call], Outcome]) -> Outcome:
        return run(replace(call, tool=tool, arguments={"id": 10, "name": "other"}))

    parts: dict[str, Part] = {"one": adding(items), "two": adding(items)}
    binding = together(items, parts, call_within=called, called=["two"])

    assert invoke(items, binding, id=9, name="new").value == {"one": 1, "two": 1}
    assert ids(items) == [*KEPT, 9, 10]


def test_time_limit_of_the_whole_undoes_the_step_before(items: Lab) -> None:
    parts: dict[str, Part] = {"one": adding(items), "two": endless(items, "steps")}
    error = fails(items, together(items, parts), 0.3, id=9, name="new")

    assert isinstance(error, BindingError)
    assert (error.kind, str(error)) == (
        Kind.TIMEOUT,
        "step 'two': the statement took longer than its time limit",
    )
    assert (ids(items), running(items, "steps")) == (KEPT, 0)


def test_cancelled_call_undoes_the_step_before(items: Lab) -> None:
    parts: dict[str, Part] = {"one": adding(items), "two": endless(items, "left")}
    binding = together(items, parts)

    async def cancelled() -> None:
        begun = asyncio.Event()

        def report(_done: float, _total: float | None, message: str | None) -> None:
            if message == "two":
                begun.set()

        asked = call({"id": 9, "name": "new"})
        asked = replace(asked, context=replace(asked.context, report=report))
        task = asyncio.ensure_future(binding.invoke(asked))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    items.run(cancelled())
    assert (ids(items), running(items, "left")) == (KEPT, 0)


def test_connection_is_clean_after_each_end(items: Lab) -> None:
    """The same connection: nothing is open on it, and a read of it is read-only again."""
    twice = items.plan("INSERT INTO items (id, name) VALUES (10, 'a')", shape="affected")
    undone = together(items, {"one": adding(items), "two": twice})
    kept = together(items, {"one": adding(items), "two": value(lambda _scope: 1)})
    writing = items.plan("DELETE FROM items", writes=False)

    for number in (11, 12):
        fails(items, undone, id=9, name="new")
        invoke(items, kept, id=number, name=f"new {number}")
        assert items.fails(writing).kind is Kind.READ_ONLY
    assert ids(items) == [*KEPT, 11, 12]


def test_without_a_step_that_writes_the_engine_keeps_all_of_them_from_it(items: Lab) -> None:
    read = items.plan("SELECT count(*) AS n FROM items", shape="value")
    writing = items.plan(INSERT, types=TYPES, shape="affected", writes=False)
    error = fails(items, together(items, {"one": read, "two": writing}), id=9, name="new")

    assert isinstance(error, BindingError)
    assert (error.kind, str(error)) == (
        Kind.READ_ONLY,
        "step 'two': the statement would change something, and this tool only reads",
    )
    assert ids(items) == KEPT
    assert invoke(items, together(items, {"one": read, "two": read})).value == {"one": 5, "two": 5}


def test_each_step_is_told_on_the_event_loop(items: Lab) -> None:
    reports: list[object] = []
    asked = call({"id": 9, "name": "new"})

    def report(done: float, total: float | None, message: str | None) -> None:
        reports.append((done, total, message, threading.get_ident() == own))

    own = threading.get_ident()
    asked = replace(asked, context=replace(asked.context, report=report))
    parts: dict[str, Part] = {"one": adding(items), "two": value(lambda _scope: 1)}

    async def invoked() -> Outcome:
        return await together(items, parts).invoke(asked)

    items.run(invoked())
    assert reports == [(0, 2, "one", True), (1, 2, "two", True), (2, 2, None, True)]


def test_rows_that_are_cut_are_told_with_the_name_of_the_step(items: Lab) -> None:
    few = items.plan("SELECT id FROM items ORDER BY id", max_rows=1)
    outcome = invoke(items, together(items, {"one": few}))

    assert outcome == Outcome(
        {"one": {"rows": [{"id": 1}], "truncated": True}},
        note="step 'one': Only the first 1 rows are shown; narrow the request to see others.",
    )


@LOSES_CONNECTIONS
def test_steps_that_only_read_begin_anew_on_a_lost_connection(items: Lab) -> None:
    read = items.plan("SELECT count(*) AS n FROM items", shape="value")
    reading = together(items, {"one": read, "two": read})
    writing = together(items, {"one": adding(items), "two": read})

    assert invoke(items, reading).value == {"one": 5, "two": 5}
    break_connections(items)
    assert invoke(items, reading).value == {"one": 5, "two": 5}
    break_connections(items)
    error = fails(items, writing, id=9, name="new")

    assert isinstance(error, BindingError)
    assert (error.kind, str(error).partition(": ")[0]) == (Kind.UNAVAILABLE, "step 'one'")
    assert invoke(items, writing, id=9, name="new").value == {"one": 1, "two": 6}


@pytest.mark.engines("sqlite", "postgresql", why="the others check nothing at the end")
def test_commit_that_is_refused_undoes_every_step(items: Lab) -> None:
    items.execute(
        "CREATE TABLE parts (id INTEGER PRIMARY KEY,"
        " item INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED)"
    )
    orphan = items.plan("INSERT INTO parts (id, item) VALUES (1, 77)", shape="affected")
    error = fails(items, together(items, {"one": adding(items), "two": orphan}), id=9, name="new")

    assert isinstance(error, BindingError)
    assert (error.kind, str(error).startswith("step")) == (Kind.FOREIGN_KEY, False)
    assert ids(items) == KEPT
    assert items.rows("SELECT id FROM parts") == []
