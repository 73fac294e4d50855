"""What is served to clients of one version, made once: lists as bytes, forms of results.

Source: MCP 2026-07-28, server/discover and server/utilities/caching; 2025-11-25, basic/lifecycle.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from runner.catalog.catalog import Catalog, Endpoint
from runner.catalog.result import CallResult, LongResult
from runner.codec.json import encode
from runner.protocol.content import encode_content, text_pieces
from runner.protocol.jsonrpc import Body
from runner.protocol.listing import brief_server, describe_server, describe_tool, output_form
from runner.protocol.metadata import SERVER_KEY
from runner.protocol.versions import BATCHING, FEATURES, SUPPORTED, Features
from runner.protocol.wrapping import Form


@dataclass(frozen=True, slots=True)
class Settings:
    """What the wiring decides for an endpoint."""

    is_public: bool = True
    """Nothing that is listed depends on the caller, so any cache may share it."""
    list_ttl_ms: int = 60_000
    discover_ttl_ms: int = 3_600_000
    log_level: str | None = None
    """The lowest level that a legacy client gets which cannot ask; None: no tool logs to clients,
    and `logging` is not advertised."""


DEFAULTS: Final = Settings()


@dataclass(frozen=True, slots=True)
class Edition:
    """Everything that one version gets of an endpoint."""

    version: str
    features: Features
    tools: bytes
    """The result of `tools/list`."""
    opening: bytes
    """The result of `server/discover`, or of `initialize` with this version."""
    forms: Mapping[str, Form]
    """By tool name."""
    head: bytes
    """How every result begins."""
    tail: bytes
    """How every result ends."""

    def call_result(self, tool: str, result: CallResult) -> Body:
        """The result object of a call, encoded; the structured content is spliced, not made."""
        if result.long is not None:
            return self._pieces(tool, result, result.long)
        parts = [self.head, b'"content":', encode_content(result.content, self.features)]
        if result.is_error:
            parts.append(b',"isError":true')
        elif result.structured is not None:
            form = self.forms[tool]
            if form is Form.PLAIN or (form is Form.BY_VALUE and result.is_object):
                parts += (b',"structuredContent":', result.structured)
            elif form is not Form.OMITTED:
                parts += (b',"structuredContent":{"result":', result.structured, b"}")
        parts.append(self.tail)
        return b"".join(parts)

    def _pieces(self, tool: str, result: CallResult, long: LongResult) -> Iterator[bytes]:
        """As `call_result`, made while it is sent; such a result is an object."""
        yield self.head + b'"content":['
        yield from text_pieces(long.text())
        for block in result.content:
            yield b"," + encode_content([block], self.features)[1:-1]
        yield b"]"
        if self.forms[tool] in (Form.PLAIN, Form.BY_VALUE):
            yield b',"structuredContent":'
            yield from long.structured()
        yield self.tail


def edit(version: str, endpoint: Endpoint, catalog: Catalog, settings: Settings) -> Edition:
    """The edition of `endpoint` for `version`."""
    features = FEATURES[version]
    tools = {"tools": [describe_tool(tool, features) for tool in endpoint.tools.values()]}
    server = describe_server(catalog.identity, features)
    capabilities = _capabilities(endpoint, settings)
    words = {} if endpoint.instructions is None else {"instructions": endpoint.instructions}
    forms = {name: output_form(tool, features) for name, tool in endpoint.tools.items()}
    if not features.is_modern:
        opening = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": server,
            **words,
        }
        return Edition(
            version or BATCHING, features, encode(tools), encode(opening), forms, b"{", b"}"
        )
    scope = "public" if settings.is_public else "private"
    complete = {"resultType": "complete"}
    info = {"_meta": {SERVER_KEY: brief_server(catalog.identity)}}
    listed = complete | {"ttlMs": settings.list_ttl_ms, "cacheScope": scope} | tools | info
    discovered = {
        **complete,
        "supportedVersions": list(SUPPORTED),
        "capabilities": capabilities,
        **words,
        "ttlMs": settings.discover_ttl_ms,
        "cacheScope": scope,
        "_meta": {SERVER_KEY: server},
    }
    tail = b"," + encode(info)[1:]
    head = b'{"resultType":"complete",'
    return Edition(version, features, encode(listed), encode(discovered), forms, head, tail)


def _capabilities(endpoint: Endpoint, settings: Settings) -> dict[str, object]:
    found: dict[str, object] = {}
    if endpoint.tools:
        found["tools"] = {}
    if settings.log_level is not None:
        found["logging"] = {}
    return found
