"""The envelope of a modern request: `params._meta`, checked.

Source: MCP 2026-07-28, basic, "Request Metadata".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from runner.codec.json import Json
from runner.protocol.errors import Code, ProtocolError
from runner.protocol.tracing import TRACE_KEYS, read_trace

PREFIX: Final = "io.modelcontextprotocol/"
VERSION_KEY: Final = PREFIX + "protocolVersion"
CAPABILITIES_KEY: Final = PREFIX + "clientCapabilities"
CLIENT_KEY: Final = PREFIX + "clientInfo"
LOG_LEVEL_KEY: Final = PREFIX + "logLevel"
SERVER_KEY: Final = PREFIX + "serverInfo"

LOG_LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
"""Rising."""
_CAPABILITIES: Final = ("elicitation", "sampling", "roots", "experimental", "extensions")


@dataclass(slots=True)
class Metadata:
    """What a request says beside its parameters."""

    version: str
    capabilities: Mapping[str, object]
    client: Mapping[str, object] | None = None
    log_level: str | None = None
    progress_token: str | int | None = None
    trace: Mapping[str, str] = field(default_factory=dict)
    """The trace that the request belongs to, as `runner.protocol.tracing` reads it."""


def is_modern(params: Json) -> bool:
    """The message carries the modern envelope."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def read_metadata(params: Json) -> Metadata:
    """The metadata of a modern request.

    Raises:
        ProtocolError: -32602, naming the key that is missing or of the wrong type.
    """
    if not isinstance(params, dict):
        raise _invalid("params is an object with _meta")
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        raise _invalid(f"params._meta is an object with {VERSION_KEY}")
    version = meta.get(VERSION_KEY)
    if not isinstance(version, str):
        raise _invalid(f"params._meta['{VERSION_KEY}'] is a string")
    capabilities = meta.get(CAPABILITIES_KEY)
    if not isinstance(capabilities, dict):
        raise _invalid(f"params._meta['{CAPABILITIES_KEY}'] is an object")
    for name in _CAPABILITIES if capabilities else ():
        if not isinstance(capabilities.get(name, {}), dict):
            raise _invalid(f"params._meta['{CAPABILITIES_KEY}'].{name} is an object")
    if len(meta) == 2:
        return Metadata(version, capabilities)
    return Metadata(
        version,
        capabilities,
        _client(meta),
        _log_level(meta),
        read_progress_token(meta),
        {} if meta.keys().isdisjoint(TRACE_KEYS) else read_trace(meta),
    )


def _client(meta: Mapping[str, Json]) -> Mapping[str, object] | None:
    if CLIENT_KEY not in meta:
        return None
    client = meta[CLIENT_KEY]
    if (
        isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    ):
        return client
    raise _invalid(f"params._meta['{CLIENT_KEY}'] is an object with a name and a version")


def _log_level(meta: Mapping[str, Json]) -> str | None:
    return read_log_level(meta[LOG_LEVEL_KEY]) if LOG_LEVEL_KEY in meta else None


def read_log_level(value: Json) -> str:
    """One of the eight levels.

    Raises:
        ProtocolError: -32602, naming them.
    """
    if isinstance(value, str) and value in LOG_LEVELS:
        return value
    raise _invalid(f"A log level is one of {', '.join(LOG_LEVELS)}")


def read_progress_token(meta: Mapping[str, Json]) -> str | int | None:
    """The token that asks for progress; None: it was not asked for.

    Raises:
        ProtocolError: -32602, the token is neither a string nor an integer.
    """
    if "progressToken" not in meta:
        return None
    token = meta["progressToken"]
    if isinstance(token, str) or (isinstance(token, int) and not isinstance(token, bool)):
        return token
    raise _invalid("params._meta.progressToken is a string or an integer")


def _invalid(message: str) -> ProtocolError:
    return ProtocolError(Code.INVALID_PARAMS, message)
