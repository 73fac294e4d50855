"""One mcp.yaml, served whole: read from a folder, proven on a real engine, asked over HTTP.

Every message is held against the published schema, every structured result against the output
schema that the tool lists.
"""

import asyncio
import json
import sqlite3
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb
import psycopg
from jsonschema import Draft202012Validator

from runner.app import Checked, catalog_of, check, open_application, state_keys
from runner.catalog.catalog import Catalog
from runner.codec.json import encode
from runner.transport.http import HttpApp
from tests.bindings.sql.lab import mariadb_database, mariadb_rows, postgres_schema
from tests.wire.client import modern_headers, modern_message
from tests.wire.http_client import Connection, Response, run
from tests.wire.recording import MODERN_SCHEMA
from tests.wire.recording import check as check_message

T = TypeVar("T")
Tree = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call as it came over the wire."""

    texts: Sequence[str]
    """Of the text blocks, in order."""
    structured: object
    """None where there is none, too."""
    is_error: bool

    @property
    def text(self) -> str:
        """Of the first block."""
        return self.texts[0]

    @property
    def rows(self) -> list[dict[str, object]]:
        """Those of the shape `rows`."""
        assert isinstance(self.structured, dict), self
        return [dict(row) for row in self.structured["rows"]]


@dataclass
class Source:
    """An empty database of one engine, and the folder of the file that uses it."""

    engine: str
    url: str
    folder: Path
    schema: str = ""
    """PostgreSQL: the schema, and the name of its backends; MariaDB: the database."""

    @property
    def is_postgres(self) -> bool:
        """The engine is PostgreSQL."""
        return self.engine == "postgresql"

    @property
    def is_sqlite(self) -> bool:
        """The engine is SQLite."""
        return self.engine == "sqlite"

    @property
    def is_duckdb(self) -> bool:
        """The engine is DuckDB."""
        return self.engine == "duckdb"

    @property
    def is_mariadb(self) -> bool:
        """The engine is MariaDB."""
        return self.engine == "mariadb"

    @property
    def is_embedded(self) -> bool:
        """The engine lives in the process that asks it."""
        return self.is_sqlite or self.is_duckdb

    @property
    def path(self) -> Path:
        """SQLite and DuckDB: the file."""
        return self.folder / "main.db"

    def execute(self, *texts: str) -> None:
        """Runs statements of the test itself; they are kept."""
        if self.is_postgres:
            with psycopg.connect(self.url, autocommit=True) as server:
                for text in texts:
                    server.execute(text.encode())
        elif self.is_duckdb:
            with duckdb.connect(self.path) as database:
                for text in texts:
                    database.execute(text)
        elif self.is_mariadb:
            for text in texts:
                mariadb_rows(text, database=self.schema)
        else:
            with closing(sqlite3.connect(self.path)) as connection, connection:
                for text in texts:
                    connection.execute(text)

    def rows(self, text: str) -> list[tuple[object, ...]]:
        """What a query of the test itself finds."""
        if self.is_postgres:
            with psycopg.connect(self.url) as server:
                return [tuple(row) for row in server.execute(text.encode())]
        if self.is_duckdb:
            with duckdb.connect(self.path) as database:
                return [tuple(row) for row in database.execute(text).fetchall()]
        if self.is_mariadb:
            return mariadb_rows(text, database=self.schema)
        with closing(sqlite3.connect(self.path)) as connection:
            return [tuple(row) for row in connection.execute(text)]

    def file(self, tools: str, **rest: object) -> str:
        """The text of an mcp.yaml: `tools` in YAML, `rest` as fields at the root."""
        whole = {
            "mcp": 1,
            "server": {"name": "faults", "version": "1.0.0"},
            "databases": {"main": {"url": self.url}},
            **rest,
        }
        head = "".join(f"{key}: {_flow(value)}\n" for key, value in whole.items())
        return f"{head}tools:\n{tools}"


def tool(name: str, sql: object, **fields: object) -> str:
    """One entry of `tools:`; a field's name may end in `_` where Python has the word."""
    entry = {"description": "A tool of a test.", "sql": sql}
    entry |= {key.rstrip("_"): value for key, value in fields.items()}
    return f"  {_flow(name)}: {_flow(entry)}\n"


