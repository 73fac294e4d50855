"""Older clients and several workers: no worker knows a session, and none is needed."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.requirements import requirement
from tests.run.processes import LIMIT_S, Answer, serving, text_of, within_limit
from tests.wire.client import legacy_message, opening_params
from tests.wire.http_client import BROWSERLESS
from tests.wire.recording import check_exchange, sent_over_http

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "")
INITIALIZED: Answer = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Client:
    """One older client, whose requests go over a connection each."""

    def __init__(self, port: int, version: str) -> None:
        self._port = port
        self._version = version

    @contextmanager
    def _asked(self, message: object) -> Iterator[http.client.HTTPResponse]:
        version = {"MCP-Protocol-Version": self._version} if self._version else {}
        headers = {**BROWSERLESS, **version, "Mcp-Session-Id": "of another server"}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LIMIT_S)
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            response = connection.getresponse()
            assert "Mcp-Session-Id" not in response.headers
            yield response
        finally:
            connection.close()

    def result(self, method: str, params: Answer | None = None) -> Answer:
        """The result of a request."""
        message = legacy_message(method, params)
        with self._asked(message) as response:
            found = json.loads(response.read())
            assert response.status == 200
        sent = sent_over_http(json.dumps(message).encode(), self._version or None)
        check_exchange(sent, [found])
        result = found["result"]
        assert isinstance(result, dict)
        return result

    def tell(self, message: Answer) -> tuple[int, bytes]:
        """What answers a notification."""
        with self._asked(message) as response:
            return response.status, response.read()


def conversation(port: int, version: str) -> str:
    """What an older client does from its first request on; the process that took the last."""
    client, asked = Client(port, version), version or "2025-03-26"
    opening = client.result("initialize", opening_params(asked))
    assert opening["protocolVersion"] == asked
    assert client.tell(INITIALIZED) == (202, b"")
    assert client.result("ping") == {}
    listed = client.result("tools/list")["tools"]
    assert isinstance(listed, list)
    assert "process" in [tool["name"] for tool in listed]
    return text_of(client.result("tools/call", {"name": "process", "arguments": {}}))


@requirement("P-058", "P-173")
@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_older_client_is_served_by_whichever_worker_takes_a_request(lab: Path, engine: str) -> None:
    with serving(lab, "--workers", "2", environment={"ENGINE": engine}) as served:
        for version in VERSIONS:
            seen: set[str] = set()

            def reaches_both(version: str = version, seen: set[str] = seen) -> bool:
                seen.add(conversation(served.port, version))
                return len(seen) == 2

            within_limit(reaches_both)
        assert served.errors() == ""
