"""`mcp-run` in processes that have imported it already: for tests of many commands.

A start of the command takes longer than most of what it does. One process imports it, and forks
for each command: arguments, folder, environment, streams and exit status are those of a process of
its own. What the interpreter settles when it starts, the locale for one, is not.
"""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from runner.cli import main

IMPORTED: Final = ("call", "listing", "validate")
MOST_BYTES: Final = 128 * 1024
"""Of one question: arguments and environment."""


class Prepared:
    """A process that waits for commands to run."""

    def __init__(self, door: socket.socket) -> None:
        self._door = door

    def run(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: IO[str] | int,
        errors: IO[str] | int | None = None,
    ) -> int:
        """The exit status of `mcp-run` with these arguments; without `errors`, `output` has both.

        What it prints must fit into a pipe or a terminal that nobody reads meanwhile.
        """
        asked = json.dumps([list(arguments), str(folder), dict(environment)]).encode()
        assert len(asked) <= MOST_BYTES
        with Path(os.devnull).open("rb") as nothing:
            out = _descriptor(output)
            err = out if errors is None else _descriptor(errors)
            socket.send_fds(self._door, [asked], [nothing.fileno(), out, err])
        return int(self._door.recv(MOST_BYTES))


def _descriptor(stream: IO[str] | int) -> int:
    return stream if isinstance(stream, int) else stream.fileno()


@contextmanager
def prepared(limit_s: float, environment: Mapping[str, str] | None = None) -> Iterator[Prepared]:
    """A process that has everything imported, with `environment` on top of ours.

    Each command must end within the limit.
    """
    door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with door:
        door.settimeout(limit_s)
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[1],
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        try:
            yield Prepared(door)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            door.close()
            process.wait(limit_s)


def _answer(door: socket.socket) -> None:
    """Runs a command after the other until nobody asks any more."""
    while True:
        asked, streams, _, _ = socket.recv_fds(door, MOST_BYTES, 3)
        if not asked:
            return
        child = os.fork()
        if child == 0:
            door.close()
            arguments, folder, environment = json.loads(asked)
            become(arguments, folder, environment, streams=streams)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        door.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(
    arguments: Sequence[str], folder: str, environment: Mapping[str, str], *, streams: Sequence[int]
) -> None:
    """Runs the command, and ends the process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    # Those of the start know whether their files could be sought in, which these may not.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1)
    sys.argv = ["mcp-run", *arguments]
    main.main()


if __name__ == "__main__":
    for name in IMPORTED:
        importlib.import_module(f"runner.cli.{name}")
    _answer(socket.socket(fileno=int(sys.argv[1])))
