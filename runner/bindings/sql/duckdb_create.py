"""Makes a DuckDB database from its scripts."""

from collections.abc import Iterator

import duckdb

from runner.bindings.sql.duckdb_errors import Told
from runner.bindings.sql.duckdb_instance import Setup, open_instance, release
from runner.catalog.sources import Create
from runner.errors import StartError


def run_scripts(connection: duckdb.DuckDBPyConnection, create: Create, *, source: str) -> None:
    """Runs the schema, then the seed.

    Raises:
        StartError: one of them fails.
    """
    for name, script in (("schema", create.schema), ("seed", create.seed)):
        if script is None:
            continue
        fault = _fault(connection, script.removeprefix("\ufeff"))
        if fault is not None:
            raise StartError(f"database '{source}': create.{name} fails: {fault[1]}")


def build(setup: Setup, create: Create, source: str) -> None:
    """Makes the file of `setup` and fills it, with nothing left beside it.

    Raises:
        StartError: a script fails.
    """
    instance = open_instance(setup)
    try:
        run_scripts(instance.anchor, create, source=source)
    finally:
        release(instance)


def script_fault(script: str) -> tuple[int, str] | None:
    """Where the first statement that fails begins, and why; None where the script runs.

    It runs in a memory of its own, with no way to other files.
    """
    instance = open_instance(Setup(None))
    try:
        return _fault(instance.anchor, script)
    finally:
        release(instance)


def _fault(connection: duckdb.DuckDBPyConnection, script: str) -> tuple[int, str] | None:
    try:
        found = list(_statements(connection, script))
    except duckdb.Error as error:
        told = Told(error)
        place = script.encode()[: told.position or 0].decode(errors="ignore")
        return len(place), told.first_line
    for offset, statement in found:
        try:
            connection.execute(statement)
        except duckdb.Error as error:
            return offset, Told(error).first_line
    return None


def _statements(
    connection: duckdb.DuckDBPyConnection, script: str
) -> Iterator[tuple[int, duckdb.Statement]]:
    """Each statement with the offset of its first character that is no white space."""
    place = 0
    for statement in connection.extract_statements(script):
        text = statement.query
        place = max(script.find(text, place), place)
        yield place + len(text) - len(text.lstrip()), statement
        place += len(text)
