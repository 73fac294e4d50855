"""A dialect that nobody here knows: what DB-API offers works, what it lacks is refused or given up.

Driven by shillelagh, a SQLAlchemy dialect that needs no server and reads CSV files as tables.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, cast

import pytest
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor

from runner.bindings.sql.other import OtherEngine, Placeholders, bind
from runner.catalog.call import Outcome
from runner.catalog.expressions import Check, Expression, Template
from runner.catalog.sources import Database
from runner.catalog.sql import Statement
from runner.catalog.tool import Words
from runner.errors import BindingError, Kind, StartError
from runner.secret import Secret
from tests.bindings.sql.lab import Lab, call, open_lab, statement

pytestmark = pytest.mark.filterwarnings("ignore:The dbapi:DeprecationWarning")
LIMIT_S = 10.0


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The name of a table of two rows."""
    path = tmp_path / "items.csv"
    path.write_text('"id","name"\n1,"plain"\n2,"it\'s 50% :off?"\n')
    return f'"{path}"'


def source(**rest: object) -> Database:
    fields: dict[str, object] = {"pool_size": 1, "pool_wait_s": 5.0, **rest}
    return Database("lab", Secret("shillelagh://"), "shillelagh", **fields)  # type: ignore[arg-type]


@pytest.fixture
def lab() -> Iterator[Lab]:
    with open_lab(source()) as lab:
        yield lab


def test_values_are_bound_by_the_driver(lab: Lab, table: str) -> None:
    plan = lab.plan(f"SELECT name FROM {table} WHERE name = :name", types={"name": "string"})
    assert lab.invoke(plan, name="it's 50% :off?").value == {
        "rows": [{"name": "it's 50% :off?"}],
        "truncated": False,
    }
    assert lab.invoke(plan, name="x' OR 'a' = 'a").value == {"rows": [], "truncated": False}


def test_rows_have_their_budget(lab: Lab, table: str) -> None:
    outcome = lab.invoke(lab.plan(f"SELECT id FROM {table} ORDER BY id", max_rows=1))
    assert outcome.value == {"rows": [{"id": 1.0}], "truncated": True}


def test_a_statement_that_fails_is_told_without_the_words_of_the_driver(lab: Lab) -> None:
    error = lab.fails(lab.plan("SELECT nothing FROM nowhere_at_all"))
    assert error.kind is Kind.INVALID
    assert "nowhere" not in f"{error} {error.reason}"


def test_a_tool_that_writes_writes(lab: Lab, table: str) -> None:
    insert = f"INSERT INTO {table} (id, name) VALUES (3.0, 'new')"
    lab.invoke(lab.plan(insert, shape="affected"))
    assert lab.rows(f"SELECT name FROM {table} WHERE id > 2") == [{"name": "new"}]


def test_a_count_that_the_driver_does_not_give_is_null_with_a_note(lab: Lab, table: str) -> None:
    """SQLAlchemy knows that shillelagh's own number, which is 0, is not one."""
    insert = f"INSERT INTO {table} (id, name) VALUES (3.0, 'new')"
    assert lab.invoke(lab.plan(insert, shape="affected")) == Outcome(
        None, note="It is done; the database does not tell how many rows were changed."
    )


def test_each_element_without_a_count_leaves_none(lab: Lab, table: str) -> None:
    batch = statement(
        f"INSERT INTO {table} (id, name) VALUES (:item, 'new')", {"item": "number"}, each="ids"
    )
    outcome = lab.invoke(lab.plan(batch, shape="affected", types={"ids": "number[]"}), ids=[3, 4])
    assert outcome.value is None
    assert lab.value(f"SELECT count(*) AS n FROM {table} WHERE id > 2") == 2


class UncountingDialect(SQLiteDialect_pysqlite):
    """Says that its driver counts; of a change of the schema that gives -1."""

    name = "uncounting"
    supports_statement_cache = True


