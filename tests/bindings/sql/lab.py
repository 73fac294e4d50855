"""A database of its own for each test, on each engine, and plans written as SQL."""

import asyncio
import os
import re
import uuid
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypedDict, TypeVar
from urllib.parse import quote

import psycopg
import pymysql
import pytest

from runner.bindings.sql.database import SqlDatabase, open_databases
from runner.catalog.call import Binding, Call, CallContext, Outcome
from runner.catalog.caller import Caller
from runner.catalog.schema import Parameter
from runner.catalog.sources import Create, Database
from runner.catalog.sql import Bound, Chosen, OptionalPart, Part, SqlPlan, Statement
from runner.errors import BindingError
from runner.secret import Secret

T = TypeVar("T")


class Address(TypedDict):
    """Where MariaDB listens, and how the tests talk to it."""

    host: str
    user: str
    ssl_disabled: bool


POSTGRES = "postgresql://postgres@127.0.0.1:5432/test"
# A context of TLS reads the certificates of the system anew for each connection.
MARIADB: Final[Address] = {"host": "127.0.0.1", "user": "root", "ssl_disabled": True}
KEY = b"0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
_MARKS = re.compile(r"\[\[ (.*?) \]\]|\{(\w+)\}|(IN )?(?<!:):([a-z_]+(?:\.[a-z_]+)*)(?!:)")


def parameter(name: str, word: str) -> Parameter:
    """A parameter by type word, `T[]` for lists."""
    return Parameter(name, word.removesuffix("[]"), is_list=word.endswith("[]"), nullable=True)


def parts(
    text: str, types: Mapping[str, str], words: Mapping[str, Mapping[str, str]]
) -> list[Part]:
    """The parts of a statement written as authors write it."""
    found: list[Part] = []
    end = 0
    for mark in _MARKS.finditer(text):
        found.append(text[end : mark.start()] + (mark[3] or ""))
        end = mark.end()
        if mark[1] is not None:
            inner = parts(mark[1], types, words)
            flat = [part for part in inner if not isinstance(part, OptionalPart)]
            names = [p.path[0] for p in flat if isinstance(p, Bound)]
            names += [p.parameter for p in flat if isinstance(p, Chosen)]
            found.append(OptionalPart(flat, names))
        elif mark[2] is not None:
            found.append(Chosen(mark[2], words[mark[2]]))
        else:
            path = tuple(mark[4].split("."))
            word = types.get(path[0], "")
            is_limit = found[-1] in (" LIMIT ",) or str(found[-1]).endswith(" LIMIT ")
            found.append(
                Bound(
                    path,
                    word.removesuffix("[]") if len(path) == 1 else "",
                    is_list=word.endswith("[]"),
                    expands=mark[3] is not None,
                    is_limit=is_limit,
                )
            )
    return [*found, text[end:]]


def statement(
    text: str,
    types: Mapping[str, str] | None = None,
    words: Mapping[str, Mapping[str, str]] | None = None,
    **rest: object,
) -> Statement:
    """One statement; `rest` are fields of `Statement`."""
    pieces = parts(text, types or {}, words or {})
    first = text.split(maxsplit=1)[0].upper()
    writes = first in ("INSERT", "UPDATE", "DELETE")
    limit = next((p for p in pieces if isinstance(p, Bound) and p.is_limit), None)
    returns_rows = not writes or "RETURNING" in text
    return Statement(pieces, returns_rows, writes, limit=limit, **rest)  # type: ignore[arg-type]


