"""The live side of `steps`: runs them in order, each seeing the results before it.

Knows neither tools nor bindings: how a tool is called, and the inline bindings, are passed in.
A cancellation passes through to the step that runs; time is the whole call's.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from runner.catalog.call import Binding, Call, CallContext, Outcome, drop_progress, whole
from runner.catalog.expressions import ABSENT
from runner.catalog.plans import Step, StepsPlan
from runner.catalog.schema import Arguments
from runner.errors import BindingError, CallError, ToolError
from runner.invocation.scope import ExtendedScope

CallTool = Callable[[str, Arguments, Call], Awaitable[Outcome]]
"""Calls a tool by name for the same caller.

Raises:
    CallError: the tool failed, its arguments do not fit, or the caller may not use it.
"""

_ALMOST = 0.99  # what a step reports of itself stays below what its end reports


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
        results: dict[str, object] = {}
        notes: list[str] = []
        total = len(self.plan.steps)
        scope = ExtendedScope(call.scope, results)
        for done, step in enumerate(self.plan.steps):
            call.context.report(done, total, step.name)
            context = _reporting_within(call.context, done, total)
            within = replace(call, scope=scope, context=context)
            try:
                outcome = await self._run(step, within, results)
            except CallError as error:
                raise _named(step, error) from error
            results[step.name] = outcome.value
            if outcome.note is not None:
                notes.append(f"step '{step.name}': {outcome.note}")
        call.context.report(total, total, None)
        select = self.plan.select
        value = results if select is None else select(results)
        return Outcome(value, note="\n".join(notes) or None)

    async def _run(self, step: Step, call: Call, results: Mapping[str, object]) -> Outcome:
        if step.tool is None:
            inside = replace(call, arguments={**call.arguments, **results})
            return whole(await self.inline[step.name].invoke(inside))
        arguments: Arguments = {}
        for name, tree in step.arguments.items():
            value = tree.build(call.scope)
            if value is not ABSENT:
                arguments[name] = value
        return await self.call_tool(step.tool, arguments, call)


def _reporting_within(context: CallContext, done: int, total: int) -> CallContext:
    """The context of one step: its progress is a part of the whole."""
    if context.report is drop_progress:
        return context

    def report(part: float, whole: float | None, message: str | None) -> None:
        if whole:
            context.report(done + min(max(part / whole, 0.0), _ALMOST), total, message)

    return replace(context, report=report)


def _named(step: Step, error: CallError) -> CallError:
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
