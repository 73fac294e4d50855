"""SQLite connections that tell what text they were given, as a server's list of statements does."""

import sqlite3

import pytest


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

    monkeypatch.setattr(sqlite3, "connect", recording)
    return texts
