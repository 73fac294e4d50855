"""Drives the ASGI application in memory, as a server does: lower-case header names, events."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.codec.json import decode
from runner.transport.asgi import Event
from runner.transport.http import HttpApp
from tests.wire.recording import check_exchange, sent_over_http

LIMIT_S = 5.0
"""The one bound of every wait."""
VERSION_HEADER = "mcp-protocol-version"


@dataclass
class Response:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_whole: bool = False

    @property
    def is_stream(self) -> bool:
        """A stream of events."""
        return self.headers.get("content-type") == "text/event-stream"

    @property
    def has_messages(self) -> bool:
        """It speaks MCP; the refusals before it do not."""
        is_json = self.headers.get("content-type") == "application/json"
        return self.is_stream or (is_json and self.status not in (401, 403))

    @property
    def messages(self) -> list[dict[str, object]]:
        """Every message of the response, in order."""
        texts = [self.body] if self.body and not self.is_stream else []
        if self.is_stream:
            lines = self.body.split(b"\n")
            texts = [line[len(b"data: ") :] for line in lines if line.startswith(b"data: ")]
        found: list[dict[str, object]] = []
        for message in map(decode, texts):
            found += message if isinstance(message, list) else [message]  # type: ignore[list-item]
        return found


@dataclass
class Connection:
    """One request on its way, in the test's hands."""

    chunks: Sequence[bytes]
    response: Response = field(default_factory=Response)
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a piece of the body came."""
    _sent: int = 0

    async def receive(self) -> Event:
        """The next piece of the request's body, then the client's leaving."""
        if self._sent < len(self.chunks):
            chunk = self.chunks[self._sent]
            self._sent += 1
            return {
                "type": "http.request",
                "body": chunk,
                "more_body": self._sent < len(self.chunks),
            }
        await self.leaving.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: dict[str, object]) -> None:
        """Records a piece of the response."""
        match event:
            case {"type": "http.response.start", "status": int(status), "headers": list(pairs)}:
                assert self.response.status == 0
                self.response.status = status
                self.response.headers = {n.decode(): v.decode("latin-1") for n, v in pairs}
            case {"type": "http.response.body", "body": bytes(body)}:
                assert not self.response.is_whole
                self.response.body += body
                self.response.is_whole = not event.get("more_body", False)
                self.arrived.set()
            case _:
                raise AssertionError(event)


HeaderPairs = Sequence[tuple[str, str]]
BROWSERLESS: Mapping[str, str] = {
    "Host": "127.0.0.1:8000",
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


def merged(headers: Mapping[str, str | None] | HeaderPairs) -> list[tuple[str, str]]:
    """`headers` over those that every client sends; None takes one away."""
    if not isinstance(headers, Mapping):
        return [*BROWSERLESS.items(), *headers]
    own = {name.lower() for name in headers}
    kept = [(name, value) for name, value in BROWSERLESS.items() if name.lower() not in own]
    return [*kept, *((name, value) for name, value in headers.items() if value is not None)]


async def run(
    app: HttpApp,
    connection: Connection,
    headers: Mapping[str, str | None] | HeaderPairs = (),
    *,
    method: str = "POST",
    path: str = "/mcp",
    **scope: object,
) -> Response:
    """The response once the application is done with the request."""
    pairs = [(n.lower().encode(), v.encode("latin-1")) for n, v in merged(headers)]
    whole = {"type": "http", "method": method, "path": path, "headers": pairs, **scope}
    async with asyncio.timeout(LIMIT_S):
        await app(whole, connection.receive, connection.send)  # type: ignore[arg-type]
    if connection.response.is_whole and connection.response.has_messages:
        told = [value.strip() for name, value in merged(headers) if name.lower() == VERSION_HEADER]
        sent = sent_over_http(b"".join(connection.chunks), told[0] if told else None)
        check_exchange(sent, connection.response.messages)
    return connection.response


def send(
    app: HttpApp,
    body: bytes = b"",
    headers: Mapping[str, str | None] | HeaderPairs = (),
    *,
    method: str = "POST",
    path: str = "/mcp",
    **scope: object,
) -> Response:
    """The response to one request with the whole body."""
    return asyncio.run(run(app, Connection([body]), headers, method=method, path=path, **scope))
