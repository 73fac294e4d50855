"""Times mean the same wherever the server runs, and find their rows again.

Elsewhere a time without zone moved by the host's offset (unseen on hosts in UTC), a date became the
day before, zoned and zone-less times looked alike, and each tool read arguments in its own way.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, tool
from tests.prepared import Prepared, prepared

ZONES = ("UTC", "America/New_York", "Asia/Kolkata")
LIMIT_S = 60
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


@pytest.fixture(scope="module")
def hosts() -> Iterator[Mapping[str, Prepared]]:
    """By zone, a process that was started there."""
    with ExitStack() as stack:
        yield {zone: stack.enter_context(prepared(LIMIT_S, environment_of(zone))) for zone in ZONES}


def environment_of(zone: str) -> Mapping[str, str]:
    """What says the zone to programs, and to the library of PostgreSQL how to write dates."""
    return {**os.environ, "TZ": zone, "PGTZ": zone, "PGDATESTYLE": "German"}


def called(source: Source, name: str, host: Prepared, zone: str) -> object:
    """What the command prints on a host in this zone."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        status = host.run(
            ["call", name, "--format", "json"],
            folder=source.folder,
            environment=environment_of(zone),
            output=output,
        )
        output.seek(0)
        printed = output.read()
    assert status == 0, printed
    return json.loads(printed)["structuredContent"]


def test_zone_of_the_host_moves_nothing(times: Source, hosts: Mapping[str, Prepared]) -> None:
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

    found = [called(times, "times", host, zone) for zone, host in hosts.items()]

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
