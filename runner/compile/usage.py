"""Which names a plan reads, so that only those hidden parameters are evaluated that are used."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from runner.catalog.expressions import Template, TreeTemplate
from runner.catalog.plans import HttpPlan, PythonPlan, Segment, StepsPlan, ToolPlan, ValuePlan
from runner.catalog.sql import SqlPlan
from runner.compile.sql.plan import used_parameters


def names_of(plan: ToolPlan, known: frozenset[str]) -> frozenset[str]:
    """The names of `known` that the plan reads; a callable that takes everything reads all."""
    match plan:
        case SqlPlan():
            return used_parameters(plan)
        case HttpPlan():
            return known & frozenset(_of_http(plan))
        case ValuePlan():
            return known & plan.tree.names
        case StepsPlan():
            return known & frozenset(_of_steps(plan, known))
        case PythonPlan():
            return known if plan.takes_arguments_whole else known & plan.accepts
        case _:
            assert_never(plan)


def _of_http(plan: HttpPlan) -> Iterator[str]:
    yield from (part.parameter for part in plan.path if isinstance(part, Segment))
    parts: list[TreeTemplate | Template | None] = [plan.body, plan.text]
    for trees in (plan.query, plan.headers, plan.form or {}):
        parts += trees.values()
    yield from _of(part for part in parts if part is not None)


def _of_steps(plan: StepsPlan, known: frozenset[str]) -> Iterator[str]:
    for step in plan.steps:
        yield from _of(step.arguments.values())
        if step.inline is not None:
            yield from names_of(step.inline, known)


def _of(parts: Iterable[TreeTemplate | Template]) -> Iterator[str]:
    for part in parts:
        yield from part.names
