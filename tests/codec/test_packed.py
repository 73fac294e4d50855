"""Packed rows give back what was packed, block by block and as JSON."""

from hypothesis import given
from hypothesis import strategies as st

from runner.codec.json import Json, decode
from runner.codec.packed import PackedRows

CELLS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
BLOCKS = st.lists(st.lists(st.dictionaries(st.text(), CELLS), min_size=1), min_size=1)


def packed(blocks: list[list[dict[str, Json]]]) -> PackedRows:
    rows = PackedRows()
    for block in blocks:
        rows.add_rows(block)
    return rows


@given(BLOCKS)
def test_every_block_comes_back_as_it_was(blocks: list[list[dict[str, Json]]]) -> None:
    assert list(packed(blocks).blocks()) == blocks


@given(BLOCKS)
def test_the_pieces_are_the_json_of_all_rows(blocks: list[list[dict[str, Json]]]) -> None:
    rows = packed(blocks)
    expected = [row for block in blocks for row in block]
    assert decode(b"[%b]" % b"".join(rows.json())) == expected
    assert decode(b"[%b]" % b"".join(rows.json())) == expected, "they can be made again"


def test_no_rows_are_no_block() -> None:
    assert list(packed([[]]).blocks()) == []
