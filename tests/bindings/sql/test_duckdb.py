"""What only DuckDB has: one instance a file, files read in place, types that the driver rounds."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from runner.bindings.sql.duckdb import DuckdbEngine
from runner.bindings.sql.duckdb_instance import Setup, open_instance, release
from runner.bindings.sql.session import Terms
from runner.catalog.rendering import Shapes
from runner.catalog.schema import Parameter
from runner.catalog.sources import Create, Database
from runner.catalog.sql import SqlPlan
from runner.errors import BindingError, Kind, StartError
from tests.bindings.sql.lab import Lab, call, duckdb, open_lab, statement

BOUND_S = 5.0
HOLDING = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"


@pytest.fixture
def file(tmp_path: Path) -> Database:
    """A file with the table `t` of one row."""
    create = Create(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t VALUES (1, 0)"
    )
    return duckdb(f"duckdb:///{tmp_path / 'lab.duckdb'}", create=create)


def path_of(database: Database) -> str:
    return database.url.reveal().removeprefix("duckdb:///")


@contextmanager
def held_elsewhere(database: Database) -> Iterator[None]:
    """Another process has the file open to write to it."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, path_of(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield
        process.communicate(b"\n", timeout=BOUND_S)


def test_a_file_that_is_opened_twice_is_one_database(file: Database) -> None:
    with open_lab(file) as one, open_lab(replace(file, pool_size=2)) as other:
        one.execute("UPDATE t SET n = 7")
        assert other.rows("SELECT n FROM t") == [{"n": 7}]
        other.execute("UPDATE t SET n = 8")
    with open_lab(file) as later:
        assert later.rows("SELECT n FROM t") == [{"n": 8}]


def test_a_file_cannot_be_set_up_in_two_ways_at_once(file: Database) -> None:
    other = open_lab(replace(file, is_written=False))
    with open_lab(file), pytest.raises(StartError) as caught, other:
        pass
    assert str(caught.value) == "database 'lab': its file is open with other settings"
    with open_lab(replace(file, is_written=False)) as lab:
        assert lab.rows("SELECT n FROM t") == [{"n": 0}]


def test_a_file_that_another_process_writes_to_is_told_and_used_when_it_is_free(
    file: Database,
) -> None:
    with open_lab(file):
        pass
    with held_elsewhere(file):
        with pytest.raises(StartError) as caught, open_lab(file):
            pass
        words = f"database 'lab': another process has '{path_of(file)}' open"
        assert str(caught.value) == words
        with open_lab(replace(file, is_lazy=True)) as lab:
            plan = lab.plan("SELECT n FROM t", shape="value")
            error = lab.fails(plan)
            assert (error.kind, error.reason) == (Kind.UNAVAILABLE, words)
    with open_lab(replace(file, is_lazy=True)) as lab:
        assert lab.invoke(plan).value == 0


def test_a_file_that_nobody_writes_to_is_read_by_several_processes(file: Database) -> None:
    with open_lab(file):
        pass
    reading = HOLDING.replace("sys.argv[1]", "sys.argv[1], read_only=True")
    with open_lab(replace(file, is_written=False)) as lab:
        subprocess.run(
            [sys.executable, "-c", reading, path_of(file)], input=b"\n", check=True, timeout=30
        )
        assert lab.value("SELECT n FROM t") == 0
        with pytest.raises(BindingError) as caught:
            lab.execute("UPDATE t SET n = 1")
        assert caught.value.kind is Kind.READ_ONLY


@pytest.mark.parametrize(
    "content", [b"not a database" * 1000, b"", b"a,b\n1,2\n"], ids=["other", "empty", "csv"]
)
def test_a_file_that_is_no_database_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.duckdb"
    path.write_bytes(content)
    for is_written in (True, False):
        database = duckdb(f"duckdb:///{path}", create=None, is_written=is_written)
        with pytest.raises(StartError) as caught, open_lab(database):
            pass
        assert str(caught.value) == f"database 'lab': no DuckDB file '{path}'"
    assert path.read_bytes() == content


