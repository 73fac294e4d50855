"""The one place that wires: a file becomes a catalog, a catalog becomes something that answers.

check    read ▸ compile ▸ prove in memory, or on the real engines
open     databases ▸ bindings ▸ the function that calls a tool
serve    over HTTP or over standard input and output
"""

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from runner.auth.identity import everyone
from runner.bindings.handles import ReadStatement
from runner.bindings.provision import Outside, provision
from runner.bindings.python.loader import ProjectLoader
from runner.bindings.sql.create import is_to_be_made, leaves_memory
from runner.bindings.sql.database import SqlDatabase, memory_prover, open_databases
from runner.bindings.sql.engines import script_fault
from runner.bindings.steps import Within
from runner.catalog.call import Call, Outcome, ask_nobody
from runner.catalog.catalog import Catalog
from runner.catalog.listed import with_allowed
from runner.catalog.proving import Prover
from runner.catalog.resource import ResourceIndex
from runner.catalog.schema import Arguments
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.catalog.tasks import Tasks, TaskState
from runner.codec.seal import Seal
from runner.compile.catalog import Compiled, Material, compile_catalog, digest_of
from runner.compile.proof import prove_catalog
from runner.compile.site import Site, below
from runner.compile.sql.handle import read_statement
from runner.compile.sql.plan import SqlSurroundings
from runner.config.files import Disk
from runner.config.inputs import Inputs, Recorded
from runner.config.load import Loaded, load
from runner.config.nodes import Document, Scalar
from runner.diagnostics import Diagnostic, Faults
from runner.errors import BindingError, ConfigurationError, StartError
from runner.invocation.allowed import label
from runner.invocation.call import Invoker
from runner.invocation.completion import Completer
from runner.invocation.prompts import Prompter
from runner.invocation.read import Reader
from runner.protocol.backend import Backend
from runner.protocol.edition import Settings
from runner.protocol.listeners import Listeners
from runner.protocol.server import Protocol
from runner.protocol.tasks import members_of
from runner.reach import Reach
from runner.tasks.runtime import TaskRuntime, open_tasks
from runner.transport.http import HttpApp, Serving

ERROR_ID_BYTES = 6
STATE_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Checked:
    """A file as far as it was proven."""

    catalog: Catalog | None
    """None where so much is wrong that nothing could be compiled."""
    diagnostics: tuple[Diagnostic, ...]
    proven: frozenset[str] = frozenset()
    """The databases on which every statement was proven."""
    inputs: Inputs = field(default_factory=Inputs)
    """The files that it was read from."""

    @property
    def has_errors(self) -> bool:
        """It must not be served."""
        return any(item.severity == "error" for item in self.diagnostics)


def check(
    path: Path,
    environment: Mapping[str, str],
    *,
    imports: bool = True,
    connects: bool = False,
    makes: bool = False,
) -> Checked:
    """The file compiled and proven, with every fault of it.

    Without `connects` no socket and no existing database is opened: an embedded database with
    `create` is built in memory and proven there. With it, statements are proven on the real
    engines, in transactions that are rolled back; an embedded database that does not exist yet
    is made only if `makes` says so. `imports` loads the project's callables.

    A database that cannot be built or reached is a fault of its own; the rest is proven all the
    same.
    """
    inputs = Inputs()
    loaded = load(path.absolute(), environment, Recorded(Disk(), inputs))
    if loaded.spec is None or loaded.document is None:
        return Checked(None, loaded.diagnostics, inputs=inputs)
    faults = Faults()
    faults.add(*loaded.diagnostics)
    loader = ProjectLoader(loaded.folder) if imports else None
    if loader is not None:
        loader.__enter__()  # for good: the functions that are served import while they run
        inputs.modules = loader.files
    site = Site(loaded.document, faults)
    compiled = compile_catalog(loaded.spec, site, _material(loaded, loaded.document, loader))
    reached = _Reached(site / "databases", loaded.texts)
    if connects:
        catalog, proven = _proven_live(compiled, reached, makes=makes)
    else:
        catalog, proven = _proven_in_memory(compiled, reached)
    return Checked(catalog, faults.sorted(), proven, inputs)


