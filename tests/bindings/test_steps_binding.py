"""Steps at work: results, progress, failures, cancellation."""

import asyncio
from dataclasses import replace

import pytest

from runner.bindings.steps import StepsBinding
from runner.bindings.value import ValueBinding
from runner.catalog.call import Call, Outcome
from runner.catalog.plans import StepsPlan, ValuePlan
from runner.compile.expressions import Names
from runner.compile.steps import compile_steps
from runner.compile.value import compile_value
from runner.config.nodes import Scalar
from runner.config.spec.tools import ToolSpec
from runner.errors import BindingError, Kind, ToolError
from tests.compile.expressions.bench import CONTEXT, START, Bench

NAMES = Names(frozenset({"n"}))
DOUBLE = ToolSpec.model_validate(
    {"input": {"n": Scalar("integer", START)}, "value": Scalar("x", START)}
)


def scalar(text: str) -> Scalar:
    return Scalar(text, START)


def plan_of(*steps: dict[str, object], select: str | None = None) -> StepsPlan:
    fields: dict[str, object] = {"steps": list(steps)}
    spec = ToolSpec.model_validate(fields | ({"select": scalar(select)} if select else {}))
    bench = Bench()
    plan = compile_steps(
        spec,
        bench.site,
        names=NAMES,
        tools={"double": DOUBLE},
        compile_inline=lambda step, site, names: compile_value(step.value or [], site, names),
    )
    assert plan is not None, bench.messages()
    return plan


async def double(name: str, arguments: dict[str, object], call: Call) -> Outcome:
    """Stands for the dispatcher: doubles `n`, reports half-way, fails on demand."""
    call.context.report(1, 2, "half")
    n = arguments["n"]
    if not isinstance(n, int):
        raise BindingError(Kind.MISSING, f"{name}: no number", field="n")
    return Outcome({"n": 2 * n}, note="doubled" if n > 100 else None)


STEPS: tuple[dict[str, object], ...] = (
    {"tool": scalar("double"), "with": {"n": scalar("$n")}, "as": scalar("one")},
    {"tool": scalar("double"), "with": {"n": scalar("$one.n")}, "as": scalar("two")},
    {"value": [scalar("{{ one.n }}"), scalar("$two.n")], "as": scalar("both")},
)


def run(plan: StepsPlan, n: object, reports: list[object] | None = None) -> Outcome:
    def report(done: float, total: float | None, message: str | None) -> None:
        if reports is not None:
            reports.append((done, total, message))

    inline = {
        step.name: ValueBinding(step.inline)
        for step in plan.steps
        if isinstance(step.inline, ValuePlan)
    }
    arguments = {"n": n}
    context = replace(CONTEXT, report=report)
    call = Call("steps", arguments, context, Bench().scope(arguments), 1.0)
    return asyncio.run(StepsBinding(plan, double, inline).invoke(call))


def test_steps_see_the_results_before_them() -> None:
    assert run(plan_of(*STEPS), 1) == Outcome({"one": {"n": 2}, "two": {"n": 4}, "both": ["2", 4]})


def test_select_makes_the_result() -> None:
    assert run(plan_of(*STEPS, select="both[1]"), 1) == Outcome(4)


def test_notes_of_steps_are_kept_with_their_names() -> None:
    outcome = run(plan_of(*STEPS, select="both[1]"), 101)

    assert outcome == Outcome(404, note="step 'one': doubled\nstep 'two': doubled")


def test_progress_only_grows() -> None:
    reports: list[object] = []
    run(plan_of(*STEPS), 1, reports)
    assert reports == [
        (0, 3, "one"), (0.5, 3, "half"), (1, 3, "two"), (1.5, 3, "half"), (2, 3, "both"),
        (3, 3, None),
    ]  # fmt: skip


def test_failing_step_is_named_and_keeps_its_kind() -> None:
    with pytest.raises(BindingError) as caught:
        run(plan_of(*STEPS), "x")
    error = caught.value
    assert (str(error), error.kind, error.field) == (
        "step 'one': double: no number",
        Kind.MISSING,
        "n",
    )


def test_missing_item_between_steps_is_named() -> None:
    broken: dict[str, object] = {**STEPS[1], "with": {"n": scalar("$one.m")}}
    with pytest.raises(ToolError, match="step 'two': 'm' is missing"):
        run(plan_of(STEPS[0], broken), 1)


def test_cancellation_passes_through() -> None:
    async def cancelled() -> str:
        started = asyncio.Event()
        stopped: list[str] = []

        async def wait(_name: str, _arguments: dict[str, object], _call: Call) -> Outcome:
            started.set()
            try:
                return Outcome(await asyncio.get_running_loop().create_future())
            except asyncio.CancelledError:
                stopped.append("stopped")
                raise

        call = Call("steps", {"n": 1}, CONTEXT, Bench().scope({"n": 1}), 1.0)
        task = asyncio.create_task(StepsBinding(plan_of(STEPS[0]), wait).invoke(call))
        await started.wait()
        task.cancel()
        await asyncio.wait({task})
        return f"{stopped} {task.cancelled()}"

    assert asyncio.run(cancelled()) == "['stopped'] True"
