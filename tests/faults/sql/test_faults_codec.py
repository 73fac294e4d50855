"""Whatever an engine's types hold comes as strict JSON that fits the schema, and as tables.

The matrix of values (`test_faults_values`) says what each becomes; here values are drawn from all
that the types can hold, at their edges first.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.faults.sql.conftest import Serve
from tests.faults.sql.drawn import COLUMNS, ROWS, Column, rows_of
from tests.faults.sql.served import Server, Source, tool

TEXTS = ("json", "csv", "markdown")
_CELL = re.compile(r" ((?:[^\\|]|\\.)*) \|")
"""In a line of Markdown: to the next bar that nothing escapes."""
_FILL = """\
from runner import Database
async def fill(texts: list[str], db: Database) -> None:
    for text in texts:
        await db.execute(text)
"""


@pytest.fixture
def filled(source: Source, served: Serve) -> Server:
    """A table with a column of each type, a tool that fills it, one a text that reads it."""
    columns = COLUMNS[source.engine]
    listed = ", ".join(f"{column.name} {column.type}" for column in columns)
    source.execute(f"CREATE TABLE t (place integer, {listed})")
    (source.folder / "code.py").write_text(_FILL)
    result: dict[str, object] = {}
    if source.is_sqlite:
        result["columns"] = {column.name: f"{column.declared}|null" for column in columns}
    names = ", ".join(column.name for column in columns)
    read = f"SELECT {names} FROM t ORDER BY place"
    return served(
        '  fill: {description: Fills., python: "code:fill", writes: true}\n'
        + "".join(tool(text, read, result={**result, "text": text}) for text in TEXTS)
    )


def insertion(engine: str, columns: Sequence[Column], rows: Sequence[Sequence[str | None]]) -> str:
    """The statement that puts the rows into the table."""
    written = (
        ", ".join(column.written(engine, text) for column, text in zip(columns, row, strict=True))
        for row in rows
    )
    values = ", ".join(f"({number}, {row})" for number, row in enumerate(written))
    return f"INSERT INTO t VALUES {values}"


def strict(text: str) -> object:
    """The value of a text that is JSON and nothing more: no NaN, no key twice."""

    def refuse(word: str) -> object:
        raise AssertionError(f"'{word}' is no JSON")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        assert len(made) == len(pairs), pairs
        return made

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def integers(value: object) -> Iterator[int]:
    """Every integer in it."""
    match value:
        case dict():
            for inner in value.values():
                yield from integers(inner)
        case list():
            for inner in value:
                yield from integers(inner)
        case int() if not isinstance(value, bool):
            yield value


def csv_rows(text: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]


def markdown_rows(text: str) -> list[list[str]]:
    """The rows of a table, without its head; line breaks stay `<br>`."""
    lines = text.removesuffix("\n").split("\n")[2:]
    return [
        [re.sub(r"\\([\\|])", r"\1", cell) for cell in _CELL.findall(line[1:])] for line in lines
    ]


def assert_cells(
    found: Sequence[Sequence[str]], rows: Sequence[Sequence[object]], *, lines: str | None = None
) -> None:
    """Each cell says its value: a text itself, null nothing, all else its JSON; `lines` stands for
    what ends a line in a text."""
    assert [len(row) for row in found] == [len(row) for row in rows]
    for cell, value in zip(chain(*found), chain(*rows), strict=True):
        if value is None or isinstance(value, str):
            text = value or ""
            assert cell == (text if lines is None else re.sub(r"\r\n|\n|\r", lines, text))
        else:
            assert strict(cell) == value


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a batch shrinks for minutes
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(data=st.data())
def test_every_value_of_every_type_fits_the_schema(
    source: Source, filled: Server, data: st.DataObject
) -> None:
    columns = COLUMNS[source.engine]
    drawn = data.draw(rows_of(columns))
    filled.value("fill", texts=["DELETE FROM t", insertion(source.engine, columns, drawn)])

    answers = {text: filled.call(text) for text in TEXTS}

    rows = answers["json"].rows
    assert len(rows) == ROWS
    assert [answer.structured for answer in answers.values()] == [
        {"rows": rows, "truncated": False}
    ] * len(TEXTS)
    for text, answer in answers.items():
        schema = filled.listed[text]["outputSchema"]
        assert isinstance(schema, dict)
        jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(
            answer.structured
        )
    assert strict(answers["json"].text) == answers["json"].structured
    assert all(abs(number) < 2**53 for number in integers(rows))
    values = [list(row.values()) for row in rows]
    assert_cells(csv_rows(answers["csv"].text), values)
    assert_cells(markdown_rows(answers["markdown"].text), values, lines="<br>")
