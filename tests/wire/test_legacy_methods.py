"""What legacy clients get of each method, version by version, where nothing is kept over HTTP."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from runner.catalog.call import CallContext
from runner.catalog.catalog import Catalog
from runner.catalog.content import EmbeddedResource, ImageContent, ResourceLink, TextContent
from runner.catalog.resource import Contents, Resource
from runner.catalog.result import CallResult
from runner.catalog.tool import Icon, Tool
from runner.catalog.uris import uri_template
from runner.codec.json import encode
from runner.protocol.edition import Settings
from runner.protocol.listeners import Listeners
from runner.protocol.server import Protocol
from tests.requirements import requirement
from tests.wire.client import (
    Client,
    HttpClient,
    Message,
    StdioClient,
    an_app,
    legacy_message,
    modern_message,
    opening_params,
)
from tests.wire.http_client import Connection, run, send
from tests.wire.serving import ECHO_SCHEMA, a_catalog, a_protocol, a_tool, always
from tests.wire.stdio_client import talk

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
ICON = Icon("data:,", "image/png", ("48x48",), "dark")
SHOWN_ICON = {"src": "data:,", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}
WORDS = {"title": "T", "description": "D."}
MODERN_ALONE = {"resultType", "ttlMs", "cacheScope", "_meta"}
CALL = {"name": "echo", "arguments": {"text": "hi"}}
SUBSCRIBE = ["resources/subscribe", "resources/unsubscribe"]
BEHIND = {
    "tools": ["tools/list", "tools/call"],
    "resources": ["resources/list", "resources/templates/list", "resources/read"],
    "prompts": ["prompts/list", "prompts/get"],
    "completions": ["completion/complete"],
}
"""The methods behind each capability."""


def a_resource(name: str, uri: str) -> Resource:
    """A resource, or a template, that says all that one can say."""
    template = uri_template(uri) if "{" in uri else None
    read = a_tool(f"resource:{name}")
    return Resource(name, uri, template, "T", "D.", (ICON,), (), "text/plain", read)


def a_full_catalog(*, tools: bool = True, resources: bool = True) -> Catalog:
    """A tool, a resource and a template with titles and icons, or some of them."""
    tool = replace(a_tool(), title="T", description="D.", icons=(ICON,))
    found = a_catalog(*([tool] if tools else []))
    items = [a_resource("one", "r://one"), a_resource("many", "r://many/{id}")]
    named = {item.name: item for item in items} if resources else {}
    endpoint = replace(found.endpoints[0], resources=named)
    return replace(found, endpoints=(endpoint,), resources=named)


async def one_and_bytes(
    _resource: Resource, uri: str, variables: Mapping[str, str], _context: CallContext
) -> list[Contents]:
    """A text, or for a template bytes."""
    if variables:
        return [Contents(uri, "image/png", blob=b"\x89")]
    return [Contents(uri, "text/plain", text="one")]


def a_full_protocol(
    *, tools: bool = True, resources: bool = True, listeners: Listeners | None = None
) -> Protocol:
    """The protocol of the full catalog, or of a part of it."""
    catalog = a_full_catalog(tools=tools, resources=resources)
    return a_protocol(catalog, read_resource=one_and_bytes, listeners=listeners)


def result(answers: object) -> dict[str, object]:
    """The result of the only response."""
    [answer] = json.loads(json.dumps(answers))
    found = answer["result"]
    assert isinstance(found, dict)
    return found


@requirement("P-175")
@pytest.mark.parametrize("version", VERSIONS)
def test_titles_go_to_every_version_and_icons_to_the_latest(client: Client, version: str) -> None:
    """A member that a version does not know is harmless to it; icons are left out to save room."""
    protocol = a_full_protocol()
    icons = {"icons": [SHOWN_ICON]} if version == "2025-11-25" else {}
    hints = {"annotations": {"readOnlyHint": True, "openWorldHint": False}}

    found = {
        method: result(client.legacy(protocol, legacy_message(method), version))
        for method in ("tools/list", "resources/list", "resources/templates/list")
    }

    about = {**WORDS, "mimeType": "text/plain", **icons}
    assert found == {
        "tools/list": {
            "tools": [
                {
                    "name": "echo",
                    **WORDS,
                    "inputSchema": ECHO_SCHEMA,
                    **icons,
                    **(hints if version != "2024-11-05" else {}),
                }
            ]
        },
        "resources/list": {"resources": [{"uri": "r://one", "name": "one", **about}]},
        "resources/templates/list": {
            "resourceTemplates": [{"uriTemplate": "r://many/{id}", "name": "many", **about}]
        },
    }


@requirement("P-113", "P-175")
@pytest.mark.parametrize("version", [*VERSIONS, ""])
def test_resource_is_read_in_every_version(version: str) -> None:
    text = legacy_message("resources/read", {"uri": "r://one"})
    data = legacy_message("resources/read", {"uri": "r://many/7"})

    protocol = a_full_protocol()
    found = [result(HttpClient().legacy(protocol, asked, version)) for asked in (text, data)]

    assert found == [
        {"contents": [{"uri": "r://one", "mimeType": "text/plain", "text": "one"}]},
        {"contents": [{"uri": "r://many/7", "mimeType": "image/png", "blob": "iQ=="}]},
    ]


@requirement("P-174", "P-176")
@pytest.mark.parametrize("version", VERSIONS)
def test_unknown_resource_has_the_code_of_these_versions_and_status_200(version: str) -> None:
    client = HttpClient()
    asked = legacy_message("resources/read", {"uri": "r://no"})

    [answer] = client.legacy(a_full_protocol(), asked, version)

    fault = {"code": -32002, "message": "No such resource", "data": {"uri": "r://no"}}
    assert (answer["error"], client.responses[0].status) == (fault, 200)


@requirement("P-171")
@pytest.mark.parametrize("version", VERSIONS)
def test_capabilities_claim_nothing_that_needs_a_stream(version: str) -> None:
    """Not even where modern clients are told of changes."""
    asked = legacy_message("initialize", opening_params(version))

    protocol = a_full_protocol(listeners=Listeners())
    found = result(HttpClient().legacy(protocol, asked, ""))
    [discovered] = HttpClient().modern(protocol, modern_message("server/discover"))

    assert found["capabilities"] == {"tools": {}, "resources": {}}
    assert result([discovered])["capabilities"] == {
        "tools": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
    }


@requirement("P-171", "P-174")
@pytest.mark.parametrize("method", SUBSCRIBE)
@pytest.mark.parametrize("version", VERSIONS)
def test_subscribing_is_unknown_over_http(version: str, method: str) -> None:
    client = HttpClient()
    protocol = a_full_protocol(listeners=Listeners())

    [answer] = client.legacy(protocol, legacy_message(method, {"uri": "r://one"}), version)

    fault = {"code": -32601, "message": f"No method is named '{method}'"}
    assert (answer["error"], client.responses[0].status) == (fault, 200)


@requirement("P-025", "P-075", "P-111")
@pytest.mark.parametrize(
    ("tools", "resources"), [(True, True), (True, False), (False, True), (False, False)]
)
def test_methods_answer_where_their_capability_is_advertised_and_nowhere_else(
    client: Client, *, tools: bool, resources: bool
) -> None:
    protocol = a_full_protocol(tools=tools, resources=resources)
    [discovered] = json.loads(
        json.dumps(client.modern(protocol, modern_message("server/discover")))
    )
    asked = legacy_message("initialize", opening_params("2025-11-25"), id_=2)
    opened = result(client.legacy(protocol, asked, "2025-11-25"))
    advertised = opened["capabilities"]
    assert advertised == discovered["result"]["capabilities"]
    assert isinstance(advertised, dict)
    for capability, methods in BEHIND.items():
        for method in methods:
            params = {"uri": "r://one"} if method == "resources/read" else {"name": "echo"}
            [old] = client.legacy(protocol, legacy_message(method, params), "2025-11-25")
            [new] = client.modern(protocol, modern_message(method, params))
            codes = [json.loads(json.dumps(m)).get("error", {}).get("code") for m in (old, new)]
            expected = None if capability in advertised else -32601
            assert codes == [expected, expected], method


@pytest.mark.parametrize("version", VERSIONS)
def test_every_block_that_a_version_knows_is_written_as_it_is(client: Client, version: str) -> None:
    """Text, images and embedded resources are known to all."""
    blocks = (
        TextContent("t"),
        ImageContent(b"\x89", "image/png"),
        EmbeddedResource("r://a", text="a", mime_type="text/plain"),
        EmbeddedResource("r://b", blob=b"RIFF", mime_type="audio/wav"),
    )

    found = client.legacy(
        a_protocol(call_tool=always(CallResult(blocks))),
        legacy_message("tools/call", CALL),
        version,
    )

    assert result(found) == {
        "content": [
            {"type": "text", "text": "t"},
            {"type": "image", "data": "iQ==", "mimeType": "image/png"},
            {
                "type": "resource",
                "resource": {"uri": "r://a", "mimeType": "text/plain", "text": "a"},
            },
            {
                "type": "resource",
                "resource": {"uri": "r://b", "mimeType": "audio/wav", "blob": "UklGRg=="},
            },
        ]
    }


@requirement("P-179")
@pytest.mark.parametrize("version", ["2025-03-26", "2024-11-05", ""])
def test_link_becomes_a_text_with_its_title_and_address(version: str) -> None:
    """Clients without the header are taken for 2025-03-26 here: an unknown type would break it."""
    call = always(CallResult((ResourceLink("shop://a", "a", title="A"),)))

    found = HttpClient().legacy(
        a_protocol(call_tool=call), legacy_message("tools/call", CALL), version
    )

    assert result(found) == {"content": [{"type": "text", "text": "A: shop://a"}]}


async def logs_twice(_tool: Tool, _arguments: object, context: CallContext) -> CallResult:
    """Says something of little weight, then something of more."""
    context.log("debug", "small", None)
    context.log("error", "large", None)
    return CallResult((TextContent("done"),))


def levels(messages: object) -> list[str]:
    """The levels of the log messages among what came back."""
    found = json.loads(json.dumps(messages))
    return [item["params"]["level"] for item in found if "method" in item]


def test_log_level_that_was_set_over_http_has_no_effect_on_later_requests() -> None:
    """Nothing is kept: the level of the server holds for every request."""
    protocol = a_protocol(call_tool=logs_twice, settings=Settings(log_level="warning"))
    client = HttpClient()

    client.legacy(protocol, legacy_message("logging/setLevel", {"level": "debug"}), "2025-06-18")
    found = client.legacy(protocol, legacy_message("tools/call", CALL), "2025-06-18")

    assert levels(found) == ["error"]


def test_no_log_is_sent_over_http_where_the_server_has_no_level() -> None:
    protocol = a_protocol(call_tool=logs_twice)

    found = HttpClient().legacy(protocol, legacy_message("tools/call", CALL), "2025-06-18")

    assert levels(found) == []


@pytest.mark.parametrize(
    ("default", "chosen", "expected"),
    [
        (None, None, []),
        (None, "error", ["error"]),
        ("error", None, ["error"]),
        ("error", "debug", ["debug", "error"]),
        ("debug", "error", ["error"]),
    ],
)
def test_log_level_holds_for_the_process_over_stdio(
    default: str | None, chosen: str | None, expected: list[str]
) -> None:
    """That of the server, until the client sets one."""
    messages = [legacy_message("initialize", opening_params("2025-06-18"), id_=0)]
    if chosen is not None:
        messages.append(legacy_message("logging/setLevel", {"level": chosen}, id_=1))
    messages.append(legacy_message("tools/call", CALL, id_=2))
    settings = Settings(log_level=default, keeps_session=True)
    protocol = a_protocol(call_tool=logs_twice, settings=settings)

    found = talk(protocol, b"".join(encode(message) + b"\n" for message in messages))

    assert levels(found) == expected


@requirement("P-005", "P-051")
@pytest.mark.parametrize(
    "method",
    [
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/roots/list_changed",
        "notifications/unheard/of",
        "resources/read",
    ],
)
@pytest.mark.parametrize("version", [*VERSIONS, None])
def test_notification_is_accepted_and_has_no_effect(version: str | None, method: str) -> None:
    body = encode({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}})

    response = send(an_app(a_full_protocol()), body, {"MCP-Protocol-Version": version})

    assert (response.status, response.body) == (202, b"")


def test_cancelling_by_id_over_http_ends_no_request() -> None:
    """Ids are chosen by clients, so that one could end the work of another."""
    app = an_app(a_protocol())

    async def both() -> tuple[int, Message]:
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        body = encode({**cancelled, "params": {"requestId": 1}})
        call = encode(legacy_message("tools/call", CALL))
        told, answered = await asyncio.gather(
            run(app, Connection([body])), run(app, Connection([call]))
        )
        [message] = answered.messages
        return told.status, message

    status, message = asyncio.run(both())
    assert (status, "result" in message) == (202, True)


@requirement("P-173", "P-175")
@pytest.mark.parametrize("version", [*VERSIONS, ""])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("ping", None),
        ("tools/list", None),
        ("tools/list", {}),
        ("tools/call", CALL),
        ("resources/list", None),
        ("resources/templates/list", None),
        ("resources/read", {"uri": "r://one"}),
        ("logging/setLevel", {"level": "info"}),
    ],
)
def test_every_method_is_served_without_initialize_and_without_modern_members(
    version: str, method: str, params: Mapping[str, object] | None
) -> None:
    client = HttpClient()

    found = result(client.legacy(a_full_protocol(), legacy_message(method, params), version))

    assert not MODERN_ALONE & found.keys()
    assert client.responses[0].status == 200
    assert "mcp-session-id" not in client.responses[0].headers


@requirement("P-178")
def test_batch_mixes_methods_and_answers_only_requests() -> None:
    members = [
        legacy_message("tools/list", id_="a"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        legacy_message("resources/read", {"uri": "r://one"}, id_="b"),
        legacy_message("resources/read", {"uri": "r://no"}, id_="c"),
    ]

    response = send(an_app(a_full_protocol()), encode(members))

    found = {item["id"]: item for item in json.loads(response.body)}
    assert (response.status, list(found)) == (200, ["a", "b", "c"])
    assert found["b"]["result"]["contents"][0]["text"] == "one"
    assert found["c"]["error"]["code"] == -32002


@pytest.mark.parametrize("version", VERSIONS)
def test_failure_of_a_resource_is_an_internal_error_with_status_200(version: str) -> None:
    async def fails(*_given: object) -> list[Contents]:
        raise RuntimeError("secret of the house")

    client = HttpClient()
    protocol = a_protocol(a_full_catalog(), read_resource=fails)

    [answer] = client.legacy(
        protocol, legacy_message("resources/read", {"uri": "r://one"}), version
    )

    fault = {"code": -32603, "message": "Internal error e-1"}
    assert (answer["error"], client.responses[0].status) == (fault, 200)


@pytest.mark.parametrize("version", VERSIONS)
def test_stdio_keeps_the_version_that_was_settled(version: str) -> None:
    """The wrapped form of a result, which is not an object, tells the versions apart."""
    call = always(CallResult((TextContent("7"),), b"7", is_object=False))

    found = StdioClient().legacy(
        a_protocol(call_tool=call), legacy_message("tools/call", CALL), version
    )

    structured = {"structuredContent": {"result": 7}} if version >= "2025-06-18" else {}
    assert result(found) == {"content": [{"type": "text", "text": "7"}], **structured}
