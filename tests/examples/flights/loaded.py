"""The flights in each engine, loaded once in a run of the tests, however many processes it has."""

import fcntl
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest

from tests.examples.talking import ROOT

EXAMPLE: Final = ROOT / "examples" / "flights"
FILE: Final = EXAMPLE / "mcp.yaml"
POSTGRES: Final = "postgresql://postgres@127.0.0.1:5432/test"
ENGINES: Final = ("postgresql", "duckdb")
COUNTS: Final = "16 airlines, 1458 airports, 3322 planes, 26115 weather, 336776 flights"


def load(url: str, *options: str, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command of the example; modules in `packages` stand before those installed."""
    return subprocess.run(
        [sys.executable, str(EXAMPLE / "load.py"), url, *options],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **({} if packages is None else {"PYTHONPATH": str(packages)})},
        check=False,
    )


def postgres() -> psycopg.Connection[tuple[object, ...]]:
    """A connection of the tests' own; skips where there is no server and there need be none."""
    try:
        return psycopg.connect(POSTGRES, autocommit=True)
    except psycopg.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("PostgreSQL cannot be reached and services are optional")
        raise


def create(engine: str, folder: Path) -> str:
    """The address of an empty database."""
    if engine == "duckdb":
        return f"duckdb:///{folder / 'flights.duckdb'}"
    schema = f"flights_{uuid.uuid4().hex[:12]}"
    with postgres() as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{POSTGRES}?options=-csearch_path%3D{schema}"


def copied(url: str, folder: Path) -> str:
    """The address of a copy of a file of DuckDB, which one process opens at a time."""
    copy = shutil.copy(url.removeprefix("duckdb:///"), folder)
    return f"duckdb:///{copy}"


def drop(url: str) -> None:
    """Removes what `create` made."""
    if url.startswith("duckdb"):
        Path(url.removeprefix("duckdb:///")).unlink(missing_ok=True)
        return
    with postgres() as connection:
        connection.execute(f"DROP SCHEMA {url.rpartition('%3D')[2]} CASCADE")


@contextmanager
def shared(folder: Path, make: Callable[[], str], drop: Callable[[str], None]) -> Iterator[str]:
    """What `make` gave to the first process that came; the last one that leaves drops it.

    Who comes or goes is alone at the door; who is inside holds the other lock with all the others.
    """
    said = folder / "url"
    with (folder / "inside").open("w") as inside:
        with _alone_at_the_door(folder):
            if not said.exists():
                said.write_text(make())
            fcntl.flock(inside, fcntl.LOCK_SH)
        try:
            yield said.read_text()
        finally:
            with _alone_at_the_door(folder):
                fcntl.flock(inside, fcntl.LOCK_UN)
                if _is_empty(inside.fileno()):
                    drop(said.read_text())
                    said.unlink()


@contextmanager
def _alone_at_the_door(folder: Path) -> Iterator[None]:
    with (folder / "door").open("w") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        yield


def _is_empty(inside: int) -> bool:
    try:
        fcntl.flock(inside, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
