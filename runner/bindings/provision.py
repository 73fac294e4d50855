"""From the catalog to live bindings: pools, clients and functions, opened and closed together."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, assert_never

from runner.bindings.files import DirectoryBinding, FileBinding
from runner.bindings.handles import DatabaseHandle, ReadStatement
from runner.bindings.python.binding import PythonBinding
from runner.bindings.python.lifespan import open_lifespan
from runner.bindings.python.services import HttpSource, PythonServices
from runner.bindings.python.threads import open_threads
from runner.bindings.sql.database import SqlDatabase
from runner.bindings.sql.steps_transaction import RunStep
from runner.bindings.steps import CallTool, StepsBinding, Within
from runner.bindings.value import ValueBinding
from runner.bindings.walk import ListingBinding
from runner.catalog.call import Binding
from runner.catalog.catalog import Catalog
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
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool


@dataclass(frozen=True, slots=True)
class Outside:
    """What provisioning takes from outside."""

    read_statement: Callable[[str], ReadStatement]
    """For a database by name: reads the statements that Python functions run on it."""
    error_id: Callable[[], str]
    """A new id for each unexpected failure."""
    call_tool: CallTool
    """Calls a tool for a step."""
    within: Within
    """The same in a transaction."""


class OpenApi(HttpSource, Protocol):
    """An API as tools and functions need it."""

    def binding(self, plan: HttpPlan) -> Binding:
        """The live runner of a plan of this API."""


@dataclass(frozen=True, slots=True)
class _Live:
    databases: Mapping[str, SqlDatabase]
    apis: Mapping[str, OpenApi]
    python: PythonServices | None
    outside: Outside
    tools: Mapping[str, Tool]
    """Those that a step may call."""

    def binding(self, plan: Plan, tool: Tool) -> Binding:
        """The live runner of a plan of `tool`."""
        match plan:
            case SqlPlan():
                return self.databases[plan.database].binding(plan, tool.name, errors=tool.errors)
            case HttpPlan():
                return self.apis[plan.api].binding(plan)
            case PythonPlan():
                assert self.python is not None  # opened because such a plan exists
                return PythonBinding(plan, self.python)
            case StepsPlan():
                return self._steps(plan, tool)
            case _:
                return _without_source(plan, tool)

    def _steps(self, plan: StepsPlan, tool: Tool) -> Binding:
        if plan.transaction is not None:
            return self._transaction(plan, plan.transaction, tool)
        inline = {
            step.name: self.binding(step.inline, tool)
            for step in plan.steps
            if step.inline is not None
        }
        return StepsBinding(plan, self.outside.call_tool, inline)

    def _transaction(self, plan: StepsPlan, transaction: StepsTransaction, tool: Tool) -> Binding:
        database = self.databases[transaction.database]

        def runner(step: Step) -> RunStep:
            owner = tool if step.tool is None else self.tools[step.tool]
            run = owner.plan if step.inline is None else step.inline
            if isinstance(run, SqlPlan):
                return database.step(run, owner.name, errors=owner.errors)
            assert isinstance(run, ValuePlan)  # compile lets nothing else in
            binding = ValueBinding(run)
            return lambda _session, call: binding.outcome(call)

        return database.transaction(
            plan,
            {step.name: runner(step) for step in plan.steps},
            writes=transaction.writes,
            within=self.outside.within,
        )


def _without_source(
    plan: ValuePlan | FilePlan | DirectoryPlan | ListingPlan, tool: Tool
) -> Binding:
    """The live runner of a plan that needs nothing open."""
    match plan:
        case ValuePlan():
            return ValueBinding(plan)
        case FilePlan():
            return FileBinding(plan, tool.max_bytes)
        case DirectoryPlan():
            return DirectoryBinding(plan, tool.max_bytes)
        case ListingPlan():
            return ListingBinding(plan)
        case _:
            assert_never(plan)


@contextlib.asynccontextmanager
async def provision(
    catalog: Catalog, databases: Mapping[str, SqlDatabase], outside: Outside
) -> AsyncIterator[Mapping[str, Binding]]:
    """The bindings of everything that is run, by name, live until the context ends.

    Raises:
        StartError: the file's `lifespan` fails.
    """
    async with contextlib.AsyncExitStack() as stack:
        apis = await _open_apis(catalog, stack)
        python = None
        run = catalog.runnable
        if any(_runs_python(tool.plan) for tool in run.values()):
            python = await stack.enter_async_context(_services(catalog, databases, apis, outside))
        live = _Live(databases, apis, python, outside, catalog.tools)
        yield {name: live.binding(tool.plan, tool) for name, tool in run.items()}


async def _open_apis(catalog: Catalog, stack: contextlib.AsyncExitStack) -> Mapping[str, OpenApi]:
    if not catalog.apis:
        return {}
    # The HTTP client is a good part of the time to the first answer; most servers have no API.
    from runner.bindings.http.provision import open_apis  # noqa: PLC0415

    max_bytes = catalog.budgets.response_body_bytes
    return await stack.enter_async_context(open_apis(catalog.apis, max_bytes=max_bytes))


@contextlib.asynccontextmanager
async def _services(
    catalog: Catalog,
    databases: Mapping[str, SqlDatabase],
    apis: Mapping[str, HttpSource],
    outside: Outside,
) -> AsyncIterator[PythonServices]:
    async with contextlib.AsyncExitStack() as stack:
        lifespan: object = None
        if catalog.lifespan is not None:
            lifespan = await stack.enter_async_context(open_lifespan(catalog.lifespan))
        yield PythonServices(
            threads=stack.enter_context(open_threads(catalog.budgets.concurrency)),
            error_id=outside.error_id,
            databases={
                name: DatabaseHandle(database, outside.read_statement(name))
                for name, database in databases.items()
            },
            apis=apis,
            vars=catalog.vars,
            lifespan=lifespan,
        )


def _runs_python(plan: Plan) -> bool:
    match plan:
        case PythonPlan():
            return True
        case StepsPlan():
            return any(isinstance(step.inline, PythonPlan) for step in plan.steps)
        case _:
            return False
