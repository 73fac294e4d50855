"""Over stdio nothing but the protocol's own bytes reach stdout; proven in real processes."""

import os
import subprocess
import sys

import pytest

SERVER = """
import ctypes, os, subprocess, sys, warnings
from runner.transport.descriptors import claim_standard_streams

print("before")
with claim_standard_streams() as (source, target):
    os.write(target, b'{"first": 1}\\n')
    STRAY
    os.write(target, b'{"second": 2}\\n')
print("after")
"""
STRAYS = {
    "a print": "print('stray')",
    "a print to the original stream": "print('stray', file=sys.__stdout__, flush=True)",
    "a write to descriptor 1": "os.write(1, b'stray')",
    "a child process": "subprocess.run(['echo', 'stray'])",
    "a C library": "ctypes.CDLL(None).puts(b'stray')",
    "a C library without a flush": "ctypes.CDLL(None).printf(b'stray')",
    "a warning": "warnings.warn('stray')",
}


def run(stray: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", SERVER.replace("STRAY", stray)]
    return subprocess.run(command, check=True, capture_output=True, timeout=30)


@pytest.mark.skipif(os.name != "posix", reason="descriptors of C are POSIX's")
@pytest.mark.parametrize("stray", STRAYS.values(), ids=STRAYS)
def test_stray_output_lands_on_stderr(stray: str) -> None:
    found = run(stray)
    assert found.stdout == b'before\n{"first": 1}\n{"second": 2}\nafter\n'
    assert b"stray" in found.stderr


def test_child_processes_do_not_inherit_the_real_stdout() -> None:
    """One that lives longer than the server would keep the client waiting for the end."""
    stray = "print(os.get_inheritable(source), os.get_inheritable(target))"
    assert run(stray).stderr == b"False False\n"


def test_nothing_but_the_protocol_reads_what_the_client_sends() -> None:
    stray = "print(repr(sys.stdin.read()), os.read(source, 9))"
    command = [sys.executable, "-c", SERVER.replace("STRAY", stray)]
    found = subprocess.run(command, check=True, capture_output=True, timeout=30, input=b"message")
    assert found.stderr == b"'' b'message'\n"


def test_without_stderr_stray_output_is_swallowed() -> None:
    """The private ones must not take its number: what is said in its place would be a message."""
    stray = "os.write(1, b'stray'); os.write(2, b'stray'); os.write(target, os.read(source, 9))"
    command = ["sh", "-c", f'{sys.executable} -c "$0" 2>&-', SERVER.replace("STRAY", stray)]
    found = subprocess.run(command, check=True, capture_output=True, timeout=30, input=b"message\n")
    assert found.stdout == b'before\n{"first": 1}\nmessage\n{"second": 2}\nafter\n'


@pytest.mark.parametrize(("closed", "name"), [(">&-", "stdout"), ("<&-", "stdin")])
def test_a_closed_stream_is_said_in_words(closed: str, name: str) -> None:
    program = (
        "from runner.transport.descriptors import claim_standard_streams\n"
        "from runner.errors import StartError\n"
        "import sys\n"
        "try:\n    with claim_standard_streams(): pass\n"
        "except StartError as error: print(error, file=sys.stderr)"
    )
    command = ["sh", "-c", f'{sys.executable} -c "$0" {closed}', program]
    found = subprocess.run(command, check=False, capture_output=True, timeout=30)
    assert found.stderr.decode() == f"{name} is closed, so that no client can be answered\n"
