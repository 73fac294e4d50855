"""Faults of an upstream that a well-behaved server does not make."""

import asyncio
import gzip
import zlib

import pytest

from runner.errors import BindingError, Kind
from tests.bindings.http.upstream import answering, api, http, invoke, plan, raw_server, run


def failure(answer: bytes, **limits: object) -> BindingError:
    async def work() -> BindingError:
        async with raw_server(answering(answer)) as url:
            with pytest.raises(BindingError) as caught:
                await invoke(plan("GET", "/x", max_bytes=10_000), api(url, **limits))
            return caught.value

    return run(work())


def test_answer_beyond_its_cap_is_too_large() -> None:
    error = failure(http("200 OK", b"x" * 10_001, Content_Type="text/plain"))
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        "the API's answer is larger than 10000 bytes",
    )


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_bomb_is_stopped_at_the_cap_after_decompression(encoding: str) -> None:
    zeros = bytes(50_000_000)
    bomb = gzip.compress(zeros) if encoding == "gzip" else zlib.compress(zeros)
    error = failure(http("200 OK", bomb, Content_Type="text/plain", Content_Encoding=encoding))
    assert error.kind is Kind.TOO_LARGE


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd", "x"])
def test_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    error = failure(http("200 OK", b"x", Content_Encoding=encoding))
    assert str(error) == "the API's answer has an encoding that was not asked for"


def test_failure_in_such_an_encoding_is_still_told_by_its_number() -> None:
    error = failure(http("404 Not Found", b"x", Content_Encoding="br"))
    assert (error.status, error.response) == (404, None)


def test_damaged_compression_is_an_error() -> None:
    error = failure(http("200 OK", b"no gzip", Content_Encoding="gzip"))
    assert (error.kind, str(error)) == (Kind.INVALID, "the API's answer cannot be decompressed")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nbad\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"",
    ],
    ids=["short", "bad-chunk", "cut-chunk", "no-http", "two-lengths", "nothing"],
)
def test_answer_that_breaks_http_is_a_broken_connection(answer: bytes) -> None:
    async def handler(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        writer.close()

    async def work() -> BindingError:
        async with raw_server(handler) as url:
            with pytest.raises(BindingError) as caught:
                await invoke(plan("GET", "/x"), api(url))
            return caught.value

    error = run(work())
    assert (error.kind, str(error)) == (Kind.UNAVAILABLE, "the connection to the API broke")


def test_silence_is_a_read_timeout_in_its_own_words() -> None:
    error = failure(b"HTTP/1.1 200 OK\r\n", read_timeout_s=0.1)
    assert (error.kind, str(error)) == (Kind.TIMEOUT, "the API sent nothing for 0.1 s")


def test_slow_drip_ends_at_the_total_time() -> None:
    """Each piece comes in time, so that only the limit of the whole exchange can end it."""

    async def drip(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(100_000):
            writer.write(b"x")
            await writer.drain()
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.02)

    async def work() -> BindingError:
        async with raw_server(drip) as url:
            with pytest.raises(BindingError) as caught:
                await invoke(plan("GET", "/x"), api(url, total_timeout_s=0.3))
            return caught.value

    error = run(work())
    assert (error.kind, str(error)) == (Kind.TIMEOUT, "the API did not finish within 0.3 s")


def test_nobody_listening_is_unreachable() -> None:
    error = run_refused()
    assert (error.kind, str(error)) == (Kind.UNAVAILABLE, "the API cannot be reached")
    assert error.reason == "ConnectError"


def run_refused() -> BindingError:
    async def work() -> BindingError:
        server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(BindingError) as caught:
            await invoke(plan("GET", "/x"), api(f"http://127.0.0.1:{port}"))
        return caught.value

    return run(work())


def test_cancelled_call_closes_the_request_upstream() -> None:
    async def work() -> None:
        arrived, gone = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            arrived.set()
            if await reader.read() == b"":
                gone.set()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            task = asyncio.create_task(invoke(plan("GET", "/x"), api(url)))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await gone.wait()

    run(work())
