"""A call explained: who calls, with what, within which limits, and what its plan would do."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from runner.catalog.call import Call, CallContext
from runner.catalog.caller import Caller
from runner.catalog.catalog import Catalog
from runner.catalog.expressions import ABSENT, Scope
from runner.catalog.plans import (
    DirectoryPlan,
    FilePlan,
    HttpPlan,
    ListingPlan,
    Plan,
    PythonPlan,
    Step,
    StepsPlan,
    StepsTransaction,
    ValuePlan,
)
from runner.catalog.schema import Arguments
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool
from runner.cli.explained.http import explain_http
from runner.cli.explained.shown import Exact, Shown, Situation, seconds, shown_value
from runner.cli.explained.sql import explain_sql, kind_of
from runner.cli.words import effect
from runner.errors import ToolError
from runner.invocation.scope import bind, extend


def explain_call(
    catalog: Catalog, tool: Tool, sent: Mapping[str, object], context: CallContext
) -> Shown:
    """What the call would do.

    Raises:
        CallError: it would end before anything runs: an argument does not fit, a rule is broken.
    """
    return {
        "tool": tool.name,
        "caller": _caller(context.caller),
        **_explained(catalog, tool, sent, context, asks=True),
    }


def _explained(
    catalog: Catalog,
    tool: Tool,
    sent: Mapping[str, object],
    context: CallContext,
    transaction: StepsTransaction | None = None,
    *,
    asks: bool = False,
) -> Shown:
    """`asks` where the user is asked what the tool says; within steps nobody is."""
    if asks:
        _require_asked(tool, sent)
    arguments = tool.input.check(sent)
    given = dict(arguments)
    scope = bind(tool, arguments, context, catalog.vars)
    for check in tool.checks:
        if not check.that.evaluate(scope):
            raise ToolError(check.otherwise.render(scope))
    call = Call(tool.name, arguments, context, scope, tool.timeout_s)
    hidden = {item.name: item.value.source for item in tool.binds}
    return {
        "effect": effect(tool),
        "arguments": {name: shown_value(value) for name, value in given.items()},
        "defaults": [name for name in given if name not in sent],
        "hidden": {
            name: {"value": shown_value(arguments.get(name)), "from": source}
            for name, source in hidden.items()
        },
        "checks": [check.that.source for check in tool.checks],
        **_allowed(tool),
        **(_confirmation(tool, scope) if asks else {}),
        "budgets": {
            **({} if transaction else {"timeout": seconds(tool.timeout_s)}),
            "result_bytes": tool.max_bytes,
            "concurrency": catalog.budgets.concurrency,
        },
        **explain_plan(tool.plan, Situation(catalog, call, hidden, transaction=transaction)),
    }


def _require_asked(tool: Tool, sent: Mapping[str, object]) -> None:
    """Returns where nobody has to be asked for a value.

    Raises:
        ToolError: the rest depends on what the user says.
    """
    if tool.ask is None:
        return
    missing = [name for name in tool.ask.required if sent.get(name) is None]
    if missing:
        raise ToolError(
            f"the user is asked for {', '.join(sorted(missing))} first, where the client can ask;"
            " give a value to see the rest"
        )


def _allowed(tool: Tool) -> Shown:
    """The parameters that are held to what a query gives, which explaining does not ask."""
    held = list(tool.input.allowed)
    return {"not checked here": {"enum_from": held}} if held else {}


def _confirmation(tool: Tool, scope: Scope) -> Shown:
    """What the user has to confirm first."""
    if tool.confirm is None:
        return {}
    shown = {} if tool.confirm.show is None else {"shows": tool.confirm.show.tool}
    return {"confirm": {"question": Exact(tool.confirm.text.render(scope)), **shown}}


def explain_plan(plan: Plan, situation: Situation) -> Shown:
    """The plan under the word that the file has for its kind."""
    match plan:
        case SqlPlan():
            return {"sql": explain_sql(plan, situation)}
        case HttpPlan():
            return {"http": explain_http(plan, situation)}
        case PythonPlan():
            return {"python": _python(plan, situation)}
        case StepsPlan():
            return {**_transaction(plan), "steps": _steps(plan, situation)}
        case _:
            return _without_source(plan, situation)


def _without_source(
    plan: ValuePlan | FilePlan | DirectoryPlan | ListingPlan, situation: Situation
) -> Shown:
    match plan:
        case ValuePlan():
            return {"value": _built(plan, situation)}
        case FilePlan():
            return {"file": plan.path}
        case DirectoryPlan() | ListingPlan():
            return {"directory": plan.root}
        case _:
            assert_never(plan)


def _caller(caller: Caller) -> Shown:
    return {
        "user_id": Exact(caller.user_id),
        "authenticated": caller.authenticated,
        "scopes": Exact(sorted(caller.scopes)),
    }


def _python(plan: PythonPlan, situation: Situation) -> Shown:
    arguments = situation.call.arguments
    taken = arguments.keys() if plan.takes_arguments_whole else arguments.keys() & plan.accepts
    injected = {
        name: f"{kind} {source}" if (source := plan.sources.get(name)) else kind
        for name, kind in plan.injected.items()
    }
    return {
        "callable": plan.reference,
        "runs": "on the event loop" if plan.is_async else "in a thread",
        "arguments": {
            name: shown_value(value) for name, value in arguments.items() if name in taken
        },
        **({"injected": injected} if injected else {}),
        **_pending((plan.accepts & situation.later) - set(plan.injected)),
    }


def _built(plan: ValuePlan, situation: Situation) -> object:
    if plan.tree.names & situation.later:
        return _pending(plan.tree.names & situation.later)
    return shown_value(plan.tree.build(situation.call.scope))


def _pending(names: frozenset[str] | set[str]) -> Shown:
    return {"depends on": sorted(names)} if names else {}


def _transaction(plan: StepsPlan) -> Shown:
    """What keeps the steps together, where something does."""
    found = plan.transaction
    if found is None:
        return {}
    return {"transaction": {"kind": kind_of(writes=found.writes), "database": found.database}}


def _steps(plan: StepsPlan, situation: Situation) -> list[Shown]:
    """Each step; what earlier steps give is not known before they run."""
    shown: list[Shown] = []
    later = situation.later
    for step in plan.steps:
        known = extend(situation.call.scope, **dict.fromkeys(later))
        within = replace(
            situation,
            call=replace(situation.call, scope=known),
            later=later,
            transaction=plan.transaction,
        )
        shown.append({"as": step.name, **_step(step, within)})
        later |= {step.name}
    return shown


def _step(step: Step, situation: Situation) -> Shown:
    if step.inline is not None:
        return explain_plan(step.inline, situation)
    tool = situation.catalog.tools[step.tool or ""]
    pending = {
        name: _pending(tree.names & situation.later)
        for name, tree in step.arguments.items()
        if tree.names & situation.later
    }
    arguments: Arguments = {}
    for name, tree in step.arguments.items():
        value = ABSENT if name in pending else tree.build(situation.call.scope)
        if value is not ABSENT:
            arguments[name] = value
    if pending:
        sent = {name: shown_value(value) for name, value in arguments.items()}
        return {"tool": tool.name, "effect": effect(tool), "arguments": {**sent, **pending}}
    return {
        "tool": tool.name,
        **_explained(
            situation.catalog, tool, arguments, situation.call.context, situation.transaction
        ),
    }
