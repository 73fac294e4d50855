"""Proves statements on SQLite: compiles them, never steps them.

`EXPLAIN` compiles a statement without running it, while an authorizer notes what it would do; the
columns come from `SELECT * FROM (…) LIMIT 0`. SQLite needs no casts and tells types of no
expression.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

from runner.bindings.sql.offsets import word_offset
from runner.bindings.sql.sqlite_errors import REFUSALS
from runner.bindings.sql.sqlite_guard import verdict_on_call
from runner.catalog.proving import Description, Refusal
from runner.catalog.sql import Bound, Column

_CHANGES: Final = frozenset(
    getattr(sqlite3, name)
    for name in dir(sqlite3)
    if name.startswith(("SQLITE_CREATE_", "SQLITE_DROP_", "SQLITE_ALTER"))
) | {
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_REINDEX,
    sqlite3.SQLITE_ANALYZE,
}
_SCHEMA_TABLES: Final = frozenset({"sqlite_master", "sqlite_temp_master", "sqlite_schema"})
_TRIVIA: Final = r"\s|--[^\n]*\n|/\*.*?\*/"
_EXPLAINS = re.compile(rf"(?:{_TRIVIA})*explain\b", re.IGNORECASE | re.DOTALL)
_TELLS = re.compile(rf"(?:{_TRIVIA})*(?:explain|pragma)\b", re.IGNORECASE | re.DOTALL)
_RENAMED = re.compile(r":\d+$")


class SqliteProver:
    """Describes statements on one connection, whose authorizer it takes while it does."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        """See `runner.catalog.proving.Prover`."""
        text = "?".join(texts)
        values = [1 if bound.is_limit else None for bound in parameters]
        noted: list[int] = []
        self._connection.set_authorizer(_noting(noted))
        try:
            explained = text if _EXPLAINS.match(text) else f"EXPLAIN {text}"
            self._connection.execute(explained, values).close()
            columns = [] if noted else self._query_columns(text, values)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return _refusal(error, texts)
        finally:
            self._connection.set_authorizer(None)
        if noted:
            columns = self._returned(text)
        return Description([Column(name) for name in columns], writes=bool(noted))

    def _query_columns(self, text: str, values: Sequence[object]) -> list[str]:
        if _TELLS.match(text):  # no table for FROM, and it runs nothing
            cursor = self._connection.execute(text, values)
        else:
            statement = text.strip().removesuffix(";")
            cursor = self._connection.execute(f"SELECT * FROM (\n{statement}\n) LIMIT 0", values)
        names = [_RENAMED.sub("", entry[0]) for entry in cursor.description or ()]
        cursor.close()
        return names

    def _returned(self, text: str) -> list[str]:
        """The columns of RETURNING: what the author wrote, `*` as the table has them."""
        # The parser is slow to import, and needed only for tools that write.
        import sqlglot  # noqa: PLC0415
        from sqlglot.errors import SqlglotError  # noqa: PLC0415

        try:
            statement = sqlglot.parse_one(text, dialect="sqlite")
        except SqlglotError:
            return []
        returning = statement.args.get("returning")
        names: list[str] = []
        for expression in returning.expressions if returning is not None else ():
            if expression.is_star:
                table = statement.find(sqlglot.exp.Table)
                names += self._table_columns(table.name if table is not None else "")
            else:
                names.append(expression.alias_or_name or expression.sql("sqlite"))
        return names

    def _table_columns(self, table: str) -> list[str]:
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [row[0] for row in rows]


def _noting(noted: list[int]) -> Callable[..., int]:
    def note(action: int, first: str | None, second: str | None, *_rest: str | None) -> int:
        if action in _CHANGES and first not in _SCHEMA_TABLES:
            noted.append(action)
        if action == sqlite3.SQLITE_PRAGMA:
            # FTS5 asks for `data_version` itself when it is first used.
            return verdict_on_call(action, first, second)
        return sqlite3.SQLITE_OK

    return note


def _refusal(error: Exception, texts: Sequence[str]) -> Refusal:
    message = str(error)
    name = getattr(error, "sqlite_errorname", None)
    if name in ("SQLITE_AUTH", "SQLITE_READONLY"):
        return Refusal("writes", sqlstate=name)
    for pattern, kind in REFUSALS:
        if found := pattern.search(message):
            word = "::" if found[1] == ":" else found[1]  # it tells half of a cast
            return Refusal(kind, word, word_offset(word, texts), name)
    return Refusal("other", sqlstate=name)
