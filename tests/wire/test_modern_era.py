"""The modern era over both transports: envelope, discovery, lists, calls."""

import json
from dataclasses import replace

import pytest

from runner.catalog.content import (
    Annotations,
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from runner.catalog.result import CallResult
from runner.catalog.tool import ToolAnnotations
from runner.protocol.edition import Settings
from tests.requirements import requirement
from tests.wire.client import ENVELOPE, PREFIX, SERVER, Client, modern_message
from tests.wire.recording import takes_more
from tests.wire.serving import ECHO_SCHEMA, a_catalog, a_protocol, a_tool, always
from tests.wire.test_legacy_methods import a_full_catalog, one_and_bytes

DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "instructions": "Start with echo.",
    "ttlMs": 3_600_000,
    "cacheScope": "public",
    "_meta": SERVER,
}
LISTED_ECHO = {
    "name": "echo",
    "description": "Says it again.",
    "inputSchema": ECHO_SCHEMA,
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


@requirement("P-001", "P-024", "P-070", "P-071", "P-072", "P-074")
def test_discovery_names_versions_capabilities_and_the_server(client: Client) -> None:
    answer = client.modern(a_protocol(), modern_message("server/discover", id_="d1"))

    assert answer == [{"jsonrpc": "2.0", "id": "d1", "result": DISCOVERED}]


@requirement("P-072", "P-077")
def test_list_is_complete_cacheable_and_in_the_order_of_the_file(client: Client) -> None:
    protocol = a_protocol(a_catalog(a_tool(), a_tool("again"), a_tool("a_third")))

    [answer] = client.modern(protocol, modern_message("tools/list"))

    names = ["echo", "again", "a_third"]
    assert answer["result"] == {
        "resultType": "complete",
        "ttlMs": 60_000,
        "cacheScope": "public",
        "tools": [{**LISTED_ECHO, "name": name} for name in names],
        "_meta": SERVER,
    }


@requirement("P-003", "P-021", "P-100")
def test_call_carries_content_and_structured_content(client: Client) -> None:
    """A request without `clientInfo` is served: it is optional."""
    message = modern_message("tools/call", {"name": "echo", "arguments": {"text": "hi"}}, id_=31)

    answer = client.modern(a_protocol(), message)

    result = {
        "resultType": "complete",
        "content": [{"type": "text", "text": '{"text":"hi"}'}],
        "structuredContent": {"text": "hi"},
        "_meta": SERVER,
    }
    assert answer == [{"jsonrpc": "2.0", "id": 31, "result": result}]


@requirement("P-072", "P-098")
@pytest.mark.parametrize("value", [b"[1,2]", b"null", b"7", b'"x"', b"false"])
def test_any_json_value_is_structured_content(client: Client, value: bytes) -> None:
    call_tool = always(CallResult((TextContent(value.decode()),), value, is_object=False))
    message = modern_message("tools/call", {"name": "echo", "arguments": {}})

    [answer] = client.modern(a_protocol(call_tool=call_tool), message)

    assert answer["result"] == {
        "resultType": "complete",
        "content": [{"type": "text", "text": value.decode()}],
        "structuredContent": json.loads(value),
        "_meta": SERVER,
    }


@requirement("P-099")
def test_failed_call_has_no_structured_content(client: Client) -> None:
    failed = CallResult((TextContent("limit: expected at most 500"),), b"{}", is_error=True)
    message = modern_message("tools/call", {"name": "echo", "arguments": {}})

    [answer] = client.modern(a_protocol(call_tool=always(failed)), message)

    assert answer["result"] == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "limit: expected at most 500"}],
        "isError": True,
        "_meta": SERVER,
    }


