"""What takes too long ends in the engine, not only at the client, and each end has its own word.

Elsewhere nothing had a time limit, a cancel reached only the server's side, waiting for a
connection was told as a slow query, and one stuck thread blocked all others.
"""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

import psycopg
import pymysql
import pytest

from tests.bindings.sql.lab import MARIADB, POSTGRES, mariadb_rows
from tests.cli.command import here
from tests.faults.sql.conftest import Serve
from tests.faults.sql.recorded import record
from tests.faults.sql.served import Answer, Server, Source, tool
from tests.wire.client import modern_message
from tests.wire.http_client import Connection
from tests.wire.recording import MODERN_SCHEMA
from tests.wire.recording import check as check_message

ENDLESS = (
    "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 2000000000)"
    " SELECT count(*) AS n FROM s"
)
COUNTING = "SELECT count(*) AS a FROM (VALUES (1)) AS t"
SLOW = tool("slow", ENDLESS)
ONE = tool("one", COUNTING, result={"shape": "value"})
WORDS = {"busy": "B", "timeout": "T", "unavailable": "U"}
BOUND_S = 5.0


class Engine:
    """What the engine works on, by its own word."""

    def __init__(self, source: Source, texts: list[str]) -> None:
        self._source = source
        self._texts = texts

    def running(self) -> list[int]:
        """The server's connections that work on an endless statement of this test."""
        if self._source.is_mariadb:
            found = mariadb_rows(
                "SELECT id FROM information_schema.processlist"
                f" WHERE db = '{self._source.schema}' AND info LIKE '%RECURSIVE%'"
            )
            return [int(str(connection)) for (connection,) in found]
        with psycopg.connect(POSTGRES) as connection:
            backends = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
                " AND state = 'active' AND query LIKE '%%RECURSIVE%%'",
                (self._source.schema,),
            )
            return [int(pid) for (pid,) in backends]

    def has_started(self) -> bool:
        """It works on an endless statement."""
        if self._source.is_embedded:
            return ENDLESS in self._texts
        return self.running() != []

    async def start(self) -> None:
        """Returns when it does."""
        async with asyncio.timeout(BOUND_S):
            while not await asyncio.to_thread(self.has_started):
                await asyncio.sleep(0)

    def is_idle(self) -> bool:
        """It works on none; an embedded database cannot be asked, but has one thread in these
        tests."""
        return self._source.is_embedded or self.running() == []


