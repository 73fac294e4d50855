"""Opening, creating and closing databases; what an operator reads when one is not there."""

import asyncio
import multiprocessing
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from runner.bindings.sql.database import memory_prover, open_databases
from runner.catalog.sources import Create, Database
from runner.errors import BindingError, StartError
from runner.reach import Reach
from runner.secret import Secret
from tests.bindings.sql.lab import KEY, Lab, duckdb, open_lab, sqlite

EMBEDDED = {"sqlite": sqlite, "duckdb": duckdb}
embedded = pytest.mark.parametrize("engine", EMBEDDED)


def start(database: Database) -> None:
    with open_lab(database):
        pass


@embedded
def test_scripts_make_a_file_and_its_folders_once(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "new.db"
    create = Create(
        "CREATE TABLE t (x INT);", "INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2)"
    )
    for _ in range(2):
        with open_lab(EMBEDDED[engine](f"{engine}:///{path}", create=create)) as lab:
            assert lab.rows("SELECT count(*) AS n FROM t") == [{"n": 2}]
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


@embedded
def test_a_failing_script_leaves_nothing_behind(engine: str, tmp_path: Path) -> None:
    create = Create("CREATE TABLE t (x INT);", "INSERT INTO nowhere VALUES (1);")
    why = {"sqlite": "no such table", "duckdb": "Table with name nowhere does not exist"}[engine]
    with pytest.raises(StartError, match=f"create\\.seed fails: {why}"):
        start(EMBEDDED[engine](f"{engine}:///{tmp_path / 'new.db'}", create=create))
    assert list(tmp_path.iterdir()) == []


def _create(engine: str, path: Path) -> int:
    create = Create("CREATE TABLE t (x INT);", "INSERT INTO t VALUES (1);")
    database = EMBEDDED[engine](f"{engine}:///{path}", create=create, is_written=False)
    with open_lab(database) as lab:
        return len(lab.rows("SELECT x FROM t"))


@embedded
def test_workers_that_start_together_make_one_database(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.starmap(_create, [(engine, path)] * 6) == [1] * 6
    with open_lab(EMBEDDED[engine](f"{engine}:///{path}")) as lab:
        assert lab.rows("SELECT count(*) AS n FROM t") == [{"n": 1}]


@embedded
def test_a_file_that_is_not_there_is_not_made(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    with pytest.raises(StartError) as caught:
        start(EMBEDDED[engine](f"{engine}:///{path}", create=None))
    assert str(caught.value) == f"database 'lab': no file '{path}'"
    assert caught.value.hint == "create it, or give 'databases.lab.create'"
    assert not path.exists()


def test_a_lazy_database_that_is_down_does_not_stop_the_start(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    with open_lab(sqlite(f"sqlite:///{path}", create=None, is_lazy=True)) as lab:
        assert lab.database.reach == Reach()
        with pytest.raises(BindingError):
            lab.rows("SELECT 1 AS x")
        first = lab.database.reach
        assert first.state == "down"
        assert first.failed_at is not None
        sqlite3.connect(path).close()
        path.touch()
        assert lab.rows("SELECT 1 AS x") == [{"x": 1}]
        assert lab.database.reach == Reach("up", first.failed_at)


@embedded
@pytest.mark.parametrize("path", ["", "/:memory:"])
def test_a_memory_is_shared_by_all_threads(engine: str, path: str) -> None:
    create = Create("CREATE TABLE t (x INT);", "INSERT INTO t VALUES (1);")
    with open_lab(EMBEDDED[engine](f"{engine}://{path}", create=create)) as lab:
        lab.execute("INSERT INTO t VALUES (2)")
        plan = lab.plan("SELECT count(*) AS n FROM t", shape="value")
        assert [lab.invoke(plan).value for _ in range(20)] == [2] * 20


@embedded
def test_two_memories_are_two_databases(engine: str) -> None:
    made = EMBEDDED[engine](f"{engine}://")
    with open_lab(made) as one, open_lab(made) as other:
        one.execute("CREATE TABLE t (x INT)")
        assert other.rows("SELECT name FROM sqlite_master") == []


def test_connect_statements_run_on_each_connection(source: Database) -> None:
    if source.dialect == "postgresql":
        statement, asked = "SET work_mem = '7MB'", "SELECT current_setting('work_mem') AS x"
        expected = [{"x": "7MB"}]
    elif source.dialect == "duckdb":
        statement, asked = "SET TimeZone = 'Asia/Tokyo'", "SELECT current_setting('TimeZone') AS x"
        expected = [{"x": "Asia/Tokyo"}]
    elif source.dialect == "mariadb":
        statement = "SET lock_wait_timeout = 7"
        asked = "SELECT CAST(@@lock_wait_timeout AS CHAR) AS x"
        expected = [{"x": "7"}]
    else:
        statement, asked = (
            "CREATE TEMP TABLE made (x)",
            "SELECT CAST(count(*) AS TEXT) AS x FROM temp.made",
        )
        expected = [{"x": "0"}]
    with open_lab(replace(source, connect=[statement])) as lab:
        for _ in range(3):
            assert lab.run(lab.database.query(asked, writes=True)) == expected
            assert lab.rows(asked) == expected


DENIED = "Access denied for user 'nobody-here'@'127.0.0.1'"


@pytest.mark.parametrize(
    ("url", "words", "hint"),
    [
        ("postgresql://postgres@127.0.0.1:5432/nowhere", 'database "nowhere" does not exist',
         "check the database's name in the address"),
        ("postgresql://postgres@127.0.0.1:5432/test?options=-csearch_pth%3Dsales",
         'unrecognized configuration parameter "search_pth"', "check 'options' in the address"),
        ("postgresql://nobody-here@127.0.0.1:5432/test", 'role "nobody-here" does not exist',
         "check the user in the address"),
        ("mariadb://root@127.0.0.1:3306/nowhere", "Unknown database 'nowhere'",
         "check the database's name in the address"),
        ("mariadb://nobody-here@127.0.0.1:3306/test", DENIED,
         "check user and password of the address"),
    ],
    ids=["database", "options", "user", "mariadb-database", "mariadb-user"],
)  # fmt: skip
def test_login_that_fails_is_told_with_the_reason_of_the_server(
    url: str, words: str, hint: str
) -> None:
    place = url.partition("@")[2].partition("/")[0]
    with pytest.raises(StartError) as caught:
        start(Database("lab", Secret(url), url.partition(":")[0]))
    expected = f"database 'lab': login failed at {place}: {words}"
    assert (str(caught.value), caught.value.hint) == (expected, hint)


def test_server_that_is_no_postgresql_is_told() -> None:
    with pytest.raises(StartError) as caught:
        start(Database("lab", Secret("postgresql://root@127.0.0.1:3306/x"), "postgresql"))
    words = "connect failed at 127.0.0.1:3306: what answers is no PostgreSQL server"
    assert str(caught.value) == f"database 'lab': {words}"


@pytest.mark.parametrize(("engine", "port"), [("postgresql", 5432), ("mariadb", 3306)])
@pytest.mark.parametrize("stage", ["connect", "resolve", "login"])
def test_what_fails_at_the_start_is_named_without_the_password(
    engine: str, port: int, stage: str
) -> None:
    host = {"connect": "127.0.0.1:1", "resolve": f"nowhere.invalid:{port}"}.get(
        stage, f"127.0.0.1:{port}"
    )
    words = f"{stage} failed at {host}"
    if stage == "login":
        who = {"postgresql": 'role "nobody-here" does not exist'}
        words += f": {who.get(engine, f'{DENIED} (using password: YES)')}"
    url = Secret(f"{engine}://nobody-here:p%40ss%3Aw%2Frd@{host}/nowhere")
    with pytest.raises(StartError) as caught:
        start(Database("lab", url, engine))
    assert str(caught.value) == f"database 'lab': {words}"
    assert "p@ss" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("dialect", "module", "extra", "name"),
    [
        ("postgresql", "psycopg", "postgres", "PostgreSQL"),
        ("mysql", "pymysql", "mysql", "MySQL and MariaDB"),
        ("mariadb", "pymysql", "mysql", "MySQL and MariaDB"),
    ],
)
def test_a_driver_that_is_missing_is_named_with_its_install(
    monkeypatch: pytest.MonkeyPatch, dialect: str, module: str, extra: str, name: str
) -> None:
    for known in [item for item in sys.modules if item.startswith("runner.bindings.sql.")]:
        if known.rpartition(".")[2].startswith(("mysql", "postgres")):
            monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(StartError) as caught:
        start(Database("lab", Secret(f"{dialect}://h/d"), dialect))
    assert str(caught.value) == f"database 'lab': the driver for {name} is not installed"
    assert caught.value.hint == f"pip install 'mcp-runner[{extra}]'"


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(StartError, match="no dialect 'orakle' is installed"):
        start(Database("lab", Secret("orakle://x"), "orakle"))


def test_a_recycled_connection_is_a_fresh_one(source: Database) -> None:
    with open_lab(replace(source, pool_recycle_s=0.0)) as lab:
        assert [lab.value("SELECT 1 AS one") for _ in range(10)] == [1] * 10


def test_closing_stops_what_runs(lab: Lab) -> None:
    endless = (
        "SELECT count(*) AS n FROM seq_1_to_2000000000 WHERE seq % 2 = 1"
        if lab.is_mariadb
        else "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 2000000000)"
        " SELECT count(*) AS n FROM s"
    )
    binding_source = lab.database.database

    async def open_and_leave() -> None:
        async with open_databases({"lab": binding_source}, keys=[KEY]) as opened:
            running = asyncio.ensure_future(opened["lab"].query(endless))
            while not opened["lab"].running:
                await asyncio.sleep(0)
        with pytest.raises(Exception, match="time limit"):
            await running

    lab.run(asyncio.wait_for(open_and_leave(), 5))


def test_query_gives_json_rows_to_code(items: Lab) -> None:
    mark = "$1" if items.is_postgres else "?"
    text = f"SELECT id, name FROM items WHERE id = {mark}"
    assert items.run(items.database.query(text, [2])) == [{"id": 2, "name": "b"}]


@embedded
def test_memory_prover_needs_no_file(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "never.db"
    create = Create("CREATE TABLE t (x INTEGER);", "broken")
    database = EMBEDDED[engine](f"{engine}:///{path}", create=create)
    with memory_prover(database) as prover:
        described = prover.describe(["SELECT x FROM t"], [])
    assert [column.name for column in described.columns] == ["x"]  # type: ignore[union-attr]
    assert not path.exists()


SEARCHED = """
CREATE TABLE kinds (id INTEGER PRIMARY KEY);
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, kind INTEGER REFERENCES kinds (id));
CREATE VIRTUAL TABLE notes_fts USING fts5 (text, content = 'notes', content_rowid = 'id');
CREATE TRIGGER notes_change AFTER UPDATE OF text ON notes BEGIN
  INSERT INTO notes_fts (notes_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO notes_fts (rowid, text) VALUES (new.id, new.text);
END;
INSERT INTO notes VALUES (1, 'old', NULL);
INSERT INTO notes_fts (rowid, text) VALUES (1, 'old');
"""


def test_a_change_works_at_once_after_another_process_changed_the_schema(tmp_path: Path) -> None:
    """SQLite itself fails once: a trigger on a full-text table finds its content table gone."""
    path = tmp_path / "notes.db"
    with open_lab(sqlite(f"sqlite:///{path}", create=Create(SEARCHED, None))) as lab:
        lab.execute("INSERT INTO kinds VALUES (1)")
        plan = lab.plan("UPDATE notes SET text = 'new', kind = 1 WHERE id = 1", shape="affected")
        for number in range(3):
            with closing(sqlite3.connect(path)) as other:
                other.execute(f"CREATE TABLE other_{number} (x)")
            assert lab.invoke(plan).value == 1


CONNECT_FAILURES = {
    "sqlite": 'near "SELEC": syntax error',
    "postgresql": 'syntax error at or near "SELEC"',
    "duckdb": 'syntax error at or near "SELEC"',
    "mariadb": "syntax error near 'SELEC'",
}


def test_connect_statement_that_fails_keeps_the_server_from_starting(source: Database) -> None:
    """A bug demanded this: PostgreSQL's was told as a fault of this program."""
    with pytest.raises(StartError) as caught:
        start(replace(source, connect=["SELEC 1"]))
    why = CONNECT_FAILURES[source.dialect]
    assert str(caught.value) == f"database 'lab': the engine refuses 'connect': {why}"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://postgres@127.0.0.1:5432/test?nothing=1",
        "postgresql://postgres@127.0.0.1:5432/test?connect_timeout=soon",
        "mariadb://root@127.0.0.1:3306/?connect_timeout=soon",
    ],
)
def test_option_that_the_driver_refuses_is_told_without_its_value(url: str) -> None:
    """A bug demanded this: it was told as a fault of this program."""
    with pytest.raises(StartError) as caught:
        start(Database("lab", Secret(url), url.partition(":")[0]))
    assert str(caught.value) == "database 'lab': the driver refuses an option of the address"
