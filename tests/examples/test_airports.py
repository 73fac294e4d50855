"""The airports: every tool gives what the package's own file gives when it is counted by hand."""

import csv
import math
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from tests.examples.talking import LEGACY, MODERN, ROOT, Row, Talk, over_stdio, talking, texts
from tests.run.processes import serving

EXAMPLE = ROOT / "examples" / "airports"
RADIUS_KM = 6371.0088
NAMES = ("iata", "name", "city", "state", "country", "latitude", "longitude")
Airport = dict[str, str]
WAYS = ("http modern", "http legacy", "stdio modern", "stdio legacy")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with its database, as `load.py` makes it."""
    folder = tmp_path_factory.mktemp("airports")
    file = folder / "mcp.yaml"
    file.write_bytes((EXAMPLE / "mcp.yaml").read_bytes())
    command = [sys.executable, str(EXAMPLE / "load.py"), str(folder / "airports.db")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"3376 airports in {folder / 'airports.db'}"
    return file


@pytest.fixture(scope="module")
def airports() -> dict[str, Airport]:
    """The package's file, by code; `NA` is left as it is."""
    text = files("vega_datasets").joinpath("_data", "airports.csv").read_text("utf-8")
    return {row["iata"]: row for row in csv.DictReader(text.splitlines())}


@pytest.fixture(scope="module")
def talks(project: Path) -> Iterator[dict[str, Talk]]:
    """A client on each way."""
    stdio = over_stdio(project)
    with (
        serving(project) as served,
        talking(served.url, MODERN) as http_modern,
        talking(served.url, LEGACY) as http_legacy,
        talking(stdio, MODERN) as stdio_modern,
        talking(stdio, LEGACY) as stdio_legacy,
    ):
        clients = (http_modern, http_legacy, stdio_modern, stdio_legacy)
        yield dict(zip(WAYS, clients, strict=True))


@pytest.fixture(params=WAYS)
def client(request: pytest.FixtureRequest, talks: dict[str, Talk]) -> Talk:
    """The client of each way in turn."""
    return talks[request.param]


def known(airport: Airport, *names: str) -> Row:
    """Columns of an airport as a tool gives them."""
    numbers = ("latitude", "longitude")
    return {
        name: float(airport[name]) if name in numbers else _text(airport[name]) for name in names
    }


def _text(value: str) -> str | None:
    return None if value == "NA" else value


