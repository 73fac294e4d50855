"""What browsers ask before they call, and what they may read of the answer.

Only origins that the guard admits get here. No credentials of the browser are ever allowed.
Source: Fetch standard, "CORS protocol".
"""

import re
from collections.abc import Sequence
from typing import Final

from runner.protocol.headers import Headers
from runner.transport.asgi import Header

_ALLOWED: Final = (
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name,"
    " mcp-protocol-version, mcp-session-id"
)
_PARAMETER: Final = re.compile(r"mcp-param-[a-z0-9!#$%&'*+.^_`|~-]+")
_MAX_AGE_S: Final = b"7200"


def is_preflight(method: str, headers: Headers) -> bool:
    """A browser asks whether it may call."""
    return (
        method == "OPTIONS" and b"origin" in headers and b"access-control-request-method" in headers
    )


def read_headers_for(headers: Headers) -> Sequence[Header]:
    """The headers that let the page read the answer; none without an `Origin`."""
    origin = headers.get(b"origin")
    if origin is None:
        return ()
    return (
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", b"WWW-Authenticate"),
        (b"vary", b"Origin"),
    )


def preflight_headers(headers: Headers) -> Sequence[Header]:
    """The answer to a preflight: every header of the protocol, and the parameters asked for."""
    asked = headers.get(b"access-control-request-headers", b"").decode("latin-1").lower()
    names = (name.strip() for name in asked.split(","))
    parameters = [name for name in names if _PARAMETER.fullmatch(name)]
    return (
        (b"access-control-allow-origin", headers[b"origin"]),
        (b"access-control-allow-methods", b"POST"),
        (b"access-control-allow-headers", ", ".join([_ALLOWED, *parameters]).encode("ascii")),
        (b"access-control-max-age", _MAX_AGE_S),
        (b"vary", b"Origin"),
    )
