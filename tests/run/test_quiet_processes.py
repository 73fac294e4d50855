"""What clients do to connections, and how the process cleans up, is no noise in the log."""

import socket
import struct
from pathlib import Path

import pytest

from tests.run.processes import (
    LIMIT_S,
    appears,
    headers,
    post,
    request,
    serving,
    text_of,
)

WARNINGS = {"PYTHONWARNINGS": "always"}
"""Forgotten sockets and coroutines that nobody awaited are told."""
RESET = struct.pack("ii", 1, 0)
"""Closing resets the connection instead of ending it."""


def break_off(port: int, sent: bytes, *, until: Path | None = None) -> None:
    """Sends something and resets the connection."""
    with socket.create_connection(("127.0.0.1", port), LIMIT_S) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.sendall(sent)
        if until is not None:
            appears(until)


def http_request(tool: str, **arguments: object) -> bytes:
    """A call as it stands on the wire."""
    body = request(tool, arguments)
    lines = [f"{name}: {value}" for name, value in headers(tool).items()]
    head = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


@pytest.mark.parametrize("engine", ["uvicorn", "hypercorn"])
def test_clients_that_break_off_and_a_stop_leave_nothing_in_the_log(lab: Path, engine: str) -> None:
    with serving(lab, environment={"ENGINE": engine, **WARNINGS}) as served:
        whole = http_request("process")
        for length in (0, 1, 20, len(whole) - 1, len(whole)):
            break_off(served.port, whole[:length])
        for tool in ("wait", "sleep_in_thread"):
            marker = served.log.with_name(tool)
            sent = http_request(tool, marker=str(marker), seconds=0.3)
            break_off(served.port, sent, until=marker)
        assert text_of(post(served.port, "process")) == str(served.process.pid)
        served.process.terminate()
        assert served.process.wait(LIMIT_S) == 0
        assert served.errors() == ""
