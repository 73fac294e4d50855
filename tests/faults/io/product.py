"""The whole product in a test's hands: files in a folder are checked, opened and asked.

Nothing is taken out of it: the file is read from disk, statements are proven on the real
engines, and every question goes through the transport as bytes.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, TypeVar

import psycopg

from runner.app import (
    catalog_of,
    check,
    open_application,
    open_invoker,
    protocols_of,
    serving_of,
    state_keys,
)
from runner.bindings.http import HttpBinding, open_api
from runner.bindings.http.client import Outside
from runner.catalog.catalog import Catalog
from runner.catalog.plans import HttpPlan
from runner.diagnostics import Diagnostic
from runner.invocation.call import Invoker
from runner.protocol.server import Protocol
from runner.transport.http import HttpApp
from tests.bindings.sql.lab import mariadb_database, mariadb_rows, postgres_schema
from tests.wire.client import modern_headers, modern_message
from tests.wire.http_client import Connection, Response, run

T = TypeVar("T")
HEAD = "mcp: 1\nserver: {name: shop, version: 1.0.0}\n"
PATIENCE_S = 20.0
"""The one bound of a wait for a process."""
Message = dict[str, object]
Files = Mapping[str, str | bytes]


class Block(TypedDict):
    """A text block of a result."""

    type: str
    text: str


class Result(TypedDict, total=False):
    """A result of `tools/call` as a client reads it."""

    content: list[Block]
    structuredContent: object
    isError: bool
    resultType: str
    _meta: Message


def write(folder: Path, body: str, files: Files | None = None, *, head: str = HEAD) -> Path:
    """Writes `mcp.yaml` and the other files; the path of the first."""
    for name, content in {"mcp.yaml": head + body, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / "mcp.yaml"


def faults_of(
    folder: Path, body: str, files: Files | None = None, *, head: str = HEAD, **environment: str
) -> Sequence[Diagnostic]:
    """Everything that `validate` says of a file."""
    return check(write(folder, body, files, head=head), environment).diagnostics


def told(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Place, code and message of each, as the command line prints them."""
    return [f"{item.position}: {item.code}: {item.message}" for item in diagnostics]


def catalog_in(
    folder: Path, body: str, files: Files | None = None, *, head: str = HEAD, **environment: str
) -> Catalog:
    """The catalog as `serve` has it; warnings are none of its business."""
    checked = check(write(folder, body, files, head=head), environment, connects=True)
    assert not checked.has_errors, told(checked.diagnostics)
    return catalog_of(checked)


