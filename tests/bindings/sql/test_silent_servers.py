"""Servers that take a connection and then say nothing: nobody waits for them without an end."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from runner.catalog.sources import Database
from runner.errors import Kind, StartError
from runner.secret import Secret
from tests.bindings.sql.lab import MARIADB, POSTGRES, open_lab

SERVERS = pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
SLACK_S = 2.5
"""For a busy machine."""


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a listener that answers nothing; the system takes connections for it."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


def database(engine: str, rest: str, **fields: object) -> Database:
    return Database("lab", Secret(f"{engine}://{rest}"), engine, **fields)  # type: ignore[arg-type]


def refused(found: Database) -> tuple[str, float]:
    """Why it does not open, and after how many seconds."""
    began_at = time.monotonic()
    with pytest.raises(StartError) as caught, open_lab(found):
        pass
    return str(caught.value), time.monotonic() - began_at


@SERVERS
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_server_that_says_nothing_is_waited_for_as_long_as_the_address_says(
    silent: int, engine: str, host: str
) -> None:
    why, took_s = refused(database(engine, f"root@{host}:{silent}/x?connect_timeout=2"))
    assert why == f"database 'lab': connect failed at {host}:{silent}: no answer within 2 s"
    assert took_s < 2 + SLACK_S


@SERVERS
def test_server_that_says_nothing_is_waited_for_five_seconds_unless_told(
    silent: int, engine: str
) -> None:
    why, took_s = refused(database(engine, f"root@127.0.0.1:{silent}/x"))
    assert why == f"database 'lab': connect failed at 127.0.0.1:{silent}: no answer within 5 s"
    assert took_s < 5 + SLACK_S


def test_server_that_waits_for_the_client_is_given_up_too() -> None:
    """PostgreSQL says nothing before it is asked."""
    why, took_s = refused(database("mariadb", "root@127.0.0.1:5432/x?connect_timeout=1"))
    assert why == "database 'lab': connect failed at 127.0.0.1:5432: no answer within 1 s"
    assert took_s < 1 + SLACK_S


@SERVERS
def test_statements_of_connect_have_the_time_of_the_address_too(engine: str) -> None:
    sleep = {"postgresql": "SELECT pg_sleep(20)", "mariadb": "DO sleep(20)"}[engine]
    rest = {
        "postgresql": POSTGRES.partition("://")[2],
        "mariadb": f"{MARIADB['user']}@{MARIADB['host']}/mysql",
    }[engine]
    place = {"postgresql": "127.0.0.1:5432", "mariadb": "127.0.0.1:3306"}[engine]
    why, took_s = refused(database(engine, f"{rest}?connect_timeout=2", connect=[sleep]))
    assert why == f"database 'lab': connect failed at {place}: no answer within 2 s"
    assert took_s < 2 + SLACK_S


@SERVERS
def test_call_that_has_to_connect_ends_at_its_own_time_limit(silent: int, engine: str) -> None:
    lazy = database(engine, f"root@127.0.0.1:{silent}/x?connect_timeout=4", is_lazy=True)
    with open_lab(lazy) as lab:
        began_at = time.monotonic()
        failed = lab.fails(lab.plan("SELECT 1 AS one"), timeout_s=0.2)
        assert time.monotonic() - began_at < SLACK_S
    assert (failed.kind, failed.reason) == (
        Kind.UNAVAILABLE,
        "no connection within the time limit of the call",
    )


@SERVERS
def test_call_that_is_cancelled_while_it_connects_ends_at_once(silent: int, engine: str) -> None:
    lazy = database(engine, f"root@127.0.0.1:{silent}/x?connect_timeout=4", is_lazy=True)
    with open_lab(lazy) as lab:

        async def cancel() -> None:
            running = asyncio.ensure_future(lab.database.query("SELECT 1 AS one"))
            while not lab.database.running:
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

        began_at = time.monotonic()
        lab.run(cancel())
        assert time.monotonic() - began_at < SLACK_S
