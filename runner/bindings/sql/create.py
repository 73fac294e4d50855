"""Makes an embedded database that does not exist yet, whole or not at all.

It is built beside its place and linked there at the end: several workers may start at once, one of
them wins, and nobody sees a half-made file.
"""

import os
import sqlite3
import tempfile
from pathlib import Path

from runner.catalog.sources import Create
from runner.errors import StartError


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


def create_file(path: Path, create: Create, *, source: str) -> None:
    """Makes the file, and its folders, unless it is there.

    Raises:
        StartError: a script fails or the folder cannot be written.
    """
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".create-") as folder:
            made = Path(folder) / path.name
            connection = sqlite3.connect(made)
            try:
                run_scripts(connection, create, source=source)
                connection.commit()
            finally:
                connection.close()
            _put(made, path)
    except OSError as error:
        message = f"database '{source}': cannot make '{path}': {error.strerror}"
        raise StartError(message) from error


def _put(made: Path, path: Path) -> None:
    try:
        os.link(made, path)
    except FileExistsError:
        return  # another worker was faster; its file is as good
