"""What text an engine was given: by SQLite's connections, and on the wire to MariaDB.

It tells what a server's own list of statements does.
"""

import sqlite3

import pytest

from runner.bindings.sql.mysql_packets import Stream
from runner.bindings.sql.mysql_wire import PREPARE, QUERY


class Recorded(sqlite3.Connection):
    """A connection that keeps every text that it runs."""

    texts: list[str]

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        """As the driver's."""
        self.texts.append(sql)
        return super().execute(sql, parameters)  # type: ignore[arg-type]

    def executemany(self, sql: str, parameters: object, /) -> sqlite3.Cursor:
        """As the driver's."""
        self.texts.append(sql)
        return super().executemany(sql, parameters)  # type: ignore[arg-type]


def record(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of every connection opened from now on, in their order."""
    texts: list[str] = []
    connect = sqlite3.connect

    def recording(*arguments: object, **options: object) -> sqlite3.Connection:
        made = connect(*arguments, **options, factory=Recorded)  # type: ignore[call-overload]
        assert isinstance(made, Recorded)
        made.texts = texts
        return made

    send = Stream.send

    def sending(stream: Stream, payloads: list[bytes]) -> None:
        texts.extend(item[1:].decode() for item in payloads if item[:1] in (PREPARE, QUERY))
        send(stream, payloads)

    monkeypatch.setattr(sqlite3, "connect", recording)
    monkeypatch.setattr(Stream, "send", sending)
    return texts