def test_a_file_that_was_not_closed_is_read_with_its_log(tmp_path: Path) -> None:
    path = tmp_path / "killed.duckdb"
    killed = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        " c.execute('CREATE TABLE t AS SELECT 5 AS n'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", killed, path], check=True, timeout=30)
    for is_written in (False, True):
        database = duckdb(f"duckdb:///{path}", create=None, is_written=is_written)
        with open_lab(database) as lab:
            assert lab.rows("SELECT n FROM t") == [{"n": 5}]


def test_settings_are_those_of_each_connection_and_then_locked(file: Database) -> None:
    """Connections are used again after their age, and by who opens the file once more."""
    connect = ["SET default_null_order = 'nulls_first'", "SET integer_division = true"]
    database = replace(file, connect=connect, pool_recycle_s=0.0)
    asked = "SELECT current_setting('integer_division') AS x"
    with open_lab(database) as lab, open_lab(database) as other:
        for _ in range(20):
            assert lab.rows(asked) == other.rows(asked) == [{"x": True}]
            lab.execute("UPDATE t SET n = n + 1")
        with pytest.raises(BindingError):
            lab.execute("SET integer_division = false")


def test_a_change_that_meets_another_one_is_a_conflict(file: Database) -> None:
    with open_lab(file) as lab:
        lab.execute("UPDATE t SET n = 0")
        instance = open_instance(Setup(path_of(file)))
        other = instance.take()
        other.execute("BEGIN TRANSACTION; UPDATE t SET n = 1")
        plan = lab.plan("UPDATE t SET n = n + 10", shape="affected")
        error = lab.fails(plan)
        assert (error.kind, str(error)) == (
            Kind.CONFLICT,
            "another change was made at the same time; try again",
        )
        other.execute("COMMIT")
        assert lab.invoke(plan).value == 1
        assert lab.rows("SELECT n FROM t") == [{"n": 11}]
        other.close()
        release(instance)


def test_a_row_that_another_one_was_faster_with_is_unique(file: Database) -> None:
    """DuckDB tells it only at the end of the transaction."""
    engine = DuckdbEngine(file)
    sessions = [engine.open_session(writes=True) for _ in range(2)]
    insert = Shapes(statement("INSERT INTO t VALUES (2, 0)"))
    for session in sessions:
        session.begin(Terms(writes=True, is_single=True, timeout_s=1))
        assert session.change(session.prepare(insert, ()), ()) == 1
    sessions[0].commit()
    with pytest.raises(BindingError) as caught:
        sessions[1].commit()
    assert caught.value.kind is Kind.UNIQUE
    for session in sessions:
        session.rollback()
        session.close()
    engine.close()


def running_threads() -> int:
    """How many threads of this process the system runs, but for this one."""
    own = threading.get_native_id()
    others = (path for path in Path("/proc/self/task").iterdir() if path.name != str(own))
    states: list[str] = []
    for path in others:
        try:
            states.append((path / "stat").read_text().rpartition(") ")[2][0])
        except OSError:
            continue  # it has ended
    return states.count("R")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) AS n FROM range(1000000000000) AS r(i) WHERE i % 7 = 3",
        "SELECT i AS n FROM range(100000000) AS r(i) ORDER BY hash(i)",
        "SELECT count(*) AS n FROM range(1000000) AS a, range(1000000) AS b WHERE a < b",
    ],
    ids=["scan", "sort", "join"],
)
def test_what_is_stopped_works_no_further(duck: Lab, text: str) -> None:
    """Looked at in the system: none of the engine's threads runs."""
    assert duck.fails(duck.plan(text), timeout_s=0.2).kind is Kind.TIMEOUT

    async def rest() -> None:
        async with asyncio.timeout(BOUND_S):
            while running_threads():
                await asyncio.sleep(0)

    duck.run(rest())
    assert duck.value("SELECT 1 AS one") == 1


