"""What HTTP decides before and beside the protocol: paths, methods, sizes, kinds of content."""

import asyncio
import json

import pytest

from runner.auth.identity import everyone
from runner.catalog.call import CallContext
from runner.catalog.catalog import Identities
from runner.catalog.content import TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Tool
from runner.codec.json import encode
from runner.transport.asgi import Event
from runner.transport.http import HttpApp, Serving
from runner.transport.watch import Timing
from tests.requirements import requirement
from tests.wire.client import (
    an_app,
    legacy_message,
    modern_headers,
    modern_message,
    opening_params,
)
from tests.wire.http_client import Connection, run, send
from tests.wire.serving import LISTEN, a_catalog, a_protocol

PING = encode(legacy_message("ping"))
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}'


@pytest.mark.parametrize(
    ("path", "prefix"),
    [("/mcp", ""), ("/mcp/", ""), ("/api/mcp", "/api"), ("/api/mcp/", "/api/"), ("/mcp", "/api")],
)
def test_path_is_answered_with_and_without_a_slash_or_a_prefix(path: str, prefix: str) -> None:
    """A redirect would lose the body or the credentials in many clients."""
    response = send(an_app(a_protocol()), PING, path=path, root_path=prefix)

    assert (response.status, response.body) == (200, PONG)


@pytest.mark.parametrize("path", ["/", "", "/mcp/x", "/MCP", "/mcpx", "//mcp"])
def test_any_other_path_is_not_found(path: str) -> None:
    response = send(an_app(a_protocol()), PING, path=path)

    assert (response.status, response.body) == (404, b"Not Found")


def test_endpoints_are_told_apart() -> None:
    protocols = {"/": a_protocol(), "/mcp/finder/": a_protocol(legacy=False)}
    app = HttpApp(Serving(protocols, LISTEN, everyone(a_catalog().identities), max_body_bytes=4096))

    assert send(app, PING, path="/").body == PONG
    assert send(app, PING, path="/mcp/finder").status == 400
    assert send(app, PING, path="/mcp").status == 404


@requirement("P-055")
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_other_methods_are_refused_with_allow(method: str) -> None:
    response = send(an_app(a_protocol()), method=method)

    assert (response.status, response.headers["allow"]) == (405, "POST")


@requirement("P-004", "P-010")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"NaN",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":NaN}',
        b"\xff{}",
        b"[" * 5000,
        b'{"id":1e400}',
        b'"\\ud800"',
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
    ],
    ids=lambda body: repr(body[:12]),
)
def test_body_that_is_not_json_is_a_parse_error_without_id(body: bytes) -> None:
    response = send(an_app(a_protocol(), max_body_bytes=10_000), body)

    assert response.status == 400
    assert json.loads(response.body) == {
        "jsonrpc": "2.0",
        "error": {"code": -32700, "message": "The message is not valid JSON"},
    }


@requirement("P-002", "P-003", "P-004", "P-006")
@pytest.mark.parametrize(
    ("message", "id_"),
    [
        (7, None),
        ("ping", None),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1.0, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 2**70, "method": "ping"}, None),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
        ({"id": "a", "method": "ping"}, "a"),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, None),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}, None),
    ],
    ids=str,
)
@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
def test_what_is_no_request_is_refused(message: object, id_: object, version: str) -> None:
    headers = {"MCP-Protocol-Version": version}

    response = send(an_app(a_protocol()), json.dumps(message).encode(), headers)

    answer = json.loads(response.body)
    assert (response.status, answer["error"]["code"], answer.get("id")) == (400, -32600, id_)


@requirement("P-005", "P-051")
@pytest.mark.parametrize(
    ("method", "version"),
    [
        ("notifications/initialized", "2025-11-25"),
        ("notifications/cancelled", None),
        ("notifications/cancelled", "2026-07-28"),
        ("no/such", "2026-07-28"),
        ("tools/call", None),
    ],
)
def test_notification_is_accepted_without_a_body(method: str, version: str | None) -> None:
    body = encode({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}})

    response = send(an_app(a_protocol()), body, {"MCP-Protocol-Version": version})

    assert (response.status, response.body) == (202, b"")


