"""PostgreSQL: what came wrong over the wire, and what is kept although it cannot be read."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from runner.catalog.sources import Database
from runner.errors import Kind
from runner.secret import Secret
from tests.bindings.sql.lab import Lab, database_of, open_lab

MARK, BROKEN = b"47114711", b"4711\xff711"


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Database]:
    with database_of("postgresql", tmp_path) as database:
        yield database


class Relay:
    """Stands between, and breaks the mark in what the server sends, so many times."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", 5432))
            for pair in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, breaks: bool) -> None:
        while data := _received(source):
            if breaks and self.left and MARK in data:
                self.left -= 1
                data = data.replace(MARK, BROKEN)
            target.sendall(data)
        target.close()


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


@contextmanager
def relayed(source: Database, times: int) -> Iterator[Lab]:
    relay = Relay(times)
    url = make_url(source.url.reveal()).set(port=relay.port)
    secret = Secret(url.render_as_string(hide_password=False))
    with open_lab(replace(source, url=secret)) as lab:
        yield lab
    relay.listener.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT '4711' || '4711' AS x", "47114711"),
        ("SELECT 4711 * 10000 + 4711 AS x", 47114711),
        ("SELECT ARRAY[4711 * 10000 + 4711] AS x", [47114711]),
    ],
    ids=["text", "number", "list"],
)
def test_row_that_came_broken_is_read_again_on_a_fresh_connection(
    source: Database, text: str, expected: object
) -> None:
    with relayed(source, times=1) as lab:
        assert lab.value(text) == expected


def test_rows_that_always_come_broken_are_unavailable(source: Database) -> None:
    with relayed(source, times=9) as lab:
        error = lab.fails(lab.plan("SELECT '4711' || '4711' AS x"))
    assert (error.kind, str(error)) == (
        Kind.UNAVAILABLE,
        "the database cannot be reached at present",
    )


def test_change_whose_json_no_value_can_hold_is_made_and_told(source: Database) -> None:
    with open_lab(source) as lab:
        lab.execute("CREATE TABLE docs (doc jsonb)")
        returned = lab.invoke(
            lab.plan("INSERT INTO docs VALUES ('{\"a\": 1e400}') RETURNING doc, 1 AS n")
        ).value
        digits = "1" + "0" * 400
        assert returned == {"rows": [{"doc": {"a": digits}, "n": 1}], "truncated": False}
        assert lab.rows("SELECT count(*) AS n FROM docs") == [{"n": 1}]
