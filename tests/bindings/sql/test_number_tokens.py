"""Where a number ends and a word begins: our tokens are those of the engine."""

import re
import sqlite3
from collections.abc import Callable, Iterator

import duckdb
import psycopg
import pymysql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.compile.sql.lexer import significant, tokens
from tests.bindings.sql.lab import MARIADB, POSTGRES
from tests.engines import ENGINES

NUMBERS = st.from_regex(
    r"(0[xXbBoO]|[0-9])?[0-9_.]{0,4}([eE][+-]?)?[0-9a-fA-FeExX_.$é]{0,3}", fullmatch=True
)
Ask = Callable[[str], str | None]
_UNKNOWN = re.compile(r"Unknown column '(?:.*\.)?([^.']+)'")


def _sqlite() -> Iterator[Ask]:
    connection = sqlite3.connect(":memory:")

    def ask(text: str) -> str | None:
        try:
            return str(connection.execute(text).description[0][0])
        except sqlite3.Error:
            return None

    yield ask
    connection.close()


def _duckdb() -> Iterator[Ask]:
    with duckdb.connect() as connection:

        def ask(text: str) -> str | None:
            try:
                return str(connection.execute(text).description[0][0])
            except duckdb.Error:
                return None

        yield ask


def _postgresql() -> Iterator[Ask]:
    with psycopg.connect(POSTGRES, autocommit=True) as connection:

        def ask(text: str) -> str | None:
            try:
                return (connection.execute(text).description or [])[0].name
            except psycopg.Error:
                return None

        yield ask


def _mariadb() -> Iterator[Ask]:
    with pymysql.connect(**MARIADB, charset="utf8mb4") as connection, connection.cursor() as cursor:

        def ask(text: str) -> str | None:
            try:
                cursor.execute(text)
            except pymysql.Error as error:
                found = _UNKNOWN.search(str(error.args[1]))
                return found[1] if found else None
            return str(cursor.description[0][0])

        yield ask


ASKED = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgresql": _postgresql,
    "mariadb": _mariadb,
}


@pytest.fixture(params=ENGINES)
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[str, Ask]]:
    """An engine, and the last name that it reads in a text: a column's, known or not."""
    for ask in ASKED[request.param]():
        yield request.param, ask


def test_word_behind_a_number_is_a_word_where_it_is_one_to_the_engine(
    asked: tuple[str, Ask],
) -> None:
    engine, ask = asked

    @given(NUMBERS)
    @settings(max_examples=300, deadline=None)
    def agree(number: str) -> None:
        name = ask(f"SELECT {number}zq")
        if name is None or not name.endswith("zq") or "." in name:
            return  # no statement, or one that names its column otherwise
        text = significant(tokens(f"SELECT {number}zq", engine))[-1].text
        if engine == "sqlite":  # which takes `_` for a part of a number from 3.46 on
            name, text = (found.lstrip("_0123456789abcdefABCDEF") for found in (name, text))
        assert text == name

    agree()