def test_a_stop_between_two_statements_holds(file: Database) -> None:
    engine = DuckdbEngine(file)
    session = engine.open_session(writes=True)
    session.begin(Terms(writes=True, is_single=False, timeout_s=1))
    ready = session.prepare(Shapes(statement("UPDATE t SET n = 9")), ())
    session.stop()
    for work in (session.change, lambda ready, values: session.change_many(ready, [values])):
        with pytest.raises(BindingError) as caught:
            work(ready, ())
        assert caught.value.kind is Kind.CANCELLED
    session.rollback()
    session.begin(Terms(writes=True, is_single=True, timeout_s=1))
    assert session.change(ready, ()) == 1
    session.close()
    engine.close()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A folder of data that statements may read, and a file beside it; run from elsewhere."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "one.csv").write_text("id,name\n1,a\n2,b\n")
    (tmp_path / "single.json").write_text('[{"id": 7}]')
    (tmp_path / "secret.csv").write_text("id\n9\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    external = (str(data), str(tmp_path / "single.json"))
    made = f"COPY (SELECT range AS id FROM range(3)) TO '{data}/many.parquet'"
    database = duckdb(
        f"duckdb:///{tmp_path / 'lab.duckdb'}",
        create=Create(made, None),
        external=external,
        folder=str(tmp_path),
    )
    with open_lab(database) as lab:
        yield lab


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT name FROM 'data/one.csv' WHERE id = 2", "b"),
        ("SELECT count(*) AS n FROM 'data/many.parquet'", 3),
        ("SELECT count(*) AS n FROM read_csv('data/*.csv')", 2),
        ("SELECT count(*) AS n FROM '{folder}/data/many.parquet'", 3),
        ("SELECT id FROM read_json('single.json')", 7),
    ],
)
def test_listed_files_are_read_in_place(
    files: Lab, tmp_path: Path, text: str, expected: object
) -> None:
    assert files.value(text.replace("{folder}", str(tmp_path))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM 'secret.csv'",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM '{folder}/data/../secret.csv'",
        "SELECT * FROM read_text('data/../secret.csv')",
        "SELECT * FROM read_csv(['data/one.csv', '../secret.csv'])",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY t TO 'data/evil.csv'",
        "EXPORT DATABASE '{folder}/data/evil'",
        "ATTACH '{folder}/data/evil.duckdb' AS evil",
        "LOAD '{folder}/data/evil.duckdb_extension'",
    ],
)
def test_nothing_beside_listed_files_is_read_and_none_is_written(
    files: Lab, tmp_path: Path, text: str
) -> None:
    """By a tool that may write, too."""
    files.execute("CREATE TABLE t AS SELECT 1 AS id")
    before = sorted(path.name for path in (tmp_path / "data").iterdir())
    for writes in (False, True):
        plan = files.plan(statement(text.replace("{folder}", str(tmp_path))), writes=writes)
        assert files.fails(plan).kind in (Kind.INVALID, Kind.READ_ONLY)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == before


def test_a_path_that_means_another_file_from_here_is_not_let_through(
    files: Lab, tmp_path: Path
) -> None:
    """The folder of the file is what counts, not the one that the process runs in."""
    (tmp_path / "elsewhere" / "data").mkdir()
    (tmp_path / "elsewhere" / "data" / "one.csv").write_text("id,name\n2,wrong\n")
    database = replace(files.database.database, url=duckdb("duckdb://").url, create=None)
    with open_lab(database) as lab:
        assert lab.fails(lab.plan("SELECT name FROM 'data/one.csv'")).kind is Kind.INVALID
        text = f"SELECT name FROM '{tmp_path}/data/one.csv' WHERE id = 2"
        assert lab.value(text) == "b"


def test_no_variable_of_the_process_is_a_table(duck: Lab) -> None:
    """The driver would look for one in the functions that call it."""
    for name in ("rows", "values", "ready", "sink", "duck"):
        assert duck.fails(duck.plan(f"SELECT * FROM {name}")).kind is Kind.INVALID


def test_a_value_of_a_key_is_never_told_as_a_column(duck: Lab) -> None:
    duck.execute("CREATE TABLE t (a TEXT UNIQUE)", "INSERT INTO t VALUES ('x, secret: 1')")
    error = duck.fails(duck.plan("INSERT INTO t VALUES ('x, secret: 1')"))
    assert (error.kind, error.field) == (Kind.UNIQUE, None)
    assert "secret" not in f"{error} {error.reason}"


