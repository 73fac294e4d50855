"""One statement: from its text to parts, kind and limit, with every fault reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.catalog.sql import Bound, Statement
from runner.compile.sql.batch import single_statement
from runner.compile.sql.kinds import Kind, commits_by_itself, is_explained, kind_of
from runner.compile.sql.lexer import (
    Lexeme,
    LexicalError,
    Token,
    significant,
    tokens,
)
from runner.compile.sql.marks import check_brackets, check_marks
from runner.compile.sql.names import Names
from runner.compile.sql.never import hint_of, never_allowed
from runner.compile.sql.parts import flat, statement_parts, with_bounds
from runner.compile.sql.source import Source
from runner.compile.sql.tail import limit_token
from runner.compile.sql.words import DEFINITIONS, MAIN, QUERIES
from runner.diagnostics import did_you_mean


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement with what later checks read."""

    statement: Statement
    kind: Kind
    tokens: Sequence[Token]
    """The significant ones."""


def compile_statement(
    source: Source, names: Names, *, dialect: str, may_write: bool
) -> Compiled | None:
    """The statement of `source`; None after a report."""
    found = _tokens(source, dialect)
    if found is None:
        return None
    seen = significant(found)
    if not seen:
        source.error("empty-statement", "expected a SQL statement, found none", 0)
        return None
    if not check_marks(found, source) or not check_brackets(found, source):
        return None
    parts = statement_parts(found, names, source)
    kind = kind_of(seen, dialect)
    allowed = _check_allowed(seen, kind, source, dialect=dialect, may_write=may_write)
    if allowed and commits_by_itself(seen, dialect):
        source.warning(
            "implicit-commit",
            f"'{seen[0].text}' commits by itself on this engine; nothing before it rolls back",
            seen[0].offset,
        )
    if parts is None or not allowed:
        return None
    statement = Statement(parts, kind.returns_rows, writes=kind.writes_at is not None)
    statement = replace(statement, runs_at=_runs_at(kind, found[0], statement))
    if not is_explained(seen, dialect):
        statement = _with_limit(statement, seen, source)
    return Compiled(statement, kind, seen)


def _runs_at(kind: Kind, first: Token, statement: Statement) -> int | None:
    """Where in its first part the statement begins that an explanation runs."""
    text = statement.parts[0] if statement.parts else None
    if kind.runs_at is None or not isinstance(text, str):
        return None
    at = kind.runs_at.offset - first.offset
    return at if at < len(text) else None


def _tokens(source: Source, dialect: str) -> tuple[Token, ...] | None:
    try:
        found = tokens(source.text, dialect)
    except LexicalError as error:
        source.error(error.code, error.message, error.offset, hint=error.hint)
        return None
    kept, extra = single_statement(found)
    if extra is not None:
        source.error(
            "several-statements",
            f"expected one statement, found a second at '{extra.text}'",
            extra.offset,
            hint="write a list: one statement an item, all in one transaction",
        )
        return None
    return kept


def _check_allowed(
    seen: Sequence[Token], kind: Kind, source: Source, *, dialect: str, may_write: bool
) -> bool:
    """Whether the tool may have it; first of all, what no tool may have is reported."""
    word = never_allowed(seen, dialect)
    if word is None or kind.forbidden is not None:
        return _check_kind(kind, source, may_write=may_write)
    message = f"no tool may have '{word.text}' on {dialect}, whatever 'writes' says"
    source.error("never-allowed", message, word.offset, hint=hint_of(word))
    return False


def _check_kind(kind: Kind, source: Source, *, may_write: bool) -> bool:
    word = kind.writes_at
    if word is None:
        return True
    if kind.forbidden is not None:
        source.error(
            "transaction-control",
            kind.forbidden,
            word.offset,
            hint="a list of statements is one transaction; a false check rolls back",
        )
        return False
    if not may_write:
        source.error(
            "writes-in-read-tool",
            f"expected a query in a tool that does not write, found '{word.text}'",
            word.offset,
            hint=_misspelt(word) or "say 'writes: true' or 'writes: destructive' if it is meant",
        )
    return may_write


def _misspelt(word: Token) -> str | None:
    """A hint for a first word that no statement begins with, such as SELEC."""
    known = word.word in MAIN | DEFINITIONS | QUERIES
    return None if known else did_you_mean(word.word, sorted(MAIN | QUERIES))


def _with_limit(statement: Statement, seen: Sequence[Token], source: Source) -> Statement:
    token = limit_token(seen) if statement.returns_rows and not statement.writes else None
    if token is None:
        return statement
    if token.kind is Lexeme.NUMBER:
        limit = int(token.text) if token.text.isdecimal() else None
        return replace(statement, limit=limit)
    offset = token.offset + source.base
    parts = with_bounds(
        statement.parts,
        lambda bound: replace(bound, is_limit=bound.is_limit or bound.offset == offset),
    )
    bound = next(part for part in flat(parts) if isinstance(part, Bound) and part.offset == offset)
    if bound.type not in ("", "integer", "int64"):
        source.error(
            "limit-type",
            f"expected an integer for LIMIT, found '{token.text}' of type {bound.type}",
            token.offset,
        )
    return replace(statement, parts=parts, limit=bound)
