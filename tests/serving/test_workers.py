"""Several processes on one socket: started, replaced, stopped, with the right exit status."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PATIENT_WORKER = """
import os, signal, sys
from runner.serving.workers import Workers

def work():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.write(1, f"{os.getpid()}\\n".encode())
    while True:
        signal.pause()

def serve():
    try:
        work()
    except SystemExit as end:
        return end.code

sys.exit(Workers(2, serve, release=lambda: None).run())
"""
BROKEN_WORKER = """
import sys
from runner.serving.workers import Workers
sys.exit(Workers(1, lambda: 3, release=lambda: None).run())
"""
DEAF_WORKER = """
import os, signal, sys
from runner.serving.workers import Workers

def work():
    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"asked\\n"))
    os.write(1, b"ready\\n")
    while True:
        signal.pause()

sys.exit(Workers(1, work, release=lambda: None).run())
"""


@contextmanager
def parent(script: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_parent_ends_with_status_0_after_a_stop_signal() -> None:
    with parent(PATIENT_WORKER) as process:
        next_line(process), next_line(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_dead_worker_is_replaced() -> None:
    with parent(PATIENT_WORKER) as process:
        first, second = int(next_line(process)), int(next_line(process))
        os.kill(first, signal.SIGKILL)
        third = int(next_line(process))
        assert third not in (first, second)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_workers_that_never_start_end_the_parent_with_status_1() -> None:
    with parent(BROKEN_WORKER) as process:
        assert process.wait(30) == 1


def test_second_stop_signal_ends_workers_that_do_not_listen() -> None:
    with parent(DEAF_WORKER) as process:
        assert next_line(process) == "ready"
        process.send_signal(signal.SIGTERM)
        assert next_line(process) == "asked"
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 1


def test_workers_end_with_a_parent_that_was_killed() -> None:
    """They would hold the port, and nobody could stop them."""
    with parent(PATIENT_WORKER) as process:
        next_line(process), next_line(process)
        process.kill()
        # Ends only when the last worker has closed its standard output.
        assert process.communicate(timeout=10) == ("", "")


@pytest.mark.parametrize(
    ("before", "status"),
    [("", 0), ("import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)", -signal.SIGKILL)],
    ids=["stops", "nohup"],
)
def test_a_hangup_stops_unless_it_is_ignored(before: str, status: int) -> None:
    with parent(before + PATIENT_WORKER) as process:
        next_line(process), next_line(process)
        process.send_signal(signal.SIGHUP)
        if before:
            process.send_signal(signal.SIGKILL)
        assert process.wait(10) == status
