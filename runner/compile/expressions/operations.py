"""What expressions do with values, metered: arithmetic, comparison, joining, methods, slices.

The rewriter puts these in the place of Python's own operators, which know no limit.
"""

import operator
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from jinja2.runtime import LoopContext, Undefined

from runner.catalog.expressions import ExpressionError
from runner.compile.expressions.limits import (
    MAX_EXPONENT,
    MAX_INTEGER_BITS,
    MAX_WORK,
    Meter,
    check_length,
    missing,
    weigh,
)
from runner.compile.expressions.values import iso, text_of

Number = int | float | Decimal
_ARITHMETIC: Mapping[str, Callable[[object, object], object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[..., object]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le,
    "gt": operator.gt, "gteq": operator.ge,
    "in": lambda left, right: operator.contains(_container(right), left),
    "notin": lambda left, right: not operator.contains(_container(right), left),
}  # fmt: skip
METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset({
        "startswith", "endswith", "lower", "upper", "title", "capitalize", "strip", "lstrip",
        "rstrip", "split", "rsplit", "splitlines", "isdigit", "isalpha", "isalnum", "count",
        "find", "removeprefix", "removesuffix",
    }),
    dict: frozenset({"get", "keys", "values", "items"}),
    list: frozenset({"count", "index"}),
    date: frozenset({"isoformat", "weekday", "isoweekday"}),
    datetime: frozenset({"isoformat", "weekday", "isoweekday", "date", "timestamp"}),
    LoopContext: frozenset({"cycle"}),
}  # fmt: skip
METHOD_NAMES = frozenset().union(*METHODS.values())


def arithmetic(meter: Meter, symbol: str, left: object, right: object) -> object:
    """`left symbol right` for numbers; `+` and `*` for texts and lists too.

    Raises:
        ExpressionError: the result would be too large, or an item is missing.
        TypeError: these values have no such operation.
    """
    meter.charge(1)
    for operand in (left, right):
        if isinstance(operand, Undefined):
            raise missing(operand._undefined_name)
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        return _calculated(meter, symbol, left, right)
    if symbol == "*":
        return _repeated(meter, left, right)
    if symbol == "+":
        return _appended(meter, left, right)
    raise TypeError(symbol)