def test_large_results_need_little_memory(duck: Lab) -> None:
    """A million rows of a hundred bytes pass, a few blocks of them at a time."""
    text = "SELECT i, repeat('x', 100) AS x FROM range(1000000) AS r(i)"
    counted = statement(text, as_name="all")
    plan = duck.plan(counted, "SELECT 1 AS one", shape="value")
    duck.invoke(plan, timeout_s=60)
    before = peak_bytes(forget=True)
    assert duck.invoke(plan, timeout_s=60).value == 1
    assert peak_bytes() - before < 64 * 1024**2


def peak_bytes(*, forget: bool = False) -> int:
    """The most memory that the process held since it was last forgotten."""
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024


def client_plan(lab: Lab) -> SqlPlan:
    """A tool whose client writes the statement."""
    parameters = {"sql": Parameter("sql", "string")}
    return lab.plan(client_parameter="sql", result=None, parameters=parameters)


@pytest.mark.parametrize(
    "value",
    [
        "range(1000000)",
        "{'a': [range(1000000)]}",
        "MAP {1: range(1000000)}",
        "[[1]] || [range(1000000)]",
        "[repeat('x', 5000000)]",
        "('[' || repeat('1,', 3000000) || '1]')::JSON",
        "repeat('x', 5000000)",
        "repeat('x', 5000000)::BLOB",
        "repeat('1', 5000000)::BIT",
        "{'a': repeat('x', 5000000)}::VARIANT",
    ],
)
def test_a_value_beyond_the_budget_is_refused_unread(duck: Lab, value: str) -> None:
    """The driver makes values while everything else in the process stands still."""
    text = f"SELECT {value} AS x"
    error = duck.fails(client_plan(duck), timeout_s=10, sql=text)
    assert (error.kind, str(error)) == (
        Kind.TOO_LARGE,
        f"a row is larger than the limit of {1024**2} bytes",
    )
    assert duck.fails(duck.plan(text), timeout_s=10).kind is Kind.TOO_LARGE
    rows = f"SELECT i, CASE WHEN i = 3 THEN {value} END AS x FROM range(5) AS r(i)"
    cut = duck.invoke(client_plan(duck), sql=rows)
    assert cut.value == {"rows": [{"i": i, "x": None} for i in range(3)], "truncated": True}


def test_a_number_of_many_digits_comes_as_text_that_the_engine_wrote(duck: Lab) -> None:
    """The driver would make numbers of them, for half a minute."""
    text = "SELECT repeat('9', 200000)::BIGNUM AS x FROM range(128)"
    found = duck.invoke(client_plan(duck), sql=text)
    assert found.value == {"rows": [{"x": "9" * 200_000}] * 5, "truncated": True}
    assert duck.invoke(duck.plan(text)).value == found.value


def test_rows_are_held_by_their_bytes(duck: Lab) -> None:
    """Not by their number, which a client's statement makes any size with."""
    text = "SELECT repeat(chr(65 + (i % 26)::INT), 500000) AS x FROM range(64) AS r(i)"
    for plan in (client_plan(duck), duck.plan(text)):
        arguments = {"sql": text} if plan.client_parameter else {}
        duck.invoke(plan, **arguments)
        before = peak_bytes(forget=True)
        found = duck.invoke(plan, **arguments)
        assert found.value == {
            "rows": [{"x": "A" * 500_000}, {"x": "B" * 500_000}],
            "truncated": True,
        }
        assert peak_bytes() - before < 64 * 1024**2


@pytest.mark.parametrize(
    "text",
    [
        "FROM duckdb_databases()",
        "FROM duckdb_databases",
        'SELECT file FROM "pragma_database_list"',
        "SELECT current_setting('temp_directory')",
        "SELECT value FROM duckdb_settings()",
        "FROM pg_catalog.pg_settings",
        "FROM query_table('duckdb_' || 'databases')",
        "FROM histogram_values('duckdb_' || 'databases', path)",
    ],
)
def test_a_client_is_not_told_where_the_files_lie(file: Database, text: str) -> None:
    with open_lab(file) as lab:
        error = lab.fails(client_plan(lab), sql=text)
        assert (error.kind, error.reason) == (Kind.INVALID, "the statement asks where files lie")