@requirement("P-100")
def test_every_kind_of_block_is_written_whole(client: Client) -> None:
    blocks = (
        TextContent("seen", Annotations(("user",), 0.5, "2026-08-03T09:00:00Z")),
        ImageContent(b"\x89PNG", "image/png"),
        AudioContent(b"RIFF", "audio/wav"),
        ResourceLink("shop://a", "a", "A", "The first.", "text/plain", 4),
        EmbeddedResource("shop://b", text="b", mime_type="text/plain", meta={"x.com/y": 1}),
        EmbeddedResource("shop://c", blob=b"\x00"),
    )
    message = modern_message("tools/call", {"name": "echo"})

    [answer] = client.modern(a_protocol(call_tool=always(CallResult(blocks))), message)

    when = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-08-03T09:00:00Z"}
    link = {"uri": "shop://a", "name": "a", "title": "A", "description": "The first."}
    text = {"uri": "shop://b", "mimeType": "text/plain", "text": "b", "_meta": {"x.com/y": 1}}
    result = answer["result"]
    assert isinstance(result, dict)
    assert result["content"] == [
        {"type": "text", "text": "seen", "annotations": when},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource_link", **link, "mimeType": "text/plain", "size": 4},
        {"type": "resource", "resource": text},
        {"type": "resource", "resource": {"uri": "shop://c", "blob": "AA=="}},
    ]


@pytest.mark.parametrize("given", [{}, {"arguments": None}, {"arguments": {}}], ids=str)
@takes_more("arguments that are null")
def test_absent_null_and_empty_arguments_are_the_same(
    client: Client, given: dict[str, object]
) -> None:
    """Clients differ in what they send to a tool without parameters."""
    [answer] = client.modern(a_protocol(), modern_message("tools/call", {"name": "echo", **given}))

    result = answer["result"]
    assert isinstance(result, dict)
    assert result["structuredContent"] == {}


