"""Bytes that no server says: the call ends as on a lost connection, and others go on."""

import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.bindings.sql.mysql_packets import Field, ServerError, framed
from runner.bindings.sql.mysql_types import row_reader
from runner.bindings.sql.mysql_wire import QUERY, Rows, Wire
from runner.bindings.sql.session import SessionLostError
from runner.errors import BindingError
from tests.bindings.sql.lab import Lab, database_of, open_lab
from tests.bindings.sql.proxy import Proxy, proxied

BOUND_S = 10.0
HEADS = st.sampled_from([b"", b"\x00", b"\x01", b"\x02", b"\xfb", b"\xfc", b"\xfe", b"\xff"])
PAYLOADS = st.builds(bytes.__add__, HEADS, st.binary(max_size=30))
SAID = st.one_of(
    st.binary(max_size=200),
    st.lists(PAYLOADS, max_size=8).map(lambda payloads: b"".join(map(framed, payloads))),
)


class Sink:
    """Reads rows as a session does."""

    def start(self, fields: tuple[Field, ...]) -> None:
        self._read = row_reader(fields)

    def take(self, packets: Sequence[bytes]) -> bool:
        return bool([self._read(packet) for packet in packets])


def answered(said: bytes, *, prepares: bool) -> str:
    """How a command ends whose answer is this, and then the end of the connection."""
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(BOUND_S)
        far.sendall(said)
        far.shutdown(socket.SHUT_WR)
        wire, sink = Wire(near), Sink()
        try:
            if prepares:
                wire.prepare(b"SELECT 1")
            else:
                rows = Rows(sink.start, sink.take, block=2, cut=None)
                wire.run([QUERY + b"SELECT 1"], rows=rows, rows_of=0)
        except ServerError:
            return "refused"
        except SessionLostError:
            return "lost"
        return "done"


@pytest.mark.parametrize("prepares", [True, False], ids=["prepare", "run"])
def test_any_bytes_are_an_answer_a_refusal_or_a_lost_session(prepares: bool) -> None:
    @given(SAID)
    @settings(max_examples=200, deadline=None)
    def hold(said: bytes) -> None:
        assert answered(said, prepares=prepares) in ("done", "refused", "lost")

    hold()


@pytest.mark.parametrize(
    "payloads",
    [
        [b""],
        [b"\xfb/etc/passwd"],
        [b"\x01", b"\x03def", b"\xfe\0\0\0\0"],
        [b"\xfc"],
        [b"\x00\xff"],
    ],
    ids=["empty", "file", "short field", "no count", "no number"],
)
def test_answer_that_cannot_be_read_loses_the_session(payloads: list[bytes]) -> None:
    assert answered(b"".join(map(framed, payloads)), prepares=False) == "lost"


@pytest.fixture(params=["postgresql", "mariadb"])
def garbled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Lab, Proxy]]:
    """A database behind a proxy, with one connection for all calls."""
    with (
        database_of(request.param, tmp_path, pool_size=1, pool_wait_s=20.0) as source,
        proxied(source) as (behind, proxy),
        open_lab(behind) as lab,
    ):
        yield lab, proxy


def spoiler(seed: int) -> "Spoiler":
    """One that spoils the same way each time."""
    return Spoiler(random.Random(seed))


class Spoiler:
    """Turns some bytes of an answer round."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._guard = threading.Lock()

    def __call__(self, said: bytes) -> bytes:
        with self._guard:
            spoilt = bytearray(said)
            for _ in range(self._chance.randint(1, 4)):
                spoilt[self._chance.randrange(len(spoilt))] = self._chance.randrange(256)
            return bytes(spoilt)


@pytest.mark.parametrize("seed", range(3))
def test_garbled_answer_is_an_error_of_the_database_and_no_fault_of_ours(
    garbled: tuple[Lab, Proxy], seed: int
) -> None:
    lab, proxy = garbled
    plan = lab.plan("SELECT 7 AS n, 'text' AS t, 1.5 AS d")
    assert lab.invoke(plan).value == {
        "rows": [{"n": 7, "t": "text", "d": "1.5"}],
        "truncated": False,
    }
    proxy.spoil = spoiler(seed)
    for _ in range(4):
        with suppress(BindingError):
            lab.invoke(plan, timeout_s=0.2)
    proxy.spoil = None
    assert lab.value("SELECT 8 AS n") == 8
