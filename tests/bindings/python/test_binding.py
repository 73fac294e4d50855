"""One call of an author's function: what it is given, how it ends, what the client may read."""

import asyncio
import logging
import threading
from datetime import date
from decimal import Decimal

import pytest
from pydantic import BaseModel

from runner import Caller, Context, Database, Http, Progress, ToolError
from runner.errors import ArgumentsError, BindingError, Kind
from tests.bindings.python.tool_bench import LIMIT_S, Bench


def test_arguments_are_built_as_the_hints_say(bench: Bench) -> None:
    class Item(BaseModel):
        price: Decimal

    def run(item: Item, day: date, count: int = 7) -> object:
        return [type(item.price).__name__, day.year, count]

    assert bench.value(run, item={"price": "1.50"}, day="2026-01-02") == ["Decimal", 2026, 7]


def test_an_argument_that_only_the_hint_refuses_names_its_field(bench: Bench) -> None:
    def run(day: date) -> None: ...

    error = bench.failure(run, day="2026-02-31")
    assert isinstance(error, ArgumentsError)
    assert [fault.path for fault in error.faults] == ["day"]


def test_an_argument_that_the_function_lacks_is_not_passed(bench: Bench) -> None:
    """A `bind` of `defaults` is there for every tool, whether it uses it or not."""
    assert bench.value(lambda: [1], owner="ada") == [1]


def test_kwargs_get_every_argument(bench: Bench) -> None:
    def run(**everything: object) -> object:
        return everything

    assert bench.value(run, a=1, b=2) == {"a": 1, "b": 2}


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_tool_error_reaches_the_client_word_for_word(bench: Bench, is_async: bool) -> None:
    def run() -> None:
        raise ToolError("No such city: Atlantis.", code="city", details={"near": "Athens"})

    async def run_async() -> None:
        run()

    error = bench.failure(run_async if is_async else run)
    assert isinstance(error, ToolError)
    assert (str(error), error.code) == ("No such city: Atlantis.", "city")
    assert error.details == {"near": "Athens"}


def test_a_tool_error_in_a_task_group_is_found(bench: Bench) -> None:
    async def fail() -> None:
        raise ToolError("inner")

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    assert str(bench.failure(run)) == "inner"


