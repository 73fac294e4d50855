"""Answers that take a while: streams, keep-alives, clients that leave."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from runner.catalog.call import CallContext
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.protocol.backend import CallTool
from runner.protocol.edition import Settings
from runner.transport.asgi import Event
from runner.transport.watch import Timing
from tests.requirements import requirement
from tests.wire.client import (
    PREFIX,
    HttpClient,
    StdioClient,
    an_app,
    legacy_message,
    modern_headers,
    modern_message,
)
from tests.wire.http_client import Connection, Response, run
from tests.wire.serving import a_protocol

DONE = CallResult((TextContent("done"),))
QUICK = Timing(grace_s=0.001, deferral_s=0.001, keep_alive_s=0.001)


async def three_steps(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
    """Reports and logs, falls back once, and keeps the reporter."""
    context.report(0, 100, None)
    context.log("debug", {"step": 1}, None)
    context.report(50, 100, "half")
    context.report(50, 100, "not rising")
    context.report(float("nan"), None, None)
    context.log("error", "trouble", "tools")
    context.report(100, 100, None)
    return DONE


def a_call(token: object = None, level: str | None = None) -> dict[str, object]:
    """A call that asks for progress, logs or neither."""
    meta: dict[str, object] = {} if token is None else {"progressToken": token}
    if level is not None:
        meta[f"{PREFIX}logLevel"] = level
    return modern_message("tools/call", {"name": "echo"}, meta=meta)


def progress(token: object, done: int, **more: object) -> dict[str, object]:
    """A progress notification of a hundred."""
    params = {"progressToken": token, "progress": done, "total": 100, **more}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


@requirement("P-052", "P-117")
@pytest.mark.parametrize("token", ["p-1", 7, 0, ""], ids=repr)
@pytest.mark.parametrize("client", [HttpClient(), StdioClient()], ids=["http", "stdio"])
def test_progress_rises_and_ends_before_the_answer(
    client: HttpClient | StdioClient, token: object
) -> None:
    *before, answer = client.modern(a_protocol(call_tool=three_steps), a_call(token))

    assert before == [
        progress(token, 0),
        progress(token, 50, message="half"),
        progress(token, 100),
    ]
    assert answer["id"] == 1


@requirement("P-116")
@pytest.mark.parametrize(
    ("level", "seen"),
    [(None, []), ("debug", ["debug", "error"]), ("error", ["error"]), ("alert", [])],
)
@pytest.mark.parametrize("client", [HttpClient(), StdioClient()], ids=["http", "stdio"])
def test_log_messages_come_at_the_level_that_was_asked_for(
    client: HttpClient | StdioClient, level: str | None, seen: list[str]
) -> None:
    *before, _ = client.modern(a_protocol(call_tool=three_steps), a_call(level=level))

    assert [json.loads(json.dumps(item))["params"]["level"] for item in before] == seen


def test_log_message_carries_its_logger_and_data() -> None:
    [message, _] = HttpClient().modern(a_protocol(call_tool=three_steps), a_call(level="error"))

    assert message == {
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": {"level": "error", "data": "trouble", "logger": "tools"},
    }


@requirement("P-053")
def test_stream_forbids_buffering_and_has_no_event_ids() -> None:
    response = posted(a_call("p"), three_steps)

    assert response.headers == {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
    }
    lines = {line.split(b":")[0] for line in response.body.split(b"\n")}
    assert lines == {b"event", b"data", b""}


@requirement("P-050")
def test_nothing_to_tell_is_answered_as_json() -> None:
    assert posted(a_call(), three_steps).headers["content-type"] == "application/json"


def test_client_that_takes_json_alone_is_told_nothing_before() -> None:
    response = posted(a_call("p", "debug"), three_steps, Accept="application/json")

    assert [message["id"] for message in response.messages] == [1]


@pytest.mark.parametrize(
    ("version", "message"),
    [("2025-11-25", "half"), ("2025-03-26", "half"), ("2024-11-05", None)],
)
def test_legacy_progress_has_what_the_version_knows(version: str, message: str | None) -> None:
    asked = legacy_message("tools/call", {"name": "echo", "_meta": {"progressToken": 1}})

    client = HttpClient()
    found = client.legacy(a_protocol(call_tool=three_steps), asked, version)

    assert json.loads(json.dumps(found[1]))["params"].get("message") == message
    lines = {line.split(b":")[0] for line in client.responses[0].body.split(b"\n")}
    assert lines == {b"event", b"data", b""}, "no ids, and nothing before the first message"


@pytest.mark.parametrize(("level", "count"), [(None, 0), ("debug", 2), ("error", 1)])
def test_legacy_log_messages_come_at_the_default_level(level: str | None, count: int) -> None:
    protocol = a_protocol(call_tool=three_steps, settings=Settings(log_level=level))

    found = HttpClient().legacy(protocol, legacy_message("tools/call", {"name": "echo"}), "")

    assert len(found) == count + 1


def posted(message: dict[str, object], call_tool: CallTool, **headers: str) -> Response:
    """The response to one modern message."""
    app = an_app(a_protocol(call_tool=call_tool))
    connection = Connection([encode(message)])
    return asyncio.run(run(app, connection, {**modern_headers(message), **headers}))


async def forever(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
    """Does not end of itself."""
    await asyncio.Event().wait()
    return DONE


@requirement("P-053")
def test_slow_work_becomes_a_stream_with_keep_alives() -> None:
    async def main() -> Response:
        go = asyncio.Event()

        async def slow(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
            await go.wait()
            return DONE

        message = a_call()
        connection = Connection([encode(message)])
        app = an_app(a_protocol(call_tool=slow), timing=QUICK)
        request = asyncio.create_task(run(app, connection, modern_headers(message)))
        await connection.arrived.wait()
        go.set()
        return await request

    response = asyncio.run(main())

    assert response.body.startswith(b": keep-alive\n\n")
    assert [message["id"] for message in response.messages] == [1]


def test_first_event_is_out_before_the_work_ends() -> None:
    async def main() -> bytes:
        async def work(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
            context.report(1, None, None)
            return await forever(_tool, _arguments, context)

        message = a_call("p")
        connection = Connection([encode(message)])
        app = an_app(a_protocol(call_tool=work), timing=QUICK)
        request = asyncio.create_task(run(app, connection, modern_headers(message)))
        await connection.arrived.wait()
        connection.leaving.set()
        await request
        return connection.response.body

    assert asyncio.run(main()).startswith(b"event: message\ndata: {")


@requirement("P-054")
@pytest.mark.parametrize("token", [None, "p"])
def test_client_that_leaves_cancels_a_modern_request(token: str | None) -> None:
    """Nothing more is sent, not even what the work says while it is ended."""

    async def main() -> tuple[list[str], Response]:
        ended: list[str] = []

        async def work(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
            try:
                return await forever(_tool, _arguments, context)
            except asyncio.CancelledError:
                context.report(1, None, None)
                ended.append("cancelled")
                raise

        message = a_call(token)
        connection = Connection([encode(message)])
        connection.leaving.set()
        app = an_app(a_protocol(call_tool=work), timing=Timing(grace_s=0.001))
        return ended, await run(app, connection, modern_headers(message))

    ended, response = asyncio.run(main())

    assert ended == ["cancelled"]
    assert response.body == b""
    assert not response.messages


@requirement("P-054")
def test_client_that_leaves_after_a_slow_body_cancels_its_request_too() -> None:
    """The watch begins anew once the body is whole."""

    async def main() -> Response:
        message = a_call()
        connection = SlowConnection([encode(message)])
        connection.leaving.set()
        timing = Timing(grace_s=0.001)
        app = an_app(a_protocol(call_tool=forever), timing=timing)
        return await run(app, connection, modern_headers(message))

    assert asyncio.run(main()) == Response()


def test_an_application_watches_on_the_loop_that_it_runs_on() -> None:
    """It may outlive its loop: a test or an embedding program starts another one."""
    app = an_app(a_protocol(call_tool=forever), timing=Timing(grace_s=0.001))

    async def leave() -> Response:
        message = a_call()
        connection = Connection([encode(message)])
        connection.leaving.set()
        return await run(app, connection, modern_headers(message))

    assert [asyncio.run(leave()) for _ in range(2)] == [Response(), Response()]


class SlowConnection(Connection):
    """Its body comes only after the grace period."""

    async def receive(self) -> Event:
        """The next event, a while later."""
        rung = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, rung.set)
        await rung.wait()
        return await super().receive()


def test_client_that_leaves_does_not_cancel_a_legacy_request() -> None:
    """There a closed connection means nothing: bounded work ends."""

    async def main() -> Response:
        async def work(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
            await asyncio.get_running_loop().run_in_executor(None, int)
            for _ in range(50):
                await asyncio.to_thread(int)
            return DONE

        connection = Connection([encode(legacy_message("tools/call", {"name": "echo"}))])
        connection.leaving.set()
        app = an_app(a_protocol(call_tool=work), timing=Timing(grace_s=0.0))
        return await run(app, connection)

    assert [message["id"] for message in asyncio.run(main()).messages] == [1]


@requirement("P-174")
@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_call_that_a_stopping_server_ends_is_answered_as_any_that_failed(era: str) -> None:
    """With status 200: proxies replace the body of a 5xx, and may send the call to others."""
    is_modern = era == "modern"
    message = a_call() if is_modern else legacy_message("tools/call", {"name": "echo"})

    async def main() -> Response:
        began = asyncio.Event()

        async def work(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
            began.set()
            return await forever(_tool, _arguments, _context)

        app = an_app(a_protocol(call_tool=work))
        headers = modern_headers(message) if is_modern else {}
        request = asyncio.create_task(run(app, Connection([encode(message)]), headers))
        await began.wait()
        assert app.end_calls() == 1
        return await request

    response = asyncio.run(main())

    error = {"code": -32603, "message": "The server stops; ask again"}
    assert response.status == 200
    assert json.loads(response.body) == {"jsonrpc": "2.0", "id": 1, "error": error}


def test_request_that_a_stopping_server_has_not_read_is_refused() -> None:
    async def main() -> Response:
        app = an_app(a_protocol())
        connection = Connection([])
        request = asyncio.create_task(run(app, connection))
        while app.end_calls() == 0:
            await asyncio.to_thread(int)
        return await request

    response = asyncio.run(main())

    error = {"code": -32603, "message": "The server stops; ask again"}
    assert response.status == 503
    assert json.loads(response.body) == {"jsonrpc": "2.0", "error": error}


def test_cancellation_from_outside_is_passed_on() -> None:
    """A server that stops cancels its requests; that is no client's leaving."""

    async def main() -> None:
        message = a_call()
        app = an_app(a_protocol(call_tool=forever))
        connection = Connection([encode(message)])
        request = asyncio.create_task(run(app, connection, modern_headers(message)))
        await asyncio.to_thread(int)
        request.cancel()
        await request

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


@requirement("P-027", "P-028")
def test_concurrent_requests_of_both_eras_are_answered_apart() -> None:
    async def main() -> tuple[Response, Response]:
        barrier = asyncio.Barrier(2)

        async def work(
            _tool: Tool, arguments: Mapping[str, object], context: CallContext
        ) -> CallResult:
            await barrier.wait()
            return CallResult((TextContent(f"{context.request.version} {arguments['text']}"),))

        app = an_app(a_protocol(call_tool=work))
        params = {"name": "echo", "arguments": {"text": "m"}}
        new = modern_message("tools/call", params)
        old = legacy_message("tools/call", {"name": "echo", "arguments": {"text": "l"}})
        return await asyncio.gather(
            run(app, Connection([encode(new)]), modern_headers(new)),
            run(app, Connection([encode(old)])),
        )

    texts = [
        json.loads(response.body)["result"]["content"][0]["text"]
        for response in asyncio.run(main())
    ]
    assert texts == ["2026-07-28 m", "2025-03-26 l"]
