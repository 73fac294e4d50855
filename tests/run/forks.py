"""Servers that are forked from a process which has imported everything already.

A start of the command takes two seconds of the processor, and most of it are imports. The parent
forks for each server: arguments, folder, environment, streams, signals and exit status are those of
a process of its own. What the interpreter settles when it starts is not; so a server whose
environment has words for the interpreter is started as everybody starts it.
"""

import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final, Protocol

import coverage

from tests.prepared import become

IMPORTED: Final = (
    "runner.cli.serve",
    "runner.serving.bounded",
    "uvicorn",
    "uvloop",
)
MOST_BYTES: Final = 128 * 1024
"""Of one question: arguments and environment."""
LIMIT_S: Final = 60
COVERAGE: Final = "COVERAGE_PROCESS_CONFIG"
"""The variable by which `coverage` measures the processes of the tests."""
FOR_THE_INTERPRETER: Final = ("PYTHON", "LC_", "LANG")
"""How the names of variables begin that are read when an interpreter starts."""


class Process(Protocol):
    """What the tests use of a process, forked or not."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit status, if it has ended."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended.

        Raises:
            subprocess.TimeoutExpired: it did not end in time.
        """

    def send_signal(self, sig: int) -> None:
        """Signals it, unless it has ended."""

    def terminate(self) -> None:
        """Signals it to end."""

    def kill(self) -> None:
        """Ends it at once."""


class Forked:
    """A process that was forked."""

    def __init__(self, parent: "Parent", pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._parent = parent

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        if self.returncode is None:
            self.returncode = self._parent.status(self.pid, 0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, once it has ended.

        Raises:
            subprocess.TimeoutExpired: it did not end in time.
        """
        if self.returncode is None:
            self.returncode = self._parent.status(self.pid, LIMIT_S if timeout is None else timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("mcp-run", timeout or LIMIT_S)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Signals it, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        """Signals it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once."""
        self.send_signal(signal.SIGKILL)


class Parent:
    """The process that forks, begun when it is needed first."""

    def __init__(self) -> None:
        self._door: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = threading.Lock()
        self._told = threading.Condition()
        self._begun: list[int] = []
        self._ended: dict[int, int] = {}

    def begin(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        streams: Sequence[IO[bytes] | IO[str] | int],
        *,
        has_own_group: bool = False,
    ) -> Forked:
        """`mcp-run` with these arguments; `streams` are its input, output and errors."""
        asked = json.dumps([list(arguments), os.getcwd(), dict(environment), has_own_group])
        descriptors = [item if isinstance(item, int) else item.fileno() for item in streams]
        with self._asking:
            door = self._opened()
            socket.send_fds(door, [asked.encode()], descriptors)
            with self._told:
                assert self._told.wait_for(lambda: self._begun, LIMIT_S), "nothing was forked"
                return Forked(self, self._begun.pop())

    def status(self, pid: int, timeout_s: float) -> int | None:
        """The exit status of a process, if it ends in time."""
        with self._told:
            self._told.wait_for(lambda: pid in self._ended, timeout_s)
            return self._ended.get(pid)

    def close(self) -> None:
        """Forks no more."""
        if self._door is not None and self._process is not None:
            self._door.shutdown(socket.SHUT_RDWR)
            self._process.wait(LIMIT_S)
            self._door.close()

    def _opened(self) -> socket.socket:
        if self._door is None:
            self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "tests.run.forks", str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    cwd=Path(__file__).parents[2],
                    env=_unmeasured({**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}),
                    start_new_session=True,
                )
            threading.Thread(target=self._listen, args=(self._door,), daemon=True).start()
        return self._door

    def _listen(self, door: socket.socket) -> None:
        while told := door.recv(MOST_BYTES):
            pid, status = json.loads(told)
            with self._told:
                if status is None:
                    self._begun.append(pid)
                else:
                    self._ended[pid] = status
                self._told.notify_all()


def fits(environment: Mapping[str, str]) -> bool:
    """A fork can have the environment, on top of ours; what a bench measures is begun as always."""
    is_test = "PYTEST_VERSION" in os.environ
    return is_test and not any(name.startswith(FOR_THE_INTERPRETER) for name in environment)


def _unmeasured(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process whose forks measure their coverage by themselves."""
    return {name: value for name, value in environment.items() if name != COVERAGE}


def _serve(door: socket.socket) -> None:
    """Forks, and tells of ends, until nobody asks any more."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(waking)
    watched = [door.fileno(), woken]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if woken in ready:
            os.read(woken, 512)
            _reap(door)
        if door.fileno() in ready:
            asked, streams, _, _ = socket.recv_fds(door, MOST_BYTES, 3)
            if not asked:
                return
            child = os.fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for own in (woken, waking):
                    os.close(own)
                door.close()
                _begin(json.loads(asked), streams)
            for stream in streams:
                os.close(stream)
            _tell(door, child, None)


def _begin(asked: tuple[list[str], str, dict[str, str], bool], streams: Sequence[int]) -> None:
    arguments, folder, environment, has_own_group = asked
    if has_own_group:
        os.setsid()
    if COVERAGE in environment:
        os.environ[COVERAGE] = environment[COVERAGE]
        coverage.process_startup()
    become(arguments, folder, environment, streams=streams)


def _reap(door: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _tell(door, pid, os.waitstatus_to_exitcode(status))


def _tell(door: socket.socket, pid: int, status: int | None) -> None:
    door.send(json.dumps([pid, status]).encode())


PARENT: Final = Parent()
"""Of this process of the tests; the last fixture to go closes it."""

if __name__ == "__main__":
    for name in IMPORTED:
        importlib.import_module(name)
    _serve(socket.socket(fileno=int(sys.argv[1])))
