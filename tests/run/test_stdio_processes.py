"""A server over standard input and output: frames alone, and a prompt end."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.run.processes import COMMAND, LIMIT_S, Answer, end, request, text_of


@contextmanager
def stdio(file: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A server over pipes."""
    process = subprocess.Popen(
        [COMMAND, "serve", "--stdio", "-f", str(file)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield process
    finally:
        end(process)


def send(process: subprocess.Popen[str], tool: str, **arguments: object) -> None:
    """Sends a call."""
    assert process.stdin is not None
    process.stdin.write(request(tool, arguments).decode() + "\n")
    process.stdin.flush()


def receive(process: subprocess.Popen[str]) -> Answer:
    """The result in the next line."""
    assert process.stdout is not None
    result = json.loads(process.stdout.readline())["result"]
    assert isinstance(result, dict)
    return result


def test_end_of_input_ends_the_server_after_what_runs(lab: Path) -> None:
    with stdio(lab) as process:
        send(process, "wait", marker=str(lab.with_name("began")), seconds=0.5)
        out, errors = process.communicate(timeout=LIMIT_S)
        assert text_of(json.loads(out)["result"]) == "done"
        assert (process.returncode, errors) == (0, "")


def test_end_of_input_at_once_ends_the_server_at_once(lab: Path) -> None:
    with stdio(lab) as process:
        assert process.communicate(timeout=LIMIT_S) == ("", "")
        assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_while_input_is_open(lab: Path, number: signal.Signals) -> None:
    with stdio(lab) as process:
        send(process, "process")
        assert text_of(receive(process)) == str(process.pid)
        process.send_signal(number)
        assert process.wait(10) == 0


def test_stray_output_never_stands_between_messages(lab: Path) -> None:
    with stdio(lab) as process:
        send(process, "chatter")
        assert text_of(receive(process)) == "said"
        send(process, "process")
        assert text_of(receive(process)) == str(process.pid)
        out, errors = process.communicate(timeout=LIMIT_S)
        assert out == ""
        for stray in ("a print", "the first standard output", "the descriptor", "a child"):
            assert stray in errors.splitlines()


def test_tool_that_reads_input_takes_no_message_away(lab: Path) -> None:
    with stdio(lab) as process:
        send(process, "read_input")
        send(process, "process")
        texts = {text_of(receive(process)), text_of(receive(process))}
        assert texts == {"", str(process.pid)}


def test_nothing_is_forgotten_at_the_end(lab: Path) -> None:
    """Sockets, files and coroutines would be told as warnings."""
    with stdio(lab, PYTHONWARNINGS="always") as process:
        for tool in ("process", "numbers"):
            send(process, tool)
            receive(process)
        assert process.communicate(timeout=LIMIT_S) == ("", "")
