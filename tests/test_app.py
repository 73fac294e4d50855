"""A file on disk becomes something that answers: every binding at work together, in memory."""

import asyncio
import socket
import sqlite3
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from runner.app import catalog_of, check, open_invoker, state_keys, utc_now
from runner.catalog.call import CallContext
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.codec.json import decode
from runner.errors import ConfigurationError

HEAD = "mcp: 1\nserver: {name: probe, version: 1.0.0}\n"
SHOP = """
databases: {shop: {url: "sqlite:///shop.db", create: {schema: schema.sql}}}
tools:
  add: {description: Adds., writes: true, input: {name: string}, python: "code:add"}
  peek: {description: Reads., writes: false, python: "code:peek"}
  try_add: {description: Tries to write., writes: false, python: "code:add"}
  both:
    description: Adds and lists.
    writes: true
    input: {name: string}
    steps:
      - {tool: add, with: {name: $name}, as: added}
      - {sql: SELECT count(*) AS n FROM items, as: counted}
    select: "{added: added, count: counted.rows[0].n}"
"""
CODE = '''
from runner import Context, Database

async def add(name: str, shop: Database) -> int:
    """Adds an item."""
    return await shop.execute("INSERT INTO items (name) VALUES (:name)", {"name": name})

def peek(context: Context) -> list[dict]:
    """Lists the items."""
    rows = context.database().query("SELECT name FROM items ORDER BY name").wait()
    return rows
'''


