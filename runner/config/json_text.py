"""JSON as a YAML that means the same, so that one reader gives both their places.

YAML reads JSON but for two things: pairs of escaped surrogates, and numbers with an exponent,
which are text here. Both are rewritten; on such a line the columns behind it may move.
"""

import re
from decimal import Decimal

# A string, so that what looks like a number inside one is left alone; or a number.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+', re.DOTALL)
_PAIR = re.compile(rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
# Written out, a larger one is text to us (see `nodes`), a smaller one is nothing but zeros.
_EXPONENTS = range(-400, 300)


def as_yaml(data: bytes) -> bytes:
    """The YAML text that means what the JSON text `data` means."""
    return _TOKEN.sub(lambda token: _rewritten(token[0]), data)


def _rewritten(token: bytes) -> bytes:
    if token.startswith(b'"'):
        return _PAIR.sub(lambda pair: _character(pair[1], pair[2]), token)
    number = Decimal(token.decode("ascii"))
    if number.adjusted() not in _EXPONENTS:
        return token
    text = format(number, "f")
    return (text if "." in text else f"{text}.0").encode("ascii")


def _character(high: bytes, low: bytes) -> bytes:
    code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)
    return b"\\U%08x" % code
