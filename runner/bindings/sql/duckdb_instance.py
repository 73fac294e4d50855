"""DuckDB instances: one for each database file of the process, however many connect to it.

DuckDB lets one instance of a process open a file, and one process write to it. An instance is set
up before anybody uses it, then its configuration is locked: no access to other files but those
that are listed, no extensions, no look into Python's variables, UTC.
"""

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import duckdb

from runner.bindings.sql.connect_fault import ConnectError
from runner.bindings.sql.duckdb_errors import Told

_AT_OPEN: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "errors_as_json": "true",
}
_SETTINGS: Final = (
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL python_enable_replacements = false",
    # A statement that cannot be bound is tried again with casts, in the same transaction.
    "SET GLOBAL default_transaction_invalidation_policy = 'SYNTACTIC_ERRORS_DO_NOT_INVALIDATE'",
)
_SPILL_BYTES: Final = 16
_GENERATIONS: Final = 2
"""A file may be opened anew, to be served by its next version, before the last one is closed."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How an instance is set up; who shares one must want the same."""

    path: str | None
    """None for a memory, which is nobody else's."""
    is_read_only: bool = False
    external: Sequence[str] = ()
    folder: str = ""
    connect: Sequence[str] = ()
    connections: int = field(default=1, compare=False)
    """At most so many are used at once."""


class NoDatabaseError(Exception):
    """The file is no database of DuckDB."""


class OtherSetupError(Exception):
    """The file is open in this process, set up otherwise."""


@dataclass
class Instance:
    """One open database."""

    setup: Setup
    anchor: duckdb.DuckDBPyConnection
    users: int = 1
    _free: list[duckdb.DuckDBPyConnection] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    """Held while a connection is taken or given back."""

    def configure(self) -> None:
        """Sets everything up and locks it.

        Raises:
            ConnectError: a statement of `connect` fails.
            duckdb.Error: the settings cannot be made.
        """
        for setting in _SETTINGS:
            self.anchor.execute(setting)
        if self.setup.connect:  # settings of a connection cannot be made once they are locked
            for _ in range(_GENERATIONS * self.setup.connections):
                self._free.append(self._connect())
        self._limit_files()
        self.anchor.execute("SET lock_configuration = true")

    def _connect(self) -> duckdb.DuckDBPyConnection:
        connection = self.anchor.cursor()
        for index, statement in enumerate(self.setup.connect):
            try:
                connection.execute(statement)
            except duckdb.Error as error:
                connection.close()
                raise ConnectError(index, Told(error).first_line) from error
        return connection

    def _limit_files(self) -> None:
        external = self.setup.external
        self._hide_spill()
        if external:
            folders = [f"{path}/" for path in external if Path(path).is_dir()]
            files = [path for path in external if not Path(path).is_dir()]
            self.anchor.execute(f"SET GLOBAL file_search_path = {_quoted(self.setup.folder)}")
            self.anchor.execute(f"SET allowed_directories = {_list(self._with_relative(folders))}")
            self.anchor.execute(f"SET allowed_paths = {_list(self._with_relative(files))}")
        self.anchor.execute("SET enable_external_access = false")

    def _hide_spill(self) -> None:
        """DuckDB lets statements read the folder that it spills to, so that nobody knows its name;
        one that `connect` names is the author's."""
        [(folder,)] = self.anchor.execute("SELECT current_setting('temp_directory')").fetchall()
        usual = ".tmp" if self.setup.path is None else f"{self.setup.path}.tmp"
        if folder == usual:
            name = _quoted(f"{folder}-{secrets.token_hex(_SPILL_BYTES)}")
            self.anchor.execute(f"SET GLOBAL temp_directory = {name}")

    def _with_relative(self, paths: Sequence[str]) -> list[str]:
        """The paths, and how statements write them: from the folder of the file.

        DuckDB takes a relative path from where the process runs, and searches the folder only
        for what is not there; so that it finds nothing else, such a path is let through only
        where nothing is.
        """
        prefix = f"{self.setup.folder}/"
        relative = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
        return [*paths, *(path for path in relative if not Path(path).exists())]

    def take(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own for somebody.

        Raises:
            ConnectError, duckdb.Error: it cannot be made.
        """
        with self._guard:
            return self._free.pop() if self._free else self._connect()

    def give_back(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Takes back a connection without an open transaction."""
        with self._guard:
            if self.setup.connect and self.users:
                self._free.append(connection)
            else:
                connection.close()

    def close(self) -> None:
        """Lets the database go."""
        with self._guard:
            for connection in (*self._free, self.anchor):
                connection.close()
            self._free.clear()


_MAGIC: Final = b"DUCK"
_MAGIC_AT: Final = 8
_instances: dict[str, Instance] = {}
_guard = threading.Lock()
"""Held while `_instances` changes."""


def open_instance(setup: Setup) -> Instance:
    """The instance of a file, shared with whoever has it open; each use ends with `release`.

    Raises:
        OtherSetupError: it is open with another setup.
        NoDatabaseError: it is no file of DuckDB.
        ConnectError, duckdb.Error: it cannot be opened.
    """
    if setup.path is None:
        return _opened(setup)
    with _guard:
        found = _instances.get(setup.path)
        if found is None:
            found = _instances[setup.path] = _opened(setup)
        elif found.setup != setup:
            raise OtherSetupError
        else:
            found.users += 1
        return found


def release(instance: Instance) -> None:
    """Ends one use; the last one closes it."""
    with _guard:
        instance.users -= 1
        if instance.users:
            return
        if instance.setup.path is not None:
            del _instances[instance.setup.path]
    instance.close()


def _may_be_database(path: str) -> bool:
    """The file begins as DuckDB's files do; one that cannot be read is told otherwise.

    Only while nobody in this process has it open: closing it again would take away DuckDB's lock,
    as POSIX has it.
    """
    try:
        with open(path, "rb") as file:
            return file.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] == _MAGIC
    except OSError:
        return True


def _opened(setup: Setup) -> Instance:
    if setup.path is not None and not _may_be_database(setup.path):
        raise NoDatabaseError
    path = ":memory:" if setup.path is None else setup.path
    config: dict[str, str | bool | int | float | list[str]] = {**_AT_OPEN}
    anchor = duckdb.connect(path, read_only=setup.is_read_only, config=config)
    instance = Instance(setup, anchor)
    try:
        instance.configure()
    except (ConnectError, duckdb.Error):
        instance.close()
        raise
    return instance


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list(texts: Sequence[str]) -> str:
    return "[" + ", ".join(map(_quoted, texts)) + "]"
