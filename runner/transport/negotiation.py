"""What the client sends and what it takes: `Content-Type` and `Accept`.

Source: RFC 9110, 12.5.1; MCP 2026-07-28, basic/transports/streamable-http.
"""

from functools import lru_cache
from typing import Final, NamedTuple

JSON: Final = b"application/json"
EVENT_STREAM: Final = b"text/event-stream"


class Accepts(NamedTuple):
    """Which kinds of answer the client takes."""

    json: bool
    stream: bool


def is_json(content_type: bytes | None) -> bool:
    """The body is declared as JSON; parameters are allowed."""
    if content_type == JSON:
        return True
    return content_type is not None and content_type.split(b";")[0].strip().lower() == JSON


@lru_cache(maxsize=256)
def read_accept(accept: bytes | None) -> Accepts:
    """What `Accept` allows; without one, everything."""
    if accept is None or not accept.strip():
        return Accepts(json=True, stream=True)
    weights: dict[bytes, bool] = {}
    for part in accept.lower().split(b","):
        kind, *parameters = (piece.strip() for piece in part.split(b";"))
        weights[kind] = all(not _is_zero(parameter) for parameter in parameters)
    return Accepts(_allows(weights, JSON), _allows(weights, EVENT_STREAM))


def _allows(weights: dict[bytes, bool], kind: bytes) -> bool:
    """The most specific range decides."""
    family = kind.split(b"/")[0] + b"/*"
    for range_ in (kind, family, b"*/*"):
        if range_ in weights:
            return weights[range_]
    return False


def _is_zero(parameter: bytes) -> bool:
    name, _, value = parameter.partition(b"=")
    return name.strip() == b"q" and value.strip() in (b"0", b"0.", b"0.0", b"0.00", b"0.000")
