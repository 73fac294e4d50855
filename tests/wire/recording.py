"""Every message that a test sees is held against the published schema of its version.

Its version is the one that the request was made in. Both ways: what a server sends always, and
what it was sent where it gave a result, because it may take nothing else for right.
"""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jsonschema_rs import ValidationError, Validator, validator_for

SCHEMAS: Final = Path(__file__).parent.parent / "schema"
MODERN_SCHEMA, LEGACY_SCHEMA = "2026-07-28", "2025-11-25"
UNTOLD: Final = "2025-03-26"
"""The version of older clients over HTTP that do not say which."""
_OLDER: Final = {"2025-06-18", UNTOLD, "2024-11-05"}
_FILES: Final = {"2024-11-05": UNTOLD}
"""The schema that stands for one that is not here: the next version, which admits more."""
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"

_CODES: Final = {-32700, -32600, -32601, -32602, -32603}
_MODERN_CODES: Final = _CODES | {-32020, -32021, -32022}
"""The rest of -32099 to -32020 has no meaning yet; -32002 and -32042 have none any more."""
_LEGACY_CODES: Final = _CODES | {-32002, -32022}
"""The last for a client whose whole era is not served."""

_TYPES: Final = {
    "server/discover": "Discover",
    "subscriptions/listen": "SubscriptionsListen",
    "initialize": "Initialize",
    "ping": "Ping",
    "logging/setLevel": "SetLevel",
    "tools/list": "ListTools",
    "tools/call": "CallTool",
    "resources/list": "ListResources",
    "resources/templates/list": "ListResourceTemplates",
    "resources/read": "ReadResource",
    "resources/subscribe": "Subscribe",
    "resources/unsubscribe": "Unsubscribe",
    "prompts/list": "ListPrompts",
    "prompts/get": "GetPrompt",
    "completion/complete": "Complete",
    "tasks/get": "JSONRPC",
    "tasks/update": "JSONRPC",
    "tasks/cancel": "JSONRPC",
    "tasks/list": "JSONRPC",
    "tasks/result": "JSONRPC",
}
"""What the types of a method's request and of its result begin with."""
_EMPTY: Final = ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")
_NOTIFICATIONS: Final = {
    "notifications/cancelled": "CancelledNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/tasks": "JSONRPCNotification",  # of an extension: the core's schema has none
}


