"""Reading JSON that others wrote without losing digits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.codec.json import JsonFault, decode_exact, decode_lenient


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"9007199254740991", 9007199254740991),
        (b"-9007199254740991", -9007199254740991),
        (b"9007199254740992", "9007199254740992"),
        (b"-9007199254740992", "-9007199254740992"),
        (b"[123456789012345678901234567890]", ["123456789012345678901234567890"]),
        (b'"9007199254740993"', "9007199254740993"),
        (b"0.12345678901234567", 0.12345678901234566),
        (b'{"id":1}', {"id": 1}),
    ],
)
def test_integers_that_a_double_cannot_hold_become_texts(text: bytes, value: object) -> None:
    assert decode_exact(text) == value


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b"[1e400]", b'"\xff"', b'"\\ud800"', b"1 2"])
def test_what_is_not_strict_json_is_a_fault(text: bytes) -> None:
    with pytest.raises(JsonFault):
        decode_exact(text)


@pytest.mark.parametrize("depth", [1010, 1100, 100_000])
def test_nesting_without_end_is_a_fault(depth: int) -> None:
    with pytest.raises(JsonFault):
        decode_exact(b"[" * depth + b"1234567890123456" + b"]" * depth)


@given(st.integers())
def test_no_integer_loses_a_digit(number: int) -> None:
    assert str(decode_exact(json.dumps(number).encode())) == str(number)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"NaN", "NaN"),
        (b'{"a": -Infinity, "b": [NaN, 1]}', {"a": "-Infinity", "b": ["NaN", 1]}),
        (b"[1e400, -1e400, 1e300]", ["1e400", "-1e400", 1e300]),
        (b"[" + b"9" * 5000 + b", 1.5]", ["9" * 5000, 1.5]),
        (b"[NaN, 1,]", "[NaN, 1,]"),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"\xff", "\ufffd"),
        (b"[" * 5000, "[" * 5000),
    ],
    ids=["nan", "within", "doubles", "digits", "no JSON", "twice", "no UTF-8", "deep"],
)
def test_what_an_engine_takes_for_json_is_never_refused(text: bytes, value: object) -> None:
    assert decode_lenient(text) == value