registry.register("uncounting", __name__, "UncountingDialect")


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Lab]:
    """A file of a driver that counts, with a table of one row."""
    address = Secret(f"uncounting:///{tmp_path / 'a.db'}")
    with open_lab(Database("lab", address, "uncounting", pool_size=1)) as lab:
        lab.execute("CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
        yield lab


def test_a_count_that_the_driver_gives_is_told(counted: Lab) -> None:
    text = "UPDATE t SET n = n + 1 WHERE n > :n"
    update = counted.plan(text, types={"n": "integer"}, shape="affected")
    assert [counted.invoke(update, n=n).value for n in (0, 9)] == [1, 0]


def test_a_rule_that_reads_no_count_is_told_before_anything_is_kept(counted: Lab) -> None:
    """A driver that counts does not count everything: what it leaves out is never 0."""
    rule = Check(
        Expression("rows == 1", frozenset({"rows"}), lambda scope: scope["rows"] == 1),
        Template("not one", frozenset(), lambda _scope: "not one"),
    )
    made = Statement(("CREATE TABLE made (n INTEGER)",), False, True, checks=(rule,))
    plan = counted.plan("UPDATE t SET n = 5", made, shape="affected")
    error = counted.fails(plan)
    assert (error.kind, str(error), error.reason) == (
        Kind.REDACTED,
        "the database does not tell how many rows were changed, which a rule of this tool asks",
        "the driver gives no count of rows, which 'check' reads; ask with a query beside it",
    )
    assert counted.rows("SELECT n FROM t") == [{"n": 1}]


def test_words_for_what_is_missing_need_a_count(lab: Lab, table: str) -> None:
    """The file is refused before; what comes here all the same claims nothing."""
    insert = f"INSERT INTO {table} (id, name) VALUES (3.0, 'new')"
    words = {"missing": Words(Template("none", frozenset(), lambda _scope: "none"))}
    plan = lab.plan(insert, shape="affected")
    binding = lab.database.binding(plan, "tool", errors=words)
    with pytest.raises(BindingError) as caught:
        lab.run(binding.invoke(call({})))
    assert caught.value.reason == (
        "the driver gives no count of rows, which 'errors: missing' reads;"
        " ask with a query beside it"
    )


class GatedDialect(SQLiteDialect_pysqlite):
    """A driver with a function that ends when the test says so, and cannot be told to stop."""

    name = "gated"
    supports_statement_cache = True
    gate: ClassVar[threading.Event]
    entered: ClassVar[threading.Semaphore]

    def connect(self, *arguments: object, **named: object) -> DBAPIConnection:
        """A connection that has the function `hold`."""
        connection = super().connect(*arguments, **named)
        connection.create_function("hold", 0, self.hold)
        return connection

    @classmethod
    def hold(cls) -> int:
        """Waits for the gate."""
        cls.entered.release()
        return int(cls.gate.wait(LIMIT_S))


registry.register("gated", __name__, "GatedDialect")


@pytest.fixture
def gated() -> Iterator[Lab]:
    """A lab with one thread, whose gate opens at the end."""
    GatedDialect.gate, GatedDialect.entered = threading.Event(), threading.Semaphore(0)
    database = Database("lab", Secret("gated://"), "gated", pool_size=1, pool_wait_s=0.5)
    with open_lab(database) as lab:
        yield lab
        GatedDialect.gate.set()


def held(lab: Lab) -> BindingError:
    """How a call ends whose statement does not."""
    return lab.fails(lab.plan("SELECT hold() AS h"), 0.4)


def test_a_statement_that_cannot_be_stopped_is_given_up_in_time(gated: Lab) -> None:
    error = held(gated)
    assert (error.kind, error.reason) == (Kind.TIMEOUT, "the driver cannot stop it")
    assert gated.value("SELECT 1 AS a") == 1, "another thread took its place"


def test_statements_that_never_end_do_not_pile_up(gated: Lab) -> None:
    assert [held(gated).kind for _ in range(3)] == [Kind.TIMEOUT, Kind.TIMEOUT, Kind.BUSY]


async def first_answer(lab: Lab) -> object:
    """What the first call gets that does not find the database busy."""
    binding = lab.binding(lab.plan("SELECT 1 AS a", shape="value"))
    while True:
        with suppress(BindingError):
            return (await binding.invoke(call({}))).value


def test_a_place_comes_back_when_its_statement_ends(gated: Lab) -> None:
    assert {held(gated).kind for _ in range(2)} == {Kind.TIMEOUT}
    GatedDialect.gate.set()

    assert gated.run(asyncio.wait_for(first_answer(gated), LIMIT_S)) == 1


def test_a_cancelled_call_does_not_wait_for_its_statement(gated: Lab) -> None:
    binding = gated.binding(gated.plan("SELECT hold() AS h"))

    async def leave() -> bool:
        task = asyncio.ensure_future(binding.invoke(call({})))
        await asyncio.to_thread(GatedDialect.entered.acquire)
        task.cancel()
        await asyncio.wait([task], timeout=LIMIT_S)
        return task.cancelled()

    assert gated.run(leave())


def test_nothing_proves(lab: Lab) -> None:
    assert not lab.database.proves
    with pytest.raises(StartError, match="its statements cannot be proven"):
        OtherEngine(source()).open_session(writes=False).prover()


def test_statements_of_connect_run_on_each_connection() -> None:
    with open_lab(source(connect=["CREATE TEMP TABLE t AS SELECT 7 AS n"])) as lab:
        assert lab.rows("SELECT n FROM t") == [{"n": 7}]


@pytest.mark.parametrize(
    ("database", "message"),
    [
        (
            Database("d", Secret("nosuch://u:hunter2@h/d"), "nosuch"),
            "database 'd': no dialect 'nosuch' is installed",
        ),
        (
            Database("d", Secret("oracle+oracledb://u:hunter2@h/d"), "oracle"),
            "database 'd': the driver of 'oracle' is not installed: no module 'oracledb'",
        ),
    ],
    ids=["no dialect", "no driver"],
)
def test_what_is_not_installed_is_said_without_the_address(
    database: Database, message: str
) -> None:
    with pytest.raises(StartError) as caught:
        OtherEngine(database)
    assert str(caught.value) == message


def test_a_database_that_cannot_be_opened_is_said_without_the_address() -> None:
    with pytest.raises(StartError) as caught:
        OtherEngine(source(connect=["SELECT hunter2 FROM nowhere"])).open_session(writes=False)
    words = "database 'lab': the engine refuses 'connect': ProgrammingError"
    assert (str(caught.value), caught.value.field) == (words, ("connect", 0))


@pytest.mark.parametrize(
    ("style", "mark", "given"),
    [
        ("qmark", "?", ("a", 1)),
        ("format", "%s", ("a", 1)),
        ("numeric", ":2", ("a", 1)),
        ("numeric_dollar", "$2", ("a", 1)),
        ("named", ":p1", {"p0": "a", "p1": 1}),
        ("pyformat", "%(p1)s", {"p0": "a", "p1": 1}),
    ],
)
def test_every_paramstyle_of_db_api_is_known(style: str, mark: str, given: object) -> None:
    marks = Placeholders(style)
    assert (marks.mark(1), marks.given(["a", 1])) == (mark, given)
    assert marks.doubles_percent == (style in ("format", "pyformat"))


def test_lists_and_objects_are_bound_as_json_text() -> None:
    assert [bind(value) for value in ([1, "a"], {"a": None}, True, None)] == [
        '[1,"a"]',
        '{"a":null}',
        True,
        None,
    ]


def test_a_failure_of_the_driver_is_a_binding_error(lab: Lab) -> None:
    with pytest.raises(BindingError):
        lab.rows("SELECT * FROM")


class FailingDialect(SQLiteDialect_pysqlite):
    """A driver that reads what others have: it raises what they do."""

    name = "failing"
    supports_statement_cache = True

    def connect(self, *arguments: object, **named: object) -> DBAPIConnection:
        """A connection whose cursors fail at the word that names an error."""
        connection = super().connect(*arguments, **named)
        return cast(DBAPIConnection, FailingConnection(connection))


class FailingConnection:
    """A connection of the driver beneath, but for its cursors."""

    def __init__(self, connection: DBAPIConnection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def cursor(self) -> object:
        """Fails where the statement says so."""
        return FailingCursor(self._connection.cursor())


class FailingCursor:
    """A cursor of the driver beneath, but for what the statement says."""

    def __init__(self, cursor: DBAPICursor) -> None:
        self._cursor = cursor
        self._text = ""

    def __getattr__(self, name: str) -> object:
        return getattr(self._cursor, name)

    def execute(self, text: str) -> None:
        """Runs it."""
        self._text = text
        self._fail("running")
        self._cursor.execute(text)

    def fetchmany(self, size: int) -> object:
        """Rows."""
        self._fail("fetching")
        return self._cursor.fetchmany(size)

    def close(self) -> None:
        """Closes it."""
        self._fail("fetching")
        self._cursor.close()

    def _fail(self, when: str) -> None:
        for name, error in ERRORS.items():
            if f"{name} {when}" in self._text:
                raise error


ERRORS: dict[str, Exception] = {
    "ValueError": ValueError("a secret"),
    "KeyError": KeyError("a secret"),
    "UnicodeDecodeError": UnicodeDecodeError("utf-8", b"a secret", 0, 1, "invalid"),
    "ConnectionResetError": ConnectionResetError("a secret"),
    "TimeoutError": TimeoutError("a secret"),
}
registry.register("failing", __name__, "FailingDialect")


@pytest.mark.parametrize("when", ["running", "fetching"])
@pytest.mark.parametrize("name", ERRORS)
def test_whatever_a_driver_raises_is_a_failure_of_the_call(name: str, when: str) -> None:
    kind = Kind.UNAVAILABLE if issubclass(type(ERRORS[name]), OSError) else Kind.INVALID
    with open_lab(Database("lab", Secret("failing://"), "failing", pool_size=1)) as lab:
        error = lab.fails(lab.plan(f"SELECT '{name} {when}' AS a"))
        assert (error.kind, error.reason) == (kind, name)
        assert lab.value("SELECT 1 AS a") == 1
