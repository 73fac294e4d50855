"""`runner.config.marks`: the place of every character of a text, in every style."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config.nodes import Scalar
from runner.config.source import parse

TEXTS = {
    "plain": "key: alpha beta\n",
    "plain over lines": "key: alpha\n  beta\n\n  gamma\n",
    "single": "key: 'it''s alpha'\n",
    "single over lines": "key: 'alpha\n   be''ta\n\n  gamma'\n",
    "double": 'key: "al\\tpha \\u00e9 \\x41b"\n',
    "double over lines": 'key: "alpha  \n   beta\\\n    gamma\n\n  delta"\n',
    "literal": "key: |\n  alpha\n    beta\n\n  gamma\n",
    "literal, indented": "key: |2\n    alpha\n  beta\n",
    "literal, blank first": "key: |-\n\n   alpha\n   beta\n",
    "folded": "key: >\n  alpha\n  beta\n\n  gamma\n    delta\n  epsilon\n",
    "folded, stripped": "key: >-\n  alpha\n  alpha\n",
    "anchored": "key: &anchor 'alpha'\n",
    "in a list": "key: [x, 'alpha', y]\n",
}


def scalar_of(source: str) -> Scalar:
    """The only text of the document."""
    document, faults = parse(source.encode(), "f")
    assert faults == ()
    assert document is not None
    node = document.find(("key",)) if "[" not in source else document.find(("key", 1))
    assert isinstance(node, Scalar)
    return node


def characters(source: str, scalar: Scalar) -> list[str]:
    """What stands in the source where each letter of the text is said to be."""
    lines = source.split("\n")
    places = [scalar.at(offset) for offset, letter in enumerate(scalar.text) if letter.isalpha()]
    return [lines[place.line - 1][place.column - 1] for place in places]


@pytest.mark.parametrize("source", TEXTS.values(), ids=TEXTS.keys())
def test_every_letter_is_found_where_it_stands(source: str) -> None:
    scalar = scalar_of(source)
    letters = [letter if letter not in "éA" else "\\" for letter in scalar.text if letter.isalpha()]
    assert characters(source, scalar) == letters


@given(st.lists(st.text("ab é'\"\\\t", min_size=1), min_size=1, max_size=5))
def test_every_letter_of_a_literal_block_is_found(lines: list[str]) -> None:
    source = "key: |\n  first\n" + "".join(f"  {line}\n" for line in lines)
    scalar = scalar_of(source)
    assert characters(source, scalar) == [letter for letter in scalar.text if letter.isalpha()]


@given(st.text("ab \\\"/\n\t'é", max_size=30))
def test_every_letter_of_an_escaped_text_is_found(text: str) -> None:
    source = f"key: {json.dumps(text, ensure_ascii=False)}\n"
    scalar = scalar_of(source)
    assert scalar.text == text
    assert characters(source, scalar) == [letter for letter in text if letter.isalpha()]
