"""Rows as CSV and as Markdown; the cells are JSON values (see `runner.codec.values`).

What can be told apart in JSON can be told apart in CSV: null is an empty cell, the empty text is a
quoted one, lists and objects are their JSON text. Knows nothing of where rows come from.
Source: RFC 4180
"""

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from runner.codec.json import Json, encode

Row = Mapping[str, Json]
_QUOTED_IN_CSV = frozenset(',"\r\n')


def csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The table as RFC 4180 has it: a header, CRLF after every line, quotes where needed."""
    return csv_head(columns) + csv_lines(columns, rows)


def csv_head(columns: Sequence[str]) -> str:
    """The header of the table."""
    return ",".join(_csv_text(column) for column in columns) + "\r\n"


def csv_lines(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The rows of the table, without its header."""
    text = StringIO(newline="")  # grows in place: a large table is not held twice
    for row in rows:
        text.write(",".join([_csv_cell(row.get(column)) for column in columns]) + "\r\n")
    return text.getvalue()


def markdown(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The table in Markdown; bars and line breaks inside a cell never end it."""
    return markdown_head(columns) + markdown_lines(columns, rows)


def markdown_head(columns: Sequence[str]) -> str:
    """The header of the table, and the line under it."""
    head = _markdown_line([_markdown_text(column) for column in columns])
    return head + _markdown_line(["---"] * len(columns))


def markdown_lines(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The rows of the table, without its header."""
    return "".join(
        _markdown_line([_markdown_cell(row.get(column)) for column in columns]) for row in rows
    )


def _cell_text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _csv_cell(value: Json) -> str:
    if value is None:
        return ""
    if value.__class__ is int:
        return str(value)
    return _csv_text(_cell_text(value))


def _csv_text(text: str) -> str:
    if text and _QUOTED_IN_CSV.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def _markdown_cell(value: Json) -> str:
    return "" if value is None else _markdown_text(_cell_text(value))


def _markdown_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")
