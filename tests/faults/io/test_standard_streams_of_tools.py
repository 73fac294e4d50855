"""Over standard input and output every byte is a message, whatever a tool or a library prints.

Guards against banners and prints that break the client's parser, and against the code page of a
system that cannot write what was said.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.faults.io.product import PATIENCE_S, Message, command, write
from tests.wire.client import legacy_message, modern_message
from tests.wire.recording import MODERN_SCHEMA, check
from tests.wire.stdio_client import by_id

CODE = '''
import asyncio
import ctypes
import logging
import os
import subprocess
import sys
import warnings

print("printed while importing 🦊")


def noisy(text: str) -> str:
    """Says it again, and prints in every way."""
    print("printed", text)
    print("to stderr", text, file=sys.stderr)
    sys.stdout.write("written " + text + "\\n")
    sys.__stdout__.write("original " + text + "\\n")
    sys.__stdout__.flush()
    os.write(1, b"descriptor\\n")
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    subprocess.run(["echo", "from a child"], check=True)
    warnings.warn("warned")
    logging.getLogger("theirs").warning("logged")
    return text


def reads() -> str:
    """Asks standard input, which is the client's."""
    return repr(sys.stdin.read()) + repr(os.read(0, 10))


async def waits() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return ""


def exits() -> str:
    """Ends the process, or so it means."""
    sys.exit(3)
'''
BODY = """
tools:
  noisy: {writes: false, python: 'tools.noisy:noisy'}
  reads: {writes: false, python: 'tools.noisy:reads'}
  waits: {writes: false, python: 'tools.noisy:waits'}
  exits: {writes: false, python: 'tools.noisy:exits'}
  echo: {description: x, input: {text: string}, value: $text}
"""
TEXT = "Привет 👋🏽 Grüße 日本 \u2028 \x7f"
STRAY = (
    *("printed while importing", "printed", "to stderr", "written", "original", "descriptor"),
    *("from C", "from a child", "warned", "logged"),
)
LOCALES: Mapping[str, Mapping[str, str]] = {
    "own": {},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "cp1252": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
}


def call(tool: str, id_: object, **arguments: object) -> Message:
    """A call as a message."""
    return modern_message("tools/call", {"name": tool, "arguments": arguments}, id_=id_)


def lines(messages: Sequence[Message]) -> bytes:
    """Messages as a client writes them."""
    return b"".join(
        json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in messages
    )


def answers(out: bytes) -> dict[object, dict[str, object]]:
    """The answers by id; every line that came must be one."""
    assert out.endswith(b"\n")
    return by_id([message(line) for line in out.removesuffix(b"\n").split(b"\n")])


def message(line: bytes) -> dict[str, object]:
    """A message of the server's, of which each is the answer to a call."""
    found: dict[str, object] = json.loads(line.decode())
    check(found, MODERN_SCHEMA, "tools/call")
    return found


def texts(answer: Message) -> str:
    """The text of a result."""
    result = answer["result"]
    assert isinstance(result, dict)
    return "".join(block["text"] for block in result["content"])


@pytest.mark.parametrize("locale", LOCALES)
def test_nothing_that_a_tool_prints_stands_between_the_messages(
    tmp_path: Path, locale: str
) -> None:
    write(tmp_path, BODY, {"tools/noisy.py": CODE})
    asked = lines(
        [call("noisy", 1, text=TEXT), call("echo", 2, text=TEXT), call("noisy", 3, text="x")]
    )

    ran = command("serve", "--stdio", folder=tmp_path, stdin=asked, environment=LOCALES[locale])

    assert ran["status"] == 0, ran["err"]
    found = answers(ran["out"])
    assert {key: texts(answer) for key, answer in found.items()} == {
        1: TEXT,
        2: json.dumps(TEXT, ensure_ascii=False).replace("\\u2028", "\u2028"),
        3: "x",
    }
    said = ran["err"].decode()
    assert [word for word in STRAY if word not in said] == []


@contextmanager
def server(folder: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A running server: what it reads and what it writes; it must end with 0 on its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from runner.cli.main import main; main()", "serve", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdin, process.stdout
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_stream_outlives_every_kind_of_bad_line(tmp_path: Path) -> None:
    """One process: after each bad line the next good one is answered."""
    write(tmp_path, f"budgets: {{request_body: 64KiB}}\n{BODY}", {"tools/noisy.py": CODE})
    bad: Mapping[bytes, int | None] = {
        b"{": -32700,
        b"\xff\xfe": -32700,
        b'{"a": "\xc3"}': -32700,
        b'"\\ud800"': -32700,
        b"nonsense": -32700,
        b"[" * 5000 + b"]" * 5000: -32700,
        b"[]": -32600,
        b"null": -32600,
        b"7": -32600,
        b'{"jsonrpc": "2.0"}': -32600,
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}': -32600,
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}': -32600,
        b" " * 100_000: -32600,
    }
    with server(tmp_path) as (to, out):
        for number, (line, code) in enumerate(bad.items()):
            to.write(line + b"\n" + lines([call("echo", f"good {number}", text="x")]))
            to.flush()
            pair = [message(out.readline()), message(out.readline())]
            good = next(item for item in pair if item.get("id") == f"good {number}")
            wrong = next(item for item in pair if item is not good)
            error = wrong["error"]
            assert isinstance(error, dict)
            assert (error["code"], texts(good)) == (code, '"x"'), line[:50]


def test_cancelled_call_is_not_answered_and_the_next_one_is(tmp_path: Path) -> None:
    """So is one whose code means to end the process, or to read what the client says."""
    write(tmp_path, BODY, {"tools/noisy.py": CODE})
    cancel = legacy_message("notifications/cancelled", {"requestId": "slow"})
    del cancel["id"]
    with server(tmp_path) as (to, out):
        for asked in (call("waits", "slow"), cancel, call("exits", 1), call("reads", 2)):
            to.write(lines([asked]))
            to.flush()
        found = answers(out.readline() + out.readline())
        to.write(lines([call("echo", 3, text="still here")]))
        to.flush()
        assert texts(message(out.readline())) == '"still here"'
    assert set(found) == {1, 2}
    assert texts(found[1]).startswith("the tool failed unexpectedly; error id ")
    assert texts(found[2]) == "''b''"


def test_large_answer_and_large_question_pass_whole(tmp_path: Path) -> None:
    write(tmp_path, BODY, {"tools/noisy.py": CODE})
    text = "ä" * 300_000
    asked = lines([call("echo", number, text=text) for number in range(3)])

    ran = command("serve", "--stdio", folder=tmp_path, stdin=asked)

    assert ran["status"] == 0
    found = {key: texts(answer) for key, answer in answers(ran["out"]).items()}
    assert found == dict.fromkeys(range(3), f'"{text}"')
