"""The one codec: any value as strict JSON, nothing lost, nothing guessed."""

import json
import math
from collections import OrderedDict
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from ipaddress import ip_address, ip_network
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.codec.json import JsonFault, encode
from runner.codec.values import UnknownTypeError, decimal, duration, json_text, plain


class Color(Enum):
    RED = "red"


class Size(IntEnum):
    BIG = 2**60


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (9007199254740991, 9007199254740991),
        (9007199254740992, "9007199254740992"),
        (-9007199254740992, "-9007199254740992"),
        (True, True),
        (Size.BIG, "1152921504606846976"),
        (Color.RED, "red"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1.10"), "1.10"),
        (Decimal("1E-10"), "0.0000000001"),
        (Decimal("NaN"), "NaN"),
        (Decimal("-Infinity"), "-Infinity"),
        (UUID("6F1E4C0E-9C3F-4F0A-8F0E-1D2C3B4A5F60"), "6f1e4c0e-9c3f-4f0a-8f0e-1d2c3b4a5f60"),
        (date(2026, 3, 29), "2026-03-29"),
        (datetime(2026, 3, 29, 2, 30), "2026-03-29T02:30:00"),
        (datetime(2026, 3, 29, 2, 30, tzinfo=UTC), "2026-03-29T02:30:00+00:00"),
        (time(10, tzinfo=timezone(timedelta(hours=2))), "10:00:00+02:00"),
        (b"\x00\xff", "AP8="),
        (memoryview(b"ab"), "YWI="),
        (ip_address("::1"), "::1"),
        (ip_network("10.0.0.0/8"), "10.0.0.0/8"),
        ((1, [None]), [1, [None]]),
        (OrderedDict({1: 2**60, None: True}) | {"a": ()}, None),
        ("a\ud800b", "a�b"),
    ],
)
def test_each_type_has_one_form(value: object, expected: object) -> None:
    if isinstance(value, OrderedDict):
        with pytest.raises(UnknownTypeError, match="type 'NoneType' cannot be a key"):
            plain(value)
    else:
        assert plain(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (timedelta(), "PT0S"),
        (timedelta(days=3), "P3D"),
        (timedelta(hours=25, seconds=1.5), "P1DT1H1.5S"),
        (-timedelta(minutes=90), "-PT1H30M"),
    ],
)
def test_durations_are_iso_8601(value: timedelta, expected: str) -> None:
    assert duration(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.50", 1.5),
        ("2.0", 2),
        ("0.12345678901234567890", "0.12345678901234567890"),
        ("1E+20", "1" + "0" * 20),
    ],
)
def test_decimals_become_numbers_only_where_exact(text: str, expected: object) -> None:
    assert decimal(Decimal(text), "number") == expected


@pytest.mark.parametrize(
    "value", [object(), {1: object()}, [1j], {"1": 1, 1: 2}, {b"x": [{2}, ...]}]
)
def test_a_type_without_a_rule_is_an_error(value: object) -> None:
    with pytest.raises(UnknownTypeError):
        plain(value)


def test_json_columns_keep_integers_of_any_size() -> None:
    assert json_text('{"n": [123456789012345678901234567890, 1.5]}') == {
        "n": ["123456789012345678901234567890", 1.5]
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e400}',
        "[-1e400, 12345678901234567890]",
        '"\\ud800"',
        '["\\ud800", 12345678901234567890]',
        "[" * 201 + "]" * 201,
        "[" * 100_000 + "]" * 100_000,
    ],
    ids=["number", "number beside a long one", "half", "half beside a long", "deep", "deeper"],
)
def test_json_that_no_value_can_hold_stays_text(text: str) -> None:
    """What an engine takes for JSON must not cost a result its other rows."""
    assert json_text(text) == text


def test_digits_of_an_integer_in_json_have_no_bound() -> None:
    digits = "7" * 5001
    assert json_text(f'{{"n": [{digits}, -{digits}, 1.5]}}') == {"n": [digits, f"-{digits}", 1.5]}


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1234567890123456789, Infinity]"])
def test_what_is_no_json_is_a_fault(text: str) -> None:
    with pytest.raises(JsonFault):
        json_text(text)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary()
    | st.decimals()
    | st.uuids()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.timedeltas()
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
    ),
    max_leaves=20,
)


def refuse(name: str) -> object:
    raise AssertionError(f"{name} is not strict JSON")


@given(TREES)
def test_whatever_comes_leaves_as_strict_json(value: object) -> None:
    form = plain(value)
    assert json.loads(encode(form), parse_constant=refuse) == form
    assert plain(form) == form


@given(st.integers())
def test_integers_are_never_rounded(value: int) -> None:
    assert int(str(plain(value))) == value


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["text", "number"]))
def test_decimals_are_never_rounded(value: Decimal, decimals: str) -> None:
    form = decimal(value, "number" if decimals == "number" else "text")
    assert Decimal(repr(form) if isinstance(form, float) else str(form)) == value