def kilometres(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The way along the surface, by the spherical law of cosines: not the example's formula."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, place)) for place in (one, other))
    cosine = math.sin(lat1) * math.sin(lat2) + math.cos(lat1) * math.cos(lat2) * math.cos(
        lon2 - lon1
    )
    return RADIUS_KM * math.acos(max(-1.0, min(1.0, cosine)))


def place(airport: Airport) -> tuple[float, float]:
    """Where it is."""
    return float(airport["latitude"]), float(airport["longitude"])


def matching(airports: dict[str, Airport], words: str) -> list[str]:
    """The codes of airports with the words in name, city or code, in order."""
    wanted = words.lower()
    return sorted(
        code
        for code, row in airports.items()
        if any(wanted in row[key].lower() for key in ("name", "city", "iata") if row[key] != "NA")
    )


@pytest.mark.parametrize("size", [7, 50, 100])
def test_pages_give_every_match_once_and_in_order(
    client: Talk, airports: dict[str, Airport], size: int
) -> None:
    expected = matching(airports, "inter")
    seen: list[object] = []
    page: Row = {"next": None}
    while "next" in page:
        page = client.give("find_airports", query="inter", limit=size, cursor=page["next"])
        assert isinstance(page["rows"], list)
        seen += [row["iata"] for row in page["rows"]]
        assert page["truncated"] is ("next" in page)
        assert len(page["rows"]) == size or not page["truncated"]
    assert len(expected) > size
    assert seen == expected


def test_reader_of_the_text_alone_can_go_on(client: Talk, airports: dict[str, Airport]) -> None:
    expected = matching(airports, "inter")
    table, note = texts(client.ask("find_airports", query="inter", limit=2))
    assert table.splitlines()[0] == "| iata | name | city | state | country |"
    cursor = note.rpartition(": ")[2]
    rows = client.rows("find_airports", query="inter", limit=2, cursor=cursor)
    assert [row["iata"] for row in rows] == expected[2:4]


def test_cursor_belongs_to_its_question(client: Talk) -> None:
    cursor = client.give("find_airports", query="inter", limit=2)["next"]
    told = client.refusal("find_airports", query="field", limit=2, cursor=cursor)
    assert told.startswith("cursor: expected one that an earlier call with the same arguments")


@pytest.mark.parametrize("query", ["%%", "__", "' OR 1=1 --", "\\%"])
def test_marks_of_a_pattern_are_letters(
    client: Talk, airports: dict[str, Airport], query: str
) -> None:
    rows = client.rows("find_airports", query=query, limit=100)
    assert [row["iata"] for row in rows] == matching(airports, query)


def test_airport_is_found_by_its_code(client: Talk, airports: dict[str, Airport]) -> None:
    for code in ("JFK", "00M", "ANC", "CLD"):
        assert client.give("get_airport", iata=code) == known(airports[code], *NAMES)
    assert client.refusal("get_airport", iata="ZZZZ") == "No airport has the code ZZZZ."


def test_several_airports_come_in_the_order_of_their_codes(
    client: Talk, airports: dict[str, Airport]
) -> None:
    rows = client.rows("get_airports", codes=["SFO", "nope", "ANC", "JFK", "ANC"])
    columns = ("iata", "name", "city", "state", "latitude", "longitude")
    assert rows == [known(airports[code], *columns) for code in ("ANC", "JFK", "SFO")]


@pytest.mark.parametrize(
    ("latitude", "longitude", "within_km"),
    [(61.2, -149.9, 200), (40.7, -74.0, 100), (19.7, -155.1, 500), (0, 0, 2000), (71, -156, 30)],
)
def test_nearest_airports_are_those_by_another_formula(
    client: Talk, airports: dict[str, Airport], *, latitude: float, longitude: float, within_km: int
) -> None:
    here = (latitude, longitude)
    rows = client.rows(
        "nearest_airports", latitude=latitude, longitude=longitude, within_km=within_km, limit=50
    )
    measured = {code: kilometres(here, place(row)) for code, row in airports.items()}
    near = sorted((km, code) for code, km in measured.items() if km <= within_km)[:50]
    assert {row["iata"] for row in rows} == {code for _, code in near}
    distances = [row["distance_km"] for row in rows]
    assert distances == pytest.approx([km for km, _ in near], abs=0.1)


@pytest.mark.parametrize("codes", [("JFK", "LAX"), ("ANC", "MIA"), ("GUM", "HNL"), ("JFK", "JFK")])
def test_distance_and_trip_agree_with_another_formula(
    client: Talk, airports: dict[str, Airport], codes: tuple[str, str]
) -> None:
    one, other = (airports[code] for code in codes)
    way = client.give("distance", from_code=codes[0], to_code=codes[1])
    assert way == {
        "from_name": one["name"],
        "to_name": other["name"],
        "distance_km": pytest.approx(kilometres(place(one), place(other)), abs=0.1),
    }
    trip = client.give("trip", from_code=codes[0], to_code=codes[1])
    assert trip == {"from": one["name"], "to": other["name"], "distance_km": way["distance_km"]}


def test_unknown_code_is_told_in_words(client: Talk) -> None:
    told = client.refusal("distance", from_code="JFK", to_code="ZZZ")
    assert told == "One of the codes JFK and ZZZ is unknown."
    assert client.refusal("trip", from_code="ZZZ", to_code="JFK").endswith(
        "No airport has the code ZZZ."
    )


Order = Callable[[tuple[str, int]], tuple[str | int, ...]]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("most", lambda item: (-item[1], item[0])),
        ("fewest", lambda item: (item[1], item[0])),
        ("name", lambda item: (item[0],)),
    ],
    ids=["most", "fewest", "name"],
)
@pytest.mark.parametrize("at_least", [1, 100])
def test_states_are_counted(
    client: Talk, airports: dict[str, Airport], *, sort: str, order: Order, at_least: int
) -> None:
    counted = Counter(row["state"] for row in airports.values() if row["state"] != "NA")
    expected = sorted(((s, n) for s, n in counted.items() if n >= at_least), key=order)
    result = client.ask("count_by_state", at_least=at_least, sort=sort)
    assert result.structured_content == {
        "rows": [{"state": state, "airports": count} for state, count in expected],
        "truncated": False,
    }
    lines = [f"{state},{count}" for state, count in expected]
    assert texts(result)[0].splitlines() == ["state,airports", *lines]


