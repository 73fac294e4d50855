"""Which era a message belongs to, decided by that message alone."""

import json
from collections.abc import Mapping

import pytest

from runner.codec.json import encode
from tests.requirements import requirement
from tests.wire.client import (
    PREFIX,
    HttpClient,
    an_app,
    legacy_message,
    modern_headers,
    modern_message,
    opening_params,
)
from tests.wire.http_client import send
from tests.wire.serving import a_protocol

MODERN = modern_message("tools/list")
BARE = legacy_message("tools/list", {})
INITIALIZE = legacy_message("initialize", opening_params("2026-07-28"))


def future(version: str) -> dict[str, object]:
    """A modern request of another version."""
    return modern_message("tools/list", meta={f"{PREFIX}protocolVersion": version})


@requirement("P-022", "P-023", "P-027", "P-173")
@pytest.mark.parametrize(
    ("version", "message", "status", "code"),
    [
        (None, MODERN, 400, -32020),
        ("2026-07-28", BARE, 400, -32602),
        ("2025-11-25", MODERN, 400, -32020),
        ("1999-01-01", future("1999-01-01"), 400, -32022),
        ("2026-07-28", future("1999-01-01"), 400, -32020),
        (None, INITIALIZE, 200, None),
        (None, BARE, 200, None),
        ("2026-07-28", modern_message("initialize"), 404, -32601),
        ("2026-07-28", modern_message("ping"), 404, -32601),
        ("2026-07-28", modern_message("logging/setLevel"), 404, -32601),
        ("2026-07-28", modern_message("resources/subscribe"), 404, -32601),
        ("2026-07-28", modern_message("resources/unsubscribe"), 404, -32601),
        (None, legacy_message("server/discover"), 200, -32601),
        ("2025-11-25", future("2025-11-25"), 400, -32022),
        ("2099-01-01", BARE, 400, -32602),
    ],
)
def test_consequence_of_the_selection(
    version: str | None, message: dict[str, object], status: int, code: int | None
) -> None:
    headers = {**modern_headers(message), "MCP-Protocol-Version": version}

    response = send(an_app(a_protocol()), encode(message), headers)

    answer = json.loads(response.body)
    assert (response.status, answer.get("error", {}).get("code")) == (status, code)
    assert answer["id"] == 1


@requirement("P-023")
def test_unserved_version_is_told_what_is_served() -> None:
    headers = {**modern_headers(MODERN), "MCP-Protocol-Version": "1999-01-01"}

    response = send(an_app(a_protocol()), encode(future("1999-01-01")), headers)

    assert json.loads(response.body)["error"] == {
        "code": -32022,
        "message": "Protocol version is not supported",
        "data": {"supported": ["2026-07-28"], "requested": "1999-01-01"},
    }


@requirement("P-170")
def test_initialize_never_settles_on_the_modern_version() -> None:
    [answer] = HttpClient().legacy(a_protocol(), INITIALIZE, "")

    assert json.loads(json.dumps(answer))["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    ("message", "code"), [(INITIALIZE, -32022), (BARE, -32602), (MODERN, None)], ids=str
)
def test_server_without_the_legacy_era_says_so(
    message: Mapping[str, object], code: int | None
) -> None:
    headers = modern_headers(MODERN) if message is MODERN else {}

    response = send(an_app(a_protocol(legacy=False)), encode(message), headers)

    answer = json.loads(response.body)
    assert answer.get("error", {}).get("code") == code
    if code == -32022:
        assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2026-07-28"}
