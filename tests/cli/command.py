"""The command line, as a process of its own or in this one."""

import contextlib
import io
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from runner.cli import main
from runner.cli.logs import OWN
from tests.prepared import Prepared

TIMEOUT_S = 60
KEPT = ("PATH", "HOME", "LANG", "COVERAGE_PROCESS_CONFIG")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


def run(
    *arguments: str,
    folder: Path,
    given: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs `mcp-run` in `folder`; its output is a pipe, and nothing of this environment leaks."""
    return run_python(
        "import sys; from runner.cli.main import main; main(sys.argv[1:])",
        *arguments,
        folder=folder,
        given=given,
        environment=environment,
    )


def forked(
    ready: Prepared,
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs `mcp-run` as `run` does, in a process that has imported it already."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as err,
    ):
        status = ready.run(
            arguments,
            folder=folder,
            environment={**kept, **(environment or {})},
            output=out,
            errors=err,
        )
        out.seek(0)
        err.seek(0)
        return Ended(status, out.read(), err.read())


def run_python(
    code: str,
    *arguments: str,
    folder: Path,
    given: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs Python `code` in `folder`."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        input=given,
        env={**kept, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def here(
    *arguments: str,
    folder: Path,
    given: str = "",
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs `mcp-run` in this process, as `run` does, but faster; leaves no log behind."""
    out, err = io.StringIO(), io.StringIO()
    root, own = logging.getLogger(), logging.getLogger(OWN)
    before = (list(root.handlers), root.level, own.level)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
        mock.patch.dict(os.environ, environment or {}),
    ):
        try:
            status = main.run(arguments)
        finally:
            logging.captureWarnings(False)
            root.handlers[:] = before[0]
            root.setLevel(before[1])
            own.setLevel(before[2])
    return Ended(status, out.getvalue(), err.getvalue())
