"""What a statement of DuckDB may be, by its own parser; it stands beside the read-only transaction.

DuckDB's read-only transaction lets pass what is no change of the database: ATTACH of a memory,
temporary tables, settings of a session, CHECKPOINT. None of these is a query, so that the kind of
the statement decides; the few functions that do more than read are known by name.
"""

import re
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
_QUERY_WORDS: Final = frozenset({"select", "from", "with", "pivot", "unpivot", "values", "table"})
_BEFORE_KIND: Final = frozenset(
    {"create", "alter", "drop", "or", "replace", "temp", "temporary", "persistent"}
)
_TELLING: Final = frozenset(
    {
        *("duckdb_databases", "pragma_database_list", "duckdb_settings", "pg_settings"),
        *("duckdb_profiling_settings", "current_setting", "duckdb_temporary_files"),
        *("duckdb_external_file_cache", "duckdb_extensions", "duckdb_secrets", "which_secret"),
        *("duckdb_logs", "duckdb_logs_parsed", "query_table", "histogram_values"),
    }
)
_MAY_ACT: Final = re.compile("|".join(sorted(DUCKDB_FUNCTIONS)), re.IGNORECASE)
_NAMES: Final = frozenset({duckdb.token_type.identifier, duckdb.token_type.keyword})
_SPACES: Final = (
    " \t\n\v\f\r\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f"
    "\u205f\u2060\u3000\ufeff"
)
"""DuckDB's own: they separate words, and its tokenizer leaves those beyond ASCII in a word."""
_ODD_SPACES: Final = re.compile(f"[{_SPACES[6:]}]")


class Token(NamedTuple):
    """A token as the engine cuts a text, without the spaces around it."""

    text: str
    start: int
    """In the UTF-8 of the whole."""
    kind: duckdb.token_type


def tokens(text: str) -> list[Token]:
    """The tokens of a text, by the engine; comments are none."""
    data = text.encode()
    found = duckdb.tokenize(text)
    ends = [start for start, _ in found[1:]] + [len(data)]
    return [
        Token(data[start:end].decode(errors="replace").strip(_SPACES), start, kind)
        for (start, kind), end in zip(found, ends, strict=True)
        if kind != duckdb.token_type.comment
    ]


def body_of(text: str) -> str:
    """The statement without spaces around it and without its semicolon."""
    return text.strip(_SPACES).removesuffix(";")


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
    """The statement behind EXPLAIN; empty where its head is written in no usual way."""
    found = tokens(text)
    words = [token.text.lower() for token in found]
    at = 1 if words[:1] == ["explain"] else len(words)
    at += words[at : at + 1] == ["analyze"]
    if words[at : at + 1] == ["("] and words[at + 1 : at + 2] != ["("]:
        inner = words[at + 1 : at + 2]
        if not inner or inner[0] not in _QUERY_WORDS:
            at = words.index(")", at) + 1 if ")" in words[at:] else len(words)
    return text.encode()[found[at].start :].decode() if at < len(found) else ""


def _is_query(text: str) -> bool:
    words = (token.text.lower() for token in tokens(text))
    return next((word for word in words if word != "("), "") in _QUERY_WORDS


def _kind(connection: duckdb.DuckDBPyConnection, text: str, name: str) -> StatementKind | None:
    if name == "SELECT" or (name in _QUERIES and _is_query(text)):
        return "query"
    if name == "EXPLAIN":
        inner, _ = _parsed(connection, explained(text))
        return "explain" if inner in _QUERIES else None
    if name in _CHANGES:
        return "change"
    return "definition" if name in _DEFINITIONS and not _is_of_secret(text) else None


def _is_of_secret(text: str) -> bool:
    """A secret is the whole process's, and a persistent one is a file of its user's."""
    words = (token.text.lower() for token in tokens(text))
    return next((word for word in words if word not in _BEFORE_KIND), "") == "secret"


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
    found = tokens(text)
    return any(_hides(token) for token in found) or any(
        token.kind in _NAMES
        and token.text.strip('"`').lower() in DUCKDB_FUNCTIONS
        and following.text.startswith("(")
        for token, following in pairwise(found)
    )


def tells(text: str) -> bool:
    """A name in the statement stands for what tells where files of the server lie, or for any
    table, whose name is a text."""
    return any(
        _hides(token) or (token.kind in _NAMES and token.text.strip('"`').lower() in _TELLING)
        for token in tokens(text)
    )


def _hides(token: Token) -> bool:
    """A space of DuckDB's is in what its tokenizer takes for one word."""
    is_quoted = token.kind == duckdb.token_type.string_const or token.text[:1] in ('"', "`")
    return not is_quoted and _ODD_SPACES.search(token.text) is not None
