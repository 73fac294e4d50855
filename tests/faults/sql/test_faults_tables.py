"""Rows as an object and as tables: nothing lost, nothing that can be read in two ways.

Elsewhere the second column of a name overwrote the first, results were bare lists that clients
refuse, cells with commas or line breaks ran into each other, a cut was told nowhere.
"""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Server, Source, checked, codes, tool

NASTY = (
    "=1+1",
    "+1",
    "-1",
    "@x",
    "a,b",
    'say "x"',
    "two\nlines",
    "cr\r\nlf",
    " padded ",
    "",
    "é😀",
    "|",
)


@pytest.fixture
def cells(source: Source) -> Source:
    """A table with a nasty text in each row."""
    rows = ", ".join(f"({n}, '{text}')" for n, text in enumerate(NASTY))
    source.execute("CREATE TABLE t (n integer, x text)", f"INSERT INTO t VALUES {rows}")
    return source


def test_csv_gives_back_every_cell(cells: Source, served: Serve) -> None:
    server = served(tool("all", "SELECT n, x FROM t ORDER BY n", result={"text": "csv"}))

    answer = server.call("all")

    rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert rows == [["n", "x"], *([str(n), text] for n, text in enumerate(NASTY))]
    assert answer.rows == [{"n": n, "x": text} for n, text in enumerate(NASTY)]


def test_csv_tells_null_from_empty_text(served: Serve) -> None:
    server = served(tool("all", "SELECT NULL AS a, '' AS b, 1 AS c", result={"text": "csv"}))

    assert server.call("all").text == 'a,b,c\r\n,"",1\r\n'


def test_markdown_keeps_a_row_on_its_line(cells: Source, served: Serve) -> None:
    server = served(tool("all", "SELECT n, x FROM t ORDER BY n", result={"text": "markdown"}))

    lines = server.call("all").text.splitlines()

    assert len(lines) == len(NASTY) + 2
    assert lines[2] == "| 0 | =1+1 |"
    assert lines[-1] == f"| {len(NASTY) - 1} | \\| |"


@pytest.fixture
def echo(served: Serve) -> Server:
    """A tool that gives each text of a list back as a row of CSV."""
    return served(
        tool(
            "echo",
            "SELECT :text AS x",
            input={"text": "string"},
            result={"text": "csv"},
        )
    )


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_comes_back_through_csv(echo: Server, text: str) -> None:
    answer = echo.call("echo", text=text)

    assert list(csv.reader(io.StringIO(answer.text, newline=""))) == [["x"], [text]]
    assert answer.rows == [{"x": text}]


@pytest.mark.parametrize("shape", ["rows", "row"])
def test_two_columns_of_a_name_are_refused_before_serving(source: Source, shape: str) -> None:
    text = "SELECT 1 AS id, 2 AS name, 3 AS id"

    found = checked(source.folder, source.file(tool("twice", text, result={"shape": shape})), {})

    assert codes(found) == ["duplicate-column"]
    assert found.diagnostics[0].message == "2 columns are named 'id'"
    assert found.diagnostics[0].hint == "give each a name of its own: … AS other_name"


def test_two_columns_of_a_name_are_an_error_of_the_call(source: Source, served: Serve) -> None:
    """Where nothing was proven: a lazy database, and what a client writes."""
    lazy = {"main": {"url": source.url, "startup": "lazy"}}
    server = served(
        tool("twice", "SELECT 1 AS id, 2 AS id")
        + tool("query", {"parameter": "text"}, input={"text": "string"})
        + tool("once", "SELECT 1 AS id"),
        databases=lazy,
    )

    expected = "two columns of the result are named 'id'"
    assert server.refusal("twice") == expected
    assert server.refusal("query", text="SELECT 1 AS id, 2 AS id") == expected
    assert server.call("once").rows == [{"id": 1}]


@pytest.mark.parametrize("text", ["json", "csv", "markdown"])
def test_rows_are_always_an_object(served: Serve, text: str) -> None:
    server = served(
        tool("none", "SELECT 1 AS a WHERE 1 = 0", result={"text": text})
        + tool("one", "SELECT 1 AS a", result={"text": text})
    )

    assert server.value("none") == {"rows": [], "truncated": False}
    assert server.value("one") == {"rows": [{"a": 1}], "truncated": False}


def test_columns_are_named_even_without_rows(served: Serve) -> None:
    server = served(
        tool("comma", "SELECT 1 AS a, 2 AS b WHERE 1 = 0", result={"text": "csv"})
        + tool("bars", "SELECT 1 AS a, 2 AS b WHERE 1 = 0", result={"text": "markdown"})
    )

    assert server.call("comma").text == "a,b\r\n"
    assert server.call("bars").text == "| a | b |\n| --- | --- |\n"


def test_next_page_goes_on_where_the_last_one_ended(cells: Source, served: Serve) -> None:
    text = "SELECT n, x FROM t WHERE 1 = 1 [[ AND n > :cursor.n ]] ORDER BY n LIMIT :limit"
    page = tool(
        "page",
        text,
        input={"limit": {"type": "integer", "default": 5}},
        result={"page": {"size": "limit", "key": ["n"]}, "text": "csv"},
    )
    server = served(page)
    found: list[object] = []
    arguments: dict[str, object] = {}

    while True:
        answer = server.call("page", **arguments)
        found += [row["n"] for row in answer.rows]
        assert isinstance(answer.structured, dict)
        if not answer.structured["truncated"]:
            break
        note, _, cursor = answer.texts[1].rpartition(": ")
        assert note == "There are more rows; to go on, call again with this `cursor`"
        assert cursor == answer.structured["next"]
        arguments = {"cursor": cursor}

    assert found == list(range(len(NASTY)))
    assert "next" not in answer.structured


@pytest.mark.parametrize("text", ["csv", "markdown"])
def test_text_says_each_column_once(cells: Source, served: Serve, text: str) -> None:
    """The compact texts are smaller than JSON; the structured result is the same."""
    many = "SELECT n AS a_rather_long_name, x AS another_long_name FROM t ORDER BY n"
    server = served(tool("short", many, result={"text": text}) + tool("long", many))

    short, long = server.call("short"), server.call("long")

    assert short.text.count("a_rather_long_name") == 1
    assert len(short.text) < len(long.text)
    assert short.structured == long.structured
