"""The filters and tests of expressions: an allow-list of pure ones, metered.

`FILTERS` and `TESTS` are what an author may write. `OPERATIONS` are the rewriter's own, under
names that no source can spell.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal

from jinja2 import Environment, filters, pass_context, tests
from jinja2.runtime import Context, Undefined

from runner.catalog.expressions import ExpressionError
from runner.compile.expressions import operations
from runner.compile.expressions.limits import Meter, check_length, weigh
from runner.compile.expressions.values import json_text, text_of
from runner.reserved import FUNCTIONS

Operation = Callable[..., object]


class MeteredContext(Context):
    """The names and the meter of one evaluation."""

    def __init__(self, environment: Environment, parent: Mapping[str, object]) -> None:
        # Jinja only looks names up in `parent`; a lazy mapping spares the copy into a dict.
        super().__init__(environment, parent, None, {})  # type: ignore[arg-type]  # lazy, as said
        self.meter = Meter()


def meter_of(context: Context) -> Meter:
    """The meter of an evaluation; Jinja hands contexts around by their base class.

    Raises:
        TypeError: another context than ours; a bug of this program.
    """
    if not isinstance(context, MeteredContext):
        raise TypeError("an expression is evaluated in a metered context only")
    return context.meter


def _operation(function: Operation) -> Operation:
    """A function of the meter as a filter."""

    @pass_context
    def run(context: Context, *arguments: object, **options: object) -> object:
        return function(meter_of(context), *arguments, **options)

    return run


def _weighed(function: Operation) -> Operation:
    """A pure function as a filter that pays for what it takes and gives."""

    def run(meter: Meter, *arguments: object, **options: object) -> object:
        for part in (*arguments, *options.values()):
            weigh(part, meter)
        return _settled(function(*arguments, **options), meter)

    return _operation(run)


def _in_context(function: Operation) -> Operation:
    """A filter of Jinja's that calls other filters or tests, as a metered one."""

    @pass_context
    def run(context: Context, *arguments: object, **options: object) -> object:
        meter = meter_of(context)
        for part in (*arguments, *options.values()):
            weigh(part, meter)
        return _settled(function(context, *arguments, **options), meter)

    return run


def _in_environment(function: Operation) -> Operation:
    """A filter of Jinja's that reads items, as a metered one."""

    def run(context: Context, *arguments: object, **options: object) -> object:
        return function(context.environment, *arguments, **options)

    return _in_context(run)


def _settled(result: object, meter: Meter) -> object:
    match result:
        case None | str() | bool() | int() | float() | Decimal() | list() | dict() | Undefined():
            value: object = result
        case _ if hasattr(result, "__iter__"):
            items: list[object] = []
            for item in result:
                meter.charge(1)
                items.append(list(item) if isinstance(item, tuple) else item)
            value = items
        case _:
            value = result
    if not isinstance(value, Undefined):
        weigh(value, meter)
    return value


def _default(value: object, default: object = "", boolean: bool = False) -> object:
    """`default` where the value is missing, none or, with `boolean`, empty or false."""
    return (
        default
        if isinstance(value, Undefined) or value is None or (boolean and not value)
        else value
    )


def _first(meter: Meter, value: object) -> object:
    return next(iter(operations.elements(meter, value)), None)


def _last(meter: Meter, value: object) -> object:
    return next(reversed(operations.elements(meter, value)), None)


def _length(meter: Meter, value: object) -> int:
    return len(operations.elements(meter, value))


def _join(meter: Meter, value: object, separator: object = "", attribute: object = None) -> str:
    found = operations.elements(meter, value)
    if attribute is not None:
        raise TypeError("join takes no attribute; map it first")
    return operations.joined(meter, found, text_of(separator, meter))


