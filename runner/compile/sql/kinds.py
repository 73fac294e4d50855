"""What a statement does, read from its tokens: whether it is a query, whether it writes.

This is the first layer of "read-only unless told otherwise", not the guard: honest SQL that no
table here knows passes, and the engine's read-only session has the last word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.compile.sql.lexer import Lexeme, Token
from runner.compile.sql.never import tells
from runner.compile.sql.postgres_words import ACTING_ON_POSTGRES
from runner.compile.sql.words import (
    ACTING,
    CHANGES,
    DEFINITIONS,
    EXPLAINED,
    EXPLAINS,
    LOCKS,
    MAIN,
    NAMING,
    QUERIES,
    READING_PRAGMAS,
    SESSION,
    TRANSACTIONS,
)

_ACTING = ACTING | ACTING_ON_POSTGRES


@dataclass(frozen=True, slots=True)
class Kind:
    """What a statement is."""

    returns_rows: bool
    writes_at: Token | None = None
    """The word at which it writes; None for a query that only reads."""
    forbidden: str | None = None
    """Why no tool may run it, as the message of a diagnostic."""
    is_query: bool = False
    runs_at: Token | None = None
    """Where the statement begins that an explanation runs."""


_MYSQL = ("mysql", "mariadb")


def commits_by_itself(tokens: Sequence[Token], dialect: str) -> bool:
    """The engine ends the transaction when it runs this statement: MySQL's DDL."""
    start = skip_brackets(tokens)
    return dialect in _MYSQL and tokens[start].word in DEFINITIONS


def kind_of(tokens: Sequence[Token], dialect: str) -> Kind:
    """The kind of one statement, given its significant tokens (not empty)."""
    start = skip_brackets(tokens)
    inner = tokens[start:]
    if not inner:
        return Kind(returns_rows=False, writes_at=tokens[0])
    root = inner[0].word
    if (reason := _transaction(inner, dialect)) is not None:
        return Kind(returns_rows=False, writes_at=inner[0], forbidden=reason)
    if root == "PRAGMA" and dialect != "duckdb":  # which lets no pragma through
        return _pragma(inner, dialect)
    if is_explained(tokens, dialect):
        return _explained(inner, dialect)
    return _query_or_change(inner, dialect)


def _query_or_change(inner: Sequence[Token], dialect: str) -> Kind:
    main = _main(inner) if inner[0].word == "WITH" else inner[0]
    if main is None or main.word not in QUERIES:
        return _change(main or inner[0], inner)
    write = next(_effects(inner, dialect), None)
    return Kind(returns_rows=True, writes_at=write, is_query=True)


def is_explained(tokens: Sequence[Token], dialect: str) -> bool:
    """What comes back tells of a statement: its rows are not those of the query within."""
    inner = tokens[skip_brackets(tokens) :]
    return bool(inner) and (inner[0].word in EXPLAINS or _is_analyze(inner, dialect))


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
        or (root == "LOCK" and "TABLES" in following and dialect in _MYSQL)
        or (root in ("SET", "RESET", "PRAGMA") and bool(words & SESSION))
    )
    return (
        f"'{tokens[0].text}' controls the transaction, which is the server's"
        if is_control
        else None
    )


def _pragma(tokens: Sequence[Token], dialect: str) -> Kind:
    if dialect == "sqlite":
        reads = tells(tokens)
        return Kind(returns_rows=True, writes_at=None if reads else tokens[0], is_query=reads)
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
        and dialect in _MYSQL
        and second in MAIN - {"TABLE"} | {"FORMAT", "WITH"}
    )


def _explained(tokens: Sequence[Token], dialect: str) -> Kind:
    """EXPLAIN only reads, unless it runs (ANALYZE) a statement that writes.

    A function acts in any case: the planner evaluates what it takes for constant.
    """
    runs = False
    acts_at = next(_acting(tokens), None)
    for place, token in _outer(tokens, brackets=("ANALYZE", "ANALYSE")):
        if token.word in ("ANALYZE", "ANALYSE"):
            runs = True
        elif place and token.word in EXPLAINED:
            inner = kind_of(tokens[place:], dialect)
            writes_at = (inner.writes_at if runs else None) or acts_at
            return Kind(
                True,
                writes_at,
                inner.forbidden,
                is_query=writes_at is None,
                runs_at=token if runs else None,
            )
    is_known = not runs or len(tokens) <= 2
    writes_at = acts_at if is_known else tokens[0]
    return Kind(True, writes_at, is_query=writes_at is None)


