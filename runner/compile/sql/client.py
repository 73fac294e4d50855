"""A statement that a client writes: one query, told before any database sees it."""

from collections.abc import Sequence

from runner.catalog.sql import Statement
from runner.compile.sql.batch import single_statement
from runner.compile.sql.kinds import kind_of
from runner.compile.sql.lexer import LexicalError, Token, significant, tokens
from runner.compile.sql.postgres_words import RUNNING_TEXT
from runner.errors import BindingError, Kind


def read_client(text: str, dialect: str) -> Statement:
    """The text as a statement of one part; nothing in it is a parameter, a choice or a mark.

    Raises:
        BindingError: `invalid` where it is no single statement, `read_only` where it is no query.
    """
    try:
        found = tokens(text.removeprefix("\ufeff"), dialect, has_marks=False)
    except LexicalError as error:
        raise BindingError(Kind.INVALID, f"The statement: {error.message}.") from error
    unusual = next((token for token in found if token.is_unusual), None)
    if unusual is not None:
        raise BindingError(Kind.INVALID, _unusual(unusual.text))
    kept, extra = single_statement(found)
    if extra is not None:
        raise BindingError(Kind.INVALID, "Expected one statement, found a second.")
    seen = significant(kept)
    if not seen:
        raise BindingError(Kind.INVALID, "Expected a SQL statement, found none.")
    kind = kind_of(seen, dialect)
    if not kind.is_query or kind.writes_at is not None or _runs_text(seen):
        raise BindingError(Kind.READ_ONLY, "Only a statement that reads is allowed here.")
    text = "".join(token.text for token in kept)
    runs_at = kind.runs_at.offset - kept[0].offset if kind.runs_at is not None else None
    return Statement((text,), returns_rows=True, writes=False, runs_at=runs_at)


def _unusual(text: str) -> str:
    codes = [f"U+{ord(char):04X}" for char in text if not (char.isascii() or char.isalnum())]
    return f"Expected plain spaces between words, found {codes[0]}."


def _runs_text(seen: Sequence[Token]) -> bool:
    return any(token.text.strip('"').lower() in RUNNING_TEXT for token in seen)
