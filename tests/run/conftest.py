"""A project whose tools take their time, block, print, and tell which process they are in."""

from pathlib import Path

import pytest

TOOLS = '''
import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path


def process() -> int:
    """The process that answers."""
    return os.getpid()


def begin(marker: str) -> None:
    Path(marker).touch()


def sleep_in_thread(marker: str, seconds: float) -> str:
    """Takes its time in a thread."""
    begin(marker)
    time.sleep(seconds)
    return "done"


async def wait(marker: str, seconds: float) -> str:
    """Takes its time without holding up anything."""
    begin(marker)
    await asyncio.sleep(seconds)
    return "done"


async def block(marker: str, seconds: float) -> str:
    """Blocks the event loop, as careless tools do."""
    begin(marker)
    time.sleep(seconds)
    return "done"


def leave_thread() -> str:
    """Leaves a thread behind that never ends."""
    threading.Thread(target=time.sleep, args=(600,), daemon=False).start()
    return "left"


def fork_and_terminate() -> int:
    """The exit code of a process that it forks and stops."""
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
    child.start()
    child.terminate()
    child.join(20)
    return child.exitcode


def chatter() -> str:
    """Writes where only the protocol may."""
    print("a print")
    sys.__stdout__.write("the first standard output\\n")
    sys.__stdout__.flush()
    os.write(1, b"the descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('a child')"], check=True)
    return "said"


def read_input() -> str:
    """Reads what is not for it."""
    return sys.stdin.read() + subprocess.run(["cat"], capture_output=True, text=True).stdout
'''
FILE = """
mcp: 1
server: {name: run-lab, version: 1.0.0}
serve:
  engine: "${ENGINE:-auto}"
  drain: "${DRAIN:-10s}"
  state_keys: ["${STATE_KEY:-a-key-of-the-tests-own}", "${OLD_KEY:-another-key-of-the-tests}"]
databases:
  numbers: {url: "sqlite:///numbers.db", create: {schema: numbers.sql}}
defaults: {timeout: 60s}
tools:
  process: {writes: false, python: "tools.lab:process"}
  sleep_in_thread: {writes: false, python: "tools.lab:sleep_in_thread"}
  wait: {writes: false, python: "tools.lab:wait"}
  block: {writes: false, python: "tools.lab:block"}
  leave_thread: {writes: false, python: "tools.lab:leave_thread"}
  fork_and_terminate: {writes: false, python: "tools.lab:fork_and_terminate"}
  chatter: {writes: false, python: "tools.lab:chatter"}
  read_input: {writes: false, python: "tools.lab:read_input"}
  numbers:
    description: Numbers, page by page.
    input: {limit: {type: integer, minimum: 1, maximum: 100, default: 10}}
    sql: |
      SELECT n FROM numbers WHERE 1 = 1 [[ AND n > :cursor.n ]] ORDER BY n LIMIT :limit
    result: {page: {size: limit, key: [n]}}
"""
NUMBERS = """
CREATE TABLE numbers (n INTEGER PRIMARY KEY);
INSERT INTO numbers VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12);
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The file of the project."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "lab.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "numbers.sql").write_text(NUMBERS, encoding="utf-8")
    file = tmp_path / "mcp.yaml"
    file.write_text(FILE, encoding="utf-8")
    return file
