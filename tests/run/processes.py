"""The command `mcp-run` in a process of its own: started, asked over HTTP, stopped."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tests.run import forks
from tests.run.forks import PARENT, Process
from tests.wire.recording import check_exchange, sent_over_http

COMMAND: Final = str(Path(sys.executable).with_name("mcp-run"))
LIMIT_S: Final = 30
MODERN: Final = "2026-07-28"
META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Served:
    """A server that listens."""

    process: Process
    url: str
    port: int
    log: Path

    def errors(self) -> str:
        """What it has written to standard error so far."""
        return self.log.read_text(encoding="utf-8")


@contextmanager
def serving(
    file: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    has_own_group: bool = False,
) -> Iterator[Served]:
    """A server of `file` on a free port of loopback; it is gone when the block ends."""
    arguments = ["serve", "-f", str(file), "--port", "0", "--format", "json", *options]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        with log.open("w") as errors:
            process, out = _begun(arguments, environment or {}, errors, has_own_group)
        with out:
            try:
                yield _listening(process, out, log)
            finally:
                end(process)


def _begun(
    arguments: Sequence[str], environment: Mapping[str, str], errors: IO[str], has_own_group: bool
) -> tuple[Process, IO[str]]:
    """A process and its output."""
    whole = {**os.environ, **environment}
    if not forks.fits(environment):
        process = subprocess.Popen(
            [COMMAND, *arguments], stdout=subprocess.PIPE, stderr=errors, text=True, env=whole,
            start_new_session=has_own_group,
        )  # fmt: skip
        assert process.stdout is not None
        return process, process.stdout
    reading, writing = os.pipe()
    with Path(os.devnull).open("rb") as nothing, open(writing, "wb") as ours:  # a descriptor
        streams = (nothing, ours, errors)
        forked = PARENT.begin(arguments, whole, streams, has_own_group=has_own_group)
    return forked, os.fdopen(reading)


def _listening(process: Process, out: IO[str], log: Path) -> Served:
    line = out.readline()
    assert line, f"the server did not start:\n{log.read_text(encoding='utf-8')}"
    said = json.loads(line)
    return Served(process, said["url"], said["port"], log)


def end(process: Process) -> None:
    """Stops a process gently, or else by force, and closes its pipes."""
    process.terminate()
    try:
        _await_end(process, LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        _await_end(process, LIMIT_S)


def _await_end(process: Process, timeout_s: float) -> None:
    if isinstance(process, subprocess.Popen):
        process.communicate(timeout=timeout_s)
    else:
        process.wait(timeout_s)


def run(
    file: Path, *options: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`mcp-run serve` of a file that is not expected to be served."""
    return subprocess.run(
        [COMMAND, "serve", "-f", str(file), "--no-color", *options],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, "COLUMNS": "200", **(environment or {})},
        check=False,
    )


def request(tool: str, arguments: Mapping[str, object] | None = None) -> bytes:
    """A modern call."""
    params = {"name": tool, "arguments": dict(arguments or {}), "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def headers(tool: str) -> dict[str, str]:
    """What goes with a modern call over HTTP."""
    return {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }


def exchange(
    port: int,
    tool: str,
    arguments: Mapping[str, object] | None = None,
    *,
    path: str = "/mcp",
) -> Answer:
    """The message that answers a modern call over a connection of its own."""
    return posted(port, request(tool, arguments), headers(tool), path)


def ask(port: int, method: str, params: Mapping[str, object], *, path: str = "/mcp") -> Answer:
    """The message that answers a modern request which names nothing, likewise."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    pairs = {**headers(""), "Mcp-Method": method}
    del pairs["Mcp-Name"]
    return posted(port, json.dumps(message).encode(), pairs, path)


def posted(port: int, body: bytes, pairs: Mapping[str, str], path: str) -> Answer:
    """The message that answers a body sent with these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    try:
        connection.request("POST", path, body, dict(pairs))
        message: Answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    check_exchange(sent_over_http(body, MODERN), [message])
    return message


def post(port: int, tool: str, arguments: Mapping[str, object] | None = None) -> Answer:
    """The result of a modern call."""
    result = exchange(port, tool, arguments)["result"]
    assert isinstance(result, dict)
    return result


def appears(path: Path) -> None:
    """Returns once a file is there."""
    within_limit(path.exists)


def stops_listening(port: int) -> None:
    """Returns once nobody takes connections on the port any more."""

    def is_refused() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) != 0

    within_limit(is_refused)


def within_limit(is_true: Callable[[], bool]) -> None:
    """Asks again and again, without haste, until it is true."""
    pause = threading.Event()
    deadline = time.monotonic() + LIMIT_S
    while not is_true():
        assert time.monotonic() < deadline, "it took too long"
        pause.wait(0.02)


def text_of(result: Answer) -> str:
    """The text of a result's first block."""
    content = result["content"]
    assert isinstance(content, list)
    return str(content[0]["text"])
