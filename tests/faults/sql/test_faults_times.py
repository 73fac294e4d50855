"""Times mean the same wherever the server runs, and find their rows again.

Elsewhere a time without zone moved by the host's offset (unseen on hosts in UTC), a date became the
day before, zoned and zone-less times looked alike, and each tool read arguments in its own way.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, tool

ZONES = ("UTC", "America/New_York", "Asia/Kolkata")
KINDS = {
    "postgresql": {"day": "date", "local": "timestamp", "instant": "timestamptz", "clock": "time"},
    "duckdb": {"day": "date", "local": "timestamp", "instant": "timestamptz", "clock": "time"},
    "mariadb": {"day": "date", "local": "datetime", "instant": "timestamp", "clock": "time"},
    "sqlite": {"day": "text", "local": "text", "instant": "text", "clock": "text"},
}
WRITTEN = {
    "day": "2026-03-29",
    "local": "2026-03-29T02:30:00",
    "instant": "2026-03-28T21:00:00+00:00",
    "clock": "02:30:00",
}


@pytest.fixture
def times(source: Source) -> Source:
    """A row with a time of every kind; SQLite keeps the same texts."""
    columns = ", ".join(f"{name} {kind}" for name, kind in KINDS[source.engine].items())
    values = ", ".join(f"'{text}'" for text in WRITTEN.values())
    source.execute(f"CREATE TABLE t (id integer, {columns})")
    if source.is_mariadb:  # its own zone is the host's, and it takes no offset
        values = values.replace("+00:00", "")
        values = values.replace("'2026-03-28T21:00:00'", "from_unixtime(1774731600)")
    source.execute(f"INSERT INTO t VALUES (7, {values})")
    return source


def called(source: Source, name: str, environment: Mapping[str, str]) -> object:
    """What the command prints in a process of its own."""
    program = "from runner.cli.main import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", program, "call", name, "--format", "json"],
        cwd=source.folder,
        env={**os.environ, "PYTHONPATH": os.getcwd(), **environment},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(found.stdout)["structuredContent"]


def test_zone_of_the_host_moves_nothing(times: Source) -> None:
    now = {
        "postgresql": "now() - interval '1 second' < now() AS steady",
        "duckdb": "now() - interval '1 second' < now() AS steady",
        "mariadb": "now() - utc_timestamp() = 0 AS steady",
        "sqlite": "1 AS steady",
    }[times.engine]
    text = f"SELECT day, local, instant, clock, {now} FROM t"
    (times.folder / "mcp.yaml").write_text(
        times.file(tool("times", text, result={"shape": "row"})), "utf-8"
    )

    found = [
        called(times, "times", {"TZ": zone, "PGTZ": zone, "PGDATESTYLE": "German"})
        for zone in ZONES
    ]

    assert found == [{**WRITTEN, "steady": not times.is_sqlite or 1}] * len(ZONES)


@pytest.mark.parametrize(
    ("column", "word"),
    [("day", "date"), ("local", "string"), ("instant", "date-time"), ("clock", "time")],
)
def test_time_that_came_back_finds_its_row(
    times: Source, served: Serve, column: str, word: str
) -> None:
    server = served(
        tool("times", f"SELECT {column} FROM t", result={"shape": "value"})
        + tool(
            "find",
            f"SELECT id FROM t WHERE {column} = :t",
            input={"t": word},
            result={"shape": "value"},
        )
    )

    assert server.value("find", t=server.value("times")) == 7


def test_only_zoned_times_carry_an_offset(times: Source, served: Serve) -> None:
    row = served(
        tool("times", "SELECT day, local, instant, clock FROM t", result={"shape": "row"})
    ).value("times")

    assert row == WRITTEN


def test_instant_without_offset_is_refused_everywhere(times: Source, served: Serve) -> None:
    """Nobody guesses a zone: one rule for all tools, and the schema says it."""
    read = "SELECT id FROM t WHERE instant = :at"
    server = served(
        tool("one", read, input={"at": "date-time"})
        + tool("many", "SELECT id FROM t WHERE instant IN :at", input={"at": "date-time[]"})
        + tool(
            "maybe",
            "SELECT id FROM t WHERE true [[ AND instant = :at ]]",
            input={"at?": "date-time"},
        )
    )

    naive = "2026-03-29T02:30:00"
    expected = f"expected a date and time with offset such as 2026-01-31T12:00:00Z, found '{naive}'"
    assert server.refusal("one", at=naive) == f"at: {expected}"
    assert server.refusal("many", at=[naive]) == f"at[0]: {expected}"
    assert server.refusal("maybe", at=naive) == f"at: {expected}"
    assert server.listed["one"]["inputSchema"] == {
        "type": "object",
        "properties": {"at": {"type": "string", "format": "date-time"}},
        "required": ["at"],
        "additionalProperties": False,
    }


@pytest.mark.engines("postgresql", "duckdb", "mariadb", why="SQLite compares texts")
def test_instants_are_compared_as_instants(times: Source, served: Serve) -> None:
    find = tool("find", "SELECT id FROM t WHERE instant = :at", input={"at": "date-time"})

    server = served(find)

    for same in ("2026-03-29T02:30:00+05:30", "2026-03-28T21:00:00Z", "2026-03-28T16:00:00-05:00"):
        assert server.call("find", at=same).rows == [{"id": 7}]
