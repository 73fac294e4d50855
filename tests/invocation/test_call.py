"""The path of a call: check, bind, rules, invoke, shape; its budgets; its failures."""

import asyncio
from collections.abc import Mapping

import pytest

from runner.catalog.call import Call, Outcome
from runner.catalog.content import TextContent
from runner.catalog.expressions import ABSENT, Bind, Check, Expression
from runner.catalog.plans import StepsPlan
from runner.catalog.result import CallResult
from runner.catalog.schema import Arguments, InputSchema
from runner.catalog.tool import Tool, Words
from runner.codec.packed import PackedRows
from runner.errors import ArgumentsError, BindingError, FieldFault, Kind, ToolError
from runner.invocation.call import Invoker
from runner.invocation.long import MAX_LONG_RESULTS
from tests.invocation.tools import CONTEXT, TOOL, Answering, reading, saying, tool
from tests.requirements import requirement

LIMIT_S = 10.0


def call(subject: Tool, answer: Outcome | BaseException, **sent: object) -> CallResult:
    """The result of one call of `subject`."""
    return run(subject, Answering(answer), **sent)


def run(subject: Tool, binding: Answering, **sent: object) -> CallResult:
    async def main() -> CallResult:
        invoker = Invoker({"probe": binding}, variables={"region": "eu"}, concurrency=4)
        return await asyncio.wait_for(invoker.call_tool(subject, sent, CONTEXT), LIMIT_S)

    return asyncio.run(main())


def error_of(result: CallResult) -> str:
    assert (result.is_error, result.structured) == (True, None)
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


def test_arguments_reach_the_binding_checked() -> None:
    def check(sent: Mapping[str, object]) -> Arguments:
        return {name: str(value) for name, value in sent.items()}

    binding = Answering(Outcome(1))
    run(tool(input=InputSchema({}, check)), binding, a=1)
    assert binding.call is not None
    assert binding.call.arguments == {"a": "1"}


@requirement("P-095")
def test_arguments_that_do_not_fit_are_a_tool_error_naming_each_field() -> None:
    def check(_sent: Mapping[str, object]) -> Arguments:
        raise ArgumentsError([FieldFault("a", "expected text"), FieldFault("b[0]", "is missing")])

    result = call(tool(input=InputSchema({}, check)), Outcome(1))
    assert error_of(result) == "a: expected text\nb[0]: is missing"


def test_bound_parameter_wins_and_an_absent_one_is_left_out() -> None:
    absent = Expression("absent", frozenset(), lambda _scope: ABSENT)
    binds = (Bind("owner", reading("name")), Bind("none", absent))
    binding = Answering(Outcome(1))
    run(tool(binds=binds, scope_names=frozenset({"name", "owner", "none"})), binding, name="demo")
    assert binding.call is not None
    assert binding.call.arguments == {"name": "demo", "owner": "demo"}


def test_first_rule_that_is_false_ends_the_call_in_its_words() -> None:
    checks = (
        Check(reading("a"), saying("never")),
        Check(reading("b"), saying("b is {0}", "b")),
        Check(reading("b"), saying("never")),
    )
    subject = tool(checks=checks, scope_names=frozenset({"a", "b"}))
    assert error_of(call(subject, Outcome(1), a=1, b=0)) == "b is 0"


def test_words_of_the_author_pass_word_for_word() -> None:
    assert error_of(call(TOOL, ToolError("No such thing.", code="none"))) == "No such thing."


@requirement("P-096")
def test_failure_without_words_is_its_neutral_text() -> None:
    failure = BindingError(Kind.BUSY, "the database is busy", reason="pool of 5")
    assert error_of(call(TOOL, failure)) == "the database is busy"


def test_failure_gets_the_words_for_its_kind() -> None:
    words = {"unique": Words(saying("{0} is taken", "name"))}
    subject = tool(errors=words, scope_names=frozenset({"name"}))
    failure = BindingError(Kind.UNIQUE, "not unique")
    assert error_of(call(subject, failure, name="x")) == "x is taken"


def test_status_gets_the_words_for_its_number_and_sees_the_response() -> None:
    words = {"404": Words(saying("gone: {0}", "response"))}
    failure = BindingError(Kind.STATUS, "status 404", status=404, response="body")
    assert error_of(call(tool(errors=words), failure)) == "gone: body"


