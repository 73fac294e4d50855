"""Several endpoints in processes: announced, served by every worker, chosen for a pipe."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.run.processes import (
    COMMAND,
    LIMIT_S,
    ask,
    end,
    exchange,
    request,
    run,
    serving,
    text_of,
    within_limit,
)
from tests.wire.recording import MODERN_SCHEMA, check

CODE = """
import os

def process() -> int:
    return os.getpid()
"""
FILE = """
mcp: 1
server: {name: two, version: 1.0.0}
serve: {engine: "${ENGINE:-auto}", page_size: 1}
tools:
  process: {description: The process that answers., writes: false, python: "code:process"}
  hello: {description: Greets., value: hello}
endpoints:
  all: {path: /mcp, tools: ["*"]}
  some: {path: /some/path/, tools: [process]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    path = tmp_path / "mcp.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def answering(port: int, path: str) -> set[int]:
    """The processes that answer at a path, each asked over a connection of its own."""
    answers = (exchange(port, "process", path=path)["result"] for _ in range(20))
    return {int(text_of(answer)) for answer in answers if isinstance(answer, dict)}


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_every_worker_serves_every_endpoint(file: Path, engine: str) -> None:
    with serving(file, "--workers", "2", environment={"ENGINE": engine}) as served:
        within_limit(lambda: len(answering(served.port, "/mcp")) == 2)
        within_limit(lambda: len(answering(served.port, "/some/path")) == 2)
        unknown = exchange(served.port, "hello", path="/some/path/")
    assert unknown["error"] == {"code": -32602, "message": "No tool is named 'hello'"}


def names(port: int, path: str) -> list[str]:
    """The names of the tools, each page asked for over a connection of its own."""
    found: list[str] = []
    params: dict[str, object] = {}
    while True:
        result = ask(port, "tools/list", params, path=path)["result"]
        assert isinstance(result, dict)
        found += [tool["name"] for tool in result["tools"]]
        if "nextCursor" not in result:
            return found
        params = {"cursor": result["nextCursor"]}


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_cursor_of_one_worker_is_understood_by_every_other(file: Path, engine: str) -> None:
    """The file gives no key, so that the workers share one that was made at start."""
    with serving(file, "--workers", "2", environment={"ENGINE": engine}) as served:
        within_limit(lambda: len(answering(served.port, "/mcp")) == 2)
        walks = {tuple(names(served.port, "/mcp")) for _ in range(20)}
    assert walks == {("process", "hello")}


def test_server_says_the_address_of_each_endpoint(file: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "serve", "-f", str(file), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = [process.stderr.readline().rstrip() for _ in range(4)]
    finally:
        end(process)
    start = said[1].split()[1].removesuffix("/mcp")
    assert said == [
        "two 1.0.0: 2 tools",
        f"  address  {start}/mcp         all: 2 tools",
        f"  address  {start}/some/path/  some: 1 tool",
        f"  connect  claude mcp add --transport http two {start}/mcp",
    ]


@pytest.mark.parametrize(
    ("public", "first"),
    [
        ("https://x.example/base/mcp", "https://x.example/base"),
        ("https://x.example", "https://x.example"),
    ],
)
def test_addresses_behind_a_proxy_follow_that_of_the_first(
    file: Path, public: str, first: str
) -> None:
    text = FILE.replace("serve: {", f'serve: {{public_url: "{public}", ')
    file.write_text(text, encoding="utf-8")
    command = [COMMAND, "serve", "-f", str(file), "--port", "0", "--format", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
    finally:
        end(process)
    assert said["url"] == f"{first}/mcp"
    assert said["endpoints"] == {"all": f"{first}/mcp", "some": f"{first}/some/path/"}


@pytest.mark.parametrize(
    ("options", "answers"),
    [([], "hello"), (["--endpoint", "all"], "hello"), (["--endpoint", "some"], None)],
    ids=["first", "all", "some"],
)
def test_one_endpoint_is_served_over_a_pipe(
    file: Path, options: list[str], answers: str | None
) -> None:
    ended = subprocess.run(
        [COMMAND, "serve", "--stdio", "-f", str(file), *options],
        input=request("hello").decode() + "\n", capture_output=True, text=True, timeout=LIMIT_S,
        check=True,
    )  # fmt: skip
    message = json.loads(ended.stdout)
    check(message, MODERN_SCHEMA, "tools/call")
    assert message.get("result", {}).get("structuredContent") == answers
    assert ("error" in message) == (answers is None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--stdio", "--endpoint", "sme"], "no endpoint is named 'sme'"),
        (["--endpoint", "some"], "--endpoint goes with --stdio"),
    ],
)
def test_endpoint_that_cannot_be_served_is_a_fault_of_usage(
    file: Path, options: list[str], said: str
) -> None:
    ended = run(file, *options)
    assert ended.returncode == 2
    assert said in ended.stderr
