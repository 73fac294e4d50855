"""Probes of orchestrators: yes or no and the databases by name, whatever the Host."""

import asyncio
from datetime import UTC, datetime

import pytest

from runner.auth.identity import everyone
from runner.codec.json import decode
from runner.reach import Reach
from runner.transport.asgi import Event, Scope
from runner.transport.health import Standing
from runner.transport.http import HttpApp, Serving
from tests.wire.serving import LISTEN, a_catalog, a_protocol

NOW = datetime(2026, 1, 31, 12, 30, 5, 999, tzinfo=UTC)
HEADERS = {"content-type": "application/json", "cache-control": "no-store"}


def probed(
    standing: Standing, path: str, method: str = "GET", root_path: str = ""
) -> tuple[int, dict[str, str], object]:
    """Status, headers without the length, and what the body says."""
    serving = Serving(
        {"/mcp": a_protocol()}, LISTEN, everyone(a_catalog().identities), max_body_bytes=4096
    )
    app = HttpApp(serving, standing=standing)
    events: list[dict[str, object]] = []

    async def send(event: dict[str, object]) -> None:
        events.append(event)

    async def receive() -> Event:
        return {"type": "http.request"}

    scope: Scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": root_path,
        "headers": [(b"host", b"10.1.2.3:8000"), (b"origin", b"https://evil.example")],
        "client": ("10.1.2.3", 5000),
    }
    asyncio.run(app(scope, receive, send))
    start, body = events
    assert isinstance(start["headers"], list)
    assert isinstance(body["body"], bytes)
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    headers.pop("content-length")
    assert isinstance(start["status"], int)
    return start["status"], headers, decode(body["body"]) if body["body"] else None


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("prefix", ["", "/below"])
def test_process_that_answers_is_alive(method: str, prefix: str) -> None:
    found = probed(Standing(is_stopping=True), f"{prefix}/healthz", method, prefix)
    assert found == (200, HEADERS, {"alive": True})


@pytest.mark.parametrize(
    ("standing", "status", "body"),
    [
        (Standing(), 200, {"ready": True, "newest": True, "databases": {}}),
        (Standing(is_newest=False), 200, {"ready": True, "newest": False, "databases": {}}),
        (Standing(is_stopping=True), 503, {"ready": False, "newest": True, "databases": {}}),
    ],
    ids=["serves", "serves an older version", "stops"],
)
def test_readiness_says_how_the_process_stands(
    standing: Standing, status: int, body: object
) -> None:
    assert probed(standing, "/readyz") == (status, HEADERS, body)


def test_readiness_names_the_databases_and_how_they_were_reached_last() -> None:
    """A database that is down does not take the process out of service: others go on."""
    reaches = {
        "shop": Reach("up"),
        "lake": Reach("down", NOW),
        "back": Reach("up", NOW),
        "later": Reach(),
    }
    assert probed(Standing(reaches=lambda: reaches), "/readyz")[::2] == (
        200,
        {
            "ready": True,
            "newest": True,
            "databases": {
                "shop": {"state": "up"},
                "lake": {"state": "down", "failedAt": "2026-01-31T12:30:05+00:00"},
                "back": {"state": "up", "failedAt": "2026-01-31T12:30:05+00:00"},
                "later": {"state": "unused"},
            },
        },
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz/"])
def test_probe_is_a_question_and_nothing_else(path: str, method: str) -> None:
    assert probed(Standing(), path, method) == (405, {**HEADERS, "allow": "GET, HEAD"}, None)
