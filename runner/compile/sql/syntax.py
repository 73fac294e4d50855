"""Syntax faults by sqlglot, as warnings: where no engine can prove a statement."""

from collections.abc import Mapping

import sqlglot
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

from runner.catalog.sql import SqlPlan, Statement
from runner.compile.sql.lexer import significant, tokens
from runner.compile.sql.shapes import Laid, lay_out, shape_choices
from runner.compile.sql.source import Source

_DIALECTS: Mapping[str, str] = {
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "duckdb": "duckdb",
    "mysql": "mysql",
    "mariadb": "mysql",
    "trino": "trino",
    "clickhouse": "clickhouse",
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "mssql": "tsql",
    "oracle": "oracle",
}
# What sqlglot reads as a tree; of other statements it only keeps the text.
_READ = frozenset({"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES"})


def warn_of_syntax(plan: SqlPlan, sources: tuple[Source, ...]) -> None:
    """Warns where sqlglot cannot read a statement; `sources` has one for each."""
    for statement, source in zip(plan.statements, sources, strict=True):
        laid = _fullest(statement, plan)
        text = "_p".join(laid.texts)
        seen = significant(tokens(text, plan.dialect))
        if plan.dialect not in _DIALECTS or seen[0].word not in _READ:
            continue
        try:
            sqlglot.parse(text, dialect=_DIALECTS[plan.dialect], error_level=ErrorLevel.IMMEDIATE)
        except ParseError as error:
            _warn(error, text, laid, source)
        except SqlglotError:
            source.warning("sql-syntax", "the statement cannot be read as SQL", 0)


def _fullest(statement: Statement, plan: SqlPlan) -> Laid:
    choices = shape_choices(statement, plan.parameters)
    fullest = max(choices, key=lambda choice: len(choice.present))
    return lay_out(statement, fullest, plan.parameters)


def _warn(error: ParseError, text: str, laid: Laid, source: Source) -> None:
    fault = error.errors[0] if error.errors else {}
    line, column = fault.get("line"), fault.get("col")
    word = fault.get("highlight")
    if not isinstance(line, int) or not isinstance(column, int):
        source.warning("sql-syntax", "the statement cannot be read as SQL", 0)
        return
    lines = text.split("\n")
    # sqlglot counts to the last character of the token.
    end = sum(len(item) + 1 for item in lines[: line - 1]) + column
    start = max(end - len(word or " "), 0)
    near = f" near '{word}'" if word and word != "_p" else ""
    source.warning(
        "sql-syntax", f"the statement cannot be read as SQL{near}", laid.origin(_plain(start, laid))
    )


def _plain(offset: int, laid: Laid) -> int:
    """The offset in the joined texts, without the stand-ins for parameters."""
    length, stands = 0, 0
    for text in laid.texts:
        length += len(text)
        if length + stands >= offset:
            break
        stands += 2
    return max(min(offset - stands, sum(map(len, laid.texts))), 0)
