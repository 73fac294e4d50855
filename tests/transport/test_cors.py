"""What browsers of allowed origins are told."""

import pytest

from runner.codec.json import encode
from tests.wire.client import an_app, legacy_message
from tests.wire.http_client import send
from tests.wire.serving import a_protocol

ORIGIN = "http://localhost:3000"


def test_preflight_allows_the_headers_of_the_protocol() -> None:
    headers = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type, Mcp-Param-City, x-other, mcp-param-\x00",
    }

    response = send(an_app(a_protocol()), headers=headers, method="OPTIONS")

    assert response.status == 204
    assert response.headers == {
        "content-length": "0",
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "accept, authorization, content-type, last-event-id,"
        " mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, mcp-param-city",
        "access-control-max-age": "7200",
        "vary": "Origin",
    }


def test_preflight_of_a_foreign_origin_is_refused() -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}

    response = send(an_app(a_protocol()), headers=headers, method="OPTIONS")

    assert (response.status, "access-control-allow-origin" in response.headers) == (403, False)


@pytest.mark.parametrize(
    ("body", "kind", "accept", "status"),
    [
        (encode(legacy_message("ping")), "application/json", "*/*", 200),
        (encode(legacy_message("ping")), "application/json", "text/event-stream", 200),
        (b"{}", "application/json", "*/*", 400),
        (b"{}", "text/plain", "*/*", 415),
        (b"{}", "application/json", "text/html", 406),
        (b" " * 5000, "application/json", "*/*", 413),
    ],
)
def test_page_may_read_every_answer(body: bytes, kind: str, accept: str, status: int) -> None:
    """An error that the page cannot read cannot be mended."""
    headers = {"Origin": ORIGIN, "Content-Type": kind, "Accept": accept}

    response = send(an_app(a_protocol()), body, headers)

    assert response.status == status
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert response.headers["access-control-expose-headers"] == "WWW-Authenticate"
    assert response.headers["vary"] == "Origin"


def test_answer_to_no_browser_has_no_such_header() -> None:
    response = send(an_app(a_protocol()), encode(legacy_message("ping")))

    assert "access-control-allow-origin" not in response.headers
