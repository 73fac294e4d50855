"""`runner.bindings.http.decompress`: whole content or an error, within a bound."""

import gzip
import zlib
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.bindings.http.decompress import Decompression

ROOM = 10**6
FORMS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw": lambda data: (made := zlib.compressobj(wbits=-15)).compress(data) + made.flush(),
}


def content(form: str, body: bytes, size: int, room: int = ROOM) -> bytes:
    """The content of a body that comes in pieces of `size` bytes."""
    found, stream = b"", Decompression("deflate" if form == "raw" else form)
    for start in range(0, len(body), size):
        found += stream.add(body[start : start + size], room - len(found))
        if len(found) >= room:
            return found
    stream.end()
    return found


@given(st.binary(max_size=2000), st.sampled_from(sorted(FORMS)), st.integers(1, 700))
def test_content_is_what_was_compressed_however_it_comes(data: bytes, form: str, size: int) -> None:
    assert content(form, FORMS[form](data), size) == data


@given(st.binary(min_size=1, max_size=200), st.sampled_from(sorted(FORMS)), st.data())
def test_body_that_was_cut_is_an_error(data: bytes, form: str, draw: st.DataObject) -> None:
    whole = FORMS[form](data)
    cut = whole[: draw.draw(st.integers(1, len(whole) - 1))]
    with pytest.raises(zlib.error):
        content(form, cut, 50)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=4), st.integers(1, 90))
def test_several_bodies_in_one_are_read_to_the_last(members: list[bytes], size: int) -> None:
    body = b"".join(gzip.compress(member) for member in members)
    assert content("gzip", body, size) == b"".join(members)


def test_no_more_is_made_than_there_is_room_for() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(content("gzip", bomb, len(bomb), room=1000)) == 1000


@pytest.mark.parametrize("encoding", ["", "identity"])
def test_plain_body_is_its_own_content(encoding: str) -> None:
    stream = Decompression(encoding)
    assert stream.add(b"\x1f\x8b", 1) == b"\x1f\x8b"
    stream.end()