@pytest.fixture
def engine(source: Source, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Made before the file is served."""
    return Engine(source, record(monkeypatch))


def pool(source: Source, size: int = 1, wait: str = "2s") -> dict[str, object]:
    """The databases of a file, with few connections."""
    return {"main": {"url": source.url, "pool": {"size": size, "wait": wait}}}


@pytest.mark.parametrize("form", ["authored", "client's", "list", "function"])
def test_time_limit_stops_the_statement(
    source: Source, served: Serve, engine: Engine, form: str
) -> None:
    (source.folder / "code.py").write_text(
        "from runner import Database\n"
        f"async def run(db: Database) -> object:\n    return await db.query('{ENDLESS}')\n"
    )
    code = '{description: S., python: "code:run", writes: false, timeout: 300ms}'
    tools = {
        "authored": tool("slow", ENDLESS, timeout="300ms"),
        "client's": tool("slow", {"parameter": "q"}, input={"q": "string"}, timeout="300ms"),
        "list": tool("slow", ["SELECT 1 AS a", ENDLESS], timeout="300ms"),
        "function": f"  slow: {code}\n",
    }
    server = served(tools[form] + ONE, databases=pool(source))
    arguments: dict[str, object] = {"q": ENDLESS} if form == "client's" else {}
    begin = time.monotonic()

    refusal = server.refusal("slow", **arguments)

    assert "longer than" in refusal
    assert server.value("one") == 1
    assert time.monotonic() - begin < 2
    assert engine.is_idle()


def test_every_connection_is_usable_after_time_limits(
    source: Source, served: Serve, engine: Engine
) -> None:
    server = served(tool("slow", ENDLESS, timeout="100ms") + ONE, databases=pool(source, 2))

    async def all_at_once() -> list[Answer]:
        return await asyncio.gather(*(server.ask("slow", {}) for _ in range(2)))

    for _ in range(3):
        assert all(answer.is_error for answer in server.run(all_at_once()))
    assert [server.value("one") for _ in range(4)] == [1] * 4
    assert engine.is_idle()


def test_limit_of_the_file_holds_where_the_tool_has_none(served: Serve) -> None:
    server = served(SLOW + ONE, budgets={"timeout": "200ms"})
    begin = time.monotonic()

    assert "longer than" in server.refusal("slow")

    assert time.monotonic() - begin < 2


def test_file_without_limits_has_some_and_explain_tells_them(source: Source) -> None:
    other = "  other: {description: No SQL., value: 1}\n"
    (source.folder / "mcp.yaml").write_text(source.file(ONE + other))

    told = {name: explained(source, name)["budgets"] for name in ("one", "other")}

    limits = {"timeout": "30s", "result_bytes": 1024**2, "concurrency": 64}
    assert told == {"one": limits, "other": limits}


def explained(source: Source, name: str) -> dict[str, object]:
    """What the command tells of a call."""
    ended = here("explain", name, "--format", "json", folder=source.folder)
    assert ended.status == 0, ended.err
    told = json.loads(ended.out)
    assert isinstance(told, dict)
    return told


def test_leaving_client_stops_its_statement_within_a_second(
    source: Source, served: Serve, engine: Engine
) -> None:
    """The one connection answers the next call at once."""
    server = served(SLOW + ONE, databases=pool(source))

    async def leave() -> float:
        connection = Connection([])
        call = {"name": "slow", "arguments": {}}
        asked = asyncio.ensure_future(server.respond("tools/call", call, connection))
        await engine.start()
        begin = time.monotonic()
        connection.leaving.set()
        response = await asked
        assert response.body == b""
        assert (await server.ask("one", {})).structured == 1
        return time.monotonic() - begin

    assert server.run(leave()) < 1
    assert engine.is_idle()


def test_write_of_a_client_that_left_is_undone(
    source: Source, served: Serve, engine: Engine
) -> None:
    source.execute("CREATE TABLE t (n integer)")
    slow = tool("slow", ["INSERT INTO t VALUES (1)", ENDLESS], writes=True)
    server = served(slow + tool("count", "SELECT count(*) AS n FROM t", result={"shape": "value"}))

    async def leave() -> None:
        connection = Connection([])
        call = {"name": "slow", "arguments": {}}
        asked = asyncio.ensure_future(server.respond("tools/call", call, connection))
        await engine.start()
        connection.leaving.set()
        await asked

    server.run(leave())

    assert server.value("count") == 0
    assert engine.is_idle()


@pytest.fixture
def piped(source: Source) -> Iterator[subprocess.Popen[bytes]]:
    """The server in a process of its own, over standard input and output."""
    (source.folder / "mcp.yaml").write_text(source.file(SLOW + ONE, databases=pool(source)))
    program = "from runner.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--stdio"],
        cwd=source.folder,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield process
        process.kill()


def test_cancel_over_pipes_stops_the_statement(
    source: Source, piped: subprocess.Popen[bytes], engine: Engine
) -> None:
    """The cancelled call is never answered; the next one finds the one connection free."""
    say(piped, modern_message("tools/call", {"name": "one", "arguments": {}}, id_="first"))
    assert heard(piped)["id"] == "first"
    say(piped, modern_message("tools/call", {"name": "slow", "arguments": {}}, id_="slow"))
    if not source.is_embedded:
        asyncio.run(engine.start())
    begin = time.monotonic()
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": "slow"},
    }
    say(piped, cancel)
    say(piped, modern_message("tools/call", {"name": "one", "arguments": {}}, id_="last"))

    assert heard(piped)["id"] == "last"
    assert time.monotonic() - begin < 1
    assert engine.is_idle()


def say(process: subprocess.Popen[bytes], message: Mapping[str, object]) -> None:
    """Sends a line."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes]) -> dict[str, object]:
    """The next line."""
    assert process.stdout is not None
    message = json.loads(process.stdout.readline())
    check_message(message, MODERN_SCHEMA, "tools/call")
    assert isinstance(message, dict)
    return message


def beside_slow(server: Server, engine: Engine, tools: list[str]) -> list[Answer]:
    """The answers of `tools` while `slow` runs, which then is left."""

    async def ask() -> list[Answer]:
        connection = Connection([])
        call = {"name": "slow", "arguments": {}}
        slow = asyncio.ensure_future(server.respond("tools/call", call, connection))
        await engine.start()
        answers = await asyncio.gather(*(server.ask(name, {}) for name in tools))
        connection.leaving.set()
        await slow
        return answers

    return server.run(ask())


def test_waiting_for_a_connection_is_busy_and_never_slow(
    source: Source, served: Serve, engine: Engine
) -> None:
    worded = tool("worded", COUNTING, errors=WORDS)
    server = served(SLOW + ONE + worded, databases=pool(source, wait="100ms"))

    plain, with_words = beside_slow(server, engine, ["one", "worded"])

    assert (plain.is_error, plain.text) == (True, "the database is busy; try again in a moment")
    assert (with_words.is_error, with_words.text) == (True, "B")
    assert server.value("one") == 1


def test_time_limit_has_its_own_word(served: Serve) -> None:
    server = served(tool("slow", ENDLESS, timeout="100ms", errors=WORDS))

    assert server.refusal("slow") == "T"


@pytest.mark.engines(
    "postgresql", "mariadb", why="nobody else can stop a statement of an embedded database"
)
def test_stop_by_an_operator_is_no_time_limit(
    source: Source, served: Serve, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    command = "KILL QUERY {}" if source.is_mariadb else "SELECT pg_cancel_backend({})"
    server = served(tool("slow", ENDLESS, errors=WORDS))

    async def stop() -> Answer:
        asked = asyncio.ensure_future(server.ask("slow", {}))
        await engine.start()
        for pid in engine.running():
            source.rows(command.format(pid))
        return await asked

    answer = server.run(stop())

    assert (answer.is_error, answer.text) == (True, "the statement was stopped")
    code = "1317" if source.is_mariadb else "57014"
    assert f"tool slow failed: cancelled: {code}" in caplog.text


def test_database_that_is_away_has_its_own_word(source: Source, served: Serve) -> None:
    away = {
        "postgresql": "postgresql://a:b@127.0.0.1:1/x",
        "mariadb": "mariadb://a:b@127.0.0.1:1/x",
        "sqlite": "sqlite:///nowhere.db",
        "duckdb": "duckdb:///nowhere.db",
    }[source.engine]
    server = served(
        tool("find", "SELECT 1 AS a", database="away", errors=WORDS)
        + tool("plain", "SELECT 1 AS a", database="away"),
        databases={"main": {"url": source.url}, "away": {"url": away, "startup": "lazy"}},
    )

    assert server.refusal("find") == "U"
    assert server.refusal("plain") == "the database cannot be reached at present"


@contextmanager
def holding(source: Source) -> Iterator[None]:
    """Somebody else holds the lock that a change of `t` takes."""
    if source.is_mariadb:
        with pymysql.connect(**MARIADB, database=source.schema) as other:
            other.cursor().execute("LOCK TABLES t WRITE")
            yield
        return
    with closing(sqlite3.connect(source.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        yield
        writer.execute("ROLLBACK")


@pytest.mark.engines(
    "sqlite",
    "mariadb",
    why="PostgreSQL waits for locks until the time limit,"
    " DuckDB does not open a file that another process has",
)
def test_lock_of_another_process_is_busy(source: Source, served: Serve) -> None:
    source.execute("CREATE TABLE t (n integer)")
    add = tool("add", "INSERT INTO t VALUES (1)", writes=True, errors=WORDS)
    database: dict[str, object] = {"url": source.url, "pool": {"size": 2, "wait": "100ms"}}
    if source.is_mariadb:
        database["connect"] = ["SET SESSION lock_wait_timeout = 1"]
    server = served(add + ONE, databases={"main": database})

    with holding(source):
        assert server.refusal("add") == "B"
        assert server.value("one") == 1

    assert server.value("add") == 1


def test_hundred_calls_pass_a_slow_one(source: Source, served: Serve, engine: Engine) -> None:
    """Readers and writers, in SQLite over threads: no lock error, nobody waits for the slow one."""
    source.execute("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (0)")
    server = served(
        SLOW
        + tool("read", "SELECT count(*) AS a FROM t", result={"shape": "value"})
        + tool("add", "UPDATE t SET n = n + 1", writes=True)
        + tool("sum", "SELECT n FROM t", result={"shape": "value"})
    )

    answers = beside_slow(server, engine, ["read", "add"] * 50)

    assert [answer.structured for answer in answers] == [1] * 100
    assert server.value("sum") == 50
