"""A result too large to be held is sent in pieces; every client reads the same message."""

from collections.abc import Iterator

import pytest

from runner.catalog.call import CallContext
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult, LongResult
from runner.catalog.tool import Tool
from runner.codec.json import encode
from tests.wire.client import Client, an_app, legacy_message, modern_headers, modern_message
from tests.wire.http_client import send
from tests.wire.serving import a_protocol

VALUE = {"rows": [{"a": 1}, {"a": 2}], "truncated": False}
CONTENT = [{"type": "text", "text": 'a\r\n"1"\r\né'}, {"type": "text", "text": "Note."}]


def text() -> Iterator[str]:
    yield "a\r\n"
    yield '"1"\r\n'
    yield "é"


def structured() -> Iterator[bytes]:
    yield b'{"rows":['
    yield b'{"a":1},{"a":2}'
    yield b'],"truncated":false}'


async def long_call(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
    return CallResult([TextContent("Note.")], long=LongResult(text, structured))


async def long_call_after_progress(
    _tool: Tool, _arguments: object, context: CallContext
) -> CallResult:
    context.report(1, 2, None)
    return CallResult([TextContent("Note.")], long=LongResult(text, structured))


def a_call() -> dict[str, object]:
    return modern_message("tools/call", {"name": "echo"})


def test_modern_clients_get_text_and_structure(client: Client) -> None:
    [message] = client.modern(a_protocol(call_tool=long_call), a_call())
    result = message["result"]
    assert isinstance(result, dict)
    assert (result["content"], result["structuredContent"]) == (CONTENT, VALUE)
    assert result["resultType"] == "complete"


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
def test_legacy_clients_get_text_and_structure(client: Client, version: str) -> None:
    message = legacy_message("tools/call", {"name": "echo"})
    *_, answer = client.legacy(a_protocol(call_tool=long_call), message, version)
    assert answer["result"] == {"content": CONTENT, "structuredContent": VALUE}


def test_clients_without_structured_content_get_the_text(client: Client) -> None:
    message = legacy_message("tools/call", {"name": "echo"})
    *_, answer = client.legacy(a_protocol(call_tool=long_call), message, "2025-03-26")
    assert answer["result"] == {"content": CONTENT}


def test_the_length_of_a_long_answer_is_not_declared() -> None:
    message = a_call()
    app = an_app(a_protocol(call_tool=long_call))
    response = send(app, encode(message), modern_headers(message))
    assert (response.status, response.headers) == (200, {"content-type": "application/json"})
    assert response.is_whole


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream, application/json;q=0"])
def test_a_client_that_reads_streams_only_gets_one_event(accept: str) -> None:
    message = a_call()
    app = an_app(a_protocol(call_tool=long_call))
    response = send(app, encode(message), {**modern_headers(message), "Accept": accept})
    assert response.is_stream
    [answer] = response.messages
    assert isinstance(answer["result"], dict)
    assert answer["result"]["structuredContent"] == VALUE


def test_notifications_go_before_a_long_answer() -> None:
    message = modern_message("tools/call", {"name": "echo"}, meta={"progressToken": 1})
    app = an_app(a_protocol(call_tool=long_call_after_progress))
    response = send(app, encode(message), modern_headers(message))
    notification, answer = response.messages
    assert notification["method"] == "notifications/progress"
    assert isinstance(answer["result"], dict)
    assert answer["result"]["content"] == CONTENT
