"""Every statement of a catalog proven on engines that are passed in; tools get output schemas.

What was proven wins over what was guessed; what could not be proven has no derived output schema.
What steps refer to is held against it.
"""

from collections.abc import Mapping
from dataclasses import replace

from runner.catalog.catalog import Catalog
from runner.catalog.plans import Plan, StepsPlan
from runner.catalog.proving import Prover
from runner.catalog.schema import OutputSchema
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool
from runner.compile.addresses import ENGINES
from runner.compile.bindings import Provable
from runner.compile.catalog import Compiled, with_tools
from runner.compile.schemas.output import Form, OutputColumn, derived_output
from runner.compile.sql.prove import prove_sql
from runner.compile.tools import CompiledTool
from runner.compile.wiring import Wiring
from runner.compile.words import may_be_null


def prove_catalog(compiled: Compiled, provers: Mapping[str, Prover]) -> Catalog:
    """The catalog with proven plans; `provers` are by name of database, some may be missing.

    Raises:
        StartError: a database cannot be reached.
    """
    proven = {
        name: _prove(item, provers) for name, item in compiled.tools.items() if item.provables
    }
    catalog = with_tools(compiled, proven)
    texts = {
        name: [provable.sources for provable in item.provables]
        for name, item in compiled.tools.items()
    }
    Wiring(catalog.tools, compiled.specs, compiled.site / "tools", _derived, texts).check()
    return catalog


def _prove(item: CompiledTool, provers: Mapping[str, Prover]) -> Tool:
    plans = {id(provable.plan): _proven(provable, provers) for provable in item.provables}
    plan = _replaced(item.tool.plan, plans)
    return replace(item.tool, plan=plan, output=item.tool.output or _derived(item.tool, plan))


def _proven(provable: Provable, provers: Mapping[str, Prover]) -> SqlPlan:
    prover = provers.get(provable.plan.database)
    if prover is None:
        # The parser is slow to import, and needed only where no engine proves.
        from runner.compile.sql.syntax import warn_of_syntax  # noqa: PLC0415

        warn_of_syntax(provable.plan, provable.sources)
        return provable.plan
    return prove_sql(
        provable.plan, prover, sources=provable.sources, result_site=provable.result_site
    )


def _replaced(plan: Plan, plans: Mapping[int, SqlPlan]) -> Plan:
    """The plan with each SQL plan of it in its proven form."""
    match plan:
        case SqlPlan():
            return plans[id(plan)]
        case StepsPlan():
            steps = tuple(
                replace(step, inline=plans[id(step.inline)])
                if isinstance(step.inline, SqlPlan)
                else step
                for step in plan.steps
            )
            return replace(plan, steps=steps)
        case _:
            return plan


def _derived(tool: Tool, plan: Plan) -> OutputSchema | None:
    if not isinstance(plan, SqlPlan):
        return None
    if plan.shape != "affected" and plan.described is None:
        return None
    columns = [
        OutputColumn(
            column.name,
            "json" if column.name in plan.columns.json else column.type or None,
            column.nullable,
        )
        for column in plan.described or ()
    ]
    form = Form(
        plan.shape,
        paged=plan.page is not None,
        may_be_null=may_be_null(tool.errors),
        is_counted=plan.dialect in ENGINES,
    )
    return derived_output(columns, form, decimals=plan.columns.decimals)
