"""Whatever comes in, what goes out is a valid message: no 500, no traceback, no hang."""

import json
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.requirements import requirement
from tests.wire.client import ENVELOPE, an_app
from tests.wire.http_client import Response, send
from tests.wire.recording import LEGACY_SCHEMA, MODERN_SCHEMA, takes_more, validator
from tests.wire.serving import a_protocol
from tests.wire.stdio_client import talk

MANY = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WHY = "what is wrong here need not be refused"
STATUSES = {200, 202, 400, 403, 404, 406, 413, 415}
METHODS = ["initialize", "ping", "tools/list", "tools/call", "server/discover", "logging/setLevel"]

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
metas = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.just(value) | values for key, value in ENVELOPE.items()},
        "progressToken": values,
        "io.modelcontextprotocol/clientInfo": values,
        "io.modelcontextprotocol/logLevel": values,
    },
)
params = st.fixed_dictionaries(
    {},
    optional={
        "_meta": metas | values,
        "name": st.just("echo") | values,
        "arguments": st.dictionaries(st.text(), values) | values,
        "cursor": values,
        "protocolVersion": values,
        "level": values,
    },
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers(0, 9) | values,
        "method": st.sampled_from(METHODS) | values,
        "params": params | values,
    },
)
bodies = st.one_of(envelopes, st.lists(envelopes, max_size=3), values).map(
    lambda value: json.dumps(value).encode()
) | st.binary(max_size=64)
header_values = st.one_of(
    st.sampled_from(
        ["2026-07-28", "2025-11-25", "tools/call", "echo", "=?base64?", "=?base64?=?="]
    ),
    st.binary(max_size=24).map(lambda raw: raw.decode("latin-1")),
)
NAMES = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-X", "Accept"]
OTHERS = ["Content-Type", "Content-Length", "Origin", "Host"]
headers = st.lists(st.tuples(st.sampled_from(NAMES + OTHERS), header_values), max_size=5)


def is_valid(message: object) -> bool:
    """A server of either era may send it."""
    schemas = (MODERN_SCHEMA, LEGACY_SCHEMA)
    return any(validator(schema, "JSONRPCMessage").is_valid(message) for schema in schemas)


def check(response: Response) -> None:
    """Holds a response against what a server may send."""
    assert response.status in STATUSES
    assert response.is_whole
    if response.status in (200, 400) and response.body:
        for message in response.messages:
            assert is_valid(message)
            assert "Traceback" not in json.dumps(message)
            error = message.get("error")
            assert not isinstance(error, dict) or error["code"] != -32603


@requirement("P-001", "P-008", "P-009")
@takes_more(WHY)
@MANY
@given(bodies, headers)
def test_any_body_and_headers_are_answered_over_http(
    caplog: pytest.LogCaptureFixture, body: bytes, pairs: list[tuple[str, str]]
) -> None:
    response = send(an_app(a_protocol()), body, pairs)

    check(response)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@takes_more(WHY)
@MANY
@given(bodies, st.sampled_from(["2026-07-28", "2025-11-25", "2025-03-26"]))
def test_any_body_is_answered_under_every_version(body: bytes, version: str) -> None:
    check(send(an_app(a_protocol()), body, {"MCP-Protocol-Version": version}))


@requirement("P-001", "P-007")
@takes_more(WHY)
@settings(MANY, max_examples=50)
@given(st.lists(bodies, max_size=5))
def test_any_lines_are_answered_over_stdio(lines: list[bytes]) -> None:
    found = talk(a_protocol(), b"\n".join(line.replace(b"\n", b"") for line in lines))

    for message in found:
        assert is_valid(message)
        assert "method" not in message or "id" not in message