class Product:
    """A served file; each question is a request over HTTP, in memory."""

    def __init__(self, catalog: Catalog, app: HttpApp, runner: asyncio.Runner) -> None:
        self.catalog = catalog
        self._app = app
        self._runner = runner
        self.said = b""
        """Everything that came back, bodies and headers."""

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str | None],
        *,
        method: str = "POST",
        path: str = "/mcp",
        **scope: object,
    ) -> Response:
        """The response to these bytes; `scope` as an ASGI server has it."""
        sent = run(self._app, Connection([body]), headers, method=method, path=path, **scope)
        response = self._runner.run(sent)
        self.said += repr(response.headers).encode() + response.body
        return response

    def ask(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Message:
        """The one message that answers a request of the modern era."""
        message = modern_message(method, params)
        response = self.post(
            json.dumps(message).encode(), {**modern_headers(message), **(headers or {})}
        )
        [answer] = response.messages
        return answer

    def tools(self) -> dict[str, Message]:
        """What `tools/list` says, by name."""
        result = self.ask("tools/list")["result"]
        assert isinstance(result, dict)
        return {tool["name"]: tool for tool in result["tools"]}

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> Result:
        """The result of a call; None leaves `arguments` out."""
        params: Message = {"name": tool}
        if arguments is not None:
            params["arguments"] = arguments
        result = self.ask("tools/call", params).get("result")
        assert isinstance(result, dict)
        return result  # type: ignore[return-value]  # held against the schema by the wire tests

    def value(self, tool: str, **arguments: object) -> object:
        """The structured content of a call that must succeed."""
        result = self.call(tool, arguments)
        assert not result.get("isError"), result["content"]
        return result["structuredContent"]

    def refusal(self, tool: str, **arguments: object) -> str:
        """The text of a call that must fail as a tool error."""
        result = self.call(tool, arguments)
        assert result.get("isError") is True, result
        assert "structuredContent" not in result
        [block] = result["content"]
        return block["text"]

    def in_loop(self, work: Callable[[HttpApp], Coroutine[object, object, T]]) -> T:
        """What `work` on the application gives, on the application's own loop."""
        return self._runner.run(work(self._app))


@contextlib.contextmanager
def served(
    folder: Path, body: str, files: Files | None = None, *, head: str = HEAD, **environment: str
) -> Iterator[Product]:
    """The file, served as `mcp-run serve` does, until the context ends."""
    catalog = catalog_in(folder, body, files, head=head, **environment)
    with opened(catalog, open_application(catalog, state_keys(catalog))) as product:
        yield product


@contextlib.contextmanager
def opened(
    catalog: Catalog, application: contextlib.AbstractAsyncContextManager[object]
) -> Iterator[Product]:
    """A product whose application is open while the context lasts."""
    with asyncio.Runner() as runner:
        app = runner.run(_entered(application))
        assert isinstance(app, HttpApp)
        try:
            yield Product(catalog, app, runner)
        finally:
            runner.run(_left(application))


async def _entered(context: contextlib.AbstractAsyncContextManager[object]) -> object:
    return await context.__aenter__()


async def _left(context: contextlib.AbstractAsyncContextManager[object]) -> None:
    await context.__aexit__(None, None, None)


@contextlib.asynccontextmanager
async def application_with(catalog: Catalog, outside: Outside) -> AsyncIterator[HttpApp]:
    """The application of HTTP tools whose clients see another world: names, certificates."""
    async with contextlib.AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(open_api(api, outside=outside))
            for name, api in catalog.apis.items()
        }
        bindings = {
            name: HttpBinding(tool.plan, clients[tool.plan.api])
            for name, tool in catalog.tools.items()
            if isinstance(tool.plan, HttpPlan)
        }
        invoker = Invoker(bindings, variables=catalog.vars, concurrency=8)
        yield HttpApp(serving_of(catalog, protocols_of(catalog, invoker, state_keys(catalog))))


@contextlib.contextmanager
def stdio_protocol(catalog: Catalog) -> Iterator[Protocol]:
    """The protocol that `serve --stdio` gives to its transport."""
    with asyncio.Runner() as runner:
        context = open_invoker(catalog, state_keys(catalog))
        invoker = runner.run(_entered(context))
        assert isinstance(invoker, Invoker)
        try:
            yield next(iter(protocols_of(catalog, invoker, state_keys(catalog)).values()))
        finally:
            runner.run(_left(context))


@contextlib.contextmanager
def database(engine: str, ddl: str) -> Iterator[tuple[str, Files]]:
    """The `databases:` section of an engine, and the files that it needs, for a schema `ddl`."""
    if engine in ("sqlite", "duckdb"):
        url = f"{engine}:///lab.db"
        yield (
            f'databases: {{lab: {{url: "{url}", create: {{schema: lab.sql}}}}}}\n',
            {"lab.sql": ddl},
        )
        return
    if engine == "mariadb":
        with mariadb_database() as url:
            for statement in filter(str.strip, ddl.split(";")):
                mariadb_rows(statement, database=url.rpartition("/")[2])
            yield f'databases: {{lab: {{url: "{url}"}}}}\n', {}
        return
    with postgres_schema() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(ddl.encode())
        yield f'databases: {{lab: {{url: "{url}"}}}}\n', {}


class Ran(TypedDict):
    """How a command ended."""

    status: int
    out: bytes
    err: bytes


def command(
    *arguments: str, folder: Path, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Ran:
    """`mcp-run` in a process of its own, in `folder`, with `environment` on top of ours."""
    done = subprocess.run(
        [sys.executable, "-c", "from runner.cli.main import main; main()", *arguments],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        timeout=PATIENCE_S,
        check=False,
    )
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}
