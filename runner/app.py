"""The one place that wires: a file becomes a catalog, a catalog becomes something that answers.

check    read ▸ compile ▸ prove in memory, or on the real engines
open     databases ▸ bindings ▸ the function that calls a tool
serve    over HTTP or over standard input and output
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from runner.bindings.handles import ReadStatement
from runner.bindings.provision import Outside, provision
from runner.bindings.python.loader import ProjectLoader
from runner.bindings.sql.database import memory_prover, open_databases
from runner.catalog.call import Call
from runner.catalog.catalog import Catalog
from runner.catalog.proving import Prover
from runner.catalog.schema import Arguments
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.compile.catalog import Compiled, Material, compile_catalog, digest_of
from runner.compile.proof import prove_catalog
from runner.compile.site import Site
from runner.compile.sql.handle import read_statement
from runner.compile.sql.plan import SqlSurroundings
from runner.config.files import Disk
from runner.config.load import Loaded, load
from runner.config.nodes import Document
from runner.diagnostics import Diagnostic, Faults
from runner.errors import ConfigurationError
from runner.invocation.call import Invoker
from runner.protocol.server import Protocol
from runner.transport.http import HttpApp
from runner.transport.identify import everyone

ERROR_ID_BYTES = 6
STATE_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Checked:
    """A file as far as it was proven."""

    catalog: Catalog | None
    """None where so much is wrong that nothing could be compiled."""
    diagnostics: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        """It must not be served."""
        return any(item.severity == "error" for item in self.diagnostics)


def check(
    path: Path, environment: Mapping[str, str], *, imports: bool = True, connects: bool = False
) -> Checked:
    """The file compiled and proven, with every fault of it.

    Without `connects` no socket and no existing database is opened: an embedded database with
    `create` is built in memory and proven there. With it, statements are proven on the real
    engines, in transactions that are rolled back. `imports` loads the project's callables.

    Raises:
        StartError: with `connects`, a database that is not lazy cannot be reached.
    """
    loaded = load(path.absolute(), environment, Disk())
    if loaded.spec is None or loaded.document is None:
        return Checked(None, loaded.diagnostics)
    faults = Faults()
    faults.add(*loaded.diagnostics)
    loader = ProjectLoader(loaded.folder) if imports else None
    if loader is not None:
        loader.__enter__()
    site = Site(loaded.document, faults)
    compiled = compile_catalog(loaded.spec, site, _material(loaded, loaded.document, loader))
    catalog = _proven_live(compiled) if connects else _proven_in_memory(compiled)
    return Checked(catalog, faults.sorted())


def _material(loaded: Loaded, document: Document, loader: ProjectLoader | None) -> Material:
    texts = {name: scalar.text for name, scalar in loaded.texts.items()}
    return Material(
        folder=str(loaded.folder),
        texts=loaded.texts,
        schemas=loaded.schemas,
        loader=loader,
        digest=digest_of({**texts, "spec": repr(loaded.spec)}),
    )


def _proven_in_memory(compiled: Compiled) -> Catalog:
    with contextlib.ExitStack() as stack:
        provers: dict[str, Prover] = {
            name: stack.enter_context(memory_prover(database))
            for name, database in compiled.catalog.databases.items()
            if database.create is not None
        }
        return prove_catalog(compiled, provers)


def _proven_live(compiled: Compiled) -> Catalog:
    async def prove() -> Catalog:
        eager = {
            name: database
            for name, database in compiled.catalog.databases.items()
            if not database.is_lazy
        }
        async with (
            open_databases(eager, keys=[b"no cursor is made"]) as databases,
            contextlib.AsyncExitStack() as stack,
        ):
            provers = {
                name: await stack.enter_async_context(database.prover())
                for name, database in databases.items()
            }
            return await asyncio.to_thread(prove_catalog, compiled, provers)

    return asyncio.run(prove())


def catalog_of(checked: Checked) -> Catalog:
    """The catalog of a file that may be served.

    Raises:
        ConfigurationError: it has errors.
    """
    if checked.catalog is None or checked.has_errors:
        raise ConfigurationError(checked.diagnostics)
    return checked.catalog


def state_keys(catalog: Catalog) -> list[bytes]:
    """The keys that seal cursors, newest first; made here where the file gives none."""
    keys = [key.reveal().encode() for key in catalog.listen.state_keys]
    return keys or [secrets.token_bytes(STATE_KEY_BYTES)]


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
    async with open_databases(catalog.databases, keys=keys) as databases:
        invokers: list[Invoker] = []

        async def call_step(name: str, arguments: Arguments, call: Call) -> object:
            return await invokers[0].value_of(catalog.tools[name], arguments, call.context)

        outside = Outside(partial(_reader, catalog), new_error_id, call_step)
        async with provision(catalog, databases, outside) as bindings:
            invokers.append(
                Invoker(
                    bindings,
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


def protocols_of(catalog: Catalog, invoker: Invoker) -> Mapping[str, Protocol]:
    """The protocol of each endpoint, by path."""
    return {
        endpoint.path: Protocol(
            endpoint, catalog, call_tool=invoker.call_tool, clock=utc_now, error_id=new_error_id
        )
        for endpoint in catalog.endpoints
    }


@contextlib.asynccontextmanager
async def open_application(catalog: Catalog, keys: list[bytes]) -> AsyncIterator[HttpApp]:
    """The ASGI application of `catalog`, with everything behind it open.

    Raises:
        StartError: as `open_invoker`.
    """
    async with open_invoker(catalog, keys) as invoker:
        yield HttpApp(
            protocols_of(catalog, invoker),
            catalog.listen,
            everyone(catalog.identities),
            max_body_bytes=catalog.budgets.request_body_bytes,
        )
