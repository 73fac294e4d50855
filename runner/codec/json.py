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
    value = decode(text)
    if _LONG_NUMBER.search(text) is None:
        return value
    # Strict already; the standard library's reader alone gives the digits of an integer.
    try:
        return json.loads(text, parse_int=_integer)
    except RecursionError as error:
        raise JsonFault("too deep") from error


def decode_engines(text: bytes) -> Json:
    """The value of what an engine holds for JSON: as `decode_exact`, where it is strict; else with
    numbers that no double holds, `NaN` and `Infinity` as their texts, and what is no JSON even then
    as the text itself."""
    try:
        return decode_exact(text)
    except JsonFault:
        return _lenient(text)


def _lenient(text: bytes) -> Json:
    try:
        return json.loads(
            text, parse_int=_integer, parse_float=_double, parse_constant=lambda name: name
        )
    except (ValueError, RecursionError):
        return text.decode(errors="replace")


def _double(text: str) -> float | str:
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
