"""Databases that break, are away or are slow to come: the others work, and the password is safe.

Elsewhere every call failed after an idle close until a restart, one database that was down kept
the server from starting, connection errors said nothing or too much, and prepared statements met
behind a pooler.
"""

import asyncio
import logging
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests.bindings.sql.lab import POSTGRES, mariadb_rows
from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import (
    Source,
    checked,
    codes,
    serve,
    source_of,
    tool,
)
from tests.requirements import requirement

PASSWORD = "p@ss:w/rd?#%&é +s3cret"
QUOTED = "p%40ss%3Aw%2Frd%3F%23%25%26%C3%A9%20%2Bs3cret"
ONE = tool("one", "SELECT 1 AS a", result={"shape": "value"})


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[Source]:
    """A table of one row."""
    with source_of("postgresql", tmp_path) as source:
        source.execute("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (0)")
        yield source


LOSES_CONNECTIONS = pytest.mark.engines(
    "postgresql", "mariadb", why="an embedded database has no connection to lose"
)


@pytest.fixture
def remote(source: Source) -> Source:
    """A table of one row, on a server."""
    source.execute("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (0)")
    return source


def kill_backends(source: Source) -> int:
    """Ends every connection of this test's server; how many there were."""
    if source.is_mariadb:
        found_there = mariadb_rows(
            f"SELECT id FROM information_schema.processlist WHERE db = '{source.schema}'"
        )
        for (connection,) in found_there:
            mariadb_rows(f"KILL {connection}")
        return len(found_there)
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = %s AND pid <> pg_backend_pid()",
            (source.schema,),
        ).fetchall()
    return len(found)


@LOSES_CONNECTIONS
def test_reads_survive_the_loss_of_every_connection(remote: Source) -> None:
    read = tool("read", "SELECT n FROM t", result={"shape": "value"})
    page = tool("list", ["SELECT n FROM t", "SELECT n + 1 AS n FROM t"], result={"shape": "value"})
    query = tool("query", {"parameter": "q"}, input={"q": "string"}, result={"shape": "value"})

    with serve(remote.folder, remote.file(read + page + query)) as server:
        for _ in range(3):
            for _ in range(20):
                server.value("read")
            assert kill_backends(remote) >= 1
            assert [server.value("read") for _ in range(10)] == [0] * 10
            kill_backends(remote)
            assert [server.value("list") for _ in range(10)] == [1] * 10
            kill_backends(remote)
            assert [server.value("query", q="SELECT n FROM t") for _ in range(10)] == [0] * 10


@LOSES_CONNECTIONS
def test_write_on_a_lost_connection_fails_and_is_never_done_twice(remote: Source) -> None:
    add = tool("add", "UPDATE t SET n = n + 1", writes=True)
    databases = {"main": {"url": remote.url, "pool": {"size": 1}}}

    with serve(remote.folder, remote.file(add, databases=databases)) as server:
        assert server.value("add") == 1
        assert kill_backends(remote) >= 1

        assert server.refusal("add") == "the database cannot be reached at present"
        assert server.value("add") == 1

    assert remote.rows("SELECT n FROM t") == [(2,)]


@LOSES_CONNECTIONS
def test_connection_that_is_lost_during_a_call_gives_no_half_result(remote: Source) -> None:
    slow = "SELECT n, sleep(30) FROM t" if remote.is_mariadb else "SELECT n, pg_sleep(30) FROM t"
    with serve(remote.folder, remote.file(tool("slow", slow) + ONE)) as server:

        async def lose() -> str:
            asked = asyncio.ensure_future(server.ask("slow", {}))
            async with asyncio.timeout(5):
                for _ in range(2):  # the read is tried once more
                    while not await asyncio.to_thread(sleeping, remote):
                        await asyncio.sleep(0)
                    await asyncio.to_thread(kill_backends, remote)
                return (await asked).text

        assert server.run(lose()) == "the database cannot be reached at present"
        assert server.value("one") == 1


def sleeping(source: Source) -> bool:
    """A backend of this test sleeps in its statement."""
    if source.is_mariadb:
        state = "SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep'"
        return mariadb_rows(f"{state} AND db = '{source.schema}'") != []
    with psycopg.connect(POSTGRES) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND wait_event = 'PgSleep'",
            (source.schema,),
        ).fetchone()
    return found is not None


def test_lazy_database_that_is_down_leaves_the_others_alone(source: Source, served: Serve) -> None:
    server = served(
        ONE.replace('"sql"', '"database": "main", "sql"')
        + tool("away", "SELECT 1 AS a", database="away")
        + tool("lost", "SELECT 1 AS a", database="lost"),
        databases={
            "main": {"url": source.url},
            "away": {"url": "postgresql://a@127.0.0.1:1/x", "startup": "lazy"},
            "lost": {"url": "sqlite:///not-yet.db", "startup": "lazy"},
        },
    )

    for _ in range(3):
        assert server.value("one") == 1
        assert server.refusal("away") == "the database cannot be reached at present"
        assert server.refusal("lost") == "the database cannot be reached at present"


