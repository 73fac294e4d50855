"""What separates words for the lexer separates them for the engine, whichever character it is."""

import unicodedata
from typing import Final

import pytest

from runner.compile.sql.client import read_client
from runner.compile.sql.lexer import Lexeme, tokens
from runner.errors import BindingError, Kind
from tests.bindings.sql.lab import Lab

INVISIBLE: Final = [
    char
    for char in map(chr, (*range(1, 0xD800), *range(0xE000, 0x10000)))
    if unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cc", "Cf") or char.isspace()
]


def is_space(lab: Lab, char: str) -> bool:
    try:
        return lab.rows(f"SELECT 3 {char} + 4 AS x") == [{"x": 7}]
    except BindingError:
        return False


def test_the_spaces_of_the_lexer_are_those_of_the_engine(lab: Lab) -> None:
    theirs = {char for char in INVISIBLE if is_space(lab, char)}
    ours = {char for char in INVISIBLE if tokens(char, lab.engine)[0].kind is Lexeme.SPACE}
    assert ours - theirs <= {"\v"}  # which is a fault of syntax to some
    assert theirs - ours == set()


def test_what_is_no_space_to_the_engine_is_part_of_a_word(lab: Lab) -> None:
    odd = [char for char in INVISIBLE if not char.isascii() and not is_space(lab, char)]
    assert [lab.rows(f"SELECT 7 AS a{char}b") for char in odd] == [
        [{f"a{char}b": 7}] for char in odd
    ]
    assert [len(tokens(f"a{char}b", lab.engine)) for char in odd] == [1] * len(odd)


@pytest.mark.parametrize("char", ["\u200b", "\u2060", "\ufeff", "\xa0", "\u2028", "\u200d"])
def test_a_client_writes_plain_spaces(lab: Lab, char: str) -> None:
    """DuckDB takes U+200B for a space or for a letter, by what stands before it."""
    with pytest.raises(BindingError) as caught:
        read_client(f"SELECT{char} 1 AS x", lab.engine)
    assert (caught.value.kind, str(caught.value)) == (
        Kind.INVALID,
        f"Expected plain spaces between words, found U+{ord(char):04X}.",
    )
    text = f"SELECT '{char}' AS x /* {char} */"
    assert read_client(text, lab.engine).parts == (text,)