def _appended(meter: Meter, left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        check_length(len(left) + len(right))
        return _weighed(left + right, meter)
    if isinstance(left, list) and isinstance(right, list):
        meter.charge(len(left) + len(right))
        return _weighed(left + right, meter)
    raise TypeError("+")


def _calculated(meter: Meter, symbol: str, left: Number, right: Number) -> object:
    if isinstance(left, Decimal) and isinstance(right, float):
        right = Decimal(repr(right))
    elif isinstance(left, float) and isinstance(right, Decimal):
        left = Decimal(repr(left))
    if symbol == "**" and not _is_small_power(left, right):
        raise ExpressionError("an expression of this tool makes too large a number")
    result = _ARITHMETIC[symbol](left, right)
    if not isinstance(result, int | float | Decimal):
        raise TypeError(symbol)
    return _weighed(result, meter)


def _is_small_power(left: Number, right: Number) -> bool:
    if not -MAX_EXPONENT <= right <= MAX_EXPONENT:
        return False
    are_integers = isinstance(left, int) and isinstance(right, int)
    return not are_integers or int(left).bit_length() * abs(int(right)) <= MAX_INTEGER_BITS


def _repeated(meter: Meter, left: object, right: object) -> object:
    subject, times = (right, left) if isinstance(left, int) else (left, right)
    if isinstance(times, int) and isinstance(subject, str):
        check_length(len(subject) * times)
        return _weighed(subject * times, meter)
    if isinstance(times, int) and isinstance(subject, list):
        meter.charge(min(max(len(subject) * times, 0), MAX_WORK + 1))
        return _weighed(subject * times, meter)
    raise TypeError("*")


def _weighed(value: object, meter: Meter) -> object:
    weigh(value, meter)
    return value


def weighed(meter: Meter, value: object) -> object:
    """The value itself, paid for."""
    return _weighed(value, meter)


def compare(meter: Meter, left: object, *rest: object) -> bool:
    """A chain of comparisons: `rest` is word, operand, word, operand …; dates meet ISO texts.

    Raises:
        ExpressionError: an item is missing, or the operands are too large.
        TypeError: these values have no order.
    """
    weigh(left, meter)
    for word, right in zip(rest[::2], rest[1::2], strict=True):
        weigh(right, meter)
        one, other = _comparable(left, right)
        if not _COMPARISONS[str(word)](one, other):
            return False
        left = right
    return True


def _comparable(left: object, right: object) -> tuple[object, object]:
    match left, right:
        case (date(), str()):
            return _moment(left), _read(right)
        case (str(), date()):
            return _read(left), _moment(right)
        case (datetime(), date()) | (date(), datetime()):
            return _moment(left), _moment(right)
        case (Decimal(), float()):
            return left, Decimal(repr(right))
        case (float(), Decimal()):
            return Decimal(repr(left)), right
        case _:
            return left, right


def _moment(value: object) -> object:
    if isinstance(value, datetime) or not isinstance(value, date):
        return value
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _read(text: str) -> object:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _container(value: object) -> str | list[object] | tuple[object, ...] | frozenset[object]:
    match value:
        case str() | list() | tuple() | frozenset():
            return value
        case Mapping():
            return tuple(value)
        case _:
            raise TypeError("in")


def concatenated(meter: Meter, *parts: object) -> str:
    """The texts of `parts` (the operator `~`).

    Raises:
        ExpressionError: it is too long, or an item is missing.
    """
    return joined(meter, parts, "")


def joined(meter: Meter, parts: "list[object] | tuple[object, ...]", separator: str) -> str:
    """The texts of `parts` with `separator` between.

    Raises:
        ExpressionError: it is too long, or an item is missing.
    """
    texts: list[str] = []
    length = len(separator) * max(len(parts) - 1, 0)
    check_length(length)
    for part in parts:
        texts.append(text_of(part, meter))
        length += len(texts[-1])
        check_length(length)
    return separator.join(texts)


def elements(meter: Meter, value: object) -> list[object]:
    """What a loop goes through: a list's elements, a mapping's keys, a text's characters.

    Raises:
        ExpressionError: there are too many, or it is missing.
        TypeError: nothing that has elements.
    """
    match value:
        case list() | tuple() | str() | set() | frozenset() | Mapping():
            meter.charge(1 + len(value))
            return list(value)
        case Undefined():
            raise missing(value._undefined_name)
        case _:
            raise TypeError("not a list")


def counted(meter: Meter, *bounds: object) -> list[object]:
    """`range(stop)`, `range(start, stop)`, `range(start, stop, step)` as a list.

    Raises:
        ExpressionError: it is too long.
        TypeError: a bound is no integer.
    """
    numbers = [bound for bound in bounds if isinstance(bound, int)]
    if len(numbers) != len(bounds):
        raise TypeError("range")
    found = range(*numbers)
    first, last, step = found.start, found.stop, found.step
    meter.charge(min(max((last - first) // step + 1, 0), MAX_WORK + 1))
    return list(found)


def sliced(
    meter: Meter, value: object, start: object = None, stop: object = None, step: object = None
) -> object:
    """`value[start:stop:step]` of a text or list.

    Raises:
        TypeError: neither.
    """
    if not isinstance(value, str | list | tuple):
        raise TypeError("slice")
    bounds = [None if bound is None else operator.index(bound) for bound in (start, stop, step)]  # type: ignore[arg-type]  # index refuses what is no integer
    return _weighed(value[slice(*bounds)], meter)


def invoked(
    meter: Meter, value: object, name: object, *arguments: object, **options: object
) -> object:
    """A method of `METHODS`; `join` of a text.

    Raises:
        ExpressionError: there is no such method on this value, or it is too large.
    """
    for part in (value, *arguments, *options.values()):
        weigh(part, meter)
    match value, name:
        case str(), "join":
            (parts,) = arguments
            return joined(meter, elements(meter, parts), value)
        case date(), "isoformat":
            return iso(value)
        case Mapping(), "keys" | "values" | "items":
            return _listed(value, str(name), meter)
    kind = dict if isinstance(value, Mapping) else type(value)
    if name not in METHODS.get(kind, ()):
        raise ExpressionError(f"there is no '{name}' on this value")
    method: Callable[..., object] = getattr(value, str(name))
    return _weighed(method(*arguments, **options), meter)


def _listed(value: Mapping[object, object], name: str, meter: Meter) -> object:
    parts = {"keys": list(value), "values": list(value.values())}
    listed = [[*pair] for pair in value.items()] if name == "items" else parts[name]
    return _weighed(listed, meter)
