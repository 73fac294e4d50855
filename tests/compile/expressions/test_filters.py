"""The filters for the little languages, held against the languages themselves."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compile.expressions.bench import Bench

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("cold email", '"cold" "email"'),
        ('a "b" OR c*', '"a" """b""" "OR" "c*"'),
        ("", '""'),
        ("  \n ", '""'),
        (None, '""'),
    ],
)
def test_fts5_quotes_each_word(bench: Bench, text: str | None, query: str) -> None:
    assert bench.evaluate("x|fts5", {"x": text}) == query


@given(text=TEXT)
def test_fts5_query_is_never_a_syntax_error(text: str) -> None:
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
        query = Bench().evaluate("x|fts5", {"x": text})
        assert database.execute("SELECT * FROM notes WHERE notes MATCH ?", [query]).fetchall() == []
    finally:
        database.close()


@given(text=TEXT.filter(lambda text: "\0" not in text))
def test_like_finds_the_text_itself(text: str) -> None:
    database = sqlite3.connect(":memory:")
    try:
        pattern = Bench().evaluate("x|like", {"x": text})
        found = database.execute("SELECT ? LIKE ? ESCAPE '\\'", [text, pattern]).fetchone()
        assert found == (1,)
    finally:
        database.close()


def test_like_escapes_its_own_signs(bench: Bench) -> None:
    assert bench.evaluate("x|like", {"x": "50%_\\"}) == "50\\%\\_\\\\"
