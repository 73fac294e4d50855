"""The request headers that repeat the body, and how they are compared with it.

Works on raw bytes with lower-case names, as ASGI gives them. A repeated header is joined with a
line feed, which no header may hold: so it is equal to nothing and counts as malformed.
Source: MCP 2026-07-28, basic/transports/streamable-http, "Request Headers".
"""

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from runner.catalog.schema import HeaderParameter
from runner.codec.paths import value_at
from runner.protocol.errors import Code, ProtocolError

Headers = Mapping[bytes, bytes]
"""By lower-case name."""

VERSION: Final = b"mcp-protocol-version"
METHOD: Final = b"mcp-method"
NAME: Final = b"mcp-name"
NAMED_BY: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""The parameter that `Mcp-Name` repeats, by method."""

_BLANK: Final = b" \t"
_PLAIN: Final = re.compile(rb"[\t\x20-\x7e]*")
_SENTINEL: Final = re.compile(rb"=\?base64\?(.*)\?=", re.DOTALL)
_INTEGER: Final = re.compile(r"(-?[0-9]{1,20})(?:\.0{1,20})?")
_LISTS: Final = frozenset({b"accept", b"access-control-request-headers"})


def read_headers(pairs: Sequence[tuple[bytes, bytes]]) -> Headers:
    """The headers by name, in one pass; a repeated one never equals a single one."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else _joined(pairs)


def _joined(pairs: Iterable[tuple[bytes, bytes]]) -> Headers:
    found: dict[bytes, bytes] = {}
    for name, value in pairs:
        if name in found:
            found[name] += (b", " if name in _LISTS else b"\n") + value
        else:
            found[name] = value
    return found


@lru_cache(maxsize=1024)
def decode_value(raw: bytes) -> str | None:
    """The text of a header's value, its base64 form decoded; None: malformed."""
    value = raw.strip(_BLANK)
    if not _PLAIN.fullmatch(value):
        return None
    sentinel = _SENTINEL.fullmatch(value)
    if sentinel is None:
        return value.decode("ascii")
    try:
        decoded = b64decode(sentinel[1], validate=True)
        return decoded.decode() if b64encode(decoded) == sentinel[1] else None
    except (Error, UnicodeDecodeError):
        return None


def version_of(headers: Headers) -> str | None:
    """What `MCP-Protocol-Version` says; None: it was not sent."""
    raw = headers.get(VERSION)
    return None if raw is None else raw.strip(_BLANK).decode("latin-1")


def check_method(headers: Headers, method: str, params: Mapping[str, object]) -> None:
    """Nothing, where `Mcp-Method` and `Mcp-Name` agree with the body.

    Raises:
        ProtocolError: -32020, naming the header.
    """
    _check(headers, METHOD, method, "Mcp-Method")
    parameter = NAMED_BY.get(method)
    if parameter is not None:
        check_name(headers, params.get(parameter))


def check_name(headers: Headers, name: object) -> None:
    """Nothing, where `Mcp-Name` agrees with the parameter that it repeats.

    Raises:
        ProtocolError: -32020.
    """
    if isinstance(name, str):
        _check(headers, NAME, name, "Mcp-Name")
    elif NAME in headers:
        raise _mismatch("Mcp-Name", "disagrees with the body")


def _check(headers: Headers, name: bytes, expected: str, shown: str) -> None:
    raw = headers.get(name)
    if raw is None:
        raise _mismatch(shown, "is missing")
    if decode_value(raw) != expected:
        raise _mismatch(shown, "disagrees with the body")


def _mismatch(name: str, fault: str) -> ProtocolError:
    return ProtocolError(Code.HEADER_MISMATCH, f"The header {name} {fault}")


def check_parameters(
    headers: Headers, declared: Iterable[HeaderParameter], arguments: Mapping[str, object]
) -> None:
    """Nothing, where each `Mcp-Param-*` that the tool declares agrees with its argument.

    Raises:
        ProtocolError: -32020, naming the header.
    """
    for parameter in declared:
        shown = f"Mcp-Param-{parameter.name}"
        raw = headers.get(b"mcp-param-" + parameter.name.lower().encode("ascii"))
        value = value_at(arguments, parameter.path)
        if value is None:
            if raw is not None:
                raise _mismatch(shown, "has no argument in the body")
        elif raw is None:
            # What no header can say fails the check of the arguments, which names the field.
            if isinstance(value, str | int | float):
                raise _mismatch(shown, "is missing")
        elif not _agrees(decode_value(raw), value):
            raise _mismatch(shown, "disagrees with the body")


def _agrees(text: str | None, value: object) -> bool:
    match value:
        case bool():
            return text == ("true" if value else "false")
        case str():
            return text == value
        case int() | float():
            number = None if text is None else _INTEGER.fullmatch(text)
            return number is not None and int(number[1]) == value
        case _:
            return False