def _replace(meter: Meter, value: object, old: object, new: object) -> str:
    text, old, new = text_of(value, meter), text_of(old, meter), text_of(new, meter)
    if not old:
        raise TypeError("replace needs a text to replace")
    check_length(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _sum(meter: Meter, value: object, start: object = 0) -> object:
    total = start
    for item in operations.elements(meter, value):
        if not isinstance(item, int | float | Decimal):
            raise TypeError("sum")
        total = operations.arithmetic(meter, "+", total, item)
    return total


def _round(value: object, precision: object = 0, method: str = "common") -> object:
    if not isinstance(precision, int) or not -20 <= precision <= 20:
        raise TypeError("round takes a precision from -20 to 20")
    if not isinstance(value, int | float | Decimal) or method not in ("common", "ceil", "floor"):
        raise TypeError("round")
    return filters.do_round(value, precision, method)  # type: ignore[arg-type]  # a Decimal rounds as a float does


def _int(value: object, default: object = 0) -> object:
    if isinstance(value, Decimal | float) and not -1e40 < value < 1e40:
        raise TypeError("int")
    return filters.do_int(value, default)  # type: ignore[arg-type]  # gives the default back as it is


def _truncate(value: object, length: int = 255, killwords: bool = False, end: str = "…") -> str:
    text = str(value)
    if len(text) <= length:
        return text
    cut = text[: max(length - len(end), 0)]
    return (cut if killwords else cut.rsplit(" ", 1)[0]) + end


def _list(meter: Meter, value: object) -> list[object]:
    return operations.elements(meter, value)


def quoted_for_fts5(meter: Meter, value: object) -> str:
    """The words of a text as an FTS5 query: each a quoted string, so that none is an operator.

    An empty text gives the empty string `""`, which matches nothing.
    """
    words = text_of(value, meter).replace("\0", " ").split()
    quoted = " ".join('"' + word.replace('"', '""') + '"' for word in words) or '""'
    check_length(len(quoted))
    return quoted


def escaped_for_like(meter: Meter, value: object) -> str:
    """A text in which `%`, `_` and the backslash stand for themselves, after ESCAPE '\\'."""
    text = text_of(value, meter).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    check_length(len(text))
    return text


FILTERS: Mapping[str, Operation] = {
    "abs": _weighed(abs),
    "capitalize": _weighed(filters.do_capitalize),
    "count": _operation(_length),
    "d": _default,
    "default": _default,
    "dictsort": _weighed(filters.do_dictsort),
    "first": _operation(_first),
    "float": _weighed(filters.do_float),
    "fts5": _operation(quoted_for_fts5),
    "int": _weighed(_int),
    "items": _weighed(filters.do_items),
    "join": _operation(_join),
    "last": _operation(_last),
    "length": _operation(_length),
    "like": _operation(escaped_for_like),
    "list": _operation(_list),
    "lower": _weighed(filters.do_lower),
    "map": _in_context(filters.do_map),
    "max": _in_environment(filters.do_max),
    "min": _in_environment(filters.do_min),
    "reject": _in_context(filters.do_reject),
    "rejectattr": _in_context(filters.do_rejectattr),
    "replace": _operation(_replace),
    "reverse": _weighed(filters.do_reverse),
    "round": _weighed(_round),
    "select": _in_context(filters.do_select),
    "selectattr": _in_context(filters.do_selectattr),
    "sort": _in_environment(filters.do_sort),
    "string": _operation(lambda meter, value: text_of(value, meter)),
    "sum": _operation(_sum),
    "title": _weighed(filters.do_title),
    "tojson": _operation(lambda meter, value: json_text(value, meter)),
    "trim": _weighed(filters.do_trim),
    "truncate": _weighed(_truncate),
    "unique": _in_environment(filters.do_unique),
    "upper": _weighed(filters.do_upper),
    "urlencode": _weighed(filters.do_urlencode),
    "wordcount": _weighed(filters.do_wordcount),
}


def _comparison(word: str) -> Operation:
    return _operation(lambda meter, left, right: operations.compare(meter, left, word, right))


TESTS: Mapping[str, Operation] = {
    "boolean": tests.test_boolean,
    "defined": tests.test_defined,
    "divisibleby": _weighed(tests.test_divisibleby),
    "even": _weighed(tests.test_even),
    "false": tests.test_false,
    "float": tests.test_float,
    "in": _comparison("in"),
    "integer": tests.test_integer,
    "iterable": tests.test_iterable,
    "lower": _weighed(tests.test_lower),
    "mapping": tests.test_mapping,
    "none": tests.test_none,
    "number": tests.test_number,
    "odd": _weighed(tests.test_odd),
    "sequence": tests.test_sequence,
    "string": tests.test_string,
    "true": tests.test_true,
    "undefined": tests.test_undefined,
    "upper": _weighed(tests.test_upper),
} | {
    alias: _comparison(word)
    for word, aliases in {
        "eq": ("eq", "equalto", "=="), "ne": ("ne", "!="), "lt": ("lt", "lessthan", "<"),
        "lteq": ("le", "<="), "gt": ("gt", "greaterthan", ">"), "gteq": ("ge", ">="),
    }.items()
    for alias in aliases
}  # fmt: skip
"""Stand after `is`, and in `select`, `reject`, `selectattr`, `rejectattr`."""


def _called(name: str) -> Operation:
    @pass_context
    def run(context: Context, _unused: object, *arguments: object) -> object:
        meter_of(context).charge(1)
        function = context.parent.get(name)
        if not callable(function):
            raise ExpressionError(f"'{name}' is missing")
        result: object = function(*arguments)
        return result

    return run


OPERATIONS: Mapping[str, Operation] = {
    "compare()": _operation(operations.compare),
    "concatenated()": _operation(operations.concatenated),
    "elements()": _operation(operations.elements),
    "invoked()": _operation(operations.invoked),
    "sliced()": _operation(operations.sliced),
    "weighed()": _operation(operations.weighed),
    "range()": _operation(lambda meter, _unused, *bounds: operations.counted(meter, *bounds)),
} | {f"{name}()": _called(name) for name in sorted(FUNCTIONS - {"range"})}
"""Rewritten constructs, by names that only the rewriter gives."""
