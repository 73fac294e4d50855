"""The head of an answer and its body in one write: one system call, one wake-up of the client.

uvicorn writes them one after the other, each at once.
"""

import asyncio
from typing import Final

_HAS_LENGTH: Final = b"\r\ncontent-length: "
"""A body follows at once; the head of a stream may stand alone for long, and is never held."""


class JoinedWrites:
    """The transport of one answer, as uvicorn's cycle uses it."""

    __slots__ = ("_head", "_is_first", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._is_first = True
        self._head = b""

    def write(self, data: bytes) -> None:
        """Writes, or holds a head until its body comes."""
        if self._is_first:
            self._is_first = False
            if _HAS_LENGTH in data:
                self._head = data
                return
        elif self._head:
            head, self._head = self._head, b""
            self._transport.writelines((head, data))
            return
        self._transport.write(data)

    def is_closing(self) -> bool:
        """As the transport's."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Closes the connection; a head without its body is of no use to anybody."""
        self._transport.close()
