"""One mcp.yaml, served whole and asked over HTTP in either era; every message fits its schema."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from runner.app import catalog_of, check, open_application, state_keys
from runner.codec.json import encode
from runner.transport.http import HttpApp
from tests.wire.client import legacy_message, modern_headers, modern_message
from tests.wire.http_client import Connection, Response, run
from tests.wire.recording import LEGACY_SCHEMA, MODERN_SCHEMA
from tests.wire.recording import check as check_message

T = TypeVar("T")
HEAD = "mcp: 1\nserver: {name: offers, version: 1.0.0}\n"
Tree = Mapping[str, object]
LATEST_LEGACY = "2025-11-25"


class Whole:
    """A file that is being served."""

    def __init__(self, app: HttpApp, runner: asyncio.Runner) -> None:
        self.app = app
        self._runner = runner

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Runs it on the server's loop."""
        return self._runner.run(work)

    def ask(
        self,
        method: str,
        params: Tree | None = None,
        *,
        meta: Tree | None = None,
        path: str = "/mcp",
    ) -> dict[str, object]:
        """The response message to a modern request."""
        return self.run(self.asked(method, params, meta=meta, path=path))

    async def asked(
        self,
        method: str,
        params: Tree | None = None,
        *,
        meta: Tree | None = None,
        path: str = "/mcp",
    ) -> dict[str, object]:
        """The same, for several at once."""
        message = modern_message(method, params, meta=meta)
        headers = modern_headers(message)
        response = await run(self.app, Connection([encode(message)]), headers, path=path)
        return _last(response, MODERN_SCHEMA, method)

    def result(self, method: str, params: Tree | None = None, **rest: object) -> dict[str, object]:
        """The result of a modern request that must succeed."""
        message = self.ask(method, params, **rest)  # type: ignore[arg-type]  # as `ask`
        assert "result" in message, message
        return _object(message["result"])

    def error(self, method: str, params: Tree | None = None, **rest: object) -> dict[str, object]:
        """The error of a modern request that must fail."""
        message = self.ask(method, params, **rest)  # type: ignore[arg-type]  # as `ask`
        assert "error" in message, message
        return _object(message["error"])

    def legacy(
        self,
        method: str,
        params: Tree | None = None,
        *,
        version: str = LATEST_LEGACY,
        path: str = "/mcp",
    ) -> dict[str, object]:
        """The response message to a legacy request."""
        message = legacy_message(method, params)
        headers = {"MCP-Protocol-Version": version or None}
        connection = Connection([encode(message)])
        response = self.run(run(self.app, connection, headers, path=path))
        return _last(response, LEGACY_SCHEMA, method)

    def status(self, method: str, *, path: str, root_path: str = "") -> int:
        """The status of a legacy request, below a prefix."""
        connection = Connection([encode(legacy_message(method))])
        return self.run(run(self.app, connection, path=path, root_path=root_path)).status


def _last(response: Response, schema: str, method: str) -> dict[str, object]:
    for message in response.messages:
        check_message(message, schema, method)
    return response.messages[-1]


def _object(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value


@contextmanager
def serve(folder: Path, text: str, environment: Mapping[str, str] | None = None) -> Iterator[Whole]:
    """Serves a file, which has no fault; `text` lacks its first two lines."""
    path = folder / "mcp.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    with serve_file(path, environment) as served:
        yield served


@contextmanager
def serve_file(path: Path, environment: Mapping[str, str] | None = None) -> Iterator[Whole]:
    """Serves the file at a path, which has no fault."""
    checked = check(path, environment or {}, connects=True, makes=True)
    assert checked.diagnostics == (), checked.diagnostics
    catalog = catalog_of(checked)
    with asyncio.Runner() as runner:
        context = open_application(catalog, state_keys(catalog))
        app = runner.run(context.__aenter__())
        try:
            yield Whole(app, runner)
        finally:
            runner.run(context.__aexit__(None, None, None))


def faults(folder: Path, text: str) -> list[str]:
    """What is wrong with a file: `line:column code`."""
    path = folder / "mcp.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    found = check(path, {}).diagnostics
    return [f"{item.position.line}:{item.position.column} {item.code}" for item in found]
