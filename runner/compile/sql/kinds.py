"""What a statement does, read from its tokens: whether it is a query, whether it writes.

This is the first layer of "read-only unless told otherwise", not the guard: honest SQL that no
table here knows passes, and the engine's read-only session has the last word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from runner.compile.sql.lexer import Lexeme, Token
from runner.compile.sql.words import (
    ACTING,
    CHANGES,
    EXPLAINS,
    LOCKS,
    MAIN,
    QUERIES,
    READING_PRAGMAS,
    SESSION,
    TRANSACTIONS,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a statement is."""

    returns_rows: bool
    writes_at: Token | None = None
    """The word at which it writes; None for a query that only reads."""
    forbidden: str | None = None
    """Why no tool may run it, as the message of a diagnostic."""
    is_query: bool = False


def kind_of(tokens: Sequence[Token], dialect: str) -> Kind:
    """The kind of one statement, given its significant tokens (not empty)."""
    start = skip_brackets(tokens)
    inner = tokens[start:]
    if not inner:
        return Kind(returns_rows=False, writes_at=tokens[0])
    root = inner[0].word
    if (reason := _transaction(inner, dialect)) is not None:
        return Kind(returns_rows=False, writes_at=inner[0], forbidden=reason)
    if root == "PRAGMA":
        return _pragma(inner)
    if root in EXPLAINS or _is_analyze(inner, dialect):
        return _explained(inner, dialect)
    return _query_or_change(inner)


def _query_or_change(inner: Sequence[Token]) -> Kind:
    main = _main(inner) if inner[0].word == "WITH" else inner[0]
    if main is None or main.word not in QUERIES:
        return _change(main or inner[0], inner)
    write = next(_effects(inner), None)
    return Kind(returns_rows=True, writes_at=write, is_query=True)


def skip_brackets(tokens: Sequence[Token]) -> int:
    """How many `(` stand before the first word."""
    start = 0
    while start < len(tokens) and tokens[start].word == "(":
        start += 1
    return start


def _transaction(tokens: Sequence[Token], dialect: str) -> str | None:
    root = tokens[0].word
    following = {token.word for token in tokens[1:4]}
    words = {_bare(token).upper() for token in tokens}
    is_control = (
        root in TRANSACTIONS
        or (root == "PREPARE" and "TRANSACTION" in following)
        or (root == "LOCK" and "TABLES" in following and dialect in ("mysql", "mariadb"))
        or (root in ("SET", "RESET", "PRAGMA") and bool(words & SESSION))
    )
    return (
        f"'{tokens[0].text}' controls the transaction, which is the server's"
        if is_control
        else None
    )


def _pragma(tokens: Sequence[Token]) -> Kind:
    words = list(tokens[1:4])
    name = words[2] if len(words) == 3 and words[1].text == "." else words[0] if words else None
    sets = any(token.word == "=" for token in tokens)
    reads = name is not None and _bare(name) in READING_PRAGMAS and not sets
    return Kind(returns_rows=True, writes_at=None if reads else tokens[0], is_query=reads)


def _is_analyze(tokens: Sequence[Token], dialect: str) -> bool:
    # MariaDB's `ANALYZE [FORMAT=JSON] SELECT …` runs the statement and explains it.
    second = tokens[1].word if len(tokens) > 1 else ""
    return (
        tokens[0].word == "ANALYZE"
        and dialect in ("mysql", "mariadb")
        and second in MAIN - {"TABLE"} | {"FORMAT", "WITH"}
    )


def _explained(tokens: Sequence[Token], dialect: str) -> Kind:
    roots = MAIN | QUERIES | {"EXECUTE", "CREATE", "CALL", "COPY"}
    runs = False
    depth = 0
    for place, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if token.word in ("ANALYZE", "ANALYSE"):
            runs = True
        elif depth == 0 and place and token.word in roots and token.word not in EXPLAINS:
            inner = kind_of(tokens[place:], dialect)
            return replace(
                inner,
                returns_rows=True,
                writes_at=inner.writes_at if runs else None,
                is_query=inner.writes_at is None or not runs,
            )
    if runs and tokens[0].word in EXPLAINS and len(tokens) > 2:
        return Kind(returns_rows=True, writes_at=tokens[0])
    return Kind(returns_rows=True, is_query=True)


def _main(tokens: Sequence[Token]) -> Token | None:
    """The word of the statement behind WITH and its subqueries."""
    depth = 0
    previous = ""
    for place, token in enumerate(tokens):
        word = token.word
        if depth == 0 and word == "(" and previous == ")":
            inner = tokens[place + skip_brackets(tokens[place:]) :]
            return _main(inner) if inner and inner[0].word == "WITH" else next(iter(inner), None)
        if word in (")", "]", "}"):
            depth -= 1
        elif word in ("(", "[", "{"):
            depth += 1
        elif depth == 0 and word in MAIN and previous not in ("WITH", "RECURSIVE", ",", "SET"):
            return token
        previous = word
    return None


def _change(main: Token, tokens: Sequence[Token]) -> Kind:
    returning = main.word in CHANGES | {"REPLACE"} and any(
        token.word == "RETURNING" for token in _outside_brackets(tokens)
    )
    return Kind(returns_rows=returning, writes_at=main)


def _outside_brackets(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        if token.word in ("(", "[", "{"):
            depth += 1
        elif token.word in (")", "]", "}"):
            depth -= 1
        elif depth == 0:
            yield token


def _effects(tokens: Sequence[Token]) -> Iterator[Token]:
    """The words of a query that change something: a writing WITH, INTO, a lock, a function."""
    for place, token in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        after = [item.word for item in tokens[place + 1 : place + 3]]
        if _is_effect(token, before, after):
            yield token


def _is_effect(token: Token, before: str, after: Sequence[str]) -> bool:
    word = token.word
    following = after[0] if after else ""
    if following == "(" and before not in ("AS",) and _bare(token) in ACTING:
        return True
    if word in CHANGES:
        return before in ("(", ")") and following not in ("(", ")", ",", ".", "")
    if word == "INTO":
        return before not in ("AS", ".")
    if word == "FOR":
        return following in ("UPDATE", "SHARE") or tuple(after) in LOCKS
    return word == "LOCK" and tuple(after) == ("IN", "SHARE")


def _bare(token: Token) -> str:
    return token.text.strip('"`[]').lower() if token.kind in (Lexeme.WORD, Lexeme.NAME) else ""