@requirement("P-094")
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"name": "nope"}, "No tool is named 'nope'"),
        ({}, "params.name is a string: the name of a tool"),
        ({"name": 5}, "params.name is a string: the name of a tool"),
        ({"name": "echo", "arguments": []}, "params.arguments is an object"),
    ],
    ids=["unknown tool", "no name", "name is a number", "arguments are a list"],
)
def test_malformed_call_is_a_protocol_error(
    client: Client, params: dict[str, object], message: str
) -> None:
    answer = client.modern(a_protocol(), modern_message("tools/call", params))

    assert answer == [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": message}}]


@requirement("P-078")
def test_unknown_cursor_is_refused(client: Client) -> None:
    [answer] = client.modern(a_protocol(), modern_message("tools/list", {"cursor": ""}))

    fault = "The cursor is not one that this server gave out for this list"
    assert answer["error"] == {"code": -32602, "message": fault}


@requirement("P-020", "P-079")
@pytest.mark.parametrize(
    ("meta", "key"),
    [
        ({f"{PREFIX}protocolVersion": 7}, "protocolVersion"),
        ({f"{PREFIX}clientCapabilities": None}, "clientCapabilities"),
        ({f"{PREFIX}clientCapabilities": {"sampling": True}}, "sampling"),
        ({f"{PREFIX}clientInfo": {"name": "probe"}}, "clientInfo"),
        ({f"{PREFIX}logLevel": "loud"}, "log level"),
        ({"progressToken": True}, "progressToken"),
        ({"progressToken": 1.5}, "progressToken"),
    ],
)
def test_ill_typed_metadata_is_named(client: Client, meta: dict[str, object], key: str) -> None:
    [answer] = client.modern(a_protocol(), modern_message("tools/list", meta=meta))

    error = answer["error"]
    assert isinstance(error, dict)
    assert error["code"] == -32602
    assert key in error["message"]


@requirement("P-020")
def test_missing_capabilities_are_named(client: Client) -> None:
    message = modern_message("tools/list")
    version = {f"{PREFIX}protocolVersion": "2026-07-28"}

    [answer] = client.modern(a_protocol(), {**message, "params": {"_meta": version}})

    fault = f"params._meta['{PREFIX}clientCapabilities'] is an object"
    assert answer["error"] == {"code": -32602, "message": fault}


@requirement("P-025", "P-026", "P-075")
@pytest.mark.parametrize(
    "method",
    [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "subscriptions/listen",
        "tasks/list",
        "no/such",
    ],
)
def test_removed_and_unadvertised_methods_are_unknown(client: Client, method: str) -> None:
    [answer] = client.modern(a_protocol(), modern_message(method))

    message = f"No method is named '{method}'"
    assert answer == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": message}}


@requirement("P-075")
def test_server_without_tools_advertises_none(client: Client) -> None:
    protocol = a_protocol(a_catalog())

    [discovered] = client.modern(protocol, modern_message("server/discover"))
    [listed] = client.modern(protocol, modern_message("tools/list"))

    assert discovered["result"] == {**DISCOVERED, "capabilities": {}}
    assert listed["error"] == {"code": -32601, "message": "No method is named 'tools/list'"}


@requirement("P-073")
def test_lists_that_depend_on_the_caller_are_private(client: Client) -> None:
    settings = Settings(is_public=False, list_ttl_ms=5, discover_ttl_ms=6)
    protocol = a_protocol(settings=settings)

    [answer] = client.modern(protocol, modern_message("server/discover"))
    [listed] = client.modern(protocol, modern_message("tools/list"))

    assert answer["result"] == {
        **DISCOVERED,
        "ttlMs": 6,
        "cacheScope": "private",
    }
    assert isinstance(listed["result"], dict)
    assert (listed["result"]["ttlMs"], listed["result"]["cacheScope"]) == (5, "private")


@requirement("P-072", "P-073")
@pytest.mark.parametrize(("is_public", "scope"), [(True, "public"), (False, "private")])
def test_read_says_how_it_may_be_kept(client: Client, *, is_public: bool, scope: str) -> None:
    settings = Settings(is_public=is_public, read_ttl_ms=7)
    protocol = a_protocol(a_full_catalog(), read_resource=one_and_bytes, settings=settings)

    [answer] = client.modern(protocol, modern_message("resources/read", {"uri": "r://one"}))

    found = answer["result"]
    assert isinstance(found, dict)
    assert (found["ttlMs"], found["cacheScope"]) == (7, scope)


@requirement("P-028", "P-076")
def test_nothing_is_remembered_from_one_request_to_the_next(client: Client) -> None:
    protocol = a_protocol()
    before = client.modern(protocol, modern_message("tools/list"))
    client.modern(
        protocol,
        modern_message(
            "tools/call",
            {"name": "echo", "arguments": {"text": "x"}},
            meta={f"{PREFIX}clientCapabilities": {"sampling": {}}},
        ),
    )

    after = client.modern(protocol, modern_message("tools/list"))
    [bare] = client.modern(
        protocol, modern_message("tools/list", meta={f"{PREFIX}clientCapabilities": 1})
    )

    assert after == before
    assert "error" in bare


def test_bug_in_the_call_is_an_internal_error_with_an_id_that_the_log_explains(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> CallResult:
        raise RuntimeError("postgresql://user:password@db")

    message = modern_message("tools/call", {"name": "echo"})
    [answer] = client.modern(a_protocol(call_tool=broken), message)

    error = {"code": -32603, "message": "Internal error e-1"}
    assert answer == {"jsonrpc": "2.0", "id": 1, "error": error}
    [record] = caplog.records
    assert record.getMessage().startswith("error e-1: tools/call: RuntimeError at ")
    assert "password" not in record.getMessage()


@pytest.mark.parametrize("id_", ["", "ü", 0, -7, 2**63, "7"], ids=str)
@requirement("P-003")
def test_id_comes_back_as_it_was_sent(client: Client, id_: object) -> None:
    [answer] = client.modern(a_protocol(), modern_message("tools/list", id_=id_))

    assert answer["id"] == id_
    assert type(answer["id"]) is type(id_)


def test_metadata_beside_the_specified_is_ignored(client: Client) -> None:
    """Malformed trace context is dropped as well: telemetry never refuses a request."""
    meta = {**ENVELOPE, "traceparent": "nonsense", "x.example/y": [1]}

    [answer] = client.modern(a_protocol(), modern_message("tools/list", meta=meta))

    assert "result" in answer


@requirement("P-097")
@pytest.mark.parametrize("output", [{"type": "object"}, {"type": "array"}, {"oneOf": [{}]}])
def test_output_schema_of_any_root_is_listed_untouched(
    client: Client, output: dict[str, object]
) -> None:
    protocol = a_protocol(a_catalog(a_tool(output=output)))

    [answer] = client.modern(protocol, modern_message("tools/list"))

    [listed] = json.loads(json.dumps(answer))["result"]["tools"]
    assert listed == {**LISTED_ECHO, "outputSchema": output}


def test_tool_that_writes_says_how(client: Client) -> None:
    hints = ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=True)
    protocol = a_protocol(a_catalog(replace(a_tool(), annotations=hints)))

    [answer] = client.modern(protocol, modern_message("tools/list"))

    assert json.loads(json.dumps(answer))["result"]["tools"][0]["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
