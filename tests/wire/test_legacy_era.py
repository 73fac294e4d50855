"""The four legacy versions over both transports."""

import json

import pytest

from runner.catalog.catalog import Identity
from runner.catalog.content import AudioContent, ResourceLink, TextContent
from runner.catalog.result import CallResult
from runner.catalog.tool import Icon
from runner.codec.json import encode
from runner.protocol.edition import Settings
from tests.requirements import requirement
from tests.wire.client import Client, HttpClient, legacy_message, opening_params
from tests.wire.serving import ECHO_SCHEMA, a_catalog, a_protocol, a_tool, always

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
CALL = {"name": "echo", "arguments": {"text": "hi"}}


@requirement("P-170", "P-171")
@pytest.mark.parametrize("version", [*VERSIONS, "2026-07-28", "1999-01-01", ""])
def test_initialize_echoes_a_served_version_else_the_latest(version: str) -> None:
    message = legacy_message("initialize", opening_params(version))

    client = HttpClient()
    [answer] = client.legacy(a_protocol(), message, "")

    assert answer["result"] == {
        "protocolVersion": version if version in VERSIONS else "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "bern-shop", "version": "1.2.0"},
        "instructions": "Start with echo.",
    }
    assert "mcp-session-id" not in client.responses[0].headers


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 20251125}])
def test_initialize_without_a_version_is_refused(
    client: Client, params: dict[str, object] | None
) -> None:
    [answer] = client.legacy(a_protocol(), legacy_message("initialize", params), "2025-11-25")

    assert answer["error"] == {"code": -32602, "message": "params.protocolVersion is a string"}


@requirement("P-172")
@pytest.mark.parametrize("version", VERSIONS)
def test_ping_is_answered_at_once(client: Client, version: str) -> None:
    answer = client.legacy(a_protocol(), legacy_message("ping"), version)

    assert answer == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@requirement("P-175")
@pytest.mark.parametrize(
    ("version", "annotated"), [(version, version != "2024-11-05") for version in VERSIONS]
)
def test_list_has_what_the_version_knows(client: Client, version: str, annotated: bool) -> None:
    """Nothing of the modern era: no `resultType`, no cache hints, no `serverInfo`."""
    [answer] = client.legacy(a_protocol(), legacy_message("tools/list"), version)

    tool: dict[str, object] = {
        "name": "echo",
        "description": "Says it again.",
        "inputSchema": ECHO_SCHEMA,
    }
    if annotated:
        tool["annotations"] = {"readOnlyHint": True, "openWorldHint": False}
    assert answer["result"] == {"tools": [tool]}


@requirement("P-097", "P-175")
@pytest.mark.parametrize("version", VERSIONS)
def test_structured_content_goes_to_versions_that_know_it(client: Client, version: str) -> None:
    [answer] = client.legacy(a_protocol(), legacy_message("tools/call", CALL), version)

    expected: dict[str, object] = {"content": [{"type": "text", "text": '{"text":"hi"}'}]}
    if version >= "2025-06-18":
        expected["structuredContent"] = {"text": "hi"}
    assert answer["result"] == expected


@requirement("P-173")
def test_client_without_the_version_header_gets_structured_content_too() -> None:
    """It may be a newer one that forgets the header; older ones ignore the member."""
    [answer] = HttpClient().legacy(a_protocol(), legacy_message("tools/call", CALL), "")

    assert answer["result"] == {
        "content": [{"type": "text", "text": '{"text":"hi"}'}],
        "structuredContent": {"text": "hi"},
    }


@requirement("P-097", "P-173", "P-177")
@pytest.mark.parametrize("version", [*VERSIONS, ""])
@pytest.mark.parametrize("is_object", [True, False], ids=["object", "array"])
def test_output_schema_is_listed_where_its_value_is_sent(version: str, is_object: bool) -> None:
    """The two never disagree, for clients without the version header either."""
    schema: dict[str, object] = {"type": "object" if is_object else "array"}
    value = {"text": "hi"} if is_object else [7]
    call_tool = always(CallResult((TextContent("-"),), encode(value), is_object=is_object))
    protocol = a_protocol(a_catalog(a_tool(output=schema)), call_tool)

    [listed] = HttpClient().legacy(protocol, legacy_message("tools/list"), version)
    [called] = HttpClient().legacy(protocol, legacy_message("tools/call", CALL), version)

    [tool] = json.loads(json.dumps(listed))["result"]["tools"]
    sent = json.loads(json.dumps(called))["result"].get("structuredContent")
    wrapped = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    expected = (schema, value) if is_object else (wrapped, {"result": value})
    is_sent = version in ("2025-11-25", "2025-06-18", "")
    assert (tool.get("outputSchema"), sent) == (expected if is_sent else (None, None))


@requirement("P-177")
def test_output_that_is_no_object_is_wrapped_in_schema_and_value(client: Client) -> None:
    output = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    call_tool = always(CallResult((TextContent("[7]"),), b"[7]", is_object=False))
    protocol = a_protocol(a_catalog(a_tool(output=output)), call_tool)

    [listed] = client.legacy(protocol, legacy_message("tools/list"), "2025-06-18")
    [called] = client.legacy(protocol, legacy_message("tools/call", CALL), "2025-06-18")

    assert json.loads(json.dumps(listed))["result"]["tools"][0]["outputSchema"] == {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
        "required": ["result"],
        "$defs": {"n": {"type": "integer"}},
    }
    assert called["result"] == {
        "content": [{"type": "text", "text": "[7]"}],
        "structuredContent": {"result": [7]},
    }


