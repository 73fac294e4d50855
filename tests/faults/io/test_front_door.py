"""Which requests come in: hosts, origins, paths with and without a slash, headers that agree.

Guards against honest clients that are refused for a port or a proxy in their host, against pages
of foreign sites that rebind their name, against redirects that lose the body, and against header
declarations for which clients drop a tool in silence.
"""

import json
from pathlib import Path

import pytest

from tests.faults.io.product import Message, Product, Result, faults_of, served, told
from tests.wire.client import legacy_message, modern_headers, modern_message
from tests.wire.http_client import Response

TOOL = "tools: {echo: {description: x, input: {text: string}, value: $text}}\n"
CALL = modern_message("tools/call", {"name": "echo", "arguments": {"text": "x"}})
WIDE = "serve: {host: 0.0.0.0, allowed_hosts: [mcp.example.com, '[2001:db8::1]:8443']}\n"
PROXIED = (
    "serve: {host: 0.0.0.0, allowed_hosts: [inner], trusted_proxies: [10.0.0.0/8],"
    " public_url: 'https://Shop.example.com/mcp', allowed_origins: ['https://app.example.com']}\n"
)


def asked(product: Product, headers: dict[str, str | None], **rest: object) -> Response:
    """The response to a good call with these headers."""
    body = json.dumps(CALL).encode()
    return product.post(body, {**modern_headers(CALL), **headers}, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("serve", "host", "peer", "forwarded", "status"),
    [
        ("", "127.0.0.1:8000", None, None, 200),
        ("", "LOCALHOST:1234", None, None, 200),
        ("", "[::1]:8000", None, None, 200),
        ("", "evil.example.com", None, None, 403),
        ("", "127.0.0.1.evil.example.com", None, None, 403),
        ("", None, None, None, 403),
        ("", "evil.example.com", "127.0.0.1", "localhost", 403),
        (WIDE, "mcp.example.com", None, None, 200),
        (WIDE, "MCP.example.com:8000", None, None, 200),
        (WIDE, "mcp.example.com.", None, None, 200),
        (WIDE, "[2001:db8::1]:8443", None, None, 200),
        (WIDE, "[2001:db8::1]:1", None, None, 403),
        (WIDE, "other.example.com", None, None, 403),
        (PROXIED, "shop.example.com", None, None, 200),
        (PROXIED, "inner:8000", None, None, 200),
        (PROXIED, "anything", "10.1.2.3", "shop.example.com", 200),
        (PROXIED, "anything", "10.1.2.3", "evil.example.com", 403),
        (PROXIED, "anything", "10.1.2.3", "shop.example.com, evil.example.com", 403),
        (PROXIED, "anything", "192.0.2.1", "shop.example.com", 403),
    ],
)
def test_host_is_admitted_as_the_file_says(
    tmp_path: Path,
    serve: str,
    host: str | None,
    peer: str | None,
    forwarded: str | None,
    status: int,
) -> None:
    with served(tmp_path, serve + TOOL) as product:
        headers = {"Host": host, "X-Forwarded-Host": forwarded}
        response = asked(product, headers, client=None if peer is None else (peer, 5))
    assert response.status == status
    if status == 403:
        assert b"serve.allowed_hosts lists what is" in response.body


@pytest.mark.parametrize(
    ("serve", "origin", "status"),
    [
        ("", None, 200),
        ("", "http://localhost:5173", 200),
        ("", "http://127.0.0.1:6274", 200),
        ("", "https://evil.example.com", 403),
        ("", "null", 403),
        ("", "http://localhost.evil.example.com", 403),
        (PROXIED, "https://app.example.com", 200),
        (PROXIED, "https://APP.example.com:443", 200),
        (PROXIED, "http://app.example.com", 403),
        (PROXIED, "https://shop.example.com", 200),
        (PROXIED, "http://localhost:5173", 403),
    ],
)
def test_origin_is_admitted_as_the_file_says(
    tmp_path: Path, serve: str, origin: str | None, status: int
) -> None:
    """The guard is on without a word in the file: a page can rebind its name to loopback."""
    with served(tmp_path, serve + TOOL) as product:
        host = "shop.example.com" if serve else "127.0.0.1:8000"
        response = asked(product, {"Host": host, "Origin": origin})
    assert response.status == status
    if status == 403:
        assert b"serve.allowed_origins lists who may" in response.body


