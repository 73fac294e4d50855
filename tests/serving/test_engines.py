"""Both engines serve the same application and stop when they are told."""

import asyncio
import contextlib
import http.client
from dataclasses import replace

import pytest

from runner.catalog.catalog import Listen
from runner.serving.engines import listen
from runner.serving.sockets import address_of, bind
from runner.transport.asgi import Receive, Scope, Send

LISTEN = Listen(
    host="127.0.0.1",
    port=0,
    public_url=None,
    allowed_origins=(),
    allowed_hosts=(),
    trusted_proxies=(),
    workers=1,
    engine="uvicorn",
    tls=None,
    drain_s=2.0,
    legacy=True,
)


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        return
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


class Slow:
    """An application whose call ends when it is allowed to."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        self.began.set()
        await self.may_end.wait()
        await hello(scope, receive, send)


def none_left() -> int:
    return 0


def fetch(port: int) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/", b"{}")
    body = connection.getresponse().read()
    connection.close()
    return body


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_engine_answers_and_stops(engine: str) -> None:
    async def run() -> bytes:
        stop = asyncio.Event()
        with bind("127.0.0.1", 0) as sock:
            serving = asyncio.create_task(
                listen(hello, [sock], replace(LISTEN, engine=engine), stop, end_calls=none_left)
            )
            body = await asyncio.to_thread(fetch, address_of(sock)[1])
            stop.set()
            await asyncio.wait_for(serving, 10)
        return body

    assert asyncio.run(run()) == b"hello"


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_running_call_ends_after_a_gentle_stop(engine: str) -> None:
    async def run() -> bytes:
        stop, slow = asyncio.Event(), Slow()
        with bind("127.0.0.1", 0) as sock:
            serving = asyncio.create_task(
                listen(slow, [sock], replace(LISTEN, engine=engine), stop, end_calls=none_left)
            )
            answer = asyncio.create_task(asyncio.to_thread(fetch, address_of(sock)[1]))
            await asyncio.wait_for(slow.began.wait(), 10)
            stop.set()
            slow.may_end.set()
            body = await asyncio.wait_for(answer, 10)
            await asyncio.wait_for(serving, 10)
        return body

    assert asyncio.run(run()) == b"hello"


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_calls_that_run_after_the_drain_time_are_ended_by_the_application(engine: str) -> None:
    async def run() -> bytes:
        stop, slow = asyncio.Event(), Slow()

        def end_calls() -> int:
            slow.may_end.set()
            return 1

        with bind("127.0.0.1", 0) as sock:
            options = replace(LISTEN, engine=engine, drain_s=0.2)
            serving = asyncio.create_task(listen(slow, [sock], options, stop, end_calls=end_calls))
            answer = asyncio.create_task(asyncio.to_thread(fetch, address_of(sock)[1]))
            await asyncio.wait_for(slow.began.wait(), 10)
            stop.set()
            body = await asyncio.wait_for(answer, 10)
            await asyncio.wait_for(serving, 10)
        return body

    assert asyncio.run(run()) == b"hello"


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_call_that_will_not_end_is_cut_by_the_engine(engine: str) -> None:
    async def run() -> None:
        stop, slow = asyncio.Event(), Slow()
        with bind("127.0.0.1", 0) as sock:
            options = replace(LISTEN, engine=engine, drain_s=0.1)
            serving = asyncio.create_task(listen(slow, [sock], options, stop, end_calls=none_left))
            answer = asyncio.create_task(asyncio.to_thread(fetch, address_of(sock)[1]))
            await asyncio.wait_for(slow.began.wait(), 10)
            stop.set()
            await asyncio.wait_for(serving, 10)
        with contextlib.suppress(http.client.HTTPException, OSError):
            assert await answer != b"hello"

    asyncio.run(run())
