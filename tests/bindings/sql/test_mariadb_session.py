"""MariaDB's own ways: how a statement is stopped, what a session keeps, what errors name."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.bindings.sql.collect import Discarded
from runner.bindings.sql.mysql import MysqlEngine, MysqlSession
from runner.bindings.sql.mysql_connect import Address, setup
from runner.bindings.sql.session import Terms
from runner.catalog.proving import Refusal
from runner.catalog.sources import Database
from runner.catalog.sql import Bound, Statement
from runner.errors import BindingError, Kind, StartError
from tests.bindings.sql.lab import (
    MARIADB,
    Lab,
    call,
    database_of,
    mariadb_rows,
    open_lab,
    statement,
)

BOUND_S = 20.0


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Database]:
    """An empty database of MariaDB, with one connection for all calls."""
    with database_of("mariadb", tmp_path, pool_size=1) as source:
        yield source


@pytest.fixture
def lab(source: Database) -> Iterator[Lab]:
    """The same, open."""
    with open_lab(source) as lab:
        yield lab


def running(mark: str) -> list[int]:
    """The connections whose statement has this mark."""
    found = mariadb_rows(
        "SELECT id FROM information_schema.processlist"
        " WHERE info LIKE %s AND id <> connection_id()",
        f"%{mark}%",
    )
    return [int(str(connection)) for (connection,) in found]


async def started(mark: str) -> list[int]:
    """The same, as soon as there is one."""
    async with asyncio.timeout(BOUND_S):
        while not (found := await asyncio.to_thread(running, mark)):
            await asyncio.sleep(0)
    return found


def test_cancelled_statement_is_seen_to_run_and_to_be_gone(lab: Lab) -> None:
    binding = lab.binding(lab.plan("SELECT sleep(60) AS cancelled_4711"))

    async def cancel() -> list[int]:
        task = asyncio.ensure_future(binding.invoke(call({})))
        assert len(await started("cancelled_4711")) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return running("cancelled_4711")

    assert lab.run(cancel()) == []
    assert lab.value("SELECT 1 AS one") == 1


def test_kill_never_hits_another_statement(lab: Lab) -> None:
    """Time limits that end where the statement does; the one connection then serves the next."""
    connection = lab.value("SELECT connection_id() AS c")
    plan = lab.plan("SELECT sleep(0.02) AS s", shape="value")
    kinds: set[object] = set()
    for step in range(25):
        try:
            kinds.add(lab.invoke(plan, timeout_s=0.02 + (step % 5 - 2) * 0.002).value)
        except BindingError as error:
            kinds.add(error.kind)
        assert lab.value("SELECT connection_id() AS c") == connection
    assert kinds <= {0, Kind.TIMEOUT}


@pytest.fixture
def session(source: Database) -> Iterator[MysqlSession]:
    """A session outside of every thread."""
    session = MysqlEngine(source).open_session(writes=False)
    yield session
    session.close()


def slept(session: MysqlSession, text: str) -> int:
    """How many rows a read gives."""
    rows = Discarded()
    session.begin(Terms(writes=False, is_single=True, timeout_s=BOUND_S))
    try:
        session.query(session.adopt(text, 0), (), rows)
    finally:
        session.rollback()
    return rows.count


def test_stop_after_the_end_stops_nothing(session: MysqlSession) -> None:
    for _ in range(3):
        session.stop()
        assert slept(session, "SELECT 1 FROM seq_1_to_3") == 3


def test_stop_reaches_no_other_server(source: Database) -> None:
    """Behind one address there may be several; the number of a connection is another's there."""
    address = Address(source)
    wire, server = address.connect(lambda wire, server: (wire, server))
    elsewhere = replace(server, identity=("another", 3306, 1))
    session = MysqlSession(wire, elsewhere, commands=setup(source, server), address=address)
    counted: list[int] = []
    text = "SELECT sleep(0.5) AS elsewhere_4711"
    thread = threading.Thread(target=lambda: counted.append(slept(session, text)))
    thread.start()
    asyncio.run(started("elsewhere_4711"))

    session.stop()
    thread.join(BOUND_S)

    assert counted == [1]
    session.close()


