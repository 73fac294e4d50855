"""One client cannot fill the memory with the head of a request, or hold a connection for ever."""

import asyncio
from collections.abc import Callable, Coroutine

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from runner.serving.bounded import BoundedProtocol
from runner.serving.bounds import HEAD_BYTES
from runner.transport.asgi import Receive, Scope, Send

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, bytes]]
LIMIT_S = 10
START = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


class Impatient(BoundedProtocol):
    head_s = 0.05


async def hello(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answers without a look at the body."""
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
    )
    await send({"type": "http.response.body", "body": b"hello"})


def talk(protocol: type[BoundedProtocol], conversation: Talk) -> bytes:
    """What a conversation with a server of this protocol returns."""

    async def run() -> bytes:
        config = Config(hello, log_config=None, access_log=False, ws="none", lifespan="off")
        config.load()
        make = lambda: protocol(config, ServerState(), {})  # noqa: E731  # one expression
        server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
        async with server:
            streams = await asyncio.open_connection(*server.sockets[0].getsockname())
            async with asyncio.timeout(LIMIT_S):
                answer = await conversation(*streams)
            streams[1].close()
        return answer

    return asyncio.run(run())


def all_of(*pieces: bytes) -> Talk:
    """Sends the pieces, each as soon as it is taken, and reads to the end of the connection."""

    async def conversation(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        for piece in pieces:
            writer.write(piece)
            try:
                await writer.drain()
            except ConnectionError:
                break
        try:
            return await reader.read()
        except ConnectionError:  # what was sent beyond the refusal resets the connection
            return b""

    return conversation


@pytest.mark.parametrize(
    "head",
    [START + b"X: " + b"a" * HEAD_BYTES + b"\r\n\r\n", b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1"],
    ids=["header", "address"],
)
def test_a_head_beyond_the_limit_is_refused(head: bytes) -> None:
    assert talk(BoundedProtocol, all_of(head)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "start",
    [START, b"GET /", START + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: "],
    ids=["headers", "address", "trailers"],
)
def test_a_head_without_end_is_cut(start: bytes) -> None:
    pieces = [b"X: " + b"a" * 1000 + b"\r\n"] * 10_000
    assert len(talk(BoundedProtocol, all_of(start, *pieces))) < 1000


@pytest.mark.parametrize("start", [b"", b"\r\n", b"P", START], ids=["none", "line", "byte", "head"])
def test_a_head_that_does_not_come_is_not_waited_for(start: bytes) -> None:
    assert talk(Impatient, all_of(start)) == b""


def test_a_slow_second_head_is_not_waited_for() -> None:
    pieces = (START + b"Content-Length: 0\r\n\r\n", b"POST / ")
    assert talk(Impatient, all_of(*pieces)).endswith(b"hello")


def test_a_body_that_nobody_reads_is_not_waited_for() -> None:
    whole = talk(Impatient, all_of(START + b"Content-Length: 9\r\n\r\n", b"a"))
    assert whole.endswith(b"\r\n\r\nhello")


def test_a_large_body_and_pipelined_requests_pass() -> None:
    size = 5 * HEAD_BYTES
    body = START + b"Content-Length: %d\r\n\r\n" % size + b"a" * size
    last = START + b"Connection: close\r\nContent-Length: 0\r\n\r\n"
    assert talk(BoundedProtocol, all_of(body + body + last)).count(b"hello") == 3


def test_a_head_that_began_in_the_piece_of_another_request_is_bounded_too() -> None:
    rest = b"X: " + b"a" * (HEAD_BYTES - 5_000)

    async def conversation(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(START + b"Content-Length: 0\r\n\r\n" + START + rest)
        await reader.readuntil(b"hello")
        writer.write(b"a" * (HEAD_BYTES - 5_000) + b"\r\nContent-Length: 0\r\n\r\n")
        return await reader.read()

    assert talk(BoundedProtocol, conversation).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("start", "ending"),
    [
        (b"POST / HTTP/1.1\r\nContent-Length: 0\r\n", b"\r\n\r\nhello"),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n", b"\r\n\r\nhello"),
        (b"GET / HTTP/1.1\r\n", b"\r\n\r\nhello"),
        (b"HEAD / HTTP/1.1\r\n", b"\r\n\r\n"),
    ],
    ids=["post", "expects", "get", "head"],
)
def test_every_kind_of_answer_arrives_whole(start: bytes, ending: bytes) -> None:
    """Whether its head goes out alone or with its body."""
    answer = talk(BoundedProtocol, all_of(start + b"Host: h\r\nConnection: close\r\n\r\n"))
    head, _, _ = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-length: 5\r\n" in head
    assert answer == head + ending


def test_answers_to_pipelined_requests_come_in_order() -> None:
    post = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
    last = post.replace(b"Host", b"Connection: close\r\nHost")
    answer = talk(BoundedProtocol, all_of(post * 3 + last))
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == answer.count(b"\r\n\r\nhello") == 4