@pytest.mark.parametrize(
    "error",
    [
        ValueError("password=hunter2"),
        SystemExit(1),
        KeyboardInterrupt(),
        StopIteration(1),
        GeneratorExit(),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_any_other_exception_is_an_error_id(
    bench: Bench, error: BaseException, is_async: bool
) -> None:
    """`SystemExit` and `KeyboardInterrupt` out of a task would end the event loop; `GeneratorExit`
    would end the request without an answer."""

    def run() -> None:
        raise error

    async def run_async() -> None:
        raise error

    found = bench.failure(run_async if is_async else run)
    assert isinstance(found, BindingError)
    assert (found.kind, str(found)) == (
        Kind.REDACTED,
        "the tool failed unexpectedly; error id e-1",
    )


def test_the_log_explains_the_id_without_argument_values(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def run(email: str) -> None:
        try:
            raise LookupError(f"no {email}")
        except LookupError as error:
            raise RuntimeError("cannot look up") from error

    with caplog.at_level(logging.DEBUG, "runner.bindings.python"):
        bench.failure(run, email="ada@example.com")
    line, full = caplog.records
    assert line.getMessage().startswith("error e-1: tool tool: RuntimeError at ")
    assert line.getMessage().rpartition(":")[0].endswith("test_binding.py")
    text = full.getMessage()
    assert "LookupError: no ‹argument›\ncaused:\n" in text
    assert text.endswith("RuntimeError: cannot look up")
    assert "ada@example.com" not in text
    assert "binding.py" not in text.replace("test_binding.py", "")
    assert (line.exc_info, full.exc_info) == (None, None)


def test_the_log_has_a_traceback_only_where_it_is_asked_for(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception's words may hold what must not stand in a log."""

    def run() -> None:
        raise RuntimeError("postgresql://user:hunter2@host/db")

    with caplog.at_level(logging.INFO, "runner.bindings.python"):
        bench.failure(run)
    (record,) = caplog.records
    assert "hunter2" not in record.getMessage()


def test_a_cancellation_that_nobody_asked_for_is_a_failure(bench: Bench) -> None:
    async def run() -> None:
        raise asyncio.CancelledError

    assert str(bench.failure(run)) == "the tool failed unexpectedly; error id e-1"


def test_an_async_function_is_cancelled_when_its_time_is_up(bench: Bench) -> None:
    stopped = []

    async def run() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    bench.timeout_s = 0.01
    error = bench.failure(run)
    assert isinstance(error, BindingError)
    assert (error.kind, str(error), stopped) == (
        Kind.TIMEOUT,
        "the call took longer than 0.01 s and was stopped",
        [True],
    )


def test_a_function_that_swallows_its_cancellation_is_late_all_the_same(bench: Bench) -> None:
    async def run() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "too late"
        return ""

    bench.timeout_s = 0.01
    error = bench.failure(run)
    assert isinstance(error, BindingError)
    assert error.kind is Kind.TIMEOUT


def test_a_timeout_of_the_function_itself_is_a_failure(bench: Bench) -> None:
    async def run() -> None:
        raise TimeoutError

    assert str(bench.failure(run)) == "the tool failed unexpectedly; error id e-1"


def test_a_sync_function_is_told_when_its_time_is_up(bench: Bench) -> None:
    told = threading.Event()

    def run(context: Context) -> None:
        try:
            while True:
                context.check_cancelled()
        finally:
            assert context.cancelled
            told.set()

    bench.timeout_s = 0.05
    error = bench.failure(run)
    assert isinstance(error, BindingError)
    assert (error.kind, told.wait(LIMIT_S)) == (Kind.TIMEOUT, True)


def test_a_statement_of_a_cancelled_thread_is_cancelled(bench: Bench) -> None:
    bench.database.waits = True
    bench.timeout_s = 0.05

    def run(data: Database) -> None:
        data.query("SELECT 1").wait()

    error = bench.failure(run)
    assert isinstance(error, BindingError)
    assert (error.kind, bench.database.cancelled.wait(LIMIT_S)) == (Kind.TIMEOUT, True)


def test_threads_that_are_all_stuck_make_the_tool_busy(bench: Bench) -> None:
    release = threading.Event()
    bench.timeout_s = 0.05

    async def scenario() -> list[Kind]:
        binding = bench.binding(lambda: [release.wait(LIMIT_S)])
        kinds = []
        for _ in range(3):
            with pytest.raises(BindingError) as caught:
                await binding.invoke(bench.call())
            kinds.append(caught.value.kind)
        release.set()
        return kinds

    assert asyncio.run(scenario()) == [Kind.TIMEOUT, Kind.TIMEOUT, Kind.BUSY]


def test_a_cancelled_call_cancels_its_function(bench: Bench) -> None:
    stopped = []
    begun = asyncio.Event()

    async def run() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    async def scenario() -> None:
        task = asyncio.ensure_future(bench.invoked(run))
        async with asyncio.timeout(LIMIT_S):
            await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert stopped == [True]


def test_a_function_sees_its_call(bench: Bench) -> None:
    async def run(context: Context, who: Caller) -> object:
        assert context.caller is who
        return [who.user_id, context.request.client, dict(context.vars), context.lifespan]

    assert bench.value(run) == ["ada", {"name": "test"}, {"region": "eu"}, {"started": True}]


ROW = {"sql": "SELECT :id", "id": 1, "by": "ada"}


def test_an_async_function_awaits_its_database(bench: Bench) -> None:
    async def run(data: Database) -> object:
        row = await data.query_one("SELECT :id", {"id": 1})
        return [row, await data.query("SELECT :id", {"id": 1})]

    assert bench.value(run) == [ROW, [ROW]]


def test_a_sync_function_waits_for_its_database(bench: Bench) -> None:
    def run(context: Context) -> object:
        return context.database("library").query("SELECT :id", {"id": 1}).wait()

    assert bench.value(run) == [ROW]


def test_a_tool_without_writes_cannot_execute(bench: Bench) -> None:
    def run(data: Database) -> object:
        return [data.execute("DELETE").wait()]

    error = bench.failure(run)
    assert isinstance(error, BindingError)
    assert error.kind is Kind.READ_ONLY
    bench.writes = True
    assert bench.value(run) == [6]


def test_waiting_on_the_event_loop_is_refused(bench: Bench) -> None:
    """It would wait for itself for ever, and the whole server with it."""
    caught = []

    async def run(data: Database) -> None:
        try:
            data.query("SELECT 1").wait()
        except RuntimeError as error:
            caught.append(str(error))

    bench.outcome(run)
    assert caught == ["await it: wait() is for sync functions and would block the server"]


def test_an_api_is_reached_through_its_guards(bench: Bench) -> None:
    async def run(web: Http) -> object:
        return [
            await web.get("/a", query={"b": 1}),
            await web.request("post", "/a", body={"c": 2}),
        ]

    assert bench.value(run) == [
        ["GET", "/a", {"b": 1}, None, "tool"],
        ["POST", "/a", {}, {"c": 2}, "tool"],
    ]


def test_an_unknown_source_is_a_failure(bench: Bench) -> None:
    async def run(context: Context) -> None:
        context.database("nowhere")

    assert str(bench.failure(run)) == "the tool failed unexpectedly; error id e-1"


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_progress_and_logs_are_reported(bench: Bench, is_async: bool) -> None:
    def run(context: Context, tell: Progress) -> None:
        tell(1, 2, "half")
        context.log("info", {"a": 1})

    async def run_async(context: Context, tell: Progress) -> None:
        run(context, tell)

    bench.outcome(run_async if is_async else run)
    assert bench.reports == [(1, 2, "half"), ("info", {"a": 1}, None)]


def test_nothing_is_reported_after_the_end(bench: Bench) -> None:
    kept: list[Context] = []

    async def run(context: Context) -> None:
        kept.append(context)

    async def scenario() -> None:
        await bench.invoked(run)
        await kept[0].database().query("SELECT 1")

    with pytest.raises(RuntimeError, match="the call has ended"):
        asyncio.run(scenario())
    kept[0].progress(1)
    assert bench.reports == []
