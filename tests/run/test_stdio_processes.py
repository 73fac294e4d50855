"""A server over standard input and output: frames alone, and a prompt end."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.run.processes import COMMAND, LIMIT_S, Answer, appears, end, request, text_of
from tests.wire.recording import Conversation


class Client:
    """The far end of a server's pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._conversation = Conversation()

    def send(self, tool: str, **arguments: object) -> None:
        """Sends a call."""
        assert self.process.stdin is not None
        self.process.stdin.write(self._conversation.send(json.loads(request(tool, arguments))))
        self.process.stdin.flush()

    def receive(self) -> Answer:
        """The result in the next line."""
        assert self.process.stdout is not None
        return self.result(self.process.stdout.readline())

    def result(self, line: bytes) -> Answer:
        """The result in a line."""
        result = self._conversation.receive(line)["result"]
        assert isinstance(result, dict)
        return result

    def rest(self) -> tuple[bytes, str]:
        """What comes once the input has ended: messages, and what is said beside them."""
        out, errors = self.process.communicate(timeout=LIMIT_S)
        return out, errors.decode()


@contextmanager
def stdio(file: Path, **environment: str) -> Iterator[Client]:
    """A client of a server over pipes."""
    process = subprocess.Popen(
        [COMMAND, "serve", "--stdio", "-f", str(file)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield Client(process)
    finally:
        end(process)


def test_end_of_input_ends_the_server_after_what_runs(lab: Path) -> None:
    with stdio(lab) as client:
        client.send("wait", marker=str(lab.with_name("began")), seconds=0.5)
        out, errors = client.rest()
        assert text_of(client.result(out)) == "done"
        assert (client.process.returncode, errors) == (0, "")


def test_end_of_input_at_once_ends_the_server_at_once(lab: Path) -> None:
    with stdio(lab) as client:
        assert client.rest() == (b"", "")
        assert client.process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_while_input_is_open(lab: Path, number: signal.Signals) -> None:
    with stdio(lab) as client:
        client.send("process")
        assert text_of(client.receive()) == str(client.process.pid)
        client.process.send_signal(number)
        assert client.process.wait(10) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_lets_what_runs_end(lab: Path, number: signal.Signals) -> None:
    marker = lab.with_name("began")
    with stdio(lab) as client:
        client.send("wait", marker=str(marker), seconds=1.0)
        appears(marker)
        client.process.send_signal(number)
        assert text_of(client.receive()) == "done"
        assert client.process.wait(LIMIT_S) == 0
        assert client.rest() == (b"", "")


@pytest.mark.parametrize("how", ["signal", "end of input"])
def test_call_that_does_not_end_in_time_holds_up_no_end(lab: Path, how: str) -> None:
    marker = lab.with_name("began")
    with stdio(lab, DRAIN="300ms") as client:
        client.send("wait", marker=str(marker), seconds=600)
        appears(marker)
        if how == "signal":
            client.process.terminate()
            client.process.wait(LIMIT_S)
        assert client.rest() == (b"", "")
        assert client.process.returncode == 0


def test_second_signal_does_not_wait(lab: Path) -> None:
    marker = lab.with_name("began")
    with stdio(lab, DRAIN="60s") as client:
        client.send("wait", marker=str(marker), seconds=600)
        appears(marker)
        client.process.send_signal(signal.SIGTERM)
        client.process.send_signal(signal.SIGINT)
        assert client.process.wait(LIMIT_S) == 1


def test_stray_output_never_stands_between_messages(lab: Path) -> None:
    with stdio(lab) as client:
        client.send("chatter")
        assert text_of(client.receive()) == "said"
        client.send("process")
        assert text_of(client.receive()) == str(client.process.pid)
        out, errors = client.rest()
        assert out == b""
        for stray in ("a print", "the first standard output", "the descriptor", "a child"):
            assert stray in errors.splitlines()


def test_tool_that_reads_input_takes_no_message_away(lab: Path) -> None:
    with stdio(lab) as client:
        client.send("read_input")
        client.send("process")
        texts = {text_of(client.receive()), text_of(client.receive())}
        assert texts == {"", str(client.process.pid)}


def test_nothing_is_forgotten_at_the_end(lab: Path) -> None:
    """Sockets, files and coroutines would be told as warnings."""
    with stdio(lab, PYTHONWARNINGS="always") as client:
        for tool in ("process", "numbers"):
            client.send(tool)
            client.receive()
        assert client.rest() == (b"", "")