class Lab:
    """One open database and the loop that it lives on."""

    def __init__(self, engine: str, runner: asyncio.Runner, database: SqlDatabase) -> None:
        self.engine = engine
        self.is_postgres = engine == "postgresql"
        self.is_sqlite = engine == "sqlite"
        self.is_mariadb = engine == "mariadb"
        self.is_duckdb = engine == "duckdb"
        self.database = database
        self._runner = runner

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Runs it on the loop."""
        return self._runner.run(work)

    def execute(self, *texts: str) -> None:
        """Runs statements of the test itself; they are kept."""
        for text in texts:
            self.run(self.database.query(text, writes=True))

    def rows(self, text: str) -> list[dict[str, object]]:
        """What a query of the test itself finds."""
        return self.run(self.database.query(text))

    def plan(
        self,
        *statements: str | Statement,
        types: Mapping[str, str] | None = None,
        words: Mapping[str, Mapping[str, str]] | None = None,
        **rest: object,
    ) -> SqlPlan:
        """A plan; `rest` are fields of `SqlPlan`."""
        types = types or {}
        made = [
            text if isinstance(text, Statement) else statement(text, types, words)
            for text in statements
        ]
        queries = [index for index, one in enumerate(made) if one.returns_rows]
        fields: dict[str, object] = {
            "database": "lab",
            "dialect": self.engine,
            "statements": made,
            "result": queries[-1] if queries else None,
            "shape": "rows",
            "writes": any(one.writes for one in made),
            "max_rows": 100,
            "max_bytes": 1024**2,
            "parameters": {name: parameter(name, word) for name, word in types.items()},
        }
        return SqlPlan(**{**fields, **rest})  # type: ignore[arg-type]

    def invoke(self, plan: SqlPlan, timeout_s: object = 20.0, **arguments: object) -> Outcome:
        """The outcome of one call."""

        async def invoked() -> Outcome:
            return await self.binding(plan).invoke(call(arguments, float(str(timeout_s))))

        return self.run(invoked())

    def binding(self, plan: SqlPlan) -> Binding:
        """The binding of a tool named `tool`."""
        return self.database.binding(plan, "tool")

    def value(
        self, text: str, types: Mapping[str, str] | None = None, **arguments: object
    ) -> object:
        """The one value that a query returns."""
        plan = self.plan(text, types=types, shape="value")
        return self.invoke(plan, **arguments).value

    def fails(self, plan: SqlPlan, timeout_s: object = 20.0, **arguments: object) -> BindingError:
        """The error of a call that must fail."""
        with pytest.raises(BindingError) as caught:
            self.invoke(plan, timeout_s, **arguments)
        return caught.value


def call(arguments: Mapping[str, object], timeout_s: float = 20.0, user: str = "ann") -> Call:
    """A call of the tool `tool`."""
    context = CallContext(NOW, Caller(user_id=user))
    return Call("tool", dict(arguments), context, dict(arguments), timeout_s)


@contextmanager
def open_lab(database: Database) -> Iterator[Lab]:
    """The lab of a database."""
    with asyncio.Runner() as runner:
        context = open_databases({"lab": database}, keys=[KEY])
        opened = runner.run(context.__aenter__())
        try:
            yield Lab(database.dialect, runner, opened["lab"])
        finally:
            runner.run(context.__aexit__(None, None, None))


def sqlite(url: str, **rest: object) -> Database:
    """A SQLite database that is created empty."""
    fields: dict[str, object] = {"create": Create("", None), **rest}
    return Database("lab", Secret(url), "sqlite", **fields)  # type: ignore[arg-type]


def duckdb(url: str, **rest: object) -> Database:
    """A DuckDB database that is created empty."""
    fields: dict[str, object] = {"create": Create("", None), **rest}
    return Database("lab", Secret(url), "duckdb", **fields)  # type: ignore[arg-type]


@contextmanager
def postgres_schema() -> Iterator[str]:
    """The URL of a schema of its own, which is dropped at the end."""
    try:
        connection = psycopg.connect(POSTGRES, autocommit=True)
    except psycopg.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("PostgreSQL cannot be reached and services are optional")
        raise
    schema = f"sql_{uuid.uuid4().hex[:12]}"
    with connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        try:
            options = quote(f"-c search_path={schema},public")
            yield f"{POSTGRES}?options={options}&application_name={schema}"
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")


@contextmanager
def mariadb_database() -> Iterator[str]:
    """The URL of a database of its own, which is dropped at the end."""
    try:
        connection = pymysql.connect(**MARIADB, autocommit=True)
    except pymysql.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("MariaDB cannot be reached and services are optional")
        raise
    name = f"sql_{uuid.uuid4().hex[:12]}"
    with connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        try:
            yield f"mariadb://root@127.0.0.1:3306/{name}"
        finally:
            cursor.execute(f"DROP DATABASE {name}")


def mariadb_rows(
    text: str,
    *values: object,
    database: str | None = None,
    modes: str = "STRICT_TRANS_TABLES,PIPES_AS_CONCAT",
) -> list[tuple[object, ...]]:
    """What MariaDB says to somebody else than the server under test."""
    with pymysql.connect(**MARIADB, autocommit=True, database=database) as connection:
        cursor = connection.cursor()
        cursor.execute("SET sql_mode = %s", (modes,))
        cursor.execute(text, values or None)  # without values a percent sign is one
        return [tuple(row) for row in cursor.fetchall()]


@contextmanager
def database_of(engine: str, folder: Path, **rest: object) -> Iterator[Database]:
    """A database of that engine with nothing in it."""
    if engine == "sqlite":
        yield sqlite(f"sqlite:///{folder / 'lab.db'}", **rest)
        return
    if engine == "duckdb":
        yield duckdb(f"duckdb:///{folder / 'lab.duckdb'}", **rest)
        return
    new = mariadb_database if engine == "mariadb" else postgres_schema
    with new() as url:
        yield Database("lab", Secret(url), engine, **rest)  # type: ignore[arg-type]


def names(rows: Sequence[Mapping[str, object]]) -> list[object]:
    """The column `name`."""
    return [row["name"] for row in rows]