@contextmanager
def absent(source: Source) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a database that does not exist, and what makes it, with a table of one row."""
    rows = ("CREATE TABLE t (n integer)", "INSERT INTO t VALUES (5)")
    if source.is_postgres:
        url = POSTGRES.replace("/test", f"/{source.schema}")

        def make() -> None:
            source.execute(f"CREATE DATABASE {source.schema}")
            replace(source, url=url).execute(*rows)

        try:
            yield url, make
        finally:
            source.execute(f"DROP DATABASE IF EXISTS {source.schema} WITH (FORCE)")
        return
    if source.is_mariadb:
        mariadb_rows(f"DROP DATABASE {source.schema}")
    else:
        source.path.unlink()

    def make_again() -> None:
        if source.is_mariadb:
            mariadb_rows(f"CREATE DATABASE {source.schema}")
        source.execute(*rows)

    yield source.url, make_again


def test_lazy_database_is_used_as_soon_as_it_is_there(source: Source) -> None:
    with absent(source) as (url, make):
        lazy = {"main": {"url": url, "startup": "lazy"}}
        with serve(
            source.folder, source.file(tool("all", "SELECT n FROM t"), databases=lazy)
        ) as server:
            assert server.refusal("all") == "the database cannot be reached at present"
            make()
            assert server.call("all").rows == [{"n": 5}]


class Reluctant(socketserver.StreamRequestHandler):
    """Speaks as PostgreSQL does: asks for the password, notes it, refuses it."""

    def handle(self) -> None:
        """One connection."""
        assert isinstance(self.server, Listener)
        first = self._message(has_kind=False)
        if first[:4] == (80877103).to_bytes(4, "big"):  # asks for TLS
            self.wfile.write(b"N")
            first = self._message(has_kind=False)
        self.server.startups.append(first[4:])
        self.wfile.write(b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big"))
        self.server.passwords.append(self._message(has_kind=True).rstrip(b"\0").decode())
        fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user\0\0"
        self.wfile.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)

    def _message(self, *, has_kind: bool) -> bytes:
        self.rfile.read(1 if has_kind else 0)
        size = int.from_bytes(self.rfile.read(4), "big")
        return self.rfile.read(size - 4)


class Listener(socketserver.ThreadingTCPServer):
    """What `Reluctant` heard."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reluctant)
        self.passwords: list[str] = []
        self.startups: list[bytes] = []


@pytest.fixture
def reluctant() -> Iterator[Listener]:
    """A server that lets nobody in."""
    with Listener() as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        yield listener
        listener.shutdown()
        thread.join()


def port_of(listener: Listener) -> int:
    """Where it listens."""
    port = listener.server_address[1]
    assert isinstance(port, int)
    return port


def test_password_with_special_characters_arrives_as_it_is(
    reluctant: Listener, tmp_path: Path
) -> None:
    url = f"postgresql://us%40er:{QUOTED}@127.0.0.1:{port_of(reluctant)}/na%2Fme"
    source = Source("postgresql", url, tmp_path)

    found = checked(tmp_path, source.file(ONE), {})

    assert codes(found) == ["database-unreachable"]
    assert reluctant.passwords == [PASSWORD]
    assert reluctant.startups[0].startswith(b"user\0us@er\0database\0na/me\0")


@pytest.fixture
def login(tmp_path: Path) -> Iterator[Source]:
    """A MariaDB user whose password has every special character."""
    with source_of("mariadb", tmp_path) as source:
        user = f"us@er-{source.schema[-8:]}"
        mariadb_rows(f"CREATE USER '{user}'@'%' IDENTIFIED BY '{PASSWORD}'")
        try:
            mariadb_rows(f"GRANT SELECT ON {source.schema}.* TO '{user}'@'%'")
            address = f"{quote(user, safe='')}:{QUOTED}@127.0.0.1:3306/{source.schema}"
            yield Source("mariadb", f"mariadb://{address}", tmp_path, source.schema)
        finally:
            mariadb_rows(f"DROP USER '{user}'@'%'")


def test_password_with_special_characters_opens_mariadb(login: Source) -> None:
    who = tool("who", "SELECT current_user() AS who", result={"shape": "value"})

    with serve(login.folder, login.file(who)) as server:
        assert str(server.value("who")).startswith("us@er-")


SAID = {"login": ": Access denied for user 'someone'@'127.0.0.1' (using password: YES)"}
"""What MariaDB says, to the operator."""


@pytest.mark.parametrize(
    ("stage", "address", "hint"),
    [
        ("resolve", "nowhere.invalid:3306", "check the host's name"),
        ("connect", "127.0.0.1:1", "check that the server runs and listens there"),
        ("TLS", "127.0.0.1:3306", "check the ssl_ options and the certificates"),
        ("login", "127.0.0.1:3306", "check user and password of the address"),
    ],
)
def test_failed_connection_to_mariadb_names_its_stage_and_no_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, stage: str, address: str, hint: str
) -> None:
    caplog.set_level(logging.DEBUG)
    options = "?ssl_verify_cert=true" if stage == "TLS" else ""
    url = f"mysql://someone:{QUOTED}@{address}/x{options}"
    databases = {"stock": {"url": url}}

    [fault] = checked(
        tmp_path, Source("mariadb", url, tmp_path).file(ONE, databases=databases), {}
    ).diagnostics

    words = f"database 'stock': {stage} failed at {address}{SAID.get(stage, '')}"
    assert (fault.code, fault.message, fault.hint) == ("database-unreachable", words, hint)
    for secret in (PASSWORD, QUOTED, "s3cret"):
        assert secret not in caplog.text


