"""Streams of a server on a real socket: the first event before the end, and clients that leave."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.requirements import requirement
from tests.run.processes import LIMIT_S, Answer, Served, appears, serving
from tests.wire.client import legacy_message, modern_headers, modern_message
from tests.wire.http_client import BROWSERLESS
from tests.wire.recording import check_exchange, sent_over_http

CODE = '''
import asyncio
from pathlib import Path

from runner import Context

FOLDER = Path(__file__).parents[1]


async def steps(who: str, context: Context) -> str:
    """Says that it began, goes on when it may, and leaves word of how it ended."""
    context.progress(1, 2, "half")
    (FOLDER / f"{who} began").touch()
    try:
        while not (FOLDER / "go").exists():
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        (FOLDER / f"{who} cancelled").touch()
        raise
    (FOLDER / f"{who} ended").touch()
    return "done"
'''
FILE = """
mcp: 1
server: {name: streams, version: 1.0.0}
serve: {engine: "${ENGINE}"}
tools: {steps: {writes: false, python: "tools.steps:steps"}}
"""
ENGINES = ("uvicorn", "hypercorn")
MODERN, OLDER = "2026-07-28", "2025-06-18"
VERSIONS = (MODERN, OLDER, "2025-03-26")
TOKEN = {"progressToken": "p"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "steps.py").write_text(CODE, encoding="utf-8")
    path = tmp_path / "mcp.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


class Asked:
    """A call in a version of the protocol, with its progress or without it."""

    def __init__(self, version: str, *, reports: bool = True) -> None:
        self.version = version
        meta = TOKEN if reports else {}
        params = {"name": "steps", "arguments": {"who": version}}
        if version == MODERN:
            message = modern_message("tools/call", params, meta=meta)
            own = modern_headers(message)
        else:
            message = legacy_message("tools/call", {**params, "_meta": meta})
            own = {"MCP-Protocol-Version": version}
        self.body = json.dumps(message).encode()
        pairs = {**BROWSERLESS, **own}
        self.headers = {name: value for name, value in pairs.items() if value is not None}


@contextmanager
def sent(served: Served, asked: Asked) -> Iterator[http.client.HTTPConnection]:
    """The connection over which the call was sent."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=LIMIT_S)
    try:
        connection.request("POST", "/mcp", asked.body, asked.headers)
        yield connection
    finally:
        connection.close()


def message_of(stream: http.client.HTTPResponse) -> Answer:
    """The next message of a stream."""
    while line := stream.readline():
        if line.startswith(b"data: "):
            found: Answer = json.loads(line.removeprefix(b"data: "))
            return found
    raise AssertionError("the stream has ended")


@requirement("P-052", "P-053")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_first_event_is_out_before_the_work_ends(file: Path, engine: str, workers: str) -> None:
    may_go = file.with_name("go")
    with serving(file, "--workers", workers, environment={"ENGINE": engine}) as served:
        for version in VERSIONS:
            asked = Asked(version)
            with sent(served, asked) as connection:
                stream = connection.getresponse()
                told = message_of(stream)
                may_go.touch()
                answer = message_of(stream)
                assert stream.read() == b"\n"
            may_go.unlink()
            check_exchange(sent_over_http(asked.body, version), [told, answer])
            progress = {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
            assert told["params"] == progress
            assert "result" in answer
            shown = {name: stream.headers[name] for name in ("Cache-Control", "X-Accel-Buffering")}
            assert shown == {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
            assert stream.headers["Content-Type"] == "text/event-stream"


@requirement("P-054")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reports", [True, False], ids=["stream", "no stream"])
def test_client_that_leaves_ends_its_modern_call_and_no_older_one(
    file: Path, engine: str, *, reports: bool
) -> None:
    """In the older versions a broken connection is no cancellation: bounded work ends."""
    with serving(file, environment={"ENGINE": engine}) as served:
        for version in (OLDER, MODERN):
            with sent(served, Asked(version, reports=reports)):
                appears(file.with_name(f"{version} began"))
        # By then the leaving of the other one, which was before it, has been seen too.
        appears(file.with_name(f"{MODERN} cancelled"))
        file.with_name("go").touch()
        appears(file.with_name(f"{OLDER} ended"))
        assert not file.with_name(f"{MODERN} ended").exists()