def project(folder: Path, text: str, **files: str) -> Path:
    """The root file of a project with these files."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(textwrap.dedent(content), encoding="utf-8")
    root = folder / "mcp.yaml"
    root.write_text(HEAD + text, encoding="utf-8")
    return root


def calls(root: Path, *wanted: tuple[str, dict[str, object]]) -> list[CallResult]:
    """The results of calls, one after the other, on one open server."""
    catalog = catalog_of(check(root, {}, connects=True))

    async def main() -> list[CallResult]:
        async with open_invoker(catalog, state_keys(catalog)) as invoker:
            return [
                await invoker.call_tool(catalog.tools[name], sent, CallContext(utc_now()))
                for name, sent in wanted
            ]

    return asyncio.run(main())


def value(result: CallResult) -> object:
    assert result.structured is not None, result
    return decode(result.structured)


def text(result: CallResult) -> str:
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return project(
        tmp_path, SHOP, code__py=CODE, schema__sql="CREATE TABLE items (name TEXT UNIQUE NOT NULL);"
    )


def test_functions_reach_the_database_with_the_rights_of_their_tool(shop: Path) -> None:
    added, listed, refused = calls(
        shop, ("add", {"name": "lamp"}), ("peek", {}), ("try_add", {"name": "rug", "shop": None})
    )
    assert (value(added), value(listed)) == (1, [{"name": "lamp"}])
    assert refused.is_error


def test_steps_join_tools_and_inline_bindings(shop: Path) -> None:
    [result] = calls(shop, ("both", {"name": "lamp"}))
    assert value(result) == {"added": 1, "count": 1}


def test_failing_step_is_named_and_the_kind_of_failure_kept(shop: Path) -> None:
    _, twice = calls(shop, ("both", {"name": "lamp"}), ("both", {"name": "lamp"}))
    assert twice.is_error
    assert text(twice).startswith("step 'added': ")


def test_result_that_its_return_hint_forbids_is_a_failure(tmp_path: Path) -> None:
    """Clients refuse what contradicts the listed output schema; Python holds no one to hints."""
    root = project(
        tmp_path,
        "tools: {lie: {python: 'code:lie', writes: false}}\n",
        code__py='def lie() -> int:\n    """Lies."""\n    return "text"\n',
    )
    [result] = calls(root, ("lie", {}))
    assert (result.is_error, text(result)) == (
        True,
        "the result does not fit the tool's output schema",
    )


def test_validating_opens_and_makes_nothing(shop: Path) -> None:
    before = sorted(path.name for path in shop.parent.rglob("*"))
    assert check(shop, {}).diagnostics == ()
    assert sorted(path.name for path in shop.parent.rglob("*")) == before


def test_database_is_made_once_with_its_schema(shop: Path) -> None:
    calls(shop, ("add", {"name": "lamp"}))
    calls(shop, ("add", {"name": "rug"}))
    with sqlite3.connect(shop.parent / "shop.db") as database:
        assert database.execute("SELECT name FROM items ORDER BY 1").fetchall() == [
            ("lamp",), ("rug",),
        ]  # fmt: skip
    database.close()


def test_file_with_faults_is_not_served(tmp_path: Path) -> None:
    root = project(tmp_path, "tools: {t: {valu: 1}}\n")
    with pytest.raises(ConfigurationError) as caught:
        catalog_of(check(root, {}))
    assert {item.code for item in caught.value.diagnostics} >= {"unknown-field"}


def test_missing_file_is_a_diagnostic(tmp_path: Path) -> None:
    checked = check(tmp_path / "mcp.yaml", {})
    assert (checked.catalog, [item.code for item in checked.diagnostics]) == (
        None,
        ["missing-file"],
    )


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def test_required_database_that_is_down_keeps_the_server_from_starting(tmp_path: Path) -> None:
    url = f"postgresql://user:hunter2@127.0.0.1:{free_port()}/none"
    root = project(tmp_path, f"databases: {{d: {{url: '{url}'}}}}\n")
    checked = check(root, {}, connects=True)
    [fault] = checked.diagnostics
    assert checked.has_errors
    assert fault.code == "database-unreachable"
    assert "'d'" in fault.message
    assert "hunter2" not in repr(fault)


def test_lazy_database_that_is_down_fails_its_own_tools_only(tmp_path: Path) -> None:
    url = f"postgresql://user:hunter2@127.0.0.1:{free_port()}/none"
    root = project(
        tmp_path,
        f"databases: {{d: {{url: '{url}', startup: lazy}}}}\n"
        "tools:\n"
        "  down: {description: Fails., sql: SELECT 1 AS a}\n"
        "  up: {description: Works., value: 7}\n",
    )
    down, up = calls(root, ("down", {}), ("up", {}))
    assert (down.is_error, value(up)) == (True, 7)
    assert "hunter2" not in text(down)


class Echo(BaseHTTPRequestHandler):
    """Answers with the path that was asked for."""

    def do_GET(self) -> None:
        body = f'{{"path": "{self.path}"}}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def upstream() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_functions_and_tools_reach_an_api_by_the_same_client(tmp_path: Path) -> None:
    code = '''
        from runner import Http

        async def fetch(word: str, api: Http) -> dict[str, str]:
            """Asks the API."""
            return await api.get("/b", query={"q": word})
    '''
    with upstream() as port:
        root = project(
            tmp_path,
            f"apis: {{api: {{url: 'http://127.0.0.1:{port}/v1', allow_private: true}}}}\n"
            "tools:\n"
            "  direct: {description: Asks., input: {word: string},"
            " http: {api: api, get: '/a/{word}'}}\n"
            "  code: {description: Asks., writes: false, python: 'asks:fetch'}\n",
            asks__py=code,
        )
        direct, coded = calls(root, ("direct", {"word": "x/y"}), ("code", {"word": "x y"}))
    assert value(direct) == {"path": "/v1/a/x%2Fy"}
    assert value(coded) == {"path": "/v1/b?q=x%20y"}


def test_lifespan_is_open_while_calls_run(tmp_path: Path) -> None:
    code = '''
        from contextlib import asynccontextmanager
        from runner import Context

        @asynccontextmanager
        async def lifespan():
            yield {"answer": 42}

        async def ask(context: Context) -> int:
            """Reads the state."""
            return context.lifespan["answer"]
    '''
    root = project(
        tmp_path,
        "lifespan: 'life:lifespan'\n"
        "tools: {ask: {description: Asks., writes: false, python: 'life:ask'}}\n",
        life__py=code,
    )
    [result] = calls(root, ("ask", {}))
    assert value(result) == 42
