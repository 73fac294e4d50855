"""The errors of the wire: JSON-RPC codes, their HTTP statuses, how they are written.

    RunnerError
    └── ProtocolError    the request is wrong; answered as a JSON-RPC error

Source: MCP 2026-07-28, basic, "Error Codes"; the statuses are of its Streamable HTTP page.
"""

from collections.abc import Mapping
from enum import IntEnum

from runner.codec.json import encode
from runner.errors import RunnerError

_SHOWN_CHARACTERS = 100


class Code(IntEnum):
    """The codes that this server sends."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    HEADER_MISMATCH = -32020
    MISSING_CAPABILITY = -32021
    UNSUPPORTED_VERSION = -32022
    RESOURCE_NOT_FOUND = -32002
    """Legacy clients alone; modern ones get -32602."""


MODERN_STATUS: Mapping[Code, int] = {
    Code.PARSE_ERROR: 400,
    Code.INVALID_REQUEST: 400,
    Code.METHOD_NOT_FOUND: 404,
    Code.INVALID_PARAMS: 400,
    Code.INTERNAL_ERROR: 200,  # some proxies replace the body of a 5xx
    Code.HEADER_MISMATCH: 400,
    Code.MISSING_CAPABILITY: 400,
    Code.UNSUPPORTED_VERSION: 400,
}
UNREADABLE: frozenset[Code] = frozenset({Code.PARSE_ERROR, Code.INVALID_REQUEST})
"""Not a request at all: 400 in both eras. Legacy clients take any other status than 200 for a lost
session, so a well-formed request of theirs gets its error with 200."""


class ProtocolError(RunnerError):
    """The request is wrong; `str(error)` is one short sentence for the client."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        data: Mapping[str, object] | None = None,
        status: int | None = None,
    ) -> None:
        """`status` is of HTTP, where it is another than the code's."""
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status


def shown(text: str) -> str:
    """A client's own text in quotes, cut to a length that fits a sentence."""
    return f"'{text}'" if len(text) <= _SHOWN_CHARACTERS else f"'{text[:_SHOWN_CHARACTERS]}…'"


def error_object(error: ProtocolError) -> dict[str, object]:
    """The error object of JSON-RPC."""
    body: dict[str, object] = {"code": int(error.code), "message": str(error)}
    if error.data is not None:
        body["data"] = error.data
    return body


def error_message(error: ProtocolError, id_json: bytes | None) -> bytes:
    """The JSON-RPC error response; without an id that could be read there is no `id` member."""
    id_part = b"" if id_json is None else b'"id":' + id_json + b","
    return b'{"jsonrpc":"2.0",' + id_part + b'"error":' + encode(error_object(error)) + b"}"
