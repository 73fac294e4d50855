"""What is served to clients of one version, made once: lists as bytes, forms of results.

Source: MCP 2026-07-28, server/discover and server/utilities/caching; 2025-11-25, basic/lifecycle.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from runner.catalog.catalog import Catalog, Endpoint, Identity
from runner.catalog.result import CallResult, LongResult
from runner.codec.json import encode
from runner.protocol.content import encode_content, text_pieces
from runner.protocol.jsonrpc import Body
from runner.protocol.listing import (
    brief_server,
    describe_prompt,
    describe_resource,
    describe_server,
    describe_template,
    describe_tool,
    output_form,
)
from runner.protocol.metadata import SERVER_KEY
from runner.protocol.paging import Cursors, Pages, cut
from runner.protocol.versions import BATCHING, FEATURES, MODERN, SUPPORTED, Features
from runner.protocol.wrapping import Form


@dataclass(frozen=True, slots=True)
class Settings:
    """What the wiring decides for an endpoint."""

    is_public: bool = True
    """Nothing that is listed depends on the caller, so any cache may share it."""
    list_ttl_ms: int = 60_000
    read_ttl_ms: int = 0
    discover_ttl_ms: int = 3_600_000
    notifies: bool = False
    """What is served can change while it is served, and clients that can be told are told."""
    has_tasks: bool = False
    """Some tool may run as a task, and tasks are kept."""
    logs: bool = False
    """Some function can log to the client that asks for it."""
    log_level: str | None = None
    """The lowest level that a legacy client gets unasked; None: none, and `logging` is advertised
    to it only where a level is kept."""
    keeps_session: bool = False
    """What a legacy client settles, as its log level, holds for what it asks later (stdio)."""


DEFAULTS: Final = Settings()
TOOLS: Final = "tools/list"
RESOURCES: Final = "resources/list"
TEMPLATES: Final = "resources/templates/list"
PROMPTS: Final = "prompts/list"
TASKS: Final = "io.modelcontextprotocol/tasks"
"""The extension."""
_UNSHARED: Final = b'"ttlMs":0,"cacheScope":"private",'
Lists = Mapping[str, Mapping[str, Sequence[Mapping[str, object]]]]
"""What each method lists: its entries, under the one member that they have in the result."""


@dataclass(frozen=True, slots=True)
class Edition:
    """Everything that one version gets of an endpoint."""

    version: str
    features: Features
    lists: Mapping[str, Pages]
    """The results of the methods that list, by method."""
    opening: bytes
    """The result of `server/discover`, or of `initialize` with this version."""
    forms: Mapping[str, Form]
    """By tool name."""
    head: bytes
    """How every result begins."""
    tail: bytes
    """How every result ends."""
    meta: Mapping[str, object]
    """The metadata of every result."""
    freshness: bytes
    """How long what was read may be kept, where the version says it."""

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

    def with_meta(self, more: Mapping[str, object]) -> bytes:
        """The result object that has nothing but its metadata; modern clients only."""
        return b'{"resultType":"complete","_meta":' + encode({**self.meta, **more}) + b"}"

    def input_required(self, members: Mapping[str, object]) -> bytes:
        """The result object that asks the client; modern clients only."""
        return b'{"resultType":"input_required",' + encode(members)[1:-1] + self.tail

    def task_result(self, members: Mapping[str, object]) -> bytes:
        """The result object that says a call goes on as a task; modern clients only."""
        return b'{"resultType":"task",' + encode(members)[1:-1] + self.tail

    def task_found(self, members: bytes) -> bytes:
        """The result object of a task that was asked for; `members` is its encoded object."""
        return self.head + members[1:-1] + self.tail

    def read_result(self, contents: bytes, *, is_answered: bool) -> bytes:
        """The result object of a resource that was read; `contents` is its encoded array.

        `is_answered`: after a round of questions, so that it is this user's and no cache's.
        """
        freshness = _UNSHARED if is_answered and self.freshness else self.freshness
        return b"".join((self.head, freshness, b'"contents":', contents, self.tail))

    def prompt_result(self, messages: bytes, description: str | None) -> bytes:
        """The result object of a prompt; `messages` is its encoded array."""
        words = b"" if description is None else b'"description":%b,' % encode(description)
        return b"".join((self.head, words, b'"messages":', messages, self.tail))

    def completion_result(self, completion: bytes) -> bytes:
        """The result object of a completion, which is encoded."""
        return b"".join((self.head, b'"completion":', completion, self.tail))

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


def edit(
    version: str, endpoint: Endpoint, catalog: Catalog, settings: Settings, cursors: Cursors
) -> Edition:
    """The edition of `endpoint` for `version`."""
    features = FEATURES[version]
    identity = replace(catalog.identity, title=endpoint.title or catalog.identity.title)
    lists = _lists(endpoint, features)
    forms = {name: output_form(tool, features) for name, tool in endpoint.tools.items()}
    capabilities = _capabilities(endpoint, settings, features)
    words = {} if endpoint.instructions is None else {"instructions": endpoint.instructions}
    if features.is_modern:
        opening = {"supportedVersions": list(SUPPORTED), "capabilities": capabilities, **words}
        return _modern(opening, lists, forms, identity, settings, cursors)
    opening = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": describe_server(identity, features),
        **words,
    }
    return Edition(
        version or BATCHING,
        features,
        lists={
            method: cut(method, found, cursors, before={}, after={})
            for method, found in lists.items()
        },
        opening=encode(opening),
        forms=forms,
        head=b"{",
        tail=b"}",
        meta={},
        freshness=b"",
    )


def _modern(
    opening: Mapping[str, object],
    lists: Lists,
    forms: Mapping[str, Form],
    identity: Identity,
    settings: Settings,
    cursors: Cursors,
) -> Edition:
    scope = "public" if settings.is_public else "private"
    info = {"_meta": {SERVER_KEY: brief_server(identity)}}
    fresh = {"resultType": "complete", "ttlMs": settings.list_ttl_ms, "cacheScope": scope}
    server = describe_server(identity, FEATURES[MODERN])
    return Edition(
        MODERN,
        FEATURES[MODERN],
        lists={
            method: cut(method, found, cursors, before=fresh, after=info)
            for method, found in lists.items()
        },
        opening=encode(
            {
                "resultType": "complete",
                **opening,
                "ttlMs": settings.discover_ttl_ms,
                "cacheScope": scope,
                "_meta": {SERVER_KEY: server},
            }
        ),
        forms=forms,
        head=b'{"resultType":"complete",',
        tail=b"," + encode(info)[1:],
        meta=info["_meta"],
        freshness=b'"ttlMs":%d,"cacheScope":%b,' % (settings.read_ttl_ms, encode(scope)),
    )


def _lists(endpoint: Endpoint, features: Features) -> Lists:
    found: dict[str, dict[str, list[dict[str, object]]]] = {}
    found[TOOLS] = {"tools": [describe_tool(tool, features) for tool in endpoint.tools.values()]}
    resources = endpoint.resources.values()
    found[RESOURCES] = {
        "resources": [describe_resource(r, features) for r in resources if r.template is None]
    }
    found[TEMPLATES] = {
        "resourceTemplates": [
            describe_template(r, features) for r in resources if r.template is not None
        ]
    }
    found[PROMPTS] = {"prompts": [describe_prompt(p, features) for p in endpoint.prompts.values()]}
    return found


def _capabilities(endpoint: Endpoint, settings: Settings, features: Features) -> dict[str, object]:
    found: dict[str, object] = {}
    changes = {"listChanged": True} if _tells(settings, features) else {}
    if endpoint.tools:
        found["tools"] = changes
    if endpoint.resources:
        found["resources"] = {**changes, "subscribe": True} if changes else {}
    if endpoint.prompts:
        found["prompts"] = changes
    if endpoint.completes and features.completions:
        found["completions"] = {}
    if _logs(settings, features):
        found["logging"] = {}
    return {**found, **_extensions(settings, features)}


def _extensions(settings: Settings, features: Features) -> dict[str, object]:
    return {"extensions": {TASKS: {}}} if settings.has_tasks and features.is_modern else {}


def _tells(settings: Settings, features: Features) -> bool:
    return settings.notifies and (features.is_modern or settings.keeps_session)


def _logs(settings: Settings, features: Features) -> bool:
    if features.is_modern:
        return settings.logs
    return settings.log_level is not None or settings.keeps_session
