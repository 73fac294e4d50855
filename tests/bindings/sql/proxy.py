"""A server's address of a test's own, behind which answers can be withheld or spoilt."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from urllib.parse import urlsplit

from runner.catalog.sources import Database
from runner.secret import Secret

_BYTES = 1 << 16


class Proxy:
    """Carries what is said between clients and one server."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._flows = threading.Event()
        self._flows.set()
        self.spoil: Callable[[bytes], bytes] | None = None
        """What becomes of what the server says."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self.accepted = 0
        """How many connections were made."""
        threading.Thread(target=self._accept, daemon=True).start()

    def withhold(self) -> None:
        """From now on nothing that the server says arrives, on new connections too."""
        self._flows.clear()

    def flow(self) -> None:
        """What was withheld arrives, and what follows."""
        self._flows.set()

    def close(self) -> None:
        """Ends every connection."""
        for each in [self._listener, *self._sockets]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._flows.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._server)
                self.accepted += 1
                self._sockets += [near, far]
                for source, sink, is_answer in ((near, far, False), (far, near, True)):
                    carry = (source, sink, is_answer)
                    threading.Thread(target=self._carry, args=carry, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while data := source.recv(_BYTES):
                if is_answer:
                    self._flows.wait()
                    data = self.spoil(data) if self.spoil is not None else data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def proxied(database: Database) -> Iterator[tuple[Database, Proxy]]:
    """The same database behind a proxy."""
    url = database.url.reveal()
    parts = urlsplit(url)
    port = parts.port or 3306
    proxy = Proxy(parts.hostname or "127.0.0.1", port)
    place = parts.netloc.rpartition("@")[0]
    behind = url.replace(parts.netloc, f"{place}@127.0.0.1:{proxy.port}")
    try:
        yield replace(database, url=Secret(behind)), proxy
    finally:
        proxy.close()
