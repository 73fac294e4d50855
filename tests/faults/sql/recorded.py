"""What text an engine was given: by the connections of SQLite and DuckDB, on the wire to MariaDB.

It tells what a server's own list of statements does.
"""

import sqlite3
from types import TracebackType
from typing import Self

import duckdb
import pytest

from runner.bindings.sql.mysql_packets import Stream
from runner.bindings.sql.mysql_wire import PREPARE, QUERY


class Recorded(sqlite3.Connection):
    """A connection of SQLite that keeps every text that it runs."""

    texts: list[str]

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        """As the driver's."""
        self.texts.append(sql)
        return super().execute(sql, parameters)  # type: ignore[arg-type]

    def executemany(self, sql: str, parameters: object, /) -> sqlite3.Cursor:
        """As the driver's."""
        self.texts.append(sql)
        return super().executemany(sql, parameters)  # type: ignore[arg-type]


class RecordedDuck:
    """A connection of DuckDB, of which no class can be made, with the texts that it runs."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, texts: list[str]) -> None:
        self._connection = connection
        self._texts = texts

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def cursor(self) -> "RecordedDuck":
        """As the driver's."""
        return RecordedDuck(self._connection.cursor(), self._texts)

    def execute(self, query: object, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """As the driver's."""
        self._texts.append(str(getattr(query, "query", query)))
        return self._connection.execute(query, parameters)  # type: ignore[arg-type]

    def executemany(self, query: str, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """As the driver's."""
        self._texts.append(query)
        return self._connection.executemany(query, parameters)


def record(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of every connection opened from now on, in their order."""
    texts: list[str] = []
    connect, connect_duck, send = sqlite3.connect, duckdb.connect, Stream.send

    def recording(*arguments: object, **options: object) -> sqlite3.Connection:
        made = connect(*arguments, **options, factory=Recorded)  # type: ignore[call-overload]
        assert isinstance(made, Recorded)
        made.texts = texts
        return made

    def recording_duck(*arguments: object, **options: object) -> RecordedDuck:
        return RecordedDuck(connect_duck(*arguments, **options), texts)  # type: ignore[arg-type]

    def sending(stream: Stream, payloads: list[bytes]) -> None:
        texts.extend(item[1:].decode() for item in payloads if item[:1] in (PREPARE, QUERY))
        send(stream, payloads)

    monkeypatch.setattr(sqlite3, "connect", recording)
    monkeypatch.setattr(duckdb, "connect", recording_duck)
    monkeypatch.setattr(Stream, "send", sending)
    return texts
