"""Lossless coercion, cell by cell: what each type makes of each sent value, on and off."""

from decimal import Decimal
from enum import Enum

import pytest

from runner.arguments.coercion import Unfit, fit_of, measure
from runner.arguments.shapes import Kind, Member, Shape


def fit(kind: Kind, value: object, *, coerce: bool = True) -> object:
    """The value as `kind` reads it."""
    shape = Shape(kind, nullable=False, item=Shape("integer", nullable=False))
    return fit_of(shape, coerce=coerce, limit=100)(value)


class _Mark(Enum):
    """Stands where no value does; its name is the same in every run."""

    _SAME = "_same"


_SAME = _Mark._SAME
_ROWS: list[tuple[Kind, object, object, object]] = [
    # type, sent, with coercion, without
    ("integer", 42, 42, 42), ("integer", "42", 42, _SAME), ("integer", "-7", -7, _SAME),
    ("integer", 42.0, 42, 42), ("integer", 3.9, _SAME, _SAME), ("integer", "3.9", _SAME, _SAME),
    ("integer", "42.0", _SAME, _SAME), ("integer", "1e3", _SAME, _SAME),
    ("integer", " 42", _SAME, _SAME), ("integer", "42\n", _SAME, _SAME),
    ("integer", "+42", _SAME, _SAME), ("integer", "007", _SAME, _SAME),
    ("integer", "0x10", _SAME, _SAME), ("integer", "1_000", _SAME, _SAME),
    ("integer", "１２", _SAME, _SAME), ("integer", "", _SAME, _SAME),
    ("integer", True, _SAME, _SAME), ("integer", "true", _SAME, _SAME),
    ("integer", "9007199254740993", 9007199254740993, _SAME),
    ("integer", "9" * 1001, _SAME, _SAME), ("integer", [1], _SAME, _SAME),
    ("number", "3.5", 3.5, _SAME), ("number", "42", 42, _SAME), ("number", "1e5", 1e5, _SAME),
    ("number", 3, 3, 3), ("number", "1e99999", _SAME, _SAME), ("number", "NaN", _SAME, _SAME),
    ("number", ".5", _SAME, _SAME), ("number", "5.", _SAME, _SAME), ("number", "", _SAME, _SAME),
    ("boolean", "true", True, _SAME), ("boolean", "false", False, _SAME),
    ("boolean", True, True, True), ("boolean", "True", _SAME, _SAME),
    ("boolean", "yes", _SAME, _SAME), ("boolean", 1, _SAME, _SAME), ("boolean", "1", _SAME, _SAME),
    ("string", "007", "007", "007"), ("string", "1e5", "1e5", "1e5"),
    ("string", "true", "true", "true"), ("string", "null", "null", "null"),
    ("string", '{"a": 1}', '{"a": 1}', '{"a": 1}'), ("string", 5, _SAME, _SAME),
    ("decimal", "1.50", Decimal("1.50"), Decimal("1.50")), ("decimal", 3, Decimal(3), Decimal(3)),
    ("decimal", 0.1, Decimal("0.1"), Decimal("0.1")),
    ("decimal", "12345678901234567890.5", Decimal("12345678901234567890.5"),
     Decimal("12345678901234567890.5")),
    ("int64", "9223372036854775807", 2**63 - 1, 2**63 - 1), ("int64", 5, 5, 5),
    ("int64", 42.0, 42, 42),
    ("array", "[1, 2]", [1, 2], _SAME), ("array", ' ["3"]', [3], _SAME),
    ("array", ["3", 4.0], [3, 4], ["3", 4]), ("array", "{}", _SAME, _SAME),
    ("array", "[1", _SAME, _SAME), ("array", "3", _SAME, _SAME),
    ("object", '{"a": 1}', {"a": 1}, _SAME), ("object", "[1]", _SAME, _SAME),
    ("object", "null", _SAME, _SAME), ("any", "42", "42", "42"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sent", "coerced", "kept"), _ROWS, ids=repr)
def test_a_cell_of_the_coercion_table(
    kind: Kind, sent: object, coerced: object, kept: object
) -> None:
    for is_on, expected in ((True, coerced), (False, kept)):
        result = fit(kind, sent, coerce=is_on)
        wanted = sent if expected is _SAME else expected
        assert (result, type(result)) == (wanted, type(wanted))


@pytest.mark.parametrize(
    ("kind", "sent", "message"),
    [
        ("integer", 1e300, "expected an integer, found 1e+300: its digits are lost, "
         "send it as text"),
        ("number", float("inf"), "expected a finite number, found inf"),
        ("number", 9007199254740993,
         "expected a number that a double holds exactly, found 9007199254740993"),
        ("number", "9007199254740993",
         "expected a number that a double holds exactly, found 9007199254740993"),
        ("number", "1e400", "expected a number that a double holds exactly, found '1e400'"),
        ("number", "0.12345678901234567890",
         "expected a number that a double holds exactly, found '0.12345678901234567890'"),
        ("decimal", 0.1234567890123456, "expected a decimal of at most 15 digits, "
         "found 0.1234567890123456: send it as text"),
        ("decimal", "1e400", "expected a decimal number such as '12.50', found '1e400'"),
        ("decimal", "007", "expected a decimal number such as '12.50', found '007'"),
        ("decimal", True, "expected a decimal number such as '12.50', found true"),
        ("int64", "9223372036854775808",
         "expected an integer of 64 bits, found '9223372036854775808'"),
        ("int64", True, "expected an integer, found true"),
        ("int64", "3.9", "expected an integer, found '3.9'"),
    ],
)  # fmt: skip
def test_what_would_lose_digits_is_refused_with_advice(
    kind: Kind, sent: object, message: str
) -> None:
    with pytest.raises(Unfit) as caught:
        fit(kind, sent)
    assert caught.value.faults == [((), message)]


def test_null_is_left_to_the_schema() -> None:
    assert [fit(kind, None) for kind in ("decimal", "int64", "integer", "object")] == [None] * 4


def test_every_unreadable_place_is_found_and_the_rest_is_read() -> None:
    item = Shape("object", False, {"n": Member(Shape("int64", False)), "d": Member(Shape(), 7)})
    with pytest.raises(Unfit) as caught:
        fit_of(Shape("array", item=item), coerce=True, limit=100)([{"n": "x"}, {}, {"n": True}])
    assert caught.value.value == [{"n": "x", "d": 7}, {"d": 7}, {"n": True, "d": 7}]
    assert [path for path, _ in caught.value.faults] == [(0, "n"), (2, "n")]


def test_a_json_text_is_measured_as_well() -> None:
    with pytest.raises(Unfit) as caught:
        fit("array", str(list(range(101))))
    message = "expected at most 100 values, nested ones counted, found more"
    assert caught.value.faults == [((), message)]


def test_values_are_counted_at_every_depth() -> None:
    assert measure({"a": [1, 2], "b": {"c": 3}}, 5) is None
    assert measure({"a": [1, 2], "b": {"c": 3}}, 4) is not None


def test_nesting_has_a_limit() -> None:
    nested: object = 1
    for _ in range(101):
        nested = [nested]
    assert measure(nested, 1000) == "expected at most 100 levels of nesting, found more"
