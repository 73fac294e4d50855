"""Which hosts and origins may call, as a table."""

import json
from dataclasses import replace

import pytest

from runner.catalog.catalog import Listen
from runner.codec.json import encode
from tests.requirements import requirement
from tests.wire.client import an_app, legacy_message
from tests.wire.http_client import send
from tests.wire.serving import LISTEN, a_protocol

PING = encode(legacy_message("ping"))
WIDE = replace(LISTEN, host="0.0.0.0", allowed_hosts=("mcp.example.com", "[2001:db8::1]:8443"))
PUBLIC = replace(WIDE, public_url="https://Prompts.Example.com/mcp")
LISTED = replace(LISTEN, allowed_origins=("https://client.example.com", "app://desk"))
PROXIED = replace(PUBLIC, trusted_proxies=("10.0.0.0/8",))


@requirement("P-057")
@pytest.mark.parametrize(
    ("listen", "host", "status"),
    [
        (LISTEN, "127.0.0.1:8000", 200),
        (LISTEN, "127.0.0.1", 200),
        (LISTEN, "127.9.9.9:1", 200),
        (LISTEN, "localhost:8000", 200),
        (LISTEN, "LOCALHOST", 200),
        (LISTEN, "[::1]:8000", 200),
        (LISTEN, "[0:0:0:0:0:0:0:1]", 200),
        (LISTEN, "evil.example.com", 403),
        (LISTEN, "localhost.evil.example.com", 403),
        (LISTEN, "127.0.0.1.evil.example.com", 403),
        (LISTEN, "localhost:8000@evil.example.com", 403),
        (LISTEN, "", 403),
        (LISTEN, None, 403),
        (LISTEN, "[::1", 403),
        (WIDE, "mcp.example.com", 200),
        (WIDE, "MCP.Example.com:9999", 200),
        (WIDE, "mcp.example.com.", 200),
        (WIDE, "[2001:db8::1]:8443", 200),
        (WIDE, "[2001:db8::1]:8444", 403),
        (WIDE, "localhost:8000", 200),
        (WIDE, "0.0.0.0:8000", 403),
        (WIDE, "other.example.com", 403),
        (PUBLIC, "prompts.example.com", 200),
        (replace(WIDE, host="192.0.2.7"), "192.0.2.7:8000", 200),
        (replace(WIDE, allowed_hosts=("any",)), "whatever.example.com", 200),
    ],
)
def test_host_that_is_served(listen: Listen, host: str | None, status: int) -> None:
    assert send(an_app(a_protocol(), listen=listen), PING, {"Host": host}).status == status


@requirement("P-056")
@pytest.mark.parametrize(
    ("listen", "origin", "status"),
    [
        (LISTEN, None, 200),
        (LISTEN, "http://localhost:3000", 200),
        (LISTEN, "https://127.0.0.1", 200),
        (LISTEN, "http://[::1]:8000", 200),
        (LISTEN, "HTTP://LocalHost:3000", 200),
        (LISTEN, "ftp://localhost", 403),
        (LISTEN, "null", 403),
        (LISTEN, "", 403),
        (LISTEN, "http://evil.example.com", 403),
        (LISTEN, "http://localhost.evil.example.com", 403),
        (LISTEN, "http://localhost:3000@evil.example.com", 403),
        (LISTEN, "http://localhost/path", 403),
        (LISTED, "https://client.example.com", 200),
        (LISTED, "https://CLIENT.example.com:443", 200),
        (LISTED, "http://client.example.com", 403),
        (LISTED, "https://client.example.com:8443", 403),
        (LISTED, "app://desk", 200),
        (LISTED, "app://other", 403),
        (PUBLIC, "https://prompts.example.com", 200),
        (PUBLIC, "http://localhost:3000", 403),
        (replace(LISTEN, allowed_origins=("any",)), "https://x.example", 200),
        (replace(LISTEN, allowed_origins=("any",)), "null", 403),
    ],
)
def test_origin_that_may_call(listen: Listen, origin: str | None, status: int) -> None:
    host = "prompts.example.com" if listen is PUBLIC else "127.0.0.1"

    response = send(an_app(a_protocol(), listen=listen), PING, {"Host": host, "Origin": origin})

    assert response.status == status


@pytest.mark.parametrize(
    ("peer", "forwarded", "status"),
    [
        ("10.1.2.3", "prompts.example.com", 200),
        ("10.1.2.3", "evil.example.com, prompts.example.com", 200),
        ("10.1.2.3", "evil.example.com", 403),
        ("192.0.2.1", "prompts.example.com", 403),
        (None, "prompts.example.com", 403),
    ],
)
def test_forwarded_host_counts_from_trusted_proxies_alone(
    peer: str | None, forwarded: str, status: int
) -> None:
    """The proxy's own word is the last."""
    headers = {"Host": "internal:8000", "X-Forwarded-Host": forwarded}
    client = None if peer is None else (peer, 5000)

    response = send(an_app(a_protocol(), listen=PROXIED), PING, headers, client=client)

    assert response.status == status


@requirement("P-056", "P-057")
@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (
            {"Host": "evil.example.com"},
            "The Host 'evil.example.com' is not served; serve.allowed_hosts lists what is",
        ),
        (
            {"Origin": "http://evil.example.com"},
            "The Origin 'http://evil.example.com' may not call;"
            " serve.allowed_origins lists who may",
        ),
    ],
    ids=["host", "origin"],
)
def test_refusal_names_the_setting_to_change(headers: dict[str, str], message: str) -> None:
    response = send(an_app(a_protocol()), PING, headers)

    error = {"code": -32600, "message": message}
    assert json.loads(response.body) == {"jsonrpc": "2.0", "error": error}


@pytest.mark.parametrize("name", ["Host", "Origin"])
def test_repeated_header_is_refused(name: str) -> None:
    twice = [(name, "http://localhost")] * 2

    assert send(an_app(a_protocol()), PING, twice).status == 403


def test_method_is_judged_after_the_origin() -> None:
    response = send(an_app(a_protocol()), headers={"Origin": "http://evil.example"}, method="GET")

    assert response.status == 403
