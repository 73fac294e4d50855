"""How much came over a connection for one result: libpq keeps all of a row before it gives it, and
says neither how large it is nor how much of it is there.

Linux counts what a TCP connection received. Elsewhere, and on local sockets, what left the socket's
queue is counted, which is less than all where more came at the same time.
"""

import fcntl
import socket
import sys
import termios
from typing import Final

_RECEIVED: Final = slice(128, 136)
"""`tcpi_bytes_received` in Linux' `struct tcp_info`."""


class Meter:
    """Counts from `start` on; `before` and `after` stand around each read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._start: int | None = None
        self._unread = 0
        self._taken = 0

    def start(self) -> None:
        """Begins to count."""
        received = self._received()
        self._start = None if received is None else received - self._queued()
        self._taken = 0

    def before(self) -> None:
        """Notes what waits to be read."""
        if self._start is None:
            self._unread = self._queued()

    def after(self) -> int:
        """How many bytes were read since the start."""
        queued = self._queued()
        if self._start is None:
            self._taken += max(self._unread - queued, 0)
        else:
            self._taken = (self._received() or 0) - queued - self._start
        return self._taken

    def _queued(self) -> int:
        count = bytearray(4)
        fcntl.ioctl(self._descriptor, termios.FIONREAD, count)
        return int.from_bytes(count, sys.byteorder)

    def _received(self) -> int | None:
        if sys.platform != "linux":
            return None
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, self._descriptor)
        try:
            told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
        except OSError:
            return None  # no TCP
        finally:
            connection.detach()  # it is libpq's
        return int.from_bytes(told[_RECEIVED], sys.byteorder) if len(told[_RECEIVED]) else None