def test_rest_of_a_result_is_not_transferred(lab: Lab) -> None:
    before = lab.value("SELECT connection_id() AS c")
    plan = lab.plan("SELECT seq AS n FROM seq_1_to_1000000000", max_rows=3, shape="column")
    for _ in range(3):
        assert lab.invoke(plan, timeout_s=5).value == [1, 2, 3]
    assert lab.value("SELECT connection_id() AS c") == before


def test_rest_is_cut_between_the_statements_of_a_list_too(lab: Lab) -> None:
    first = statement("SELECT seq AS n FROM seq_1_to_1000000000", as_name="first")
    plan = lab.plan(first, "SELECT :first.n + 1 AS n", max_rows=1, shape="value")
    assert lab.invoke(plan, timeout_s=5).value == 2


def test_connection_that_the_server_let_go_is_replaced(source: Database) -> None:
    """A read is tried again, and finds a fresh one."""
    with open_lab(replace(source, connect=["SET SESSION wait_timeout = 1"])) as lab:
        before = lab.value("SELECT connection_id() AS c")
        assert isinstance(before, int)

        async def wait() -> None:
            async with asyncio.timeout(BOUND_S):
                asked = f"SELECT 1 FROM information_schema.processlist WHERE id = {before}"
                while await asyncio.to_thread(mariadb_rows, asked):
                    await asyncio.sleep(0)

        lab.run(wait())
        assert lab.value("SELECT connection_id() AS c") != before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SET nothing = 1", "Unknown system variable 'nothing'"),
        ("SELECT FROM 'hunter2'", "syntax error near 'FROM'"),
        ("SELECT", "syntax error at the end"),
    ],
    ids=["set", "syntax", "end"],
)
def test_connect_statement_that_fails_keeps_the_server_from_starting(
    source: Database, text: str, words: str
) -> None:
    with pytest.raises(StartError) as caught, open_lab(replace(source, connect=[text])):
        pass
    assert str(caught.value) == f"database 'lab': the engine refuses 'connect': {words}"


@pytest.mark.parametrize(
    ("texts", "kind", "name", "offset"),
    [
        (["SELECT 1 FORM x y WHERE 1 = ", ""], "syntax", "x", 14),
        (["SELECT ", " FROM t GROUP BY"], "syntax", None, 23),
        (["SELECT ghost + ", " FROM t"], "unknown-column", "ghost", 7),
        (["SELECT t.ghost, ghost FROM t"], "unknown-column", "ghost", None),
        (["SELECT n FROM t AS a, t AS b"], "ambiguous-column", "n", 7),
        (["SELECT * FROM ", "nowhere"], "syntax", None, 14),
        (["UPDATE nowhere SET n = 1"], "unknown-table", "nowhere", 7),
        (["SELECT n, count(*) FROM t GROUP BY x"], "unknown-column", "x", 35),
        (["SELECT n, x, count(*) FROM t GROUP BY n"], "unknown-column", "x", 10),
        (["SELECT abs()"], "other", None, None),
        (["SELECT 'x"], "syntax", "'", 7),
        ([""], "syntax", None, None),
    ],
)
def test_refusal_says_why_and_where(
    lab: Lab, texts: list[str], kind: str, name: str | None, offset: int | None
) -> None:
    lab.execute("CREATE TABLE t (n int)")
    bounds = [Bound((f"p{place}",), "integer") for place in range(len(texts) - 1)]

    async def ask() -> object:
        async with lab.database.prover() as prover:
            return prover.describe(texts, bounds)

    refused = lab.run(ask())
    assert isinstance(refused, Refusal)
    assert (refused.kind, refused.name, refused.offset) == (kind, name, offset)


def test_idle_connection_lives_as_long_as_the_pool_keeps_it(source: Database) -> None:
    with open_lab(replace(source, pool_recycle_s=7200.0)) as lab:
        assert lab.value("SELECT @@wait_timeout AS w") == 7260


def test_variable_of_a_call_is_not_seen_by_the_next(lab: Lab) -> None:
    count = lab.plan("SELECT (@n := coalesce(@n, 0) + 1) AS n", shape="value")
    assert [lab.invoke(count).value for _ in range(3)] == [1, 1, 1]


