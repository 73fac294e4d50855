"""What a statement of DuckDB may be, by its own parser; it stands beside the read-only transaction.

DuckDB's read-only transaction lets pass what is no change of the database: ATTACH of a memory,
temporary tables, settings of a session, CHECKPOINT. None of these is a query, so that the kind of
the statement decides; the few functions that do more than read are known by name.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import duckdb

from runner.bindings.sql.wording import refused
from runner.catalog.guarded import DUCKDB_FUNCTIONS
from runner.errors import Kind

StatementKind = Literal["query", "explain", "change", "definition"]
_QUERIES: Final = frozenset({"SELECT", "MULTI"})
"""PIVOT without the list of its values is several statements to DuckDB."""
_CHANGES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO"})
_DEFINITIONS: Final = frozenset({"CREATE", "ALTER", "DROP"})
_TRIVIA: Final = r"(?:\s|\ufeff|--[^\r\n]*(?:[\r\n]|\Z)|/\*.*?\*/)*"
_QUERY_WORDS: Final = re.compile(
    rf"{_TRIVIA}(?:\({_TRIVIA})*(?:select|from|with|pivot|unpivot|values|table)\b",
    re.IGNORECASE | re.DOTALL,
)
_EXPLAIN_WORDS: Final = re.compile(
    rf"{_TRIVIA}explain\b{_TRIVIA}(?:analyze\b{_TRIVIA})?(?:\([^()]*\){_TRIVIA})?",
    re.IGNORECASE | re.DOTALL,
)
_MAY_ACT: Final = re.compile("|".join(sorted(DUCKDB_FUNCTIONS)), re.IGNORECASE)
_NAMES: Final = frozenset({duckdb.token_type.identifier, duckdb.token_type.keyword})


class Token(NamedTuple):
    """A token as the engine cuts a text."""

    text: str
    start: int
    """In the UTF-8 of the whole."""
    kind: duckdb.token_type


def kind_of(
    connection: duckdb.DuckDBPyConnection, text: str, *, writes: bool, values: int
) -> StatementKind:
    """What the statement is, where it may run; it binds `values` values.

    Raises:
        BindingError: `read_only` or `invalid`: it may not.
        duckdb.Error: it is no SQL.
    """
    name, parameters = _parsed(connection, text)
    if parameters > values:
        raise refused(Kind.INVALID, reason="the text has placeholders of its own")
    kind = _kind(connection, text, name)
    if kind is None or acts(text) or not (writes or kind in ("query", "explain")):
        raise refused(Kind.INVALID if writes else Kind.READ_ONLY, reason=name)
    return kind


def explained(text: str) -> str:
    """The statement behind EXPLAIN."""
    head = _EXPLAIN_WORDS.match(text)
    return text[head.end() :] if head else ""


def _kind(connection: duckdb.DuckDBPyConnection, text: str, name: str) -> StatementKind | None:
    if name == "SELECT" or (name in _QUERIES and _QUERY_WORDS.match(text)):
        return "query"
    if name == "EXPLAIN":
        inner, _ = _parsed(connection, explained(text))
        return "explain" if inner in _QUERIES else None
    if name in _CHANGES:
        return "change"
    return "definition" if name in _DEFINITIONS else None


def _parsed(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, int]:
    """The engine's name of the one statement, and how many parameters it has."""
    try:
        found = connection.extract_statements(text)
        names = [statement.type.name for statement in found]
    except ValueError as error:  # a kind that the driver has no name for
        raise refused(Kind.INVALID, reason=str(error)) from error
    if len(found) != 1:
        raise refused(Kind.INVALID, reason=f"{len(found)} statements")
    return names[0], len(found[0].named_parameters)


def acts(text: str) -> bool:
    """A function of the statement does more than read."""
    if not _MAY_ACT.search(text):
        return False
    found = [token for token in tokens(text) if token.kind != duckdb.token_type.comment]
    return any(
        token.kind in _NAMES
        and token.text.strip('"`').lower() in DUCKDB_FUNCTIONS
        and following.text.startswith("(")
        for token, following in pairwise(found)
    )


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, by the engine."""
    data = text.encode()
    found = duckdb.tokenize(text)
    ends = [start for start, _ in found[1:]] + [len(data)]
    for (start, kind), end in zip(found, ends, strict=True):
        yield Token(data[start:end].decode(errors="replace").strip(), start, kind)
