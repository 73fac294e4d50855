"""Lines of a stream, wherever its chunks are cut."""

from hypothesis import given
from hypothesis import strategies as st

from runner.transport.lines import TOO_LONG, Lines


def split(chunks: list[bytes], limit: int = 1000) -> list[bytes | None]:
    """Every line of the chunks."""
    lines = Lines(limit)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return [*found, *lines.end()]


def test_line_that_is_too_long_is_dropped_up_to_its_end() -> None:
    assert split([b"1234", b"5678", b"9\nab\n"], limit=5) == [TOO_LONG, b"ab"]


def test_last_line_needs_no_end() -> None:
    assert split([b"a\r\n\r\n b"]) == [b"a", b"b"]


@given(st.binary(max_size=50), st.integers(1, 7))
def test_cuts_make_no_difference(text: bytes, size: int) -> None:
    chunks = [text[at : at + size] for at in range(0, len(text), size)]

    assert split(chunks) == split([text])
