"""Bodies as they were before they were compressed: never more than asked for, never a part.

The HTTP library takes the end of a compressed body for the end of its content, so that a body
that was cut would pass for a shorter one, or for none.
"""

import zlib

_AUTOMATIC = zlib.MAX_WBITS | 32
"""The header tells whether it is gzip or zlib."""
_RAW = -zlib.MAX_WBITS
"""Without any header, as some servers understand `deflate`."""

PLAIN = frozenset({"", "identity"})
COMPRESSED = frozenset({"gzip", "x-gzip", "deflate"})


class Decompression:
    """The content of one body whose pieces come in order."""

    def __init__(self, encoding: str) -> None:
        self._stream = None if encoding in PLAIN else zlib.decompressobj(_AUTOMATIC)
        self._head: bytes | None = b"" if encoding == "deflate" else None
        """What came while it may still be raw; None once that is settled."""

    def add(self, piece: bytes, room: int) -> bytes:
        """What `piece` holds, at most `room` bytes of it; `room` is 1 or more.

        Raises:
            zlib.error: it is not compressed as was said.
        """
        if self._stream is None:
            return piece
        content = self._next(self._stream, piece, room)
        while self._stream.eof and self._stream.unused_data and len(content) < room:
            # A gzip body may be several, one after the other.
            rest, self._stream = self._stream.unused_data, zlib.decompressobj(_AUTOMATIC)
            content += self._stream.decompress(rest, room - len(content))
        return content

    def _next(self, stream: "zlib._Decompress", piece: bytes, room: int) -> bytes:
        if self._head is None:
            return stream.decompress(piece, room)
        self._head += piece
        try:
            content = stream.decompress(piece, room)
        except zlib.error:
            self._stream = zlib.decompressobj(_RAW)
            content, self._head = self._stream.decompress(self._head, room), None
        if content:
            self._head = None
        return content

    def end(self) -> None:
        """Holds that nothing is missing.

        Raises:
            zlib.error: the body was cut.
        """
        if self._stream is not None and not self._stream.eof:
            raise zlib.error("incomplete")
