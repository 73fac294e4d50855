"""Where a fault stands in the author's text, whatever the engine was given."""

import pytest

from runner.bindings.sql.offsets import author_offset, word_offset

TEXTS = ("a = ", " AND b = ", "")


@pytest.mark.parametrize("mark", ["?", "$1", "CAST($1 AS BIGINT)"])
def test_offset_counts_no_placeholder(mark: str) -> None:
    text = mark.join(TEXTS)
    second = text.index(" AND")
    places = [0, 3, 4, second, second + 5, len(text) - len(mark), len(text)]
    assert [author_offset(place, TEXTS, text) for place in places] == [0, 3, 4, 4, 9, 13, 13]


def test_word_has_an_offset_where_it_stands_once() -> None:
    texts = ("SELECT id, Name, id2 FROM t WHERE id = ", " AND name = 1")
    found = {word: word_offset(word, texts) for word in ("id", "id2", "Name", "x")}
    assert found == {"id": None, "id2": 17, "Name": 11, "x": None}


def test_word_may_be_told_in_another_case() -> None:
    texts = ("SELECT Nope(", ")")
    assert word_offset("nope", texts) is None
    assert word_offset("nope", texts, any_case=True) == 7
