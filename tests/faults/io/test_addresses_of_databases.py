"""A password may hold every character, however the address is put together.

Guards against addresses made by joining texts, where an `@`, `/` or `%` of the password ends it
early. What is asked is a server that speaks just enough of PostgreSQL's protocol to be told the
password.
"""

import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from runner.app import check
from tests.faults.io.product import write

PASSWORD = "p@ss:w/rd#%?&é \"'+%40"
USER = "us@r:x"
WORDS = b"password authentication failed"
LIMIT_S = 10.0
Told = list[tuple[str, str]]


@contextmanager
def asking_server() -> Iterator[tuple[int, Told]]:
    """The port of a server that asks for the password, and whom it was told; it lets nobody in."""
    told: Told = []
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(LIMIT_S)

    def serve() -> None:
        with listening:
            while len(told) < 1:
                connection, _ = listening.accept()
                with connection:
                    told.extend(_login(connection))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listening.getsockname()[1], told
    finally:
        thread.join(LIMIT_S)


def _login(connection: socket.socket) -> Told:
    """User and password of one connection; nothing where it only asked for encryption."""
    body = _packet(connection)
    while body[:4] in (struct.pack("!I", 80877103), struct.pack("!I", 80877104)):
        connection.sendall(b"N")
        body = _packet(connection)
    words = body[4:].split(b"\0")
    settings = dict(zip(words[::2], words[1::2], strict=False))
    connection.sendall(b"R" + struct.pack("!II", 8, 3))
    assert connection.recv(1) == b"p"
    password = _packet(connection).removesuffix(b"\0")
    connection.sendall(
        b"E" + struct.pack("!I", 4 + 17 + len(WORDS)) + b"SFATAL\0C28P01\0M" + WORDS + b"\0\0"
    )
    return [(settings[b"user"].decode(), password.decode())]


def _packet(connection: socket.socket) -> bytes:
    length = struct.unpack("!I", connection.recv(4, socket.MSG_WAITALL))[0]
    return connection.recv(length - 4, socket.MSG_WAITALL)


PARTS = {"USER_": USER, "PW": PASSWORD}
WRITTEN = f"{quote(USER)}:{quote(PASSWORD, safe='')}@127.0.0.1:PORT/db"


@pytest.mark.parametrize(
    ("written", "environment"),
    [
        ("postgresql://${USER_}:${PW}@127.0.0.1:PORT/db", PARTS),
        ("postgresql://${LOGIN}@127.0.0.1:PORT/db", {"LOGIN": f"us%40r%3Ax:{PASSWORD}"}),
        ("${URL}", {"URL": f"postgresql://{WRITTEN}"}),
        (f"postgresql://{WRITTEN}", {}),
        ("postgresql://127.0.0.1:PORT/db?user=${USER_}&password=${PW}", PARTS),
    ],
    ids=["parts", "login", "url-of-environment", "written", "query"],
)  # fmt: skip
def test_every_character_of_a_password_reaches_the_server(
    tmp_path: Path, written: str, environment: Mapping[str, str]
) -> None:
    with asking_server() as (port, told):
        body = f'databases: {{lab: {{url: "{written.replace("PORT", str(port))}"}}}}\n'
        path = write(tmp_path, body + "tools: {t: {description: x, sql: SELECT 1 AS a}}\n")
        given = {name: value.replace("PORT", str(port)) for name, value in environment.items()}
        found = check(path, given, connects=True).diagnostics

    if "LOGIN" not in environment:
        assert told == [(USER, PASSWORD)]
    else:
        assert told[0][1] == PASSWORD
    assert [item.code for item in found] == ["database-unreachable"]
    for secret in (PASSWORD, quote(PASSWORD, safe=""), "ss:w"):
        assert secret not in repr(found)


def test_server_that_refuses_is_named_with_its_stage_and_not_its_password(tmp_path: Path) -> None:
    with asking_server() as (port, _):
        body = f'databases: {{lab: {{url: "postgresql://u:hunter2@127.0.0.1:{port}/db"}}}}\n'
        path = write(tmp_path, body + "tools: {t: {description: x, sql: SELECT 1 AS a}}\n")
        [found] = check(path, {}, connects=True).diagnostics

    assert (str(found.position), found.code) == ("mcp.yaml:3:24", "database-unreachable")
    said = "password authentication failed"
    assert found.message == f"database 'lab': login failed at 127.0.0.1:{port}: {said}"
    assert "hunter2" not in repr(found)