def test_notification_of_an_unserved_version_is_refused_without_id() -> None:
    body = encode({"jsonrpc": "2.0", "method": "notifications/initialized"})

    response = send(an_app(a_protocol()), body, {"MCP-Protocol-Version": "1999-01-01"})

    answer = json.loads(response.body)
    assert (response.status, answer["error"]["code"], "id" in answer) == (400, -32022, False)


@requirement("P-059")
@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("text/plain", 415),
        ("application/json-seq", 415),
        (None, 415),
    ],
)
def test_body_is_declared_as_json(kind: str | None, status: int) -> None:
    """A browser can send anything else without asking first."""
    response = send(an_app(a_protocol()), PING, {"Content-Type": kind})

    assert response.status == status
    if status == 415:
        assert (
            json.loads(response.body)["error"]["message"] == "The Content-Type is application/json"
        )


@requirement("P-050", "P-059")
@pytest.mark.parametrize(
    ("accept", "status", "kind"),
    [
        (None, 200, "application/json"),
        ("", 200, "application/json"),
        ("*/*", 200, "application/json"),
        ("application/*;q=0.5", 200, "application/json"),
        ("application/json", 200, "application/json"),
        ("text/event-stream, application/json", 200, "application/json"),
        ("text/event-stream", 200, "text/event-stream"),
        ("TEXT/*", 200, "text/event-stream"),
        ("application/json;q=0, text/event-stream", 200, "text/event-stream"),
        ("*/*, application/json;q=0.0", 200, "text/event-stream"),
        ("text/html", 406, "application/json"),
        ("application/json;q=0", 406, "application/json"),
    ],
)
def test_answer_is_of_a_kind_that_the_client_accepts(
    accept: str | None, status: int, kind: str
) -> None:
    response = send(an_app(a_protocol()), PING, {"Accept": accept})

    assert (response.status, response.headers["content-type"]) == (status, kind)


@requirement("P-059")
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_body_over_the_limit_is_refused(declared: bool) -> None:
    chunks = [b" " * 3000] * 3
    headers = {"Content-Length": "9000"} if declared else {}

    response = asyncio.run(run(an_app(a_protocol()), Connection(chunks), headers))

    assert response.status == 413
    assert json.loads(response.body)["error"]["message"] == "The body has at most 4096 bytes"


def test_body_in_pieces_is_read_whole() -> None:
    response = asyncio.run(run(an_app(a_protocol()), Connection([PING[:9], b"", PING[9:]])))

    assert response.body == PONG


def test_body_that_does_not_come_times_out() -> None:
    timing = Timing(grace_s=0.001, body_s=0.001)

    response = asyncio.run(run(an_app(a_protocol(), timing=timing), Connection([])))

    assert response.status == 408


def test_client_that_leaves_before_its_body_is_whole_gets_nothing() -> None:
    connection = Connection([])
    connection.leaving.set()

    response = asyncio.run(run(an_app(a_protocol()), connection))

    assert response.status == 0


@requirement("P-058")
def test_no_session_is_ever_issued() -> None:
    headers = {"Mcp-Session-Id": "s-1", "Last-Event-ID": "7"}

    response = send(an_app(a_protocol()), PING, headers)

    assert response.headers == {"content-length": "36", "content-type": "application/json"}


@requirement("P-001", "P-006", "P-178")
@pytest.mark.parametrize(
    ("version", "status"),
    [
        (None, 200),
        ("2025-03-26", 200),
        ("2025-06-18", 400),
        ("2025-11-25", 400),
        ("2024-11-05", 400),
        ("2026-07-28", 400),
        ("1999-01-01", 400),
    ],
)
def test_batch_is_for_one_version(version: str | None, status: int) -> None:
    body = encode([legacy_message("ping", id_=1), legacy_message("ping", id_="b")])

    response = send(an_app(a_protocol()), body, {"MCP-Protocol-Version": version})

    pongs: list[object] = [{"jsonrpc": "2.0", "id": id_, "result": {}} for id_ in (1, "b")]
    assert response.status == status
    error = {"code": -32600, "message": "A message is one JSON object, no array"}
    refusal = {"jsonrpc": "2.0", "error": error}
    assert json.loads(response.body) == (pongs if status == 200 else refusal)