@requirement("P-177")
def test_output_schema_that_cannot_be_moved_is_left_out_with_its_value(client: Client) -> None:
    output = {"$id": "https://shop.example/n", "type": "integer"}
    call_tool = always(CallResult((TextContent("7"),), b"7", is_object=False))
    protocol = a_protocol(a_catalog(a_tool(output=output)), call_tool)

    [listed] = client.legacy(protocol, legacy_message("tools/list"), "2025-11-25")
    [called] = client.legacy(protocol, legacy_message("tools/call", CALL), "2025-11-25")

    assert "outputSchema" not in json.loads(json.dumps(listed))["result"]["tools"][0]
    assert called["result"] == {"content": [{"type": "text", "text": "7"}]}


@requirement("P-179")
@pytest.mark.parametrize("version", VERSIONS)
def test_content_that_the_version_lacks_is_replaced_by_text(client: Client, version: str) -> None:
    blocks = (AudioContent(b"RIFF", "audio/wav"), ResourceLink("shop://a", "a", title="A"))
    protocol = a_protocol(call_tool=always(CallResult(blocks)))

    [answer] = client.legacy(protocol, legacy_message("tools/call", CALL), version)

    kinds = [block["type"] for block in json.loads(json.dumps(answer))["result"]["content"]]
    assert (
        kinds
        == {
            "2025-11-25": ["audio", "resource_link"],
            "2025-06-18": ["audio", "resource_link"],
            "2025-03-26": ["audio", "text"],
            "2024-11-05": ["text", "text"],
        }[version]
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_icons_and_prose_of_the_server_go_to_the_latest_version_alone(version: str) -> None:
    identity = Identity("shop", "1", "Shop", "Sells.", "https://shop.example", (Icon("data:,"),))
    protocol = a_protocol(a_catalog(identity=identity))
    message = legacy_message("initialize", opening_params(version))

    [answer] = HttpClient().legacy(protocol, message, "")

    expected: dict[str, object] = {"name": "shop", "version": "1", "title": "Shop"}
    if version == "2025-11-25":
        expected |= {
            "description": "Sells.",
            "websiteUrl": "https://shop.example",
            "icons": [{"src": "data:,"}],
        }
    assert json.loads(json.dumps(answer))["result"]["serverInfo"] == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_log_level_is_checked(client: Client, version: str) -> None:
    good = legacy_message("logging/setLevel", {"level": "debug"})
    bad = legacy_message("logging/setLevel", {"level": "loud"})

    assert client.legacy(a_protocol(), good, version) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    [refused] = client.legacy(a_protocol(), bad, version)
    assert json.loads(json.dumps(refused))["error"]["code"] == -32602


@requirement("P-025", "P-174")
@pytest.mark.parametrize("method", ["server/discover", "resources/subscribe", "tasks/list", "x"])
def test_unknown_method_is_an_error_with_status_200(method: str) -> None:
    """Legacy clients take any other status for a transport failure."""
    client = HttpClient()

    [answer] = client.legacy(a_protocol(), legacy_message(method), "2025-06-18")

    message = f"No method is named '{method}'"
    assert answer == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": message}}
    assert client.responses[0].status == 200


@requirement("P-094")
def test_unknown_tool_is_a_protocol_error_with_status_200() -> None:
    client = HttpClient()

    [answer] = client.legacy(
        a_protocol(), legacy_message("tools/call", {"name": "nope"}), "2025-03-26"
    )

    assert answer["error"] == {"code": -32602, "message": "No tool is named 'nope'"}
    assert client.responses[0].status == 200


def test_parameters_that_are_no_object_are_refused(client: Client) -> None:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}

    [answer] = client.legacy(a_protocol(), message, "2025-11-25")

    assert answer["error"] == {"code": -32602, "message": "params is an object"}


@pytest.mark.parametrize("token", [True, 1.5, None, {}], ids=repr)
def test_progress_token_is_a_text_or_an_integer(client: Client, token: object) -> None:
    asked = legacy_message("tools/call", {**CALL, "_meta": {"progressToken": token}})

    [answer] = client.legacy(a_protocol(), asked, "2025-06-18")

    message = "params._meta.progressToken is a string or an integer"
    assert answer["error"] == {"code": -32602, "message": message}


def test_logging_is_advertised_only_where_a_level_is_set() -> None:
    protocol = a_protocol(settings=Settings(log_level="info"))
    message = legacy_message("initialize", opening_params("2025-06-18"))

    [answer] = HttpClient().legacy(protocol, message, "")

    capabilities = json.loads(json.dumps(answer))["result"]["capabilities"]
    assert capabilities == {"tools": {}, "logging": {}}


@pytest.mark.parametrize("version", VERSIONS)
def test_boolean_property_schemas_become_objects(client: Client, version: str) -> None:
    """The published legacy schema has objects only; modern clients get them as written."""
    schema = {"type": "object", "properties": {"any": True, "none": False}}

    [answer] = client.legacy(
        a_protocol(a_catalog(a_tool(schema=schema))), legacy_message("tools/list"), version
    )

    listed = json.loads(json.dumps(answer))["result"]["tools"][0]["inputSchema"]
    assert listed == {"type": "object", "properties": {"any": {}, "none": {"not": {}}}}


def test_output_schema_with_an_object_at_its_root_is_listed_as_it_is(client: Client) -> None:
    output = {"type": "object", "properties": {"n": True, "m": {"type": "integer"}}}
    protocol = a_protocol(a_catalog(a_tool(output=output)))

    [answer] = client.legacy(protocol, legacy_message("tools/list"), "2025-06-18")

    listed = json.loads(json.dumps(answer))["result"]["tools"][0]["outputSchema"]
    assert listed == {"type": "object", "properties": {"n": {}, "m": {"type": "integer"}}}