def test_what_a_write_leaves_behind_is_gone(lab: Lab) -> None:
    lab.execute("CREATE TABLE t (id int PRIMARY KEY AUTO_INCREMENT, x int)")
    plan = lab.plan(
        "CREATE TEMPORARY TABLE left_over (x int)",
        "SET SESSION sql_mode = 'ANSI_QUOTES', @left = 1",
        "DO get_lock('left_4711', 0)",
        "INSERT INTO t (x) VALUES (1)",
        writes=True,
        shape="affected",
        result=None,
    )
    assert lab.invoke(plan).value == 1
    asked = "SELECT @left AS v, is_free_lock('left_4711') AS l, last_insert_id() AS i, \"x\" AS q"
    assert lab.rows(asked) == [{"v": None, "l": 1, "i": 0, "q": "x"}]
    assert lab.fails(lab.plan("SELECT * FROM left_over")).reason is not None


def test_statements_beyond_the_cache_are_let_go(lab: Lab) -> None:
    asked = "SHOW SESSION STATUS LIKE 'Com_stmt_%'"
    for number in range(200):
        assert lab.value(f"SELECT {number} AS n") == number
    counts = {str(row["Variable_name"]): int(str(row["Value"])) for row in lab.rows(asked)}
    assert counts["Com_stmt_prepare"] - counts["Com_stmt_close"] <= 130


@pytest.mark.parametrize("limit", ["2", 2])
def test_limit_takes_a_text(lab: Lab, limit: object) -> None:
    """Where nothing is declared, a text may come; a declared integer is one by then."""
    plan = lab.plan("SELECT seq FROM (SELECT seq FROM seq_1_to_9 LIMIT\n:n) AS s", shape="column")
    assert lab.invoke(plan, n=limit).value == [1, 2]


@pytest.fixture
def pets(lab: Lab) -> Lab:
    """Owners and pets, with rules of every kind."""
    lab.execute(
        "CREATE TABLE owners (id int PRIMARY KEY)",
        "INSERT INTO owners VALUES (1)",
        "CREATE TABLE pets (id int PRIMARY KEY, name varchar(5) NOT NULL, chip tinyint,"
        " born date, owner int, kind enum('cat', 'dog'), UNIQUE KEY one_chip (owner, chip),"
        " CONSTRAINT grown CHECK (chip >= 0), FOREIGN KEY (owner) REFERENCES owners (id))",
        "INSERT INTO pets VALUES (1, 'rex', 3, NULL, 1, 'dog')",
        "CREATE TRIGGER refusing BEFORE DELETE ON pets FOR EACH ROW"
        " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'secret words'",
    )
    return lab


@pytest.mark.parametrize(
    ("text", "kind", "field"),
    [
        ("INSERT INTO pets VALUES (1, 'tom', 1, NULL, 1, 'cat')", "unique", "id"),
        ("INSERT INTO pets VALUES (2, 'tom', 3, NULL, 1, 'cat')", "unique", "owner, chip"),
        ("INSERT INTO pets SELECT id, 'x', 9, NULL, 1, 'cat' FROM owners", "unique", "id"),
        ("INSERT INTO pets (id) VALUES (2)", "not_null", "name"),
        ("UPDATE pets SET name = NULL", "not_null", "name"),
        ("UPDATE pets SET chip = -1", "check", "grown"),
        ("UPDATE pets SET owner = 9", "foreign_key", "owner"),
        ("DELETE FROM owners", "foreign_key", "owner"),
        ("DELETE FROM pets", "check", None),
        ("UPDATE pets SET name = 'overlong'", "invalid", "name"),
        ("UPDATE pets SET chip = 300", "invalid", "chip"),
        ("UPDATE pets SET chip = 'secret'", "invalid", "chip"),
        ("UPDATE pets SET born = '2026-02-31'", "invalid", "born"),
        ("UPDATE pets SET kind = 'secret'", "invalid", "kind"),
        ("UPDATE pets SET chip = 1 / 0", "invalid", None),
        ("UPDATE nowhere SET x = 1", "invalid", None),
    ],
)
def test_errors_name_kind_and_field_and_no_value(
    pets: Lab, text: str, kind: str, field: str | None
) -> None:
    error = pets.fails(pets.plan(text))

    assert (error.kind, error.field) == (kind, field)
    for words in (str(error), error.reason or ""):
        assert not [
            bad for bad in ("secret", "overlong", "300", "MariaDB", "'tom'") if bad in words
        ]


def test_counted_are_the_rows_that_match(pets: Lab) -> None:
    """As on other engines: a row that is set to what it was counts."""
    update = pets.plan("UPDATE pets SET name = 'rex' WHERE id = 1", shape="affected")
    assert [pets.invoke(update).value for _ in range(2)] == [1, 1]