def _material(loaded: Loaded, document: Document, loader: ProjectLoader | None) -> Material:
    texts = {name: scalar.text for name, scalar in loaded.texts.items()}
    sent = {name: hashlib.sha256(data).hexdigest() for name, data in loaded.data.items()}
    # How it listens says nothing of what is served: replicas differ in it, and keys are changed.
    spec = repr(loaded.spec.model_copy(update={"serve": None})) if loaded.spec else ""
    return Material(
        folder=str(loaded.folder),
        texts=loaded.texts,
        schemas=loaded.schemas,
        loader=loader,
        digest=digest_of({**sent, **texts, "spec": spec}),
        data=loaded.data,
    )


Proven = tuple[Catalog, frozenset[str]]
"""The catalog, and the databases on which it was proven."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """Reports the databases that no statement can be proven on."""

    site: Site
    texts: Mapping[str, Scalar]

    def report_schema(self, name: str, dialect: str, error: StartError) -> None:
        """The schema cannot be built: at the statement that fails, if one is known."""
        if error.field:
            self.report_unreachable(name, error)
            return
        place = self.site / name / "create" / "schema"
        node = place.document.find(place.path)
        script = self.texts.get(node.text) if isinstance(node, Scalar) else None
        fault = script_fault(script.text, dialect) if script is not None else None
        if script is None or fault is None:
            place.error("create-failed", str(error), hint=error.hint)
        else:
            message = f"the schema of database '{name}' cannot be built: {fault[1]}"
            place.error("create-failed", message, at=script.at(fault[0]))

    def report_unreachable(self, name: str, error: StartError) -> None:
        """The database cannot be opened; the error names its address, never a password."""
        if error.field:
            place = below(self.site / name, error.field)
            place.error("connect-refused", str(error), hint=error.hint)
            return
        (self.site / name / "url").error("database-unreachable", str(error), hint=error.hint)


def _proven_in_memory(compiled: Compiled, reached: _Reached) -> Proven:
    with contextlib.ExitStack() as stack:
        provers = _memory_provers(compiled.catalog.databases, reached, stack)
        return prove_catalog(compiled, provers), frozenset(provers)


def _memory_provers(
    databases: Mapping[str, Database], reached: _Reached, stack: contextlib.ExitStack
) -> dict[str, Prover]:
    """Provers on the databases that can be built in memory; open until `stack` ends."""
    provers: dict[str, Prover] = {}
    for name, database in databases.items():
        if database.create is None or leaves_memory(database):
            continue
        try:
            provers[name] = stack.enter_context(memory_prover(database))
        except StartError as error:
            reached.report_schema(name, database.dialect, error)
    return provers


def _proven_live(compiled: Compiled, reached: _Reached, *, makes: bool) -> Proven:
    databases = compiled.catalog.databases
    unmade = {name: item for name, item in databases.items() if not makes and is_to_be_made(item)}

    async def prove(provers: dict[str, Prover]) -> Proven:
        async with contextlib.AsyncExitStack() as stack:

            async def open_one(name: str, database: Database) -> None:
                opening = open_databases({name: database}, keys=[b"no cursor is made"])
                try:
                    opened = await stack.enter_async_context(opening)
                    provers.update(await _prover_of(opened[name], stack))
                except StartError as error:
                    reached.report_unreachable(name, error)

            # At once: those that do not answer are waited for together.
            asked = (pair for pair in databases.items() if not pair[1].is_lazy)
            await asyncio.gather(*(open_one(*pair) for pair in asked if pair[0] not in unmade))
            catalog = await asyncio.to_thread(prove_catalog, compiled, provers)
            return catalog, frozenset(provers)

    with contextlib.ExitStack() as stack:
        return asyncio.run(prove(_memory_provers(unmade, reached, stack)))


async def _prover_of(database: SqlDatabase, stack: contextlib.AsyncExitStack) -> dict[str, Prover]:
    """The prover of an open database, by its name; nothing where its engine does not prove."""
    if not database.proves:
        return {}
    return {database.database.name: await stack.enter_async_context(database.prover())}


def make_databases(catalog: Catalog) -> None:
    """Makes the embedded databases that do not exist yet, so that who is told of the server finds
    them there.

    Raises:
        StartError: one cannot be made.
    """
    unmade = {name: item for name, item in catalog.databases.items() if is_to_be_made(item)}

    async def make() -> None:
        async with open_databases(unmade, keys=[b"no cursor is made"]):
            pass

    if unmade:
        asyncio.run(make())


def catalog_of(checked: Checked) -> Catalog:
    """The catalog of a file that may be served.

    Raises:
        ConfigurationError: it has errors.
    """
    if checked.catalog is None or checked.has_errors:
        raise ConfigurationError(checked.diagnostics)
    return checked.catalog


def state_keys(catalog: Catalog, otherwise: Sequence[bytes] = ()) -> list[bytes]:
    """The keys that seal cursors, newest first.

    Where the file gives none they are `otherwise`; without these, one is made here.
    """
    keys = [key.reveal().encode() for key in catalog.listen.state_keys]
    return keys or list(otherwise) or [secrets.token_bytes(STATE_KEY_BYTES)]


def new_error_id() -> str:
    """What a client is told instead of an unexpected failure; the log has the same."""
    return secrets.token_hex(ERROR_ID_BYTES)


def utc_now() -> datetime:
    """The time of a request."""
    return datetime.now(UTC)


@contextlib.asynccontextmanager
async def open_invoker(catalog: Catalog, keys: list[bytes]) -> AsyncIterator[Invoker]:
    """What calls the tools of `catalog`, its databases and clients open until the context ends.

    Raises:
        StartError: a database that is not lazy cannot be reached, or `lifespan` fails.
    """
    async with (
        open_databases(catalog.databases, keys=keys) as databases,
        _open_invoker(catalog, databases) as invoker,
    ):
        yield invoker


@contextlib.asynccontextmanager
async def _open_invoker(
    catalog: Catalog, databases: Mapping[str, SqlDatabase]
) -> AsyncIterator[Invoker]:
    invokers: list[Invoker] = []

    async def call_step(name: str, arguments: Arguments, call: Call) -> Outcome:
        context = replace(call.context, ask=ask_nobody)  # a step's question would repeat others
        return await invokers[0].outcome_of(catalog.tools[name], arguments, context)

    async def ready_within(name: str) -> None:
        await invokers[0].ready_within(catalog.tools[name])

    def call_within(
        name: str, arguments: Arguments, call: Call, run: Callable[[Call], Outcome]
    ) -> Outcome:
        context = replace(call.context, ask=ask_nobody)
        return invokers[0].outcome_within(catalog.tools[name], arguments, context, run)

    within = Within(ready_within, call_within)
    outside = Outside(partial(_reader, catalog), new_error_id, call_step, within)
    async with provision(catalog, databases, outside) as bindings:
        invokers.append(
            Invoker(
                bindings,
                tools=catalog.tools,
                sources=catalog.sources,
                variables=catalog.vars,
                concurrency=catalog.budgets.concurrency,
            )
        )
        yield invokers[0]


def _reader(catalog: Catalog, database: str) -> ReadStatement:
    found: Database = catalog.databases[database]
    around = SqlSurroundings(
        found.name,
        found.dialect,
        {},
        may_write=False,
        max_rows=catalog.budgets.rows,
        max_bytes=catalog.budgets.response_body_bytes,
        compile_checks=lambda _specs, _site, _names: (),
    )

    def read(text: str, names: frozenset[str], writes: bool) -> SqlPlan:
        return read_statement(text, names, may_write=writes, around=around)

    return read


def protocols_of(
    catalog: Catalog,
    invoker: Invoker,
    keys: list[bytes],
    listeners: Listeners | None = None,
    *,
    keeps_session: bool = False,
    tasks: Tasks | None = None,
) -> Mapping[str, Protocol]:
    """The protocol of each endpoint, by path; `listeners` where it can change.

    What is listed has the allowed values that are known now.

    `keeps_session` where legacy clients have a process of their own.
    """
    reader, served = Reader(invoker), ResourceIndex(catalog.resources.values())
    catalog = with_allowed(catalog, invoker.allowed.known)
    backend = Backend(
        call_tool=invoker.call_tool,
        read_resource=reader.read,
        get_prompt=Prompter(reader, catalog.vars, served).get,
        complete=Completer(invoker, catalog.suggesters).complete,
        clock=utc_now,
        error_id=new_error_id,
        seal=Seal(keys),
        prepare_tool=invoker.prepare,
    )
    settings = Settings(log_level=catalog.listen.log_level, keeps_session=keeps_session)
    return {
        endpoint.path: Protocol(
            endpoint, catalog, backend, settings=settings, listeners=listeners, tasks=tasks
        )
        for endpoint in catalog.endpoints
    }


@dataclass(frozen=True, slots=True)
class Served:
    """What answers, with everything behind it open."""

    protocols: Mapping[str, Protocol]
    """By path."""
    renew: Callable[[], Mapping[str, Protocol]]
    """The same, made anew from the allowed values that are known then."""
    invoker: Invoker
    tasks: TaskRuntime | None
    """None: no tool runs as a task."""
    reaches: Callable[[], Mapping[str, Reach]]
    """How each database was reached last, by name."""


@contextlib.asynccontextmanager
async def open_served(
    catalog: Catalog,
    keys: list[bytes],
    listeners: Listeners | None = None,
    *,
    keeps_session: bool = False,
) -> AsyncIterator[Served]:
    """The protocols of `catalog`, its tasks run and followed until the context ends.

    Raises:
        StartError: as `open_invoker`, or the store of tasks cannot be opened.
    """
    async with contextlib.AsyncExitStack() as stack:
        opening_databases = open_databases(catalog.databases, keys=keys)
        databases = await stack.enter_async_context(opening_databases)
        invoker = await stack.enter_async_context(_open_invoker(catalog, databases))
        await read_allowed(catalog, invoker)
        tasks: TaskRuntime | None = None
        if catalog.tasks is not None:
            # Half of the places at most: what is answered at once finds one too.
            places = max(1, catalog.budgets.concurrency // 2)
            opening = open_tasks(catalog.tasks, clock=utc_now, places=places)
            # Nothing is awaited from here to `wire_tasks`: what is taken before it would fail.
            tasks = await stack.enter_async_context(opening)

        def make() -> Mapping[str, Protocol]:
            protocols = protocols_of(
                catalog, invoker, keys, listeners, keeps_session=keeps_session, tasks=tasks
            )
            if tasks is not None:
                wire_tasks(tasks, protocols, listeners)
            return protocols

        yield Served(make(), make, invoker, tasks, partial(_reaches, databases))


async def read_allowed(catalog: Catalog, invoker: Invoker) -> None:
    """Reads the allowed values of every parameter, so that they are listed from the start.

    Raises:
        StartError: some cannot be read, of a database that is not lazy.
    """
    for name, source in catalog.sources.items():
        try:
            await invoker.allowed.values(name)
        except BindingError as error:
            plan = source.tool.plan
            if isinstance(plan, SqlPlan) and catalog.databases[plan.database].is_lazy:
                continue  # it is logged, and tried again
            message = f"the values of {label(name)} cannot be read: {error.reason or error}"
            raise StartError(message) from error


def _reaches(databases: Mapping[str, SqlDatabase]) -> Mapping[str, Reach]:
    return {name: database.reach for name, database in databases.items()}


def wire_tasks(
    tasks: TaskRuntime, protocols: Mapping[str, Protocol], listeners: Listeners | None
) -> None:
    """Lets tasks be run by the protocols, and told to who listens."""
    performers = {path: found.perform for path, found in protocols.items()}
    tasks.performers = {path: run for path, run in performers.items() if run is not None}
    if listeners is not None:
        tasks.watched = partial(listeners.tasks, tasks.performers.keys())
        tasks.tell = partial(_tell_of_task, listeners)


def _tell_of_task(listeners: Listeners, state: TaskState) -> None:
    listeners.task_changed(state.id, state.revision, members_of(state))


@contextlib.asynccontextmanager
async def open_application(catalog: Catalog, keys: list[bytes]) -> AsyncIterator[HttpApp]:
    """The ASGI application of `catalog`, with everything behind it open.

    Raises:
        StartError: as `open_invoker`.
    """
    async with open_served(catalog, keys) as served:
        yield HttpApp(serving_of(catalog, served.protocols))


def serving_of(catalog: Catalog, protocols: Mapping[str, Protocol]) -> Serving:
    """What answers over HTTP, and whom."""
    return Serving(
        protocols,
        catalog.listen,
        everyone(catalog.identities),
        max_body_bytes=catalog.budgets.request_body_bytes,
    )
