"""Small tables of the reference, read off the tables that the program itself uses."""

from collections.abc import Iterable, Mapping, Sequence

from docs.generate.phrases import KINDS, NOT_FROM_WORDS
from runner.arguments.formats import FORMATS
from runner.bindings.sql import duckdb_types, mysql_types
from runner.bindings.sql.postgres_types import CAST_BY_TYPE, WORD_BY_TYPE
from runner.codec.json import encode
from runner.compile.schemas.type_words import OUTPUT_WORDS, TYPE_WORDS
from runner.compile.words import HTTP_KINDS, SQL_KINDS
from runner.errors import Kind
from runner.protocol.errors import MODERN_STATUS, Code


def type_words_as_markdown() -> str:
    """Each type word: what clients are told of an input, and of a result."""
    rows = []
    for word in dict.fromkeys((*TYPE_WORDS, *OUTPUT_WORDS)):
        taken = _schema(TYPE_WORDS[word].listed) if word in TYPE_WORDS else "only in results"
        rows.append((f"`{word}`", taken, _schema(OUTPUT_WORDS[word])))
    return table(("word", "what may be sent", "what a result holds"), rows)


def formats_as_markdown() -> str:
    """The names of the formats that are checked."""
    return ", ".join(f"`{name}`" for name in sorted(FORMATS))


def kinds_as_markdown() -> str:
    """Each kind of failure: what it means, and which tools can give words for it."""
    rows = [(f"`{kind}`", KINDS[kind], _worded_by(kind)) for kind in Kind]
    return table(("kind", "the call failed because", "words under `errors:`"), rows)


def wire_codes_as_markdown() -> str:
    """Each JSON-RPC code that the server sends, with its HTTP status."""
    rows = [
        (
            f"{code.value}",
            code.name.replace("_", " ").lower(),
            f"{MODERN_STATUS.get(code, '200, legacy clients')}",
        )
        for code in Code
    ]
    return table(("code", "name", "HTTP status"), rows)


def _worded_by(kind: Kind) -> str:
    if kind is Kind.STATUS:
        return "HTTP tools, by the number: `404`"
    if kind in HTTP_KINDS:
        return "every tool"
    return "SQL tools" if kind in SQL_KINDS else NOT_FROM_WORDS


def _schema(fragment: object) -> str:
    text = encode(fragment).decode().replace("|", "\\|")
    return "any JSON value" if text == "{}" else f"`{text}`"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; the cells are Markdown already."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def postgres_parameters_as_markdown() -> str:
    """Type word → what a parameter is cast to where PostgreSQL cannot infer its type."""
    rows = [(f"`{word or 'none'}`", f"`{cast}`") for word, cast in CAST_BY_TYPE.items()]
    return table(("declared type", "cast to"), rows)


def postgres_columns_as_markdown() -> str:
    """PostgreSQL's types → the type word of what a result holds."""
    return _columns(WORD_BY_TYPE)


def mysql_columns_as_markdown() -> str:
    """The types of MySQL and MariaDB → the type word of what a result holds."""
    known = {name: word for name, word in mysql_types.WORD_BY_TYPE.items() if word}
    return _columns(known)


def _columns(words: Mapping[str, str]) -> str:
    by_word: dict[str, list[str]] = {}
    for name, word in words.items():
        by_word.setdefault(word, []).append(f"`{name}`")
    rows = [(", ".join(names), f"`{word}`") for word, names in by_word.items()]
    return table(("column", "result"), rows)


def duckdb_parameters_as_markdown() -> str:
    """Type word → what a parameter is cast to where DuckDB leaves a choice."""
    casts = duckdb_types.CAST_BY_TYPE
    return table(
        ("declared type", "cast to"),
        [(f"`{word or 'none'}`", f"`{cast}`") for word, cast in casts.items()],
    )


def duckdb_columns_as_markdown() -> str:
    """DuckDB's types → the type word of what a result holds."""
    by_word: dict[str, list[str]] = {}
    for name, word in duckdb_types.WORD_BY_TYPE.items():
        by_word.setdefault(word, []).append(f"`{name.upper()}`")
    rows = [(", ".join(names), f"`{word}`") for word, names in by_word.items() if word]
    return table(("column", "result"), rows)
