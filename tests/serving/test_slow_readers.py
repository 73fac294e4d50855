"""A client that asks for much and reads nothing holds little, and not for ever."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, StreamEnded, StreamReset

from runner.serving.bounded import BoundedProtocol
from runner.serving.engines import listen
from runner.serving.sockets import address_of, bind
from runner.serving.unhurried import BoundedBuffer, BoundedServer
from runner.transport.asgi import Event, Receive, Scope, Send
from tests.serving.test_engines import LISTEN, none_left

PIECE = bytes(1024 * 1024)
PIECES = 30
LIMIT_S = 20
HEADERS = [(":method", "POST"), (":path", "/"), (":scheme", "http"), (":authority", "localhost")]


class Much:
    """An application that sends thirty megabytes, and counts what was taken from it."""

    def __init__(self) -> None:
        self.taken = 0
        self.is_left = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(PIECES):
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
            self.taken += 1
        await send({"type": "http.response.body", "body": b""})

    async def until_left(self, receive: Receive) -> None:
        """Returns when the client is told to be gone."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self.is_left.set()


class Watching(Much):
    """The same, and notes when its client is gone."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        watching = asyncio.create_task(self.until_left(receive))
        await super().__call__(scope, _no_body, send)
        await watching


async def _no_body() -> Event:
    return {"type": "http.request", "body": b""}


def ask_http1(sock: socket.socket) -> None:
    sock.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")


def ask_http2(sock: socket.socket) -> None:
    connection = H2Connection(H2Configuration(client_side=True))
    connection.initiate_connection()
    connection.send_headers(1, HEADERS, end_stream=True)
    sock.sendall(connection.data_to_send())


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second for each part."""
    for kind in (BoundedProtocol, BoundedBuffer, BoundedServer):
        monkeypatch.setattr(kind, "stall_s", 0.5)


@pytest.mark.parametrize(
    ("engine", "ask"),
    [("uvicorn", ask_http1), ("hypercorn", ask_http1), ("hypercorn", ask_http2)],
    ids=["uvicorn", "hypercorn", "HTTP/2"],
)
def test_a_client_that_reads_nothing_is_left(
    engine: str, ask: Callable[[socket.socket], None]
) -> None:
    async def run() -> int:
        stop, much = asyncio.Event(), Watching()
        with bind("127.0.0.1", 0) as sock:
            serving = asyncio.create_task(
                listen(much, [sock], replace(LISTEN, engine=engine), stop, end_calls=none_left)
            )
            with socket.create_connection(address_of(sock)) as client:
                ask(client)
                async with asyncio.timeout(LIMIT_S):
                    await asyncio.to_thread(client.recv, 1)
                    at_first = much.taken
                    await much.is_left.wait()
            stop.set()
            await asyncio.wait_for(serving, LIMIT_S)
        return at_first

    assert asyncio.run(run()) < PIECES


def read_slowly(port: int) -> int:
    """The bytes of the body that a client gets over HTTP/2."""
    connection, got = H2Connection(H2Configuration(client_side=True)), 0
    with socket.create_connection(("127.0.0.1", port)) as sock:
        connection.initiate_connection()
        connection.send_headers(1, HEADERS, end_stream=True)
        while True:
            sock.sendall(connection.data_to_send())
            for event in connection.receive_data(sock.recv(65536)):
                assert not isinstance(event, StreamReset)
                if isinstance(event, DataReceived):
                    got += len(event.data or b"")
                    connection.acknowledge_received_data(event.flow_controlled_length or 0, 1)
                if isinstance(event, StreamEnded):
                    return got


def test_a_client_that_reads_gets_all_over_http2() -> None:
    async def run() -> int:
        stop = asyncio.Event()
        with bind("127.0.0.1", 0) as sock:
            options = replace(LISTEN, engine="hypercorn")
            serving = asyncio.create_task(
                listen(Much(), [sock], options, stop, end_calls=none_left)
            )
            got = await asyncio.to_thread(read_slowly, address_of(sock)[1])
            stop.set()
            await asyncio.wait_for(serving, LIMIT_S)
        return got

    assert asyncio.run(run()) == PIECES * len(PIECE)
