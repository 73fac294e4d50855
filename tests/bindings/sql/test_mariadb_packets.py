"""Packets of MariaDB's protocol, passed over in bulk: up to what may end rows, and not beyond."""

import socket

from hypothesis import given
from hypothesis import strategies as st

from runner.bindings.sql.mysql_packets import Stream, framed

ROWS = st.binary(min_size=1, max_size=300).map(lambda data: b"\0" + data)
ENDS = st.sampled_from([b"\xfe\0\0\2\0", b"\xff\x48\x04broken", b"\xfe" + b"x" * 40, b""])


def received(stream: Stream) -> list[bytes]:
    """Every payload to the end of what was sent."""
    found: list[bytes] = []
    while len(found) < 1 or found[-1] != b"last":
        payload = stream.take()
        if payload is None:
            stream.receive()
        else:
            found.append(payload)
    return found


@given(rows=st.lists(ROWS, max_size=40), end=ENDS)
def test_rows_that_are_there_are_passed_over_and_nothing_else(
    rows: list[bytes], end: bytes
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(map(framed, [*rows, end, b"last"])))
        stream = Stream(ours)
        assert stream.skip() == (0, 0), "nothing has come"
        assert stream.take() is None
        stream.receive()
        skipped, size = stream.skip()
        rest = received(stream)
        assert (skipped, size) == (len(rows), sum(map(len, rows)))
        assert rest == [end, b"last"]


def test_packet_that_is_not_whole_is_left() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sent = framed(b"\0one") + framed(b"\0two")
        theirs.sendall(sent[:-1])
        stream = Stream(ours)
        assert stream.take() is None
        stream.receive()
        assert stream.skip() == (1, 4)
        assert stream.take() is None
        assert stream.skip() == (0, 0), "a part of it is there"
        theirs.sendall(sent[-1:])
        stream.receive()
        assert stream.take() == b"\0two"
