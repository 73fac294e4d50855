"""The engines by dialect; another one is a line here and a module beside."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from runner.bindings.sql import create
from runner.bindings.sql.other import OtherEngine
from runner.bindings.sql.session import Engine, LookupSource
from runner.bindings.sql.sqlite import SqliteEngine
from runner.bindings.sql.sqlite_lookups import SqliteLookups
from runner.catalog.sources import Database
from runner.errors import StartError


@contextmanager
def _driver(database: Database, engine: str, *, extra: str) -> Iterator[None]:
    """Says how to install the driver that is imported inside, where it is missing: only who uses
    the engine has it."""
    try:
        yield
    except ImportError as error:
        message = f"database '{database.name}': the driver for {engine} is not installed"
        raise StartError(message, hint=f"pip install 'mcp-runner[{extra}]'") from error


def _postgres(database: Database) -> Engine:
    with _driver(database, "PostgreSQL", extra="postgres"):
        from runner.bindings.sql.postgres import PostgresEngine  # noqa: PLC0415 - optional
    return PostgresEngine(database)


def _mysql(database: Database) -> Engine:
    with _driver(database, "MySQL and MariaDB", extra="mysql"):
        from runner.bindings.sql.mysql import MysqlEngine  # noqa: PLC0415 - optional
    return MysqlEngine(database)


def _duckdb(database: Database) -> Engine:
    with _driver(database, "DuckDB", extra="duckdb"):
        from runner.bindings.sql.duckdb import DuckdbEngine  # noqa: PLC0415 - optional
    return DuckdbEngine(database)


ENGINES: Final[Mapping[str, Callable[[Database], Engine]]] = {
    "sqlite": SqliteEngine,
    "postgresql": _postgres,
    "mysql": _mysql,
    "mariadb": _mysql,
    "duckdb": _duckdb,
}


def script_fault(script: str, dialect: str) -> tuple[int, str] | None:
    """Where the first statement of a script of an embedded database that fails begins, and why;
    None where the script runs, in a memory of its own."""
    if dialect == "duckdb":
        try:
            from runner.bindings.sql import duckdb_create  # noqa: PLC0415 - optional
        except ImportError:
            return None
        return duckdb_create.script_fault(script)
    return create.script_fault(script)


def open_engine(database: Database) -> Engine:
    """The engine for a database's dialect; connects to nothing that is not embedded.

    Raises:
        StartError: the dialect or its driver is not installed.
    """
    return ENGINES.get(database.dialect, OtherEngine)(database)


def lookups_of(engine: Engine) -> LookupSource | None:
    """The look-ups of an engine; nothing where it has none, or where they might have to wait."""
    if isinstance(engine, SqliteEngine) and engine.is_private:
        return SqliteLookups(engine)
    return None
