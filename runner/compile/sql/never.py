"""Statements that no tool may have on an engine, whether it writes or not.

The guards of the engines refuse them, the engine runs them in no transaction, or the protocol has
no way for them. What an engine does not know at all stands here too where another one has it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from runner.catalog.guarded import (
    DUCKDB_FUNCTIONS,
    SQLITE_FUNCTIONS,
    SQLITE_INTROSPECTION,
    SQLITE_TELLING,
)
from runner.compile.sql.lexer import Lexeme, Token
from runner.compile.sql.words import words

_FOREIGN: Final = words("ATTACH DETACH PRAGMA EXPORT")
_FIRST: Final[Mapping[str, frozenset[str]]] = {
    "sqlite": words("ATTACH DETACH VACUUM COPY EXPORT IMPORT INSTALL LOAD SET USE CALL"),
    "postgresql": _FOREIGN | words("VACUUM INSTALL USE DISCARD"),
    "duckdb": words(
        """ATTACH DETACH COPY EXPORT IMPORT INSTALL LOAD SET RESET USE PRAGMA CALL VACUUM ANALYZE
        CHECKPOINT FORCE PREPARE EXECUTE"""
    ),
    "mysql": _FOREIGN | words("COPY VACUUM PREPARE EXECUTE DEALLOCATE"),
}
_PAIRS: Final[Mapping[str, frozenset[tuple[str, str]]]] = {
    "postgresql": frozenset(
        (verb, what) for verb in ("CREATE", "DROP") for what in ("DATABASE", "TABLESPACE")
    )
    | {("ALTER", "SYSTEM")},
    "duckdb": frozenset({("UPDATE", "EXTENSIONS")}),
}
_FUNCTIONS: Final = {"sqlite": SQLITE_FUNCTIONS, "duckdb": DUCKDB_FUNCTIONS}
_ELSEWHERE: Final = "what a connection needs stands in 'connect' of the database"
_OTHER_DATABASE: Final = "declare the other database under 'databases', with tools of its own"
_HINTS: Final = {
    **dict.fromkeys(words("ATTACH DETACH USE"), _OTHER_DATABASE),
    **dict.fromkeys(words("PRAGMA SET RESET LOAD INSTALL CALL"), _ELSEWHERE),
    **dict.fromkeys(words("COPY EXPORT"), "no statement copies files or databases"),
}


def never_allowed(tokens: Sequence[Token], dialect: str) -> Token | None:
    """The word for which no tool may have the statement, given its significant tokens."""
    dialect = "mysql" if dialect == "mariadb" else dialect
    first, second = tokens[0], tokens[1].word if len(tokens) > 1 else ""
    if first.word in _FIRST.get(dialect, ()) or (first.word, second) in _PAIRS.get(dialect, ()):
        return first
    match dialect:
        case "sqlite" if first.word == "PRAGMA" and not tells(tokens):
            return first
        case "postgresql":
            return _of_postgres(tokens)
        case "mysql" if first.word == "LOAD":
            return next((token for token in tokens[1:4] if token.word == "LOCAL"), None)
    return _call(tokens, _FUNCTIONS.get(dialect, frozenset()))


def hint_of(word: Token) -> str | None:
    """What to do instead."""
    return _HINTS.get(word.word)


def tells(tokens: Sequence[Token]) -> bool:
    """SQLite's guard lets the pragma through."""
    words = [token for token in tokens[1:] if token.word != ";"]
    if len(words) > 1 and words[1].text == ".":
        words = words[2:]
    name = name_of(words[0]) if words else ""
    sets = any(token.word == "=" for token in words)
    return not sets and (
        name in SQLITE_INTROSPECTION or (name in SQLITE_TELLING and len(words) == 1)
    )


def _of_postgres(tokens: Sequence[Token]) -> Token | None:
    """COPY to or from the client has no way here; what is done concurrently, no transaction."""
    first = tokens[0]
    if first.word == "COPY":
        return next((item for item in tokens if item.word in ("STDIN", "STDOUT")), None)
    if first.word in ("CREATE", "DROP", "REINDEX"):
        return next((item for item in tokens[1:5] if item.word == "CONCURRENTLY"), None)
    return None


def _call(tokens: Sequence[Token], functions: frozenset[str]) -> Token | None:
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if after.word == "(" and before.word != "AS" and name_of(token) in functions:
            return token
    return None


def name_of(token: Token) -> str:
    """The name that a token is, without quotes; empty for others."""
    return token.text.strip('"`[]').lower() if token.kind in (Lexeme.WORD, Lexeme.NAME) else ""
