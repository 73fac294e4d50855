"""What one call of a function may take in SQLite, which hears a stop between instructions alone."""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runner.bindings.sql.sqlite_functions import BoundedFunctions
from runner.catalog.call import Binding
from runner.catalog.sql import SqlPlan
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab, call, open_lab, sqlite

LONG = "replace(hex(zeroblob(500000)),'0','a')"
"""A text of a million letters, all `a`."""
MANY = 200
QUICK_S = 5.0
"""Far below what each of these took, and far above what it takes now."""
TOO_LONG = "a function of the statement would take too long on values so large"
TOO_LONG_A_PATTERN = "a pattern of LIKE or GLOB is longer than the 1000 bytes allowed"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A SQLite database with one document of a million letters."""
    with open_lab(sqlite(f"sqlite:///{tmp_path / 'lab.db'}", pool_size=2, pool_wait_s=0.2)) as lab:
        lab.execute(
            "CREATE TABLE documents (body TEXT)",
            f"INSERT INTO documents VALUES ({LONG})",
        )
        yield lab


def foreign(lab: Lab) -> SqlPlan:
    """The plan of a tool whose statements clients write."""
    return lab.plan(statements=(), client_parameter="q", result=None)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("body LIKE '%' || substr(body, 1, 40000) || 'b'", TOO_LONG),
        ("like(substr(body, 1, 40000) || '%b', body, 'x')", TOO_LONG),
        ("body GLOB '*' || substr(body, 1, 40000) || 'b'", TOO_LONG),
        ("body LIKE '%' || substr(body, 1, 900) || 'b'", TOO_LONG),
        ("replace(body, substr(body, 1, 500000) || 'b', '')", TOO_LONG),
        ("instr(CAST(body AS BLOB), CAST(substr(body, 1, 500000) || 'b' AS BLOB))", TOO_LONG),
        ("trim(body, replace(body, 'a', 'b') || 'a')", TOO_LONG),
        ("ltrim(body, replace(body, 'a', 'b') || 'a')", TOO_LONG),
        ("rtrim(body, replace(body, 'a', 'b') || 'a')", TOO_LONG),
        ("json_patch('{}', '{}')", TOO_LONG),
    ],
)
def test_a_call_of_a_client_that_would_take_long_is_refused(
    lab: Lab, expression: str, words: str
) -> None:
    columns = ", ".join(f"{expression} AS c{index}" for index in range(MANY))
    begin = time.monotonic()

    error = lab.fails(foreign(lab), q=f"SELECT {columns} FROM documents")

    assert (error.kind, str(error)) == (Kind.TOO_LARGE, words)
    assert time.monotonic() - begin < QUICK_S


def test_calls_of_a_client_end_at_the_time_limit(lab: Lab) -> None:
    """Each takes a part of a second, and none of them is another instruction for a stop."""
    one = "(body LIKE '%' || substr(body, 1, 25) || 'b' ESCAPE 'x')"
    columns = ", ".join(f"{one} || {index} AS c{index}" for index in range(1000))
    begin = time.monotonic()

    error = lab.fails(foreign(lab), 0.3, q=f"SELECT {columns} FROM documents")

    assert (error.kind, error.reason) == (Kind.TIMEOUT, "the statement was stopped")
    assert time.monotonic() - begin < QUICK_S


def test_a_pattern_of_an_author_has_a_bound_and_words(lab: Lab) -> None:
    text = "SELECT count(*) AS n FROM documents WHERE body LIKE '%' || :name || '%'"
    plan = lab.plan(text, types={"name": "string"}, shape="value")

    assert lab.invoke(plan, name="a" * 998).value == 1
    error = lab.fails(plan, name="a" * 999)

    assert (error.kind, str(error)) == (Kind.TOO_LARGE, TOO_LONG_A_PATTERN)


def failure_of(answer: object) -> tuple[Kind, str | None]:
    """What `invoked` gave for a call that failed."""
    assert isinstance(answer, tuple), answer
    return answer


async def invoked(binding: Binding, timeout_s: float = 20.0, **arguments: object) -> object:
    """The value of a call, or the kind of its error."""
    try:
        return (await binding.invoke(call(arguments, timeout_s))).value
    except BindingError as error:
        return error.kind, error.reason


def test_statements_of_clients_leave_the_connections_of_tools_alone(lab: Lab) -> None:
    endless = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT max(n) FROM s"

    async def at_once() -> tuple[object, list[tuple[Kind, str | None]]]:
        client = lab.binding(foreign(lab))
        tool = lab.binding(lab.plan("SELECT 1 AS a", shape="value"))
        held = [asyncio.create_task(invoked(client, 1.0, q=endless)) for _ in range(6)]
        while lab.database.running < 2:
            await asyncio.sleep(0)
        answer = await invoked(tool)
        return answer, [failure_of(await one) for one in held]

    answer, held = lab.run(at_once())
    assert answer == 1
    assert {kind for kind, _reason in held} == {Kind.TIMEOUT, Kind.BUSY}


EXACT = [
    "like('A%', 'abc')", "like('%B%', 'abc')", "like('%É%', 'éa')", "like('%É%', 'É')",
    "like('%', '')",    "like('%%', '')", "like('%a_%', 'xab')",
    "like('%b%', 'a' || char(0) || 'b')", "like(NULL, 'a')",
    "like('%1%', 2.10)", "like('%1%', 1)", "like('%\\%%', 'a%b', '\\')", "'ABC' LIKE '%abc%'",
    "like('%a%', x'6141')", "glob('*[a-c]?', 'xbd')", "glob(NULL, 1)", "instr('abc', 'c')",
    "instr('abc', '')", "instr('', '')", "instr('a' || char(0) || 'b', 'b')", "instr('éa', 'a')",
    "instr(x'c3a961', x'61')", "instr(x'c3a961', 'a')", "instr(NULL, 'a')", "instr(12.50, 5)",
    "replace('aXbX', 'X', 'YY')", "replace('a', '', 'b')", "replace(101, 0, 'o')",
    "replace('a', NULL, 'b')", "trim('xxaxx', 'x')", "ltrim('xxaxx', 'x')", "rtrim('xxaxx', 'x')",
    "trim('  a ')", "trim('éaé', 'é')", "typeof(replace(x'61', 'a', 'b'))", "typeof(trim(5, ''))",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXACT)
def test_bounded_functions_return_what_sqlites_own_do(expression: str) -> None:
    text = f"SELECT {expression}, typeof({expression})"
    with closing(sqlite3.connect(":memory:")) as own, closing(sqlite3.connect(":memory:")) as ours:
        functions = BoundedFunctions(ours, value_bytes=1 << 21, is_stopped=lambda: False)
        with closing(functions):
            assert ours.execute(text).fetchall() == own.execute(text).fetchall()
