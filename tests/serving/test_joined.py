"""An answer of known length goes out as one piece; everything else goes out as it comes."""

import asyncio
from collections.abc import Iterable

from runner.serving.joined import JoinedWrites

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


class Wire(asyncio.Transport):
    """Keeps what is written, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """One piece."""
        self.pieces.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """One piece too."""
        self.pieces.append(b"".join(list_of_data))

    def close(self) -> None:
        """Notes it."""
        self.is_closed = True

    def is_closing(self) -> bool:
        """Whether it was closed."""
        return self.is_closed


def written(*pieces: bytes) -> list[bytes]:
    wire = Wire()
    answer = JoinedWrites(wire)
    for piece in pieces:
        answer.write(piece)
    return wire.pieces


def test_head_waits_for_its_body() -> None:
    assert written(HEAD) == []
    assert written(HEAD, b"{}") == [HEAD + b"{}"]
    assert written(HEAD, b"") == [HEAD]
    assert written(HEAD, b"{", b"}") == [HEAD + b"{", b"}"]


def test_head_of_a_stream_waits_for_nothing() -> None:
    assert written(STREAM) == [STREAM]
    assert written(STREAM, b"1\r\na\r\n", b"0\r\n\r\n") == [STREAM, b"1\r\na\r\n", b"0\r\n\r\n"]


def test_body_that_looks_like_a_head_is_none() -> None:
    assert written(STREAM, HEAD, b"x") == [STREAM, HEAD, b"x"]
    assert written(HEAD, HEAD, b"x") == [HEAD + HEAD, b"x"]


def test_answer_that_breaks_off_is_closed_without_its_head() -> None:
    wire = Wire()
    answer = JoinedWrites(wire)
    answer.write(HEAD)
    assert not answer.is_closing()
    answer.close()
    assert answer.is_closing()
    assert (wire.pieces, wire.is_closed) == ([], True)
