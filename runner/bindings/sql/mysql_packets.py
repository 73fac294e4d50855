"""Packets of MySQL's protocol: cut out of the stream, written and read field by field.

A packet is three bytes of length, one of sequence, and the payload; a payload of 16 MiB goes on in
the next packet. Knows no statement and no session.
"""

import socket
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from runner.bindings.sql.session import SessionLostError

MAX_PAYLOAD: Final = 0xFFFFFF
MAY_END: Final = 0xFE
"""A packet that begins with this or more may end rows; no row of the binary protocol does."""
_READ_BYTES: Final = 64 * 1024
_NULL_LENGTH: Final = 0xFB
_WIDTHS: Final = {0xFC: 2, 0xFD: 3, 0xFE: 8}
_FIELD: Final = struct.Struct("<HIBHB")
_KNOWN_FIELDS: Final = 4096
_FIELD_BYTES: Final = 13
"""What stands behind the names of a column, where nothing of MariaDB's own does."""


UNREADABLE: Final = (IndexError, KeyError, ValueError, ArithmeticError, struct.error)
"""What reading raises where the bytes are not what a server says."""


class ServerError(Exception):
    """A statement failed; what the server says of it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code} {message}")
        self.code = code
        self.message = message
        self.command = 0
        """Which of the commands that were sent together."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A column of a result, as the server describes it; one that is described alike is the same."""

    name: str
    type: int
    charset: int
    flags: int
    length: int
    table: str
    """Of the base table that the column comes from; empty for an expression."""
    extended: str = ""
    """MariaDB's own word where the type is a text's: `json`, `uuid`, `inet6`."""


class Finished(NamedTuple):
    """How a command ended."""

    affected: int = 0
    status: int = 0
    warnings: int = 0


class Stream:
    """A connection cut into packets."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._data = b""
        self._at = 0
        self._begun: list[bytes] = []
        """Pieces of a payload whose last piece is not there yet."""
        self._chunks: list[bytes] = []
        """What came of a piece that is not there whole; `_missing` bytes are to come."""
        self._missing = 0

    def send(self, payloads: list[bytes]) -> None:
        """Sends several commands; the server takes one after the other."""
        self._socket.sendall(b"".join(map(framed, payloads)))

    def take(self) -> bytes | None:
        """The payload of the next packet; None until `receive` has brought all of it."""
        while (piece := self._piece()) is not None:
            if len(piece) < MAX_PAYLOAD and not self._begun:
                return piece
            self._begun.append(piece)
            if len(piece) < MAX_PAYLOAD:
                payload = b"".join(self._begun)
                self._begun.clear()
                return payload
        return None

    def skip(self) -> tuple[int, int]:
        """Passes over the packets that are there, up to one that may end rows; how many they were,
        and the bytes of their payloads. A result that is thrown away has hundreds of thousands."""
        if self._missing > 0 or self._begun:
            return 0, 0
        data, start, end = self._data, self._at, len(self._data)
        at, count = start, 0
        while at + 4 < end:
            size = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            following = at + 4 + size
            if following > end or data[at + 4] >= MAY_END or size in (0, MAX_PAYLOAD):
                break
            at = following
            count += 1
        self._at = at
        return count, at - start - 4 * count

    def _piece(self) -> bytes | None:
        if self._missing > 0:
            return None
        start = end = self._at + 4
        if len(self._data) >= start:
            end += int.from_bytes(self._data[self._at : start - 1], "little")
        if len(self._data) < end:
            self._missing = end - len(self._data)
            self._chunks = [self._data[self._at :]]
            self._data, self._at = b"", 0
            return None
        self._at = end
        return self._data[start:end]

    def receive(self) -> None:
        """Takes what has come; waits where nothing has."""
        chunk = self._socket.recv(max(_READ_BYTES, self._missing))
        if not chunk:
            raise SessionLostError("the server closed the connection")
        self._chunks.append(chunk)
        self._missing -= len(chunk)
        if self._missing <= 0:
            self._data, self._at = b"".join(self._chunks), 0
            self._chunks = []

    def comes_soon(self, wait_s: float) -> bool:
        """The beginning of a packet is there within a moment."""
        if self._at < len(self._data):
            return True
        self._socket.settimeout(wait_s)
        try:
            self.receive()
        except TimeoutError:
            return False
        finally:
            self._socket.settimeout(None)
        return True


def framed(payload: bytes) -> bytes:
    """A command as it travels; its packets are numbered from 0."""
    if len(payload) < MAX_PAYLOAD:
        return len(payload).to_bytes(3, "little") + b"\0" + payload
    pieces = []
    for number in range(len(payload) // MAX_PAYLOAD + 1):
        piece = payload[number * MAX_PAYLOAD : (number + 1) * MAX_PAYLOAD]
        pieces.append(len(piece).to_bytes(3, "little") + bytes([number & 0xFF]) + piece)
    return b"".join(pieces)


def written(data: bytes) -> bytes:
    """Bytes with their length before them."""
    size = len(data)
    if size < _NULL_LENGTH:
        return bytes([size]) + data
    mark, width = next((mark, width) for mark, width in _WIDTHS.items() if size < 1 << (8 * width))
    return bytes([mark]) + size.to_bytes(width, "little") + data


def length_at(data: bytes, at: int) -> tuple[int, int]:
    """A number written in one to nine bytes, and where it ends."""
    first = data[at]
    if first < _NULL_LENGTH:
        return first, at + 1
    end = at + 1 + _WIDTHS[first]
    return int.from_bytes(data[at + 1 : end], "little"), end


def bytes_at(data: bytes, at: int) -> tuple[bytes, int]:
    """Bytes with their length before them, and where they end."""
    size, start = length_at(data, at)
    end = start + size
    if end > len(data):
        raise IndexError("the packet ends before its text")
    return data[start:end], end


def error_of(payload: bytes) -> ServerError:
    """What an error packet says; five characters of state stand before its words."""
    text = payload[3:].decode(errors="replace")
    return ServerError(
        int.from_bytes(payload[1:3], "little"), text[6:] if text.startswith("#") else text
    )


def finished_of(payload: bytes) -> Finished:
    """What an OK packet says."""
    affected, at = length_at(payload, 1)
    _, at = length_at(payload, at)
    status = int.from_bytes(payload[at : at + 2], "little")
    return Finished(affected, status, int.from_bytes(payload[at + 2 : at + 4], "little"))


@lru_cache(_KNOWN_FIELDS)
def field_of(payload: bytes) -> Field:
    """A column's description; MariaDB's own words stand in it where they were asked for."""
    parts = []
    at = 0
    for _ in range(6):  # catalog, schema, table, its own name, column, its own name
        part, at = bytes_at(payload, at)
        parts.append(part)
    extended = ""
    if len(payload) - at > _FIELD_BYTES:
        more, at = bytes_at(payload, at)
        extended = more[2:].decode()
    _, at = length_at(payload, at)
    charset, length, kind, flags, _ = _FIELD.unpack_from(payload, at)
    return Field(parts[4].decode(), kind, charset, flags, length, parts[3].decode(), extended)