def _outer(
    tokens: Sequence[Token], *, brackets: tuple[str, ...] = ()
) -> Iterator[tuple[int, Token]]:
    """The tokens outside brackets, and inside them those of the words `brackets`."""
    depth = 0
    for place, token in enumerate(tokens):
        if token.word in (")", "]", "}"):
            depth -= 1
        elif token.word in ("(", "[", "{"):
            depth += 1
        elif depth == 0 or token.word in brackets:
            yield place, token


def _main(tokens: Sequence[Token]) -> Token | None:
    """The word of the statement behind WITH and its subqueries."""
    body = _bracketed_body(tokens)
    for place, token in _outer(tokens):
        if body is not None and place > body:
            break
        if token.word in MAIN and tokens[place - 1].word not in NAMING:
            return token
    if body is None:
        return None
    inner = tokens[body + skip_brackets(tokens[body:]) :]
    return _main(inner) if inner and inner[0].word == "WITH" else next(iter(inner), None)


def _bracketed_body(tokens: Sequence[Token]) -> int | None:
    """Where a statement in brackets stands directly behind the last subquery of WITH."""
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and token.word == "(" and tokens[place - 1].word == ")":
            return place
        depth += {"(": 1, ")": -1}.get(token.word, 0)
    return None


def _change(main: Token, tokens: Sequence[Token]) -> Kind:
    can_return = main.word in CHANGES | {"REPLACE"}
    returning = any(token.word == "RETURNING" for _place, token in _outer(tokens))
    return Kind(returns_rows=can_return and returning, writes_at=main)


def _effects(tokens: Sequence[Token], dialect: str) -> Iterator[Token]:
    """The words of a query that change something: a writing WITH, INTO, a lock, a function."""
    for place, token in enumerate(tokens):
        before = [item.word for item in tokens[max(place - 2, 0) : place]]
        after = [item.word for item in tokens[place + 1 : place + 3]]
        if (
            _is_into(tokens, place, dialect)
            or _is_change(token, before, after)
            or _is_lock(token, after)
            or _acts(token, before, after)
        ):
            yield token


def _acting(tokens: Sequence[Token]) -> Iterator[Token]:
    """The functions that act."""
    for place, token in enumerate(tokens):
        before = [item.word for item in tokens[max(place - 2, 0) : place]]
        if _acts(token, before, [item.word for item in tokens[place + 1 : place + 2]]):
            yield token


def _is_into(tokens: Sequence[Token], place: int, dialect: str) -> bool:
    """The word INTO where it is neither a name nor a part of UNPIVOT."""
    if tokens[place].word != "INTO":
        return False
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if following == "NAME" and any(token.word == "UNPIVOT" for token in tokens[:place]):
        return False
    last = tokens[place - 1]
    if last.word == ".":
        return not _ends_qualifier(tokens[place - 2 : place + 1], dialect)
    return last.word != "AS" or dialect in _MYSQL


def _ends_qualifier(tokens: Sequence[Token], dialect: str) -> bool:
    """A name, its dot and what stands behind it: MySQL takes it for a name where it is joined."""
    name, dot, word = tokens
    is_joined = name.end == dot.offset and dot.end == word.offset
    is_name = name.kind in (Lexeme.WORD, Lexeme.NAME)
    return is_name and is_joined if dialect in _MYSQL else name.kind is not Lexeme.NUMBER


def _is_change(token: Token, before: Sequence[str], after: Sequence[str]) -> bool:
    last, following = (before or [""])[-1], (after or [""])[0]
    if token.word not in CHANGES or following in ("(", ")", ",", ".", ""):
        return False
    return last in ("(", ")") or (token.word == "DELETE" and following == "FROM")


def _is_lock(token: Token, after: Sequence[str]) -> bool:
    if token.word == "FOR":
        return after[:1] in (["UPDATE"], ["SHARE"]) or tuple(after) in LOCKS
    return token.word == "LOCK" and tuple(after) == ("IN", "SHARE")


def _acts(token: Token, before: Sequence[str], after: Sequence[str]) -> bool:
    # A name in Unicode escapes (U&"…") may spell any function.
    is_escaped = token.kind is Lexeme.NAME and before == ["U", "&"]
    return after[:1] == ["("] and (
        is_escaped or (before[-1:] != ["AS"] and _bare(token) in _ACTING)
    )


def _bare(token: Token) -> str:
    return token.text.strip('"`[]').lower() if token.kind in (Lexeme.WORD, Lexeme.NAME) else ""