STAGES = {
    "resolve": ("nowhere.invalid:5432", "check the host's name"),
    "connect": ("127.0.0.1:1", "check that the server runs and listens there"),
    "TLS": ("", "check sslmode and the certificates"),
    "login": ("", "check the password of the address"),
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("startup", ["required", "lazy"])
@requirement("P-213")
def test_failed_connection_names_source_address_and_stage_and_no_password(
    reluctant: Listener, tmp_path: Path, caplog: pytest.LogCaptureFixture, stage: str, startup: str
) -> None:
    """The operator reads all of it, the client nothing of it."""
    caplog.set_level(logging.DEBUG)
    address, hint = STAGES[stage]
    address = address or f"127.0.0.1:{port_of(reluctant)}"
    options = "?sslmode=require" if stage == "TLS" else ""
    url = f"postgresql://someone:{QUOTED}@{address}/x{options}"
    databases = {"stock": {"url": "${STOCK_URL}", "startup": startup}}
    text = Source("postgresql", url, tmp_path).file(ONE, databases=databases)
    environment = {"STOCK_URL": url}
    said = ": password authentication failed for user" if stage == "login" else ""
    words = f"database 'stock': {stage} failed at {address}{said}"

    if startup == "required":
        [fault] = checked(tmp_path, text, environment).diagnostics
        assert (fault.code, fault.message, fault.hint) == ("database-unreachable", words, hint)
    else:
        with serve(tmp_path, text, environment) as server:
            assert server.refusal("one") == "the database cannot be reached at present"
        assert f"tool one failed: unavailable: {words}" in caplog.text
    for secret in (PASSWORD, QUOTED, "s3cret"):
        assert secret not in caplog.text


def test_command_that_cannot_connect_never_prints_the_password(
    reluctant: Listener, tmp_path: Path
) -> None:
    url = f"postgresql://someone:{QUOTED}@127.0.0.1:{port_of(reluctant)}/x"
    (tmp_path / "mcp.yaml").write_text(Source("postgresql", url, tmp_path).file(ONE), "utf-8")
    program = "from runner.cli.main import main; main()"

    for words in (["serve", "-v"], ["call", "one", "-v"], ["validate", "--connect", "-v"]):
        ended = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            check=False,
            timeout=60,
        )
        output = (ended.stdout + ended.stderr).decode()
        assert ended.returncode == 1
        assert f"database 'main': login failed at 127.0.0.1:{port_of(reluctant)}" in output
        assert "s3cret" not in output


def test_no_statement_of_the_server_has_a_name_in_the_database(postgres: Source) -> None:
    """Named statements meet, or are lost, where a pooler hands one connection to many."""
    named = tool(
        "named", "SELECT count(*) AS n FROM pg_prepared_statements", result={"shape": "value"}
    )
    find = tool(
        "find",
        "SELECT n FROM t WHERE n IN :ids [[ AND n = :n ]]",
        input={"ids": "integer[]", "n?": "integer"},
    )

    with serve(postgres.folder, postgres.file(named + find)) as server:
        for n in range(20):
            server.value("find", ids=[*range(n)], n=n)
            server.value("find", ids=[*range(n)])
        assert [server.value("named") for _ in range(10)] == [0] * 10


def test_read_leaves_no_transaction_on_its_connection(postgres: Source) -> None:
    """Each call is one whole transaction, as a pooler of transactions needs."""
    read = tool("read", "SELECT n FROM t", result={"shape": "value"})

    with serve(postgres.folder, postgres.file(read)) as server:
        assert server.value("read") == 0
        states = postgres.rows(
            "SELECT DISTINCT state, xact_start FROM pg_stat_activity"
            f" WHERE application_name = '{postgres.schema}' AND pid <> pg_backend_pid()"
        )

    assert states == [("idle", None)]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_database_in_memory_is_one_for_all_calls(tmp_path: Path, url: str) -> None:
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (n integer); INSERT INTO t VALUES (0);")
    source = Source("sqlite", url, tmp_path)
    databases = {"main": {"url": url, "create": {"schema": "schema.sql"}}}
    tools = tool("add", "UPDATE t SET n = n + 1", writes=True) + tool(
        "sum", "SELECT n FROM t", result={"shape": "value"}
    )

    with serve(tmp_path, source.file(tools, databases=databases)) as server:

        async def all_at_once() -> list[object]:
            names = ["add", "sum"] * 50
            answers = await asyncio.gather(*(server.ask(name, {}) for name in names))
            return [answer.is_error for answer in answers]

        assert server.run(all_at_once()) == [False] * 100
        assert server.value("sum") == 50