def test_value_beyond_the_servers_packet_is_too_large_and_costs_no_connection(lab: Lab) -> None:
    before = lab.value("SELECT connection_id() AS c")
    plan = lab.plan("SELECT length(:x) AS n", types={"x": "string"}, shape="value")
    assert lab.invoke(plan, x="x" * 16_000_000).value == 16_000_000
    assert lab.fails(plan, x="x" * 17_000_000).kind is Kind.TOO_LARGE
    assert lab.value("SELECT connection_id() AS c") == before


def test_many_elements_are_written_in_one_go(lab: Lab) -> None:
    """More than the server answers before somebody reads."""
    lab.execute("CREATE TABLE t (n int, x text)")
    each = statement("INSERT INTO t VALUES (:index, :item)", each="more")
    plan = lab.plan(each, shape="affected", types={"more": "string[]"})
    assert lab.invoke(plan, more=["x" * 100] * 5000).value == 5000
    assert lab.rows("SELECT count(DISTINCT n) AS n FROM t") == [{"n": 5000}]


def test_definition_in_a_list_does_not_end_what_can_be_undone(lab: Lab) -> None:
    """A definition commits by itself; the changes behind it are undone nonetheless."""
    plan = lab.plan(
        "CREATE TABLE t (n int PRIMARY KEY)",
        "INSERT INTO t VALUES (1)",
        "INSERT INTO t VALUES (1)",
        writes=True,
    )
    assert lab.fails(plan).kind is Kind.UNIQUE
    assert lab.rows("SELECT count(*) AS n FROM t") == [{"n": 0}]


def test_procedure_of_a_writing_tool_may_give_rows(lab: Lab) -> None:
    lab.execute(
        "CREATE TABLE t (n int)",
        "CREATE PROCEDURE adding() BEGIN INSERT INTO t VALUES (1); SELECT 1; SELECT 2, 3; END",
    )
    calling = Statement(["CALL adding()"], returns_rows=False, writes=True)
    plan = lab.plan(calling, "SELECT count(*) AS n FROM t", shape="value")
    assert [lab.invoke(plan).value for _ in range(3)] == [1, 2, 3]


def test_lock_that_somebody_holds_too_long_is_busy(source: Database) -> None:
    import pymysql

    with open_lab(replace(source, connect=["SET innodb_lock_wait_timeout = 1"])) as lab:
        lab.execute("CREATE TABLE t (n int PRIMARY KEY)", "INSERT INTO t VALUES (1)")
        name = str(lab.value("SELECT database() AS n"))
        with pymysql.connect(**MARIADB, database=name) as other:
            other.cursor().execute("SELECT * FROM t FOR UPDATE")
            error = lab.fails(lab.plan("UPDATE t SET n = 2"))
        assert (error.kind, error.reason) == (Kind.BUSY, "1205")
        assert lab.invoke(lab.plan("UPDATE t SET n = 2", shape="affected")).value == 1


@pytest.mark.parametrize("kind", ["mysql", "mysql+pymysql", "mariadb+pymysql"])
def test_address_may_name_engine_and_driver(source: Database, kind: str) -> None:
    from runner.secret import Secret

    url = Secret(source.url.reveal().replace("mariadb://", f"{kind}://"))
    dialect = kind.partition("+")[0]
    with open_lab(replace(source, url=url, dialect=dialect)) as lab:
        assert lab.value("SELECT 1 AS one") == 1


def test_a_value_that_the_server_would_lose_is_too_large(lab: Lab) -> None:
    """It puts NULL in its place and warns, however large the budget is."""
    lost = lab.plan("SELECT 1 AS a, repeat('x', 20000000) AS b", max_bytes=64 * 1024**2)
    with pytest.raises(BindingError) as failed:
        lab.invoke(lost)
    assert failed.value.kind is Kind.TOO_LARGE
    assert lab.invoke(lab.plan("SELECT 1 AS a", shape="row")).value == {"a": 1}


def test_other_warnings_lose_no_result(lab: Lab) -> None:
    plan = lab.plan("SELECT 1 / 0 AS a, CAST('7 apples' AS INT) AS b", shape="row")
    assert lab.invoke(plan).value == {"a": None, "b": 7}