def test_empty_makes_a_failure_a_result_of_nothing() -> None:
    subject = tool(errors={"404": Words(None)})
    failure = BindingError(Kind.STATUS, "status 404", status=404)
    assert call(subject, failure) == CallResult([TextContent("null")], b"null", is_object=False)


def test_call_over_its_time_is_stopped_and_said() -> None:
    class Never(Answering):
        async def invoke(self, call: Call) -> Outcome:
            await asyncio.Event().wait()
            return Outcome(call)

    result = run(tool(timeout_s=0.01), Never(Outcome()))
    assert error_of(result) == "the call took longer than 0.01 s and was stopped"


class Held(Answering):
    """Answers once it may; tells that it began."""

    def __init__(self, answer: Outcome) -> None:
        super().__init__(answer)
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()

    async def invoke(self, call: Call) -> Outcome:
        """The answer, late."""
        self.began.set()
        await self.may_end.wait()
        return await super().invoke(call)


def test_call_that_finds_no_place_is_told_that_the_server_is_busy() -> None:
    async def main() -> tuple[CallResult, CallResult]:
        held = Held(Outcome(1))
        invoker = Invoker({"probe": held}, variables={}, concurrency=1)
        first = asyncio.create_task(invoker.call_tool(TOOL, {}, CONTEXT))
        await asyncio.wait_for(held.began.wait(), LIMIT_S)
        second = await invoker.call_tool(tool(timeout_s=0.01), {}, CONTEXT)
        held.may_end.set()
        return await asyncio.wait_for(first, LIMIT_S), second

    first, second = asyncio.run(main())
    assert first.structured == b"1"
    assert error_of(second).startswith("the server is busy")


class Packing(Answering):
    """Answers each call with rows that are packed."""

    async def invoke(self, call: Call) -> Outcome:
        """Rows of their own."""
        packed = PackedRows()
        packed.add(b'[{"a":1}]')
        return Outcome({"rows": [], "truncated": False}, packed=packed)


def test_so_many_long_results_are_held_at_once() -> None:
    """Each is held until its client has read it, for which it may take long."""

    async def main() -> None:
        invoker = Invoker({"probe": Packing(Outcome(1))}, variables={}, concurrency=1)
        unread = [await invoker.call_tool(TOOL, {}, CONTEXT) for _ in range(MAX_LONG_RESULTS)]
        assert [result.is_error for result in unread] == [False] * MAX_LONG_RESULTS

        refused = await invoker.call_tool(TOOL, {}, CONTEXT)
        assert error_of(refused) == (
            "the server is busy: too many long results are read; try again"
        )

        unread.pop()
        assert not (await invoker.call_tool(TOOL, {}, CONTEXT)).is_error

    asyncio.run(main())


def test_outcome_for_a_step_is_whole_and_failures_pass() -> None:
    found = Outcome({"a": 1}, note="cut")

    async def main() -> object:
        invoker = Invoker({"probe": Answering(found)}, variables={}, concurrency=1)
        return await invoker.outcome_of(tool(plan=StepsPlan(())), {}, CONTEXT)

    assert asyncio.run(main()) == found


def step_of(subject: Tool, answer: Outcome | BaseException, **sent: object) -> Outcome:
    """The outcome that a step of another tool gets of `subject`."""

    async def main() -> Outcome:
        invoker = Invoker({"probe": Answering(answer)}, variables={}, concurrency=1)
        return await invoker.outcome_of(subject, sent, CONTEXT)

    return asyncio.run(main())


def test_step_fails_in_the_words_of_the_tool_that_it_calls() -> None:
    words = {"missing": Words(saying("no {0}", "name"))}
    subject = tool(errors=words, scope_names=frozenset({"name"}))
    with pytest.raises(BindingError) as caught:
        step_of(subject, BindingError(Kind.MISSING, "nothing was found"), name="x")
    assert (caught.value.kind, str(caught.value)) == (Kind.MISSING, "no x")


def test_step_gets_nothing_where_the_tool_that_it_calls_says_empty() -> None:
    failure = BindingError(Kind.STATUS, "status 404", status=404)
    assert step_of(tool(errors={"404": Words(None)}), failure) == Outcome(None)
