"""An API on loopback that a served file calls, with everything that it was asked."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.bindings.http.upstream import Handler, answering, raw_server

LIMIT_S = 10.0


@dataclass
class Upstream:
    """A running API."""

    url: str = ""
    requests: list[bytes] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The first line of each request."""
        return [request.split(b"\r\n")[0].decode("latin-1") for request in self.requests]

    @property
    def last(self) -> str:
        """The target of the last request, as sent."""
        return self.lines[-1].split(" ")[1]

    @property
    def last_body(self) -> bytes:
        """The body of the last request."""
        return self.requests[-1].partition(b"\r\n\r\n")[2]


@contextlib.contextmanager
def upstream(*answers: bytes, handler: Handler | None = None) -> Iterator[Upstream]:
    """An API in a thread of its own; it gives `answers` in order, the last again and again."""
    found = Upstream()
    ready, done = threading.Event(), threading.Event()
    serve = handler or answering(*answers, requests=found.requests)

    async def main() -> None:
        async with raw_server(serve) as url:
            found.url = url
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    try:
        assert ready.wait(LIMIT_S)
        yield found
    finally:
        done.set()
        thread.join(LIMIT_S)


def api(url: str, **rest: str) -> str:
    """The `apis:` section of one API named `up`; `rest` are fields as written."""
    fields = {"url": f'"{url}"', "allow_private": "true", "retries": "0", **rest}
    return f"apis: {{up: {{{', '.join(f'{name}: {value}' for name, value in fields.items())}}}}}\n"
