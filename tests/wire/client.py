"""One client for both transports; all that comes back is held against the schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol as Interface

from runner.auth.identity import everyone
from runner.catalog.catalog import Listen
from runner.codec.json import encode
from runner.protocol.server import Protocol
from runner.transport.http import HttpApp, Serving
from runner.transport.watch import DEFAULT_TIMING, Timing
from tests.wire.http_client import Response, send
from tests.wire.recording import LEGACY_SCHEMA, MODERN_SCHEMA, check
from tests.wire.serving import LISTEN, a_catalog
from tests.wire.stdio_client import talk

Message = dict[str, object]
VERSION, PREFIX = "2026-07-28", "io.modelcontextprotocol/"
ENVELOPE: Mapping[str, object] = {
    f"{PREFIX}protocolVersion": VERSION,
    f"{PREFIX}clientCapabilities": {},
}
SERVER = {f"{PREFIX}serverInfo": {"name": "bern-shop", "version": "1.2.0"}}


def modern_message(
    method: str,
    params: Mapping[str, object] | None = None,
    *,
    meta: Mapping[str, object] | None = None,
    id_: object = 1,
) -> Message:
    """A modern request."""
    whole = {**(params or {}), "_meta": {**ENVELOPE, **(meta or {})}}
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": whole}


def modern_headers(message: Message) -> dict[str, str | None]:
    """The headers that go with it."""
    params = message.get("params")
    found = params if isinstance(params, dict) else {}
    name = found.get("name", found.get("uri", found.get("taskId")))
    return {
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": str(message["method"]),
        "Mcp-Name": name if isinstance(name, str) else None,
    }


def legacy_message(
    method: str, params: Mapping[str, object] | None = None, *, id_: object = 1
) -> Message:
    """A legacy request."""
    message: Message = {"jsonrpc": "2.0", "id": id_, "method": method}
    return message if params is None else {**message, "params": params}


def opening_params(version: str) -> Message:
    """What an older client asks a conversation of `version` with."""
    client = {"name": "tests", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


def an_app(
    protocol: Protocol,
    *,
    listen: Listen = LISTEN,
    max_body_bytes: int = 4096,
    timing: Timing = DEFAULT_TIMING,
) -> HttpApp:
    """The HTTP application of one endpoint at /mcp."""
    identify = everyone(a_catalog().identities)
    serving = Serving({"/mcp": protocol}, listen, identify, max_body_bytes=max_body_bytes)
    return HttpApp(serving, timing=timing)


class Client(Interface):
    """Asks one question and gives every message that came, the answer last."""

    has_headers: bool

    def modern(self, protocol: Protocol, message: Message) -> Sequence[Message]:
        """Of the modern era."""

    def legacy(self, protocol: Protocol, message: Message, version: str) -> Sequence[Message]:
        """Of the legacy era, under `version`."""


@dataclass
class HttpClient:
    """Over HTTP."""

    has_headers: bool = True
    responses: list[Response] = field(default_factory=list)

    def modern(self, protocol: Protocol, message: Message) -> Sequence[Message]:
        """The messages of one response."""
        return self._ask(protocol, message, modern_headers(message), MODERN_SCHEMA)

    def legacy(self, protocol: Protocol, message: Message, version: str) -> Sequence[Message]:
        """The messages of one response."""
        headers = {"MCP-Protocol-Version": version or None}
        return self._ask(protocol, message, headers, LEGACY_SCHEMA)

    def _ask(
        self, protocol: Protocol, message: Message, headers: dict[str, str | None], schema: str
    ) -> Sequence[Message]:
        response = send(an_app(protocol), encode(message), headers)
        self.responses.append(response)
        for found in response.messages:
            check(found, schema, str(message["method"]))
        return response.messages


@dataclass
class StdioClient:
    """Over pipes, a process each question."""

    has_headers: bool = False

    def modern(self, protocol: Protocol, message: Message) -> Sequence[Message]:
        """All that came back."""
        found = talk(protocol, encode(message) + b"\n")
        for item in found:
            check(item, MODERN_SCHEMA, str(message["method"]))
        return found

    def legacy(self, protocol: Protocol, message: Message, version: str) -> Sequence[Message]:
        """All that came back after `initialize`."""
        opening = legacy_message("initialize", opening_params(version), id_="open")
        found = talk(protocol, encode(opening) + b"\n" + encode(message) + b"\n")
        later = [item for item in found if item.get("id") != "open"]
        for item in later:
            check(item, LEGACY_SCHEMA, str(message["method"]))
        return later
