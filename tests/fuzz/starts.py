"""Requests that are right, one at least of every method of both eras; what is wrong begins here."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.fuzz.mutations import Wire
from tests.wire.client import (
    PREFIX,
    legacy_message,
    modern_headers,
    modern_message,
    opening_params,
)
from tests.wire.http_client import BROWSERLESS

Tree = dict[str, object]
Ask = Callable[[Wire], Mapping[str, object]]
"""The result of a right request."""
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
PAGED: Final = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
REMOVED: Final = ("initialize", "ping", "logging/setLevel", "resources/subscribe")
NOTICES: Final = ("initialized", "cancelled", "progress", "roots/list_changed")
CAPABLE: Final[Tree] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
META: Final[Tree] = {
    f"{PREFIX}clientCapabilities": CAPABLE,
    f"{PREFIX}clientInfo": {"name": "fuzz", "version": "1"},
    f"{PREFIX}logLevel": "debug",
    "progressToken": "p-1",
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
}
ANSWERS: Final[Tree] = {
    "name": {"action": "accept", "content": {"name": "Ann"}},
    "colour": {"action": "accept", "content": {"colour": "red"}},
    "greeting": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi."}},
    "roots": {"roots": [{"uri": "file:///work"}]},
}
LISTENING: Final[Tree] = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["docs://page", "docs://folder/a.md"],
}
CITY: Final[Tree] = {"type": "ref/resource", "uri": "city://{country}/{city}"}
WRITE: Final[Tree] = {"type": "ref/prompt", "name": "write"}
CALLS: Final[list[tuple[str, Tree]]] = [
    ("tools/call", {"name": "echo", "arguments": {"text": "hé", "when": "2026-01-31"}}),
    ("tools/call", {"name": "echo", "arguments": {"text": "x", "times": 2, "tags": ["a", "b"]}}),
    ("tools/call", {"name": "headed", "arguments": {"region": "Zürich", "number": 7}}),
    ("tools/call", {"name": "numbers", "arguments": {"limit": 2}}),
    ("tools/call", {"name": "numbers", "arguments": {"word": "two"}}),
    ("tools/call", {"name": "report"}),
]
SHARED: Final[list[tuple[str, Tree]]] = [
    *((method, {}) for method in PAGED),
    *CALLS,
    ("resources/read", {"uri": "docs://text"}),
    ("resources/read", {"uri": "docs://page"}),
    ("resources/read", {"uri": "docs://folder/a.md"}),
    ("resources/read", {"uri": "city://1/Bern"}),
    ("prompts/get", {"name": "plain"}),
    ("prompts/get", {"name": "write", "arguments": {"tone": "plain", "word": "one"}}),
    ("prompts/get", {"name": "about"}),
    ("completion/complete", {"ref": WRITE, "argument": {"name": "word", "value": "t"}}),
    ("completion/complete", {"ref": WRITE, "argument": {"name": "other", "value": "a"}}),
    ("completion/complete", {"ref": CITY, "argument": {"name": "country", "value": "1"}}),
]
"""What both eras have."""
ASKING: Final[list[tuple[str, Tree]]] = [
    ("tools/call", {"name": "add", "arguments": {"n": 9, "word": "nine"}}),
    ("tools/call", {"name": "ask_name"}),
    ("tools/call", {"name": "ask_twice"}),
    ("tools/call", {"name": "ask_all"}),
    ("resources/read", {"uri": "ask://name"}),
    ("prompts/get", {"name": "asked"}),
]


def starts(ask: Ask) -> list[Wire]:
    """Every start; cursors and states are those that the server gave out."""
    return [*_modern(), *_pages(ask), *_rounds(ask), *_legacy()]


def modern(method: str, params: Tree, meta: Tree | None = None) -> Wire:
    """A modern request with its headers."""
    message = modern_message(method, params, meta=META if meta is None else meta)
    headers = {**BROWSERLESS, **modern_headers(message)}
    match params.get("arguments"):
        case {"region": str(region), "number": number}:
            encoded = base64.b64encode(region.encode()).decode()
            headers |= {
                "Mcp-Param-Region": f"=?base64?{encoded}?=",
                "Mcp-Param-Number": str(number),
            }
    return _wire(message, headers)


def legacy(message: Tree | list[Tree], version: str | None) -> Wire:
    """An older message, or several, with its headers."""
    return _wire(message, {**BROWSERLESS, "MCP-Protocol-Version": version})


def _wire(message: Tree | list[Tree], headers: Mapping[str, str | None]) -> Wire:
    pairs = [(name, value) for name, value in headers.items() if value is not None]
    return Wire(json.dumps(message, ensure_ascii=False).encode(), pairs)


def _modern() -> Iterator[Wire]:
    for method, params in [("server/discover", {}), *SHARED, *ASKING]:
        yield modern(method, params)
        yield modern(method, params, {})
    yield modern("subscriptions/listen", {"notifications": LISTENING})
    for method in REMOVED:
        yield modern(method, {})
    for name in NOTICES:
        message = modern_message(f"notifications/{name}", {"requestId": 1})
        del message["id"]
        yield _wire(message, {**BROWSERLESS, **modern_headers(message)})


def _pages(ask: Ask) -> Iterator[Wire]:
    """The second page of every list that has one, and of a tool's rows."""
    for method in PAGED:
        cursor = ask(modern(method, {})).get("nextCursor")
        if cursor is not None:
            yield modern(method, {"cursor": cursor})
    rows = ask(modern("tools/call", {"name": "numbers", "arguments": {"limit": 2}}))
    content = rows["structuredContent"]
    assert isinstance(content, dict)
    arguments = {"limit": 2, "cursor": content["next"]}
    yield modern("tools/call", {"name": "numbers", "arguments": arguments})


def _rounds(ask: Ask) -> Iterator[Wire]:
    """The second round of each that asks."""
    for method, params in ASKING:
        result = ask(modern(method, params))
        asked = result["inputRequests"]
        assert isinstance(asked, dict)
        accepted = {"action": "accept", "content": {}}
        answers = {key: ANSWERS.get(key, accepted) for key in asked}
        state = {"inputResponses": answers, "requestState": result["requestState"]}
        yield modern(method, {**params, **state})


def _legacy() -> Iterator[Wire]:
    older: list[tuple[str, Tree]] = [
        ("ping", {}),
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "docs://page"}),
    ]
    for version in VERSIONS:
        yield legacy(legacy_message("initialize", opening_params(version)), None)
        for method, params in (*older, *SHARED, *ASKING):
            whole: Tree = {**params, "_meta": {"progressToken": 7}}
            yield legacy(legacy_message(method, whole), version)
    for name in NOTICES:
        notice: Tree = {"jsonrpc": "2.0", "method": f"notifications/{name}"}
        yield legacy(notice, "2025-11-25")
    several = [legacy_message(method, params, id_=i) for i, (method, params) in enumerate(SHARED)]
    yield legacy(several, "2025-03-26")
    yield legacy([{"jsonrpc": "2.0", "id": 1, "result": {}}], "2025-03-26")
