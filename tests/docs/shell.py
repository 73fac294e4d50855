"""Runs the commands of one page, one after the other, in a folder of its own."""

import http.client
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.pages import Command, matches
from tests.prepared import Prepared

LIMIT_S = 60
SHOWN_PORT = ":8000"
_SYNTAX = re.compile(r"[|&;<>()$`*?~#\n]")
"""What a shell may read in a line, so that it is given to one."""
_PORT = re.compile(r"127\.0\.0\.1(:\d+)")


class Shell:
    """The shell of a page's reader."""

    def __init__(self, folder: Path, prepared: Prepared) -> None:
        self._folder = folder
        self._prepared = prepared
        self._port = SHOWN_PORT
        self._servers: list[subprocess.Popen[str]] = []
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "COLUMNS": "80"}
        self._environment = {**os.environ, **own, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    def run(self, command: Command) -> None:
        """Runs it and holds what it prints against the page."""
        serves = command.line.endswith("&")
        printed = self._serve(command) if serves else self._run(command.line)
        assert matches(command.output, printed), f"$ {command.line}\n{printed}"

    def close(self) -> None:
        """Stops what serves; each ends well."""
        for server in self._servers:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=LIMIT_S)
            assert server.returncode == 0

    def _run(self, line: str) -> str:
        asked = line.replace(SHOWN_PORT, self._port)
        if asked.startswith("mcp-run ") and not _SYNTAX.search(asked):
            return self._command(shlex.split(asked)[1:]).replace(self._port, SHOWN_PORT)
        done = subprocess.run(
            ["sh", "-c", asked],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return done.stdout.replace(self._port, SHOWN_PORT)

    def _command(self, arguments: list[str]) -> str:
        """What the command prints."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            self._prepared.run(
                arguments, folder=self._folder, environment=self._environment, output=output
            )
            output.seek(0)
            return output.read()

    def _serve(self, command: Command) -> str:
        """As many lines as the page shows; then the server goes on."""
        line = f"exec {command.line.removesuffix('&')} --port 0"
        server = subprocess.Popen(
            ["sh", "-c", line],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._servers.append(server)
        assert server.stdout is not None
        count = len(command.output.strip("\n").splitlines())
        printed = "".join(server.stdout.readline() for _ in range(count))
        found = _PORT.search(printed)
        assert found is not None, printed
        self._port = found[1]
        _await_answer(int(found[1].removeprefix(":")))
        return printed.replace(self._port, SHOWN_PORT)


def _await_answer(port: int) -> None:
    """The address is bound before the server is ready; from its first answer on it stops well."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    connection.request("GET", "/")
    connection.getresponse()
    connection.close()


@contextmanager
def shell(folder: Path, prepared: Prepared) -> Iterator[Shell]:
    """A shell in `folder`; what it left running is stopped."""
    opened = Shell(folder, prepared)
    try:
        yield opened
    finally:
        opened.close()