@pytest.mark.parametrize("state", [None, "TX", "AK"])
def test_outermost_airports_are_outermost(
    client: Talk, airports: dict[str, Airport], state: str | None
) -> None:
    chosen = [row for row in airports.values() if state in (None, row["state"])]
    north, east = (lambda row: float(row["latitude"])), (lambda row: float(row["longitude"]))
    found = {
        "north": max(chosen, key=north),
        "south": min(chosen, key=north),
        "west": min(chosen, key=east),
        "east": max(chosen, key=east),
    }
    columns = ("iata", "name", "latitude", "longitude")
    assert client.rows("outermost_airports", state=state) == [
        {"direction": direction, **known(row, *columns)} for direction, row in found.items()
    ]


def test_clients_own_query_runs(client: Talk, airports: dict[str, Airport]) -> None:
    statement = """
        WITH big AS (SELECT state, count(*) AS n FROM airports GROUP BY state)
        SELECT max(n) AS most, (SELECT count(*) FROM airports) AS every FROM big
    """
    most = Counter(row["state"] for row in airports.values()).most_common(1)[0][1]
    assert client.rows("query_airports", statement=statement) == [
        {"most": most, "every": len(airports)}
    ]


def test_clients_own_query_is_cut_at_its_limit(client: Talk) -> None:
    result = client.ask("query_airports", statement="SELECT iata FROM airports ORDER BY iata")
    assert isinstance(result.structured_content, dict)
    assert len(result.structured_content["rows"]) == 200
    assert result.structured_content["truncated"] is True
    assert texts(result)[1] == "Only the first 200 rows are shown; narrow the request."


EVASIONS = [
    "DELETE FROM airports",
    "UPDATE airports SET name = 'x'",
    "INSERT INTO airports SELECT * FROM airports",
    "REPLACE INTO airports VALUES ('JFK', 'x', 'x', 'x', 'x', 0, 0)",
    "DROP TABLE airports",
    "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x AS SELECT 1 AS y",
    "ALTER TABLE airports RENAME TO x",
    "WITH x AS (SELECT 1) DELETE FROM airports",
    "WITH x AS (SELECT 1) INSERT INTO airports SELECT 'X', 'x', 'x', 'x', 'x', 0, 0",
    "SELECT 1; DELETE FROM airports",
    "SELECT 1;\nDROP TABLE airports;--",
    "/* SELECT */ DELETE FROM airports",
    "-- a query\nDELETE FROM airports",
    "EXPLAIN DELETE FROM airports",
    "DELETE FROM airports RETURNING iata",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_query_only(0)",
    "ATTACH DATABASE 'evil.db' AS evil",
    "VACUUM INTO 'evil.db'",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "REINDEX",
    "ANALYZE",
    "SELECT load_extension('evil')",
    "SELECT writefile('evil.db', 'x')",
    "SELECT readfile('/etc/passwd')",
    "VALUES (1); DELETE FROM airports",
    "",
    ";",
]


@pytest.mark.parametrize("statement", EVASIONS)
def test_clients_own_query_cannot_write(client: Talk, project: Path, statement: str) -> None:
    with closing(sqlite3.connect(project.with_name("airports.db"))) as database:
        every = (
            "SELECT * FROM airports UNION ALL SELECT type, name, sql, 0, 0, 0, 0 FROM sqlite_master"
        )
        before = database.execute(every).fetchall()
        assert client.refusal("query_airports", statement=statement)
        assert database.execute(every).fetchall() == before
    assert {path.name for path in project.parent.glob("*.db")} == {"airports.db"}


def test_clients_own_query_is_stopped_in_time(client: Talk) -> None:
    endless = (
        "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x"
    )
    told = client.refusal("query_airports", statement=endless)
    assert told == "the statement took longer than its time limit"


def test_loading_keeps_every_row_of_the_package(
    project: Path, airports: dict[str, Airport]
) -> None:
    with closing(sqlite3.connect(project.with_name("airports.db"))) as database:
        stored = database.execute(f"SELECT {', '.join(NAMES)} FROM airports ORDER BY iata")
        rows = [dict(zip(NAMES, row, strict=True)) for row in stored]
    assert rows == [known(airports[code], *NAMES) for code in sorted(airports)]
