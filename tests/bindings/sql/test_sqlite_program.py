"""Which programs of SQLite run each instruction once: judged on what SQLite itself compiles."""

import sqlite3
from collections.abc import Iterator

import pytest

from runner.bindings.sql.sqlite_program import runs_once

SCHEMA = """
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC);
CREATE TABLE prompts (id TEXT PRIMARY KEY, owner TEXT NOT NULL, title TEXT NOT NULL,
                      UNIQUE (owner, title));
CREATE TABLE words (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
CREATE INDEX by_title ON prompts (title);
CREATE VIEW named AS SELECT id, name FROM items;
CREATE VIRTUAL TABLE texts USING fts5 (text);
"""


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


def program(connection: sqlite3.Connection, text: str) -> list[tuple[object, ...]]:
    return connection.execute(f"EXPLAIN {text}", (None,) * text.count("?")).fetchall()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT id, name, price FROM items WHERE id = ?",
        "SELECT * FROM items WHERE id = ? LIMIT ?",
        "SELECT id FROM items WHERE id = ? ORDER BY name",
        "SELECT id, title FROM prompts WHERE id = ? AND owner = ?",
        "SELECT * FROM prompts WHERE owner = ? AND title = ?",
        "SELECT * FROM words WHERE id = ?",
        "SELECT name FROM named WHERE id = ?",
        "SELECT name || '!', coalesce(price, 0) * 2 FROM items WHERE id = CAST(? AS INTEGER)",
        "SELECT CASE WHEN price > 1 THEN 'much' ELSE 'little' END FROM items WHERE id = ?",
        "SELECT id FROM items WHERE id = ? UNION ALL SELECT id FROM items WHERE id = ?",
        "VALUES (1), (2)",
    ],
)
def test_rows_by_unique_keys_are_found_in_one_go(connection: sqlite3.Connection, text: str) -> None:
    assert runs_once(program(connection, text))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM items",
        "SELECT count(*) FROM items",
        "SELECT max(id) FROM items",
        "SELECT * FROM items WHERE name = ?",
        "SELECT * FROM items WHERE id > ?",
        "SELECT * FROM items WHERE id IN (?, ?)",
        "SELECT * FROM items WHERE id = ? OR name = ?",
        "SELECT * FROM prompts WHERE title = ?",
        "SELECT DISTINCT name FROM items",
        "SELECT i.name, w.text FROM items i LEFT JOIN words w ON w.id = i.name WHERE i.id = ?",
        "SELECT (SELECT count(*) FROM words) FROM items WHERE id = ?",
        "SELECT name FROM items WHERE id = ? AND EXISTS (SELECT 1 FROM words WHERE text = name)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 1",
        "SELECT text FROM texts WHERE texts MATCH ?",
        "SELECT text FROM texts WHERE rowid = ?",
        "SELECT value FROM json_each(?)",
    ],
)
def test_what_loops_does_not_run_once(connection: sqlite3.Connection, text: str) -> None:
    assert not runs_once(program(connection, text))


@pytest.mark.parametrize(
    "expression", ["randomblob(?)", "replace(name, 'a', ?)", "name LIKE ?", "json(?)", "hex(name)"]
)
def test_what_calls_a_function_is_not_bounded_by_its_instructions(
    connection: sqlite3.Connection, expression: str
) -> None:
    text = f"SELECT {expression} FROM items WHERE id = ?"
    assert not runs_once(program(connection, text))


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO items VALUES (?, ?, ?)",
        "UPDATE items SET name = ? WHERE id = ?",
        "DELETE FROM items WHERE id = ?",
        "CREATE TABLE more (id)",
        "PRAGMA user_version = 3",
    ],
)
def test_what_writes_does_not_run_once(connection: sqlite3.Connection, text: str) -> None:
    assert not runs_once(program(connection, text))


@pytest.mark.parametrize(
    "listing",
    [
        [],
        [(0, "Init", 0, 1), (1, "Halt", 0, 0)],
        [(0, "Halt", 0, 0), (1, "Goto", 0, 0)],
        [(0, "Init", 0, 2), (1, "Turbo", 0, 0), (2, "Goto", 0, 1)],
        [(0, "Init", 0, 3), (1, "Integer", 1, 1), (2, "If", 1, 1), (3, "Goto", 0, 1)],
        [(0, "Init", 0, 3), (1, "Integer", 1, 1), (2, "SeekGE", 1, 2), (3, "Goto", 0, 1)],
        [(0, "Init", 0, 2), (1, "Halt", 0, 0), (2, "Goto", 0, 2)],
    ],
    ids=[
        "nothing",
        "no way back to the start",
        "no start",
        "unknown instruction",
        "jump back",
        "seek that repeats itself",
        "end that repeats itself",
    ],
)
def test_a_program_that_is_not_understood_does_not_run_once(
    listing: list[tuple[object, ...]],
) -> None:
    assert not runs_once(listing)