@requirement("P-178")
def test_members_of_a_batch_are_judged_one_by_one() -> None:
    members = [
        7,
        legacy_message("ping"),
        legacy_message("initialize", opening_params("2025-03-26"), id_=2),
        modern_message("tools/list", id_=3),
        legacy_message("no/such", id_=4),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        [],
    ]

    response = send(an_app(a_protocol()), encode(members))

    found = [
        (item.get("id"), item.get("error", {}).get("code")) for item in json.loads(response.body)
    ]
    assert found == [
        (None, -32600),
        (1, None),
        (2, -32600),
        (3, -32600),
        (4, -32601),
        (None, -32600),
    ]


@requirement("P-178")
def test_batch_has_up_to_fifty_messages() -> None:
    response = send(an_app(a_protocol()), encode([legacy_message("ping")] * 50))

    assert response.status == 200
    assert json.loads(response.body) == [json.loads(PONG)] * 50


@pytest.mark.parametrize("size", [0, 51])
def test_batch_without_members_or_with_too_many_is_refused(size: int) -> None:
    response = send(an_app(a_protocol()), encode([legacy_message("ping")] * size))

    answer = json.loads(response.body)
    assert (response.status, answer["error"]["code"], "id" in answer) == (400, -32600, False)


def test_batch_is_answered_as_json_and_tells_nothing_before() -> None:
    """A report would make a stream of it, and tell of a member before the whole is answered."""

    async def reports(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
        context.report(1, None, None)
        return CallResult((TextContent("done"),))

    params = {"name": "echo", "_meta": {"progressToken": 1}}
    body = encode([legacy_message("tools/call", params), legacy_message("ping", id_=2)])

    response = send(an_app(a_protocol(call_tool=reports)), body)

    assert (response.status, response.headers["content-type"]) == (200, "application/json")
    assert [answer["id"] for answer in json.loads(response.body)] == [1, 2]


def test_batch_of_notifications_is_accepted() -> None:
    body = encode([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2)

    response = send(an_app(a_protocol()), body)

    assert (response.status, response.body) == (202, b"")


def test_caller_without_an_identity_is_challenged() -> None:
    identify = everyone(Identities(anonymous=None))
    app = HttpApp(Serving({"/mcp": a_protocol()}, LISTEN, identify, max_body_bytes=4096))

    response = send(app, PING)

    assert (response.status, response.headers["www-authenticate"]) == (401, "Bearer")


@requirement("P-025", "P-094")
@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        ("tools/list", {}, 200),
        ("tools/list", {"cursor": "x"}, 400),
        ("tools/call", {"name": "nope"}, 400),
        ("no/such", {}, 404),
    ],
)
def test_modern_errors_have_their_status(
    method: str, params: dict[str, object], status: int
) -> None:
    message = modern_message(method, params)

    response = send(an_app(a_protocol()), encode(message), modern_headers(message))

    assert response.status == status


def test_lifespan_of_a_host_is_answered() -> None:
    """A host that mounts the application may ask; there is nothing to start here."""
    events = iter(["lifespan.startup", "lifespan.shutdown"])
    sent: list[object] = []

    async def receive() -> Event:
        return {"type": next(events)}

    async def keep(event: dict[str, object]) -> None:
        sent.append(event["type"])

    asyncio.run(an_app(a_protocol())({"type": "lifespan"}, receive, keep))  # type: ignore[typeddict-item]

    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_websocket_is_closed() -> None:
    sent: list[dict[str, object]] = []

    async def receive() -> Event:
        return {"type": "websocket.connect"}

    async def keep(event: dict[str, object]) -> None:
        sent.append(event)

    scope = {"type": "websocket", "path": "/mcp", "headers": []}
    asyncio.run(an_app(a_protocol())(scope, receive, keep))  # type: ignore[arg-type]

    assert sent == [{"type": "websocket.close", "code": 1000}]
