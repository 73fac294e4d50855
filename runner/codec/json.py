"""The one JSON writer and the one JSON reader of the program.

Strict JSON both ways: no NaN, no Infinity, UTF-8 only. Every other module that makes or reads JSON
text comes here, so that one rule holds for requests, results, logs and files.
"""

import json
import math
import re
from typing import Final

import orjson

Json = object
"""What `decode` gives and `encode` takes: dict, list, str, int, float, bool, None."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps (RFC 8259, section 6)."""
_LONG_NUMBER = re.compile(rb"[0-9]{16}")


class JsonFault(ValueError):  # noqa: N818 - the text's fault, not the program's error
    """The text is no JSON, or too deep, or not UTF-8."""


def decode(text: bytes | str) -> Json:
    """The value of a JSON text; integers of any size stay integers up to 64 bits.

    Raises:
        JsonFault: the text is not strict JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise JsonFault(f"not JSON at line {error.lineno}, column {error.colno}") from error


def decode_exact(text: bytes) -> Json:
    """The value of a JSON text that others made; integers beyond ±(2^53−1) as texts of all digits.

    Raises:
        JsonFault: the text is not strict JSON.
    """
    try:
        value = decode(text)
    except JsonFault:
        if _LONG_NUMBER.search(text) is None:
            raise
        return _decode_long(text)
    if _LONG_NUMBER.search(text) is None:
        return value
    # Strict already; the standard library's reader alone gives the digits of an integer.
    try:
        return json.loads(text, parse_int=_integer)
    except RecursionError as error:
        raise JsonFault("too deep") from error


def _decode_long(text: bytes) -> Json:
    """The value of a text with an integer too long for the strict reader; as strict otherwise."""
    try:
        value = json.loads(
            text.decode(), parse_int=_integer, parse_float=_double, parse_constant=_no_constant
        )
        encode(value)  # which refuses half a character
    except (ValueError, TypeError, RecursionError) as error:
        raise JsonFault("not JSON, or beyond what a value holds") from error
    return value


def is_json(text: bytes) -> bool:
    """The text is JSON by its grammar, whether or not a value here can hold it.

    What is too deep to be read counts as JSON.
    """
    try:
        json.loads(text.decode(), parse_int=str, parse_float=str, parse_constant=_no_constant)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _double(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number beyond a double")
    return value


def _no_constant(name: str) -> Json:
    raise ValueError(f"'{name}' is no JSON")


def decode_lenient(text: bytes) -> Json:
    """The value of what an engine holds for JSON and is none: `NaN` and numbers that no double
    holds as their texts; what cannot be read even so as the text itself."""
    try:
        return json.loads(
            text, parse_int=_integer, parse_float=_double_or_text, parse_constant=lambda name: name
        )
    except (ValueError, RecursionError):
        return text.decode(errors="replace")


def _double_or_text(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _integer(digits: str) -> int | str:
    is_safe = len(digits) <= 17 and abs(int(digits)) <= MAX_SAFE_INTEGER
    return int(digits) if is_safe else digits


def encode(value: Json) -> bytes:
    """Compact UTF-8 JSON of a JSON-safe value (see `runner.codec.values.plain`).

    Raises:
        TypeError: the value holds something that is no JSON; a bug of whoever made it.
    """
    return orjson.dumps(value)


def encode_indented(value: Json) -> bytes:
    """The same as `encode`, two spaces a level; for people to read.

    Raises:
        TypeError: as `encode`.
    """
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)
