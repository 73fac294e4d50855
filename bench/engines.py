"""What one row costs on each engine: python engines.py [--requests 3000] [--only ENGINE,ENGINE]

For each engine a table of 10,000 items in a database of its own, then in turn:

    raw     the driver's own call in a loop, nothing around it
    floor   that call behind uvicorn and a JSON reader (servers/raw.py)
    server  `mcp-run serve` with a tool of the same SELECT

The figures are microseconds of the process's own CPU for one row, which other work on the machine
disturbs little. The bar: the server costs at most LIMIT times the floor, so that all it adds to
the driver's call (checks, budgets, a read-only transaction, the thread, the codec, the protocol)
costs at most that call with its HTTP. Exit status 1 where an engine misses it.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.run.processes import end, headers, request, serving  # noqa: E402

LIMIT = 2.0
ROUNDS = 3
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
        values = ", ".join(f"({i}, '{name}', {price})" for i, name, price in ROWS[start : start + 1000])
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
    """What the process has used so far, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1e6 / os.sysconf("SC_CLK_TCK")


def raw(engine: str, dsn: str, count: int) -> float:
    """The driver's call in a loop."""
    code = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "bench" / "servers")!r})
import raw
read = raw.connect()
for i in range(200): read(i + 1)
start = time.process_time()
for i in range({count}): read(i * 7919 % 10000 + 1)
print((time.process_time() - start) / {count} * 1e6)
"""
    environment = {**os.environ, "ENGINE": engine, "DSN": dsn}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def load(port: int, pid: int, count: int) -> float:
    """The server's CPU for one request, asked on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(id_: int) -> None:
        connection.request("POST", "/mcp", request("get_item", {"id": id_}), headers("get_item"))
        answer = connection.getresponse().read()
        if b'"id":%d,"name":"Item %d"' % (id_, id_) not in answer:
            raise ValueError(answer)

    for index in range(200):
        ask(index + 1)
    before = cpu_us(pid)
    for index in range(count):
        ask(index * 7919 % 10000 + 1)
    used = cpu_us(pid) - before
    connection.close()
    return used / count


def floor(engine: str, dsn: str, count: int) -> float:
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
        return load(port, process.pid, count)
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


def server(url: str, folder: Path, count: int) -> float:
    """Ours."""
    file = folder / "mcp.yaml"
    file.write_text(FILE)
    with serving(file, environment={"URL": url}) as served:
        return load(served.port, served.process.pid, count)


def measured(engine: str, count: int) -> tuple[float, float, float]:
    """Raw, floor and server, the median of the rounds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ENGINES[engine](folder) as (dsn, url):
            kinds: list[Callable[[], float]] = [
                lambda: raw(engine, dsn, count),
                lambda: floor(engine, dsn, count),
                lambda: server(url, folder, count),
            ]
            rounds = [[kind() for kind in kinds] for _ in range(ROUNDS)]
    found = [statistics.median(values) for values in zip(*rounds, strict=True)]
    return found[0], found[1], found[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--only", default=",".join(ENGINES))
    args = parser.parse_args()
    passed = failed = 0
    for engine in args.only.split(","):
        call, least, ours = measured(engine, args.requests)
        ratio = ours / least
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
