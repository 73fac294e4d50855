"""What one row costs on each engine: python engines.py [--requests 6000] [--only ENGINE,ENGINE]

For each engine a table of 10,000 items in a database of its own, and side by side, in short turns
so that a machine that grows slower or faster does so for all alike:

    raw     the driver's own call in a loop, nothing around it
    floor   that call behind uvicorn and a JSON reader (servers/raw.py)
    server  `mcp-run serve` with a tool of the same SELECT

The figures are microseconds of the process's own CPU for one row, the medians of the turns; the
ratio is the median of the turns' ratios. The bar: the server costs at most LIMIT times the floor,
so that all it adds to the driver's call (checks, budgets, a read-only transaction, the thread, the
codec, the protocol) costs at most that call with its HTTP. Exit status 1 where an engine misses it.
"""

import argparse
import http.client
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.run.processes import end, headers, request, serving  # noqa: E402

LIMIT = 2.0
TURNS = 20
ROWS = [(i, f"Item {i}", round(i * 0.37 % 500, 2)) for i in range(1, 10_001)]
TABLE = "CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR(40), price DOUBLE PRECISION)"
POSTGRES = "postgresql://postgres@127.0.0.1:5432/test"
FILE = """mcp: 1
server: {name: bench, version: 1.0.0}
databases: {items: {url: "${URL}"}}
tools:
  get_item:
    description: Return one item.
    input: {id: integer}
    sql: SELECT id, name, price FROM items WHERE id = :id
    result: {shape: row}
"""


@contextmanager
def sqlite(folder: Path) -> Iterator[tuple[str, str]]:
    """The driver's address and ours."""
    import sqlite3

    path = folder / "items.db"
    connection = sqlite3.connect(path)
    connection.execute(TABLE)
    connection.executemany("INSERT INTO items VALUES (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    yield str(path), f"sqlite:///{path}"


@contextmanager
def duckdb(folder: Path) -> Iterator[tuple[str, str]]:
    import duckdb as driver

    path = folder / "items.duckdb"
    connection = driver.connect(str(path))
    connection.execute(TABLE)
    for start in range(0, len(ROWS), 1000):
        values = ", ".join(
            f"({i}, '{name}', {price})" for i, name, price in ROWS[start : start + 1000]
        )
        connection.execute(f"INSERT INTO items VALUES {values}")
    connection.close()
    yield str(path), f"duckdb:///{path}"


@contextmanager
def postgresql(_folder: Path) -> Iterator[tuple[str, str]]:
    import psycopg

    schema = f"bench_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        try:
            connection.execute(f"SET search_path = {schema}")
            connection.execute(TABLE)
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO items VALUES (%s, %s, %s)", ROWS)
            url = f"{POSTGRES}?options=-csearch_path%3D{schema}"
            yield url, url
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")


@contextmanager
def mysql(_folder: Path) -> Iterator[tuple[str, str]]:
    import pymysql

    name = f"bench_{uuid.uuid4().hex[:12]}"
    connection = pymysql.connect(host="127.0.0.1", user="root", autocommit=True)
    cursor = connection.cursor()
    cursor.execute(f"CREATE DATABASE {name}")
    try:
        cursor.execute(f"USE {name}")
        cursor.execute(TABLE)
        cursor.executemany("INSERT INTO items VALUES (%s, %s, %s)", ROWS)
        yield name, f"mysql://root@127.0.0.1:3306/{name}"
    finally:
        cursor.execute(f"DROP DATABASE {name}")
        connection.close()


ENGINES = {"sqlite": sqlite, "postgresql": postgresql, "duckdb": duckdb, "mysql": mysql}


def cpu_us(pid: int) -> float:
    """What the process has used so far, all its threads, as the scheduler counts it."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1000


class Raw:
    """The driver's call in a loop, in a process of its own."""

    def __init__(self, engine: str, dsn: str) -> None:
        code = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "bench" / "servers")!r})
import raw
read = raw.connect()
for line in sys.stdin:
    count = int(line)
    start = time.process_time()
    for i in range(count): read(i * 7919 % 10000 + 1)
    print((time.process_time() - start) / count * 1e6, flush=True)
"""
        environment = {**os.environ, "ENGINE": engine, "DSN": dsn}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def turn(self, count: int) -> float:
        """One row, of `count`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """Ends the process."""
        end(self._process)


class Served:
    """A server, asked on one connection."""

    def __init__(self, port: int, pid: int) -> None:
        self._pid = pid
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def turn(self, count: int) -> float:
        """One row, of `count`."""
        before = cpu_us(self._pid)
        for index in range(count):
            self._ask(index * 7919 % 10000 + 1)
        return (cpu_us(self._pid) - before) / count

    def _ask(self, id_: int) -> None:
        body, pairs = request("get_item", {"id": id_}), headers("get_item")
        self._connection.request("POST", "/mcp", body, pairs)
        answer = self._connection.getresponse().read()
        if b'"id":%d,"name":"Item %d"' % (id_, id_) not in answer:
            raise ValueError(answer)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


@contextmanager
def floor(engine: str, dsn: str) -> Iterator[Served]:
    """The raw call behind HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "ENGINE": engine, "DSN": dsn, "PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "bench/servers/raw.py")], env=environment, text=True
    )
    try:
        until_open(port)
        with closing(Served(port, process.pid)) as served:
            yield served
    finally:
        end(process)


def until_open(port: int) -> None:
    """Returns once somebody listens."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")


@contextmanager
def server(url: str, folder: Path) -> Iterator[Served]:
    """Ours."""
    file = folder / "mcp.yaml"
    file.write_text(FILE)
    with (
        serving(file, environment={"URL": url}) as process,
        closing(Served(process.port, process.process.pid)) as served,
    ):
        yield served


def measured(engine: str, count: int) -> tuple[float, float, float, float]:
    """Raw, floor and server, and how the last two compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            ENGINES[engine](folder) as (dsn, url),
            closing(Raw(engine, dsn)) as raw,
            floor(engine, dsn) as least,
            server(url, folder) as ours,
        ):
            for asked in (raw, least, ours):
                asked.turn(200)  # to warm up
            each = max(count // TURNS, 1)
            turns = [(raw.turn(each), least.turn(each), ours.turn(each)) for _ in range(TURNS)]
    found = [statistics.median(values) for values in zip(*turns, strict=True)]
    ratio = statistics.median(turn[2] / turn[1] for turn in turns)
    return found[0], found[1], found[2], ratio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--only", default=",".join(ENGINES))
    args = parser.parse_args()
    passed = failed = 0
    for engine in args.only.split(","):
        call, least, ours, ratio = measured(engine, args.requests)
        verdict = "pass" if ratio <= LIMIT else "FAIL"
        print(
            f"{verdict}  {engine:10}  raw {call:5.0f} us  floor {least:5.0f} us"
            f"  server {ours:5.0f} us  server / floor {ratio:.2f} of {LIMIT}",
            flush=True,
        )
        passed, failed = passed + (ratio <= LIMIT), failed + (ratio > LIMIT)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
