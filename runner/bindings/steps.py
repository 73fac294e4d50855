"""The live side of `steps`: runs them in order, each seeing the results before it.

Knows neither tools nor bindings: how a tool is called, and the inline bindings, are passed in.
A cancellation passes through to the step that runs; time is the whole call's.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from runner.catalog.call import Binding, Call, CallContext, Outcome, drop_progress, whole
from runner.catalog.expressions import ABSENT, Scope
from runner.catalog.plans import Step, StepsPlan
from runner.catalog.schema import Arguments
from runner.errors import BindingError, CallError, ToolError
from runner.invocation.scope import ExtendedScope

CallTool = Callable[[str, Arguments, Call], Awaitable[Outcome]]
"""Calls a tool by name for the same caller.

Raises:
    CallError: the tool failed, its arguments do not fit, or the caller may not use it.
"""

CallWithin = Callable[[str, Arguments, Call, Callable[[Call], Outcome]], Outcome]
"""Calls a tool by name as a `CallTool` does, in the thread and in the transaction of the steps:
what runs the call, its arguments checked, is passed in. A failure is one, whatever the tool's words
make of it elsewhere.

Raises:
    CallError: as a `CallTool`.
"""


@dataclass(frozen=True, slots=True)
class Within:
    """How tools are called in a transaction."""

    ready: Callable[[str], Awaitable[None]]
    """Gets what the calls of a tool cannot wait for there; awaited before it begins."""
    call: CallWithin


_ALMOST = 0.99  # what a step reports of itself stays below what its end reports


@dataclass(slots=True)
class Results:
    """What the steps of one call gave so far."""

    plan: StepsPlan
    values: dict[str, object] = field(default_factory=dict)
    """By `as` name."""
    notes: list[str] = field(default_factory=list)

    def add(self, step: Step, outcome: Outcome) -> None:
        """Keeps what a step gave."""
        self.values[step.name] = outcome.value
        if outcome.note is not None:
            self.notes.append(f"step '{step.name}': {outcome.note}")

    def inline_call(self, call: Call) -> Call:
        """The call of an inline binding, whose values are the results too."""
        return replace(call, arguments={**call.arguments, **self.values})

    def outcome(self) -> Outcome:
        """The map of the results, or what `select` makes of it.

        Raises:
            CallError: `select` fails.
        """
        select = self.plan.select
        value = self.values if select is None else select(self.values)
        return Outcome(value, note="\n".join(self.notes) or None)


@dataclass(frozen=True, slots=True)
class StepsBinding:
    """Runs a plan of steps; `inline` holds the bindings of inline steps by step name."""

    keeps_time: ClassVar[bool] = False
    plan: StepsPlan
    call_tool: CallTool
    inline: Mapping[str, Binding] = field(default_factory=dict)

    async def invoke(self, call: Call) -> Outcome:
        """The map of the steps' results, or what `select` makes of it.

        Raises:
            CallError: a step failed; the text names it.
        """
        results = Results(self.plan)
        total = len(self.plan.steps)
        scope = ExtendedScope(call.scope, results.values)
        for done, step in enumerate(self.plan.steps):
            call.context.report(done, total, step.name)
            context = _reporting_within(call.context, done, total)
            within = replace(call, scope=scope, context=context)
            try:
                outcome = await self._run(step, within, results)
            except CallError as error:
                raise named(step, error) from error
            results.add(step, outcome)
        call.context.report(total, total, None)
        return results.outcome()

    async def _run(self, step: Step, call: Call, results: Results) -> Outcome:
        if step.tool is None:
            return whole(await self.inline[step.name].invoke(results.inline_call(call)))
        return await self.call_tool(step.tool, arguments_of(step, call.scope), call)


def arguments_of(step: Step, scope: Scope) -> Arguments:
    """What a step sends to its tool; what is absent is left out.

    Raises:
        ExpressionError: an item is missing.
    """
    arguments: Arguments = {}
    for name, tree in step.arguments.items():
        value = tree.build(scope)
        if value is not ABSENT:
            arguments[name] = value
    return arguments


def _reporting_within(context: CallContext, done: int, total: int) -> CallContext:
    """The context of one step: its progress is a part of the whole."""
    if context.report is drop_progress:
        return context

    def report(part: float, whole: float | None, message: str | None) -> None:
        if whole:
            context.report(done + min(max(part / whole, 0.0), _ALMOST), total, message)

    return replace(context, report=report)


def named(step: Step, error: CallError) -> CallError:
    """The same failure with the step's name; its kind stays, so that `errors:` finds its words."""
    text = f"step '{step.name}': {error}"
    if isinstance(error, BindingError):
        return BindingError(
            error.kind,
            text,
            field=error.field,
            status=error.status,
            response=error.response,
            reason=error.reason,
        )
    if isinstance(error, ToolError):
        return ToolError(text, code=error.code, details=error.details)
    return ToolError(text)