def test_the_folder_that_is_spilled_to_has_a_name_that_nobody_knows(
    tmp_path: Path, files: Lab
) -> None:
    """DuckDB lets statements read in it."""
    asked = "SELECT current_setting('temp_directory') AS x"
    named = str(files.rows(asked)[0]["x"])
    assert named.startswith(f"{tmp_path}/lab.duckdb.tmp-")
    with open_lab(duckdb(f"duckdb:///{tmp_path}/other.duckdb")) as other:
        assert other.rows(asked)[0]["x"] != named
    own = ["SET temp_directory = 'spilled'"]
    with open_lab(duckdb("duckdb://", connect=own)) as lab:
        assert lab.rows(asked) == [{"x": "spilled"}]


def test_a_corrupt_file_is_unavailable(tmp_path: Path) -> None:
    """It is no fault of a client's value or statement."""
    create = Create("CREATE TABLE t AS SELECT hash(range) AS x FROM range(400000)", None)
    database = duckdb(f"duckdb:///{tmp_path / 'lab.duckdb'}", create=create)
    with open_lab(database):
        pass
    path = tmp_path / "lab.duckdb"
    content = bytearray(path.read_bytes())
    content[20_000:40_000] = bytes(20_000)
    path.write_bytes(content)
    with open_lab(database) as lab:
        error = lab.fails(lab.plan("SELECT count(DISTINCT x) AS n FROM t"))
        assert (error.kind, str(error)) == (
            Kind.UNAVAILABLE,
            "the database cannot be reached at present",
        )
        assert lab.value("SELECT 1 AS one") == 1


WITHOUT_DRIVER = """
import sys
sys.modules["duckdb"] = None
from runner.cli.main import main
main()
"""
ON_DUCKDB = """
mcp: 1
server: {name: duck, version: 1.0.0}
databases: {lab: {url: "duckdb://", create: {schema: schema.sql}}}
tools: {read: {description: Reads., sql: SELECT 1 AS n}}
"""


@pytest.mark.parametrize("words", [["validate"], ["validate", "--connect"], ["call", "read"]])
def test_the_driver_that_is_missing_is_named(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "mcp.yaml").write_text(ON_DUCKDB)
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (n INTEGER)")
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_DRIVER, *words],
        capture_output=True,
        check=False,
        timeout=30,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    said = (ended.stdout + ended.stderr).decode()
    assert ended.returncode == 1
    assert "database 'lab': the driver for DuckDB is not installed" in said
    assert "pip install 'mcp-runner[duckdb]'" in said
    assert "Traceback" not in said


def test_threads_that_come_together_open_a_lazy_file_once(file: Database) -> None:
    """So that it is let go at the end, and another process can have it."""
    with open_lab(file):
        pass
    with open_lab(replace(file, is_lazy=True)) as lab:
        read = lab.binding(lab.plan("SELECT n FROM t", shape="value"))

        async def all_at_once() -> list[object]:
            outcomes = await asyncio.gather(*(read.invoke(call({})) for _ in range(20)))
            return [outcome.value for outcome in outcomes]

        assert lab.run(all_at_once()) == [0] * 20
    with held_elsewhere(file):
        pass


def test_calls_at_once_share_the_instance(file: Database) -> None:
    with open_lab(file) as lab:
        lab.execute("UPDATE t SET n = 0")
        add = lab.binding(lab.plan("UPDATE t SET n = n + 1", shape="affected"))
        read = lab.binding(lab.plan("SELECT count(*) AS n FROM t", shape="value"))

        async def all_at_once() -> list[object]:
            calls = [add.invoke(call({})) for _ in range(30)] + [
                read.invoke(call({})) for _ in range(30)
            ]
            return [outcome.value for outcome in await asyncio.gather(*calls)]

        assert lab.run(all_at_once()) == [1] * 60
        assert lab.rows("SELECT n FROM t") == [{"n": 30}]
