"""Servers whose file changes: by a hangup, by themselves, with streams open, in every worker."""

import http.client
import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.run.processes import (
    LIMIT_S,
    META,
    MODERN,
    Served,
    appears,
    post,
    serving,
    text_of,
    within_limit,
)
from tests.wire.recording import MODERN_SCHEMA, check

HEAD = "mcp: 1\nserver: {name: reload, version: 1.0.0}\n"
TOOL = "tools: {{version: {{description: 'Says {0}.', value: '{0}'}}}}\n"
SLOW = '''
import asyncio
from pathlib import Path


async def slow(marker: str) -> str:
    """Takes its time."""
    Path(marker).touch()
    await asyncio.sleep(1)
    return "done"
'''


OPENING = """
import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

FOLDER = Path(__file__).parents[1]


@asynccontextmanager
async def opening():
    (FOLDER / "began").touch()
    while not (FOLDER / "go").exists():
        await asyncio.sleep(0.02)
    yield


def ready() -> str:
    return "yes"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mcp.yaml"
    write(path, "one")
    return path


@pytest.fixture
def slow_start(tmp_path: Path) -> Path:
    """A file whose `lifespan` is entered when `began` is there, and waits for `go`."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "slow.py").write_text(OPENING, encoding="utf-8")
    ready = "tools: {ready: {python: 'tools.slow:ready', writes: false, description: Says it.}}\n"
    (tmp_path / "ready.yaml").write_text(ready, encoding="utf-8")
    path = tmp_path / "mcp.yaml"
    # Longer than any test waits: an end in time is one that does not wait for it.
    included = "include: [ready.yaml]\nlifespan: tools.slow:opening\nserve: {drain: 60s}\n"
    path.write_text(HEAD + included + TOOL.format("one"), encoding="utf-8")
    return path


def write(path: Path, version: str) -> None:
    """Puts another file in the place of the old one, as editors do."""
    new = path.with_suffix(".new")
    new.write_text(HEAD + TOOL.format(version), encoding="utf-8")
    new.replace(path)


def versions(served: Served, calls: int = 20) -> set[str]:
    """What so many calls say, each over a connection of its own."""
    return {json.loads(text_of(post(served.port, "version"))) for _ in range(calls)}


@contextmanager
def listening(served: Served) -> Iterator[http.client.HTTPResponse]:
    """A stream that listens for changes of the list of tools."""
    params = {"notifications": {"toolsListChanged": True}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "subscriptions/listen",
    }
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=LIMIT_S)
    try:
        connection.request("POST", "/mcp", json.dumps(message), headers)
        yield connection.getresponse()
    finally:
        connection.close()


def next_message(stream: http.client.HTTPResponse) -> dict[str, object]:
    """The next message of a stream."""
    while line := stream.readline():
        if line.startswith(b"data: "):
            found: dict[str, object] = json.loads(line[len(b"data: ") :])
            check(found, MODERN_SCHEMA, "subscriptions/listen")
            return found
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_hangup_reloads_every_worker_and_tells_who_listens(file: Path, workers: str) -> None:
    with serving(file, "--workers", workers, has_own_group=True) as served:
        assert versions(served) == {"one"}
        with listening(served) as stream:
            assert next_message(stream)["method"] == "notifications/subscriptions/acknowledged"
            write(file, "two")
            assert versions(served) == {"one"}, "nobody has asked for a reload"
            os.kill(served.process.pid, signal.SIGHUP)
            assert next_message(stream)["method"] == "notifications/tools/list_changed"
            within_limit(lambda: versions(served) == {"two"})
            served.process.terminate()
            ended = next_message(stream)
            assert stream.read() == b"\n"
        assert ended["id"] == "s"
        assert served.process.wait(20) == 0


@pytest.mark.parametrize("options", [(), ("--reload",)], ids=["hangup", "by itself"])
def test_worker_that_replaces_a_dead_one_serves_the_newest_version(
    file: Path, options: tuple[str, ...]
) -> None:
    """It is begun from what the parent holds, which was read at the start."""
    with serving(file, "--workers", "2", *options) as served:
        assert versions(served) == {"one"}
        write(file, "two")
        if not options:
            os.kill(served.process.pid, signal.SIGHUP)
        within_limit(lambda: versions(served) == {"two"})
        for pid in workers_of(served):
            os.kill(pid, signal.SIGKILL)
            within_limit(lambda pid=pid: pid not in workers_of(served))  # type: ignore[misc]
        within_limit(lambda: versions(served) == {"two"})


def workers_of(served: Served) -> set[int]:
    """The processes that the server has begun."""
    pid = served.process.pid
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_hangup_that_comes_before_the_first_call_is_not_lost(
    slow_start: Path, workers: str
) -> None:
    """What was read at the start is opened just then, and may be older than the change."""
    began, may_go = slow_start.with_name("began"), slow_start.with_name("go")
    with serving(slow_start, "--workers", workers) as served:
        appears(began)
        write(slow_start, "two")
        os.kill(served.process.pid, signal.SIGHUP)
        may_go.touch()
        within_limit(lambda: versions(served) == {"two"})
        assert served.errors() == ""


def test_change_is_seen_by_itself(file: Path) -> None:
    with serving(file, "--reload") as served:
        write(file, "two")
        within_limit(lambda: versions(served, 1) == {"two"})
        file.write_text(HEAD + "tools: {version: {description: V., valu: 3}}\n", encoding="utf-8")
        within_limit(lambda: "the version before it is served on" in served.errors())
        assert versions(served, 1) == {"two"}
        write(file, "four")
        within_limit(lambda: versions(served, 1) == {"four"})


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_stream_and_running_call_both_end_well_when_the_server_stops(
    tmp_path: Path, engine: str
) -> None:
    """A proxy reports what is cut off as a fault of the server: each gets its last message."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "slow.py").write_text(SLOW, encoding="utf-8")
    file = tmp_path / "mcp.yaml"
    tools = "tools: {slow: {python: 'tools.slow:slow', writes: false}}\n"
    file.write_text(f"{HEAD}serve: {{engine: {engine}}}\n{tools}", encoding="utf-8")
    marker = tmp_path / "began"
    with (
        serving(file, "--reload") as served,
        listening(served) as stream,
        ThreadPoolExecutor() as pool,
    ):
        assert next_message(stream)["method"] == "notifications/subscriptions/acknowledged"
        answer = pool.submit(post, served.port, "slow", {"marker": str(marker)})
        appears(marker)
        served.process.terminate()
        assert next_message(stream)["id"] == "s"
        assert stream.read() == b"\n"
        assert text_of(answer.result(LIMIT_S)) == "done"
        assert served.process.wait(LIMIT_S) == 0