@pytest.mark.parametrize("host", ["0.0.0.0", "'::'", "192.0.2.1", "mcp.example.com"])
def test_wide_address_without_allowed_hosts_does_not_start(tmp_path: Path, host: str) -> None:
    [found] = told(faults_of(tmp_path, f"serve: {{host: {host}}}\n{TOOL}"))
    shown = host.strip("'")
    assert found.startswith("mcp.yaml:3:")
    assert f"'{shown}' is not loopback, and 'allowed_hosts' is not set" in found
    assert faults_of(tmp_path, f"serve: {{host: {host}, allowed_hosts: [a]}}\n{TOOL}") == ()


@pytest.mark.parametrize("configured", ["/mcp", "/mcp/", "/", "/a/b/mcp"])
@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("prefix", ["", "/proxy"])
def test_path_answers_itself_with_and_without_a_slash(
    tmp_path: Path, configured: str, slash: str, prefix: str
) -> None:
    """Never a redirect: clients lose the body or the authorization on their way."""
    with served(tmp_path, f"serve: {{path: {configured}}}\n{TOOL}") as product:
        path = prefix + configured.rstrip("/") + slash
        response = asked(product, {}, path=path or "/", root_path=prefix)
        other = asked(product, {}, path=prefix + "/other", root_path=prefix)
    assert (response.status, "location" in response.headers) == (200, False)
    assert other.status == 404


HEADED = (
    "tools: {find: {description: x, value: $city, input: {city: {type: string, header: City},"
    " n?: {type: integer, header: Number}}}}\n"
)


@pytest.mark.parametrize(
    ("headers", "arguments", "code"),
    [
        ({"Mcp-Param-City": "Bern"}, {"city": "Bern"}, None),
        ({"Mcp-Param-City": "Bern", "Mcp-Param-Number": "7"}, {"city": "Bern", "n": 7}, None),
        ({"Mcp-Param-City": "=?base64?WsO8cmljaA==?="}, {"city": "Zürich"}, None),
        ({}, {"city": "Bern"}, -32020),
        ({"Mcp-Param-City": "Basel"}, {"city": "Bern"}, -32020),
        ({"Mcp-Param-City": "Bern", "Mcp-Param-Number": "8"}, {"city": "Bern", "n": 7}, -32020),
        ({"Mcp-Param-City": "Bern", "Mcp-Param-Number": "7"}, {"city": "Bern"}, -32020),
        ({"Mcp-Param-City": "Bern", "Mcp-Name": "other"}, {"city": "Bern"}, -32020),
    ],
)
def test_header_and_argument_agree_or_the_request_is_refused(
    tmp_path: Path, headers: dict[str, str], arguments: Message, code: int | None
) -> None:
    with served(tmp_path, HEADED) as product:
        answer = product.ask("tools/call", {"name": "find", "arguments": arguments}, headers)
    if code is None:
        result: Result = answer["result"]  # type: ignore[assignment]  # a result of tools/call
        assert result["structuredContent"] == arguments["city"]
    else:
        assert isinstance(answer["error"], dict)
        assert answer["error"]["code"] == code


@pytest.mark.parametrize(
    "written",
    [
        "city: {type: string, header: 'a b'}",
        "city: {type: string, header: ''}",
        "city: {type: string, header: 'a:b'}",
        "city: {type: number, header: City}",
        "city: {type: 'string|null', header: City}",
        "city: {type: 'string[]', header: City}",
        "a: {type: string, header: City}, b: {type: string, header: city}",
        "l: {type: 'object[]', fields: {k: {type: string, header: City}}}",
    ],
)
def test_header_for_which_a_client_drops_the_tool_is_a_fault_of_the_file(
    tmp_path: Path, written: str
) -> None:
    body = f"tools: {{find: {{description: x, value: 1, input: {{{written}}}}}}}\n"
    codes = [item.code for item in faults_of(tmp_path, body)]
    assert codes in (
        ["wrong-header"],
        ["misplaced-field"],
    )


def test_older_client_needs_none_of_the_new_headers(tmp_path: Path) -> None:
    message = legacy_message("tools/call", {"name": "find", "arguments": {"city": "Bern"}})
    with served(tmp_path, HEADED) as product:
        headers: dict[str, str | None] = {"MCP-Protocol-Version": "2025-06-18"}
        response = product.post(json.dumps(message).encode(), headers)
    [answer] = response.messages
    assert isinstance(answer["result"], dict)
    assert answer["result"]["content"] == [{"type": "text", "text": '"Bern"'}]
