"""Makes an embedded database that does not exist yet, whole or not at all.

It is built beside its place and linked there at the end: several workers may start at once, one of
them wins, and nobody sees a half-made file.
"""

import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from runner.bindings.sql.offsets import word_offset
from runner.catalog.sources import Create, Database
from runner.errors import StartError

_OTHER_FILES: Final = {
    "sqlite": re.compile(r"\b(attach|vacuum)\b", re.IGNORECASE),
    "duckdb": re.compile(r"\b(attach|copy|export|import|install|load)\b", re.IGNORECASE),
}
"""By dialect, words of statements that reach beyond the database."""


def run_scripts(connection: sqlite3.Connection, create: Create, *, source: str) -> None:
    """Runs the schema, then the seed.

    Raises:
        StartError: one of them fails.
    """
    for name, script in (("schema", create.schema), ("seed", create.seed)):
        if script is None:
            continue
        try:
            connection.executescript(script.removeprefix("\ufeff"))
        except sqlite3.Error as error:
            message = f"database '{source}': create.{name} fails: {error}"
            raise StartError(message) from error


def is_to_be_made(database: Database) -> bool:
    """The database has scripts and no file yet: it is made when it is first served."""
    path = make_url(database.url.reveal()).database
    return database.create is not None and (path is None or not Path(path).exists())


def leaves_memory(database: Database) -> bool:
    """It is not embedded, or its scripts name other files: it is not built where nothing may be
    touched."""
    other_files = _OTHER_FILES.get(database.dialect)
    scripts = (*database.connect, "" if database.create is None else database.create.schema)
    return other_files is None or any(other_files.search(script) for script in scripts)


_NEAR: Final = re.compile(r'^(?:near|unrecognized token:) "(.+?)"')


def script_fault(script: str) -> tuple[int, str] | None:
    """Where the first statement that fails begins, or the token that the engine names stands, and
    why; None where the script runs.

    It runs in a memory of its own, with no way to other files.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    try:
        for offset, statement in _statements(script):
            try:
                connection.execute(statement).close()
            except sqlite3.Error as error:
                near = _NEAR.search(str(error))
                within = word_offset(near[1], [statement.lstrip()]) if near is not None else None
                return offset + (within or 0), str(error)
    finally:
        connection.close()
    return None


def _statements(script: str) -> Iterator[tuple[int, str]]:
    """Each statement with the offset of its first character that is no white space."""
    start, end = 0, 0
    while end < len(script):
        end = script.find(";", end) + 1 or len(script)
        text = script[start:end]
        if sqlite3.complete_statement(text) or end == len(script):
            if text.strip():
                yield start + len(text) - len(text.lstrip()), text
            start = end


def build_sqlite(path: Path, create: Create, source: str) -> None:
    """Makes the file and fills it.

    Raises:
        StartError: a script fails.
    """
    connection = sqlite3.connect(path)
    try:
        run_scripts(connection, create, source=source)
        connection.commit()
    finally:
        connection.close()


def create_file(
    path: Path,
    create: Create,
    *,
    source: str,
    build: Callable[[Path, Create, str], None] = build_sqlite,
) -> None:
    """Makes the file, and its folders, unless it is there; `build` makes it at a place beside.

    Raises:
        StartError: a script fails or the folder cannot be written.
    """
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".create-") as folder:
            made = Path(folder) / path.name
            build(made, create, source)
            _put(made, path)
    except OSError as error:
        message = f"database '{source}': cannot make '{path}': {error.strerror}"
        raise StartError(message) from error


def _put(made: Path, path: Path) -> None:
    try:
        os.link(made, path)
    except FileExistsError:
        return  # another worker was faster; its file is as good
