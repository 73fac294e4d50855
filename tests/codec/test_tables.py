"""CSV and Markdown: every cell can be told apart from every other."""

import csv as standard
import io

from hypothesis import given
from hypothesis import strategies as st

from runner.codec.tables import csv, markdown

AWKWARD = {"a": 'x"y', "b": "1,2", "c": "one\r\ntwo", "d": "=1+1", "e": " pad ", "f": ""}


def test_csv_follows_rfc_4180() -> None:
    text = csv(
        ["a", "b", "n"], [{"a": 'x"y', "b": "1,2\n", "n": None}, {"a": "", "b": 1.5, "n": [1]}]
    )
    assert text == 'a,b,n\r\n"x""y","1,2\n",\r\n"",1.5,[1]\r\n'


def test_csv_quotes_what_would_be_read_otherwise() -> None:
    rows = list(standard.reader(io.StringIO(csv(list(AWKWARD), [AWKWARD]), newline="")))
    assert rows == [list(AWKWARD), list(AWKWARD.values())]


def test_csv_without_rows_is_its_header() -> None:
    assert csv(["a", "b"], []) == "a,b\r\n"


def test_markdown_cells_never_end_early() -> None:
    text = markdown(["a|b", "c"], [{"a|b": "x|y\\", "c": "one\r\ntwo"}, {"a|b": None, "c": True}])
    assert text == "| a\\|b | c |\n| --- | --- |\n| x\\|y\\\\ | one<br>two |\n|  | true |\n"


@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2
        )
    )
)
def test_csv_gives_back_every_text(cells: list[list[str]]) -> None:
    rows = [dict(zip("ab", pair, strict=True)) for pair in cells]
    text = csv(["a", "b"], rows)
    assert list(standard.reader(io.StringIO(text, newline=""))) == [["a", "b"], *cells]


@given(st.lists(st.text(), min_size=1))
def test_markdown_has_one_line_a_row(cells: list[str]) -> None:
    plain_cells = [cell.encode(errors="replace").decode() for cell in cells]
    text = markdown(["a"], [{"a": cell} for cell in plain_cells])
    assert text.count("\n") == len(cells) + 2