@functools.cache
def validator(version: str, name: str) -> Validator:
    """The validator of one type of a published schema."""
    document = json.loads((SCHEMAS / f"{_FILES.get(version, version)}.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in document else "definitions"
    whole = {**document, "$ref": f"#/{keyword}/{name}"}
    return validator_for(whole, validate_formats=True)


def check(message: object, version: str, method: str = "") -> None:
    """Fails unless a server may send `message` in answer to `method`."""
    assert isinstance(message, dict)
    if "error" in message:
        _check_error(message, version)
    elif "method" in message:
        validator(version, "JSONRPCMessage").validate(message)
        validator(version, _NOTIFICATIONS[message["method"]]).validate(message)
        assert "id" not in message
    elif version == MODERN_SCHEMA:
        # The core's schema knows neither the handle of a task nor the methods for one.
        is_handle = message["result"].get("resultType") == "task"
        begin = "JSONRPC" if is_handle else _TYPES[method]
        validator(version, f"{begin}ResultResponse").validate(message)
    else:
        validator(version, "JSONRPCMessage").validate(message)
        name = "Empty" if method in _EMPTY else _TYPES[method]
        validator(version, f"{name}Result").validate(message["result"])


def _check_error(message: Mapping[str, object], version: str) -> None:
    error = message["error"]
    assert isinstance(error, dict)
    assert error["code"] in (_MODERN_CODES if version == MODERN_SCHEMA else _LEGACY_CODES), error
    # Versions before 2025-11-25 have no error without an id, which one about no request is.
    older = version in _OLDER
    known = LEGACY_SCHEMA if older and "id" not in message else version
    name = "JSONRPCError" if older and known == version else "JSONRPCErrorResponse"
    validator(known, name).validate(message)
    match message:
        case {"error": {"code": -32022}}:
            validator(MODERN_SCHEMA, "UnsupportedProtocolVersionError").validate(message)
        case {"error": {"code": -32021}}:
            validator(MODERN_SCHEMA, "MissingRequiredClientCapabilityError").validate(message)


_lenient: list[str] = []


@contextmanager
def takes_more(why: str) -> Iterator[None]:
    """Within it, requests that no schema admits may have results; a function may be decorated."""
    _lenient.append(why)
    try:
        yield
    finally:
        _lenient.pop()


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of a client, and the version that it is made in."""

    message: Mapping[str, object]
    version: str

    def answers(self, found: Mapping[str, object]) -> bool:
        """`found` is about this message; an id has a type."""
        mine, its = self.message.get("id"), found.get("id")
        return type(mine) is type(its) and mine == its

    def check(self) -> None:
        """Fails unless a client may send it."""
        method = str(self.message["method"])
        validator(self.version, f"{_TYPES[method]}Request").validate(self.message)


class Conversation:
    """What passes over one server's pipes: what comes back is held against what was sent."""

    def __init__(self) -> None:
        self._sent = b""

    def send(self, *messages: Mapping[str, object]) -> bytes:
        """The messages as lines."""
        lines = b"".join(json.dumps(item, ensure_ascii=False).encode() + b"\n" for item in messages)
        self._sent += lines
        return lines

    def receive(self, line: str | bytes) -> dict[str, object]:
        """The message in a line of the server's."""
        message = json.loads(line)
        assert isinstance(message, dict)
        check_exchange(sent_over_stdio(self._sent), [message])
        return message


def sent_over_http(body: bytes, told: str | None) -> list[Sent]:
    """The messages of a body; `told` is its `MCP-Protocol-Version`."""
    return [Sent(item, version_of(item, told or UNTOLD)) for item in _objects(body)]


def sent_over_stdio(text: bytes) -> list[Sent]:
    """The messages of the lines, each older one in the version that was settled before."""
    found: list[Sent] = []
    version = LEGACY_SCHEMA
    for line in text.split(b"\n"):
        for item in _objects(line):
            match item:
                case {"method": "initialize", "params": {"protocolVersion": str(asked)}}:
                    version = asked if asked in {*_OLDER, LEGACY_SCHEMA} else LEGACY_SCHEMA
            found.append(Sent(item, version_of(item, version)))
    return found


def version_of(message: Mapping[str, object], told: str) -> str:
    """The version of a message, by the rules of eras."""
    match message:
        case {"params": {"_meta": dict(meta)}} if _VERSION_KEY in meta:
            return MODERN_SCHEMA
        case {"method": "initialize", "params": {"protocolVersion": str(asked)}}:
            return asked if asked in _OLDER else LEGACY_SCHEMA
        case _:
            return told if told in {*_OLDER, LEGACY_SCHEMA} else MODERN_SCHEMA


def _objects(text: bytes) -> list[Mapping[str, object]]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):  # it is not answered with a result
        return []
    return [item for item in (tree if isinstance(tree, list) else [tree]) if isinstance(item, dict)]


def check_exchange(sent: Sequence[Sent], received: Sequence[Mapping[str, object]]) -> None:
    """Fails unless each that was received may be sent, and what had a result was rightly sent.

    Where several messages share an id, or a conversation has several versions, one has to fit.
    """
    latest = sent[-1].version if sent else LEGACY_SCHEMA
    for message in received:
        about = [item for item in sent if "method" in message or item.answers(message)]
        if not about:
            check(message, latest)
        elif not any(_fits(message, item) for item in about[:-1]):
            _check_about(message, about[-1])


def _fits(message: Mapping[str, object], about: Sent) -> bool:
    try:
        _check_about(message, about)
    except (AssertionError, KeyError, ValidationError):
        return False
    return True


def _check_about(message: Mapping[str, object], about: Sent) -> None:
    check(message, about.version, str(about.message.get("method")))
    if "result" in message and not _lenient:
        about.check()
