"""Random mixtures of literals, comments and parameters: what is inert never binds."""

import sqlite3
from itertools import pairwise

import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.sql import Bound
from runner.compile.sql.lexer import Lexeme, LexicalError, tokens
from runner.compile.sql.parts import flat, written
from tests.compile.sql.sql_compiler import Compiler

MARKER = 'x"; drop'
_INSIDE = st.lists(
    st.sampled_from([":x", ":y", "'", '"', "`", "--", "/*", "*/", "[[", "]]", "{x}", "%", "?", "\\",
                     "$$", ";", "\n", " ", "a", "é", MARKER])
).map("".join)  # fmt: skip


def _single(text: str) -> str:
    return "'" + text.replace("\\", "").replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + text.replace("\\", "").replace('"', '""') + '"'


def _line(text: str) -> str:
    return "1 -- " + text.replace("\n", " ") + "\n"


def _block(text: str) -> str:
    return "1 /* " + text.replace("*/", "").replace("/*", "") + "*/"


def _dollar(text: str) -> str:
    return f"$tag$ {text} $tag$"


_COMMON = st.one_of(_INSIDE.map(_single), _INSIDE.map(_line), _INSIDE.map(_block))
_POSTGRES = st.one_of(_COMMON, _INSIDE.map(_double), _INSIDE.map(_dollar), st.just("a[1:2]::int"))
_SQLITE = st.one_of(_COMMON, _INSIDE.map(_double), st.just("[:x '`]"), st.just('`:x "`'))
_BINDS = st.sampled_from([":x", ":y", ":limit"])


def _mixtures(inert: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.one_of(inert, _BINDS), min_size=1, max_size=8)


def _bound(text: str, dialect: str) -> list[str]:
    plan = Compiler()(text, dialect=dialect).plan
    assert plan is not None, text
    parts = plan.statements[0].parts
    assert written(parts) == text
    return [":" + part.path[0] for part in flat(parts) if isinstance(part, Bound)]


@given(_mixtures(_POSTGRES))
def test_only_parameters_bind_and_the_text_stays(pieces: list[str]) -> None:
    wanted = [piece for piece in pieces if piece in (":x", ":y", ":limit")]
    assert _bound("SELECT " + " , ".join(pieces), "postgresql") == wanted


@given(_mixtures(_SQLITE))
def test_sqlite_itself_asks_for_the_same_parameters(pieces: list[str]) -> None:
    """The engine is the judge: the names that its own parser asks a value for."""
    text = "SELECT " + " , ".join(pieces)
    asked: list[str] = []

    class Recorder(dict[str, object]):
        def __missing__(self, name: str) -> object:
            asked.append(f":{name}")
            return None

    database = sqlite3.connect(":memory:")
    try:
        database.execute("EXPLAIN " + text, Recorder())
    except sqlite3.OperationalError as error:
        assert "no such column" in str(error)  # noqa: PT017 - raised after the parse
        return
    finally:
        database.close()
    assert asked == list(dict.fromkeys(_bound(text, "sqlite")))


@given(_mixtures(_POSTGRES))
def test_sqlglot_reads_the_same_parameters(pieces: list[str]) -> None:
    """A second opinion, on texts where it has no known gap."""
    text = "SELECT " + " , ".join(pieces)
    read = sqlglot.tokenize(text, read="postgres")
    named = [
        ":" + name.text
        for colon, name in pairwise(read)
        if (colon.text, name.text.isidentifier()) == (":", True)
    ]
    assert _bound(text, "postgresql") == named


@given(st.text(alphabet="'\"`[]{}()$:;?!-/*# \n\r\\EexM1@.%=", max_size=60))
def test_tokens_rejoin_or_are_refused_for_any_text(text: str) -> None:
    for dialect in ("sqlite", "postgresql", "duckdb", "mysql", "trino"):
        try:
            found = tokens(text, dialect)
        except LexicalError as error:
            assert error.offset < len(text)  # noqa: PT017 - refused or not, both are right
            continue
        assert "".join(token.text for token in found) == text
        assert all(token.kind is not Lexeme.OPEN or token.text == "[[" for token in found)


@given(st.text(alphabet="'\"`[]{}()$:;?!-/*# \n\r\\Eex1@.%=,AND", max_size=40))
def test_any_text_compiles_or_is_reported(text: str) -> None:
    for dialect in ("sqlite", "postgresql", "mysql"):
        result = Compiler()("SELECT " + text.replace("${", "$ {"), dialect=dialect)
        assert (result.plan is None) == bool(result.codes)