def _flow(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class Server:
    """A file that is being served."""

    def __init__(self, catalog: Catalog, app: HttpApp, runner: asyncio.Runner) -> None:
        self.catalog = catalog
        self._app = app
        self._runner = runner
        self.listed = {str(item["name"]): item for item in self._list()}
        """The tools as listed, by name."""

    def _list(self) -> list[dict[str, object]]:
        """The tools of all pages."""
        found: list[dict[str, object]] = []
        params: Tree = {}
        while True:
            result = self.run(self._result("tools/list", params))
            tools = result["tools"]
            assert isinstance(tools, list)
            found += tools
            if "nextCursor" not in result:
                return found
            params = {"cursor": result["nextCursor"]}

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Runs it on the server's loop."""
        return self._runner.run(work)

    def call(self, name: str, /, **arguments: object) -> Answer:
        """The answer to one call."""
        return self.run(self.ask(name, arguments))

    def value(self, name: str, /, **arguments: object) -> object:
        """The structured result of a call that must succeed."""
        answer = self.call(name, **arguments)
        assert not answer.is_error, answer
        return answer.structured

    def refusal(self, name: str, /, **arguments: object) -> str:
        """The words of a call that must fail."""
        answer = self.call(name, **arguments)
        assert answer.is_error, answer
        assert answer.structured is None
        return answer.text

    async def ask(self, name: str, arguments: Tree) -> Answer:
        """The same as `call`, for several at once."""
        result = await self._result("tools/call", {"name": name, "arguments": dict(arguments)})
        structured = result.get("structuredContent")
        is_error = bool(result.get("isError", False))
        schema = self.listed[name].get("outputSchema")
        if isinstance(schema, dict) and not is_error:
            assert "structuredContent" in result
            validator = Draft202012Validator(
                schema, format_checker=Draft202012Validator.FORMAT_CHECKER
            )
            validator.validate(structured)
        content = result["content"]
        assert isinstance(content, list)
        return Answer([str(block["text"]) for block in content], structured, is_error)

    async def _result(self, method: str, params: Tree) -> dict[str, object]:
        response = await self.respond(method, params)
        [message] = response.messages
        check_message(message, MODERN_SCHEMA, method)
        result = message["result"]
        assert isinstance(result, dict), message
        return result

    async def respond(
        self, method: str, params: Tree, connection: Connection | None = None
    ) -> Response:
        """The response to one request; `connection` lets a test leave before it comes."""
        message = modern_message(method, params)
        connection = connection or Connection([])
        connection.chunks = [encode(message)]
        return await run(self._app, connection, modern_headers(message))


@contextmanager
def serve(
    folder: Path, text: str, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serves a file that must be without fault."""
    with opened(checked(folder, text, environment or {})) as server:
        yield server


@contextmanager
def opened(found: Checked) -> Iterator[Server]:
    """Serves a file that was checked, and must be without fault."""
    assert codes(found) == [], found.diagnostics
    catalog = catalog_of(found)
    with asyncio.Runner() as runner:
        context = open_application(catalog, state_keys(catalog))
        app = runner.run(context.__aenter__())
        assert isinstance(app, HttpApp)
        try:
            yield Server(catalog, app, runner)
        finally:
            runner.run(context.__aexit__(None, None, None))


def checked(
    folder: Path, text: str, environment: Mapping[str, str], *, connects: bool = True
) -> Checked:
    """The file compiled and proven, on the real engines or in memory."""
    path = folder / "mcp.yaml"
    path.write_text(text, "utf-8")
    return check(path, environment, connects=connects)


def codes(found: Checked) -> list[str]:
    """The codes of its errors, by position."""
    return [item.code for item in found.diagnostics if item.severity == "error"]


@contextmanager
def source_of(engine: str, folder: Path) -> Iterator[Source]:
    """A database with nothing in it; a server's is dropped at the end."""
    if engine == "sqlite":
        source = Source(engine, "sqlite:///main.db", folder)
        sqlite3.connect(source.path).close()
        yield source
        return
    if engine == "duckdb":
        source = Source(engine, "duckdb:///main.db", folder)
        source.execute()
        yield source
        return
    new = _database if engine == "mariadb" else _schema
    with new() as (url, schema):
        yield Source(engine, url, folder, schema)


@contextmanager
def _database() -> Iterator[tuple[str, str]]:
    with mariadb_database() as url:
        yield url, url.rpartition("/")[2]


@contextmanager
def _schema() -> Iterator[tuple[str, str]]:
    with postgres_schema() as url:
        yield url, url.rpartition("=")[2]
