"""Expressions: what they give, what is refused and where."""

from decimal import Decimal

import pytest

from runner.catalog.expressions import ABSENT, ExpressionError
from runner.compile.expressions import Names, compile_checks, compile_expression
from runner.config.nodes import Scalar
from runner.config.spec.bindings import CheckSpec
from tests.compile.expressions.bench import START, Bench


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("caller.user_id", "u1"),
        ("caller.claims.plan", "pro"),
        ("caller.claims['plan']", "pro"),
        ("caller.scopes", ["a", "b"]),
        ("'a' in caller.scopes", True),
        ("caller.claims", {"plan": "pro"}),
        ("request.id", 7),
        ("request.tool ~ '!'", "search!"),
        ("vars.region", "eu"),
        ("now()", "2026-07-28T09:30:00.000000+00:00"),
        ("today()", "2026-07-28"),
        ("now().year", 2026),
        ("now() > '2026-07-28T10:00:00+02:00'", True),
        ("'2026-07-28' == today()", True),
        ("today() < now()", True),
        ("absent", ABSENT),
        ("'text'", "text"),
        ("1 < 2 < 3", True),
        ("1 < 2 > 3", False),
        ("[1, (2, 3)]", [1, [2, 3]]),
        ("{'a': none}", {"a": None}),
        ("'yes' if false", None),
        ("'a,b'.split(',')", ["a", "b"]),
        ("', '.join(['a', 1])", "a, 1"),
        ("{'a': 1}.items()", [["a", 1]]),
        ("'Abc'.upper()", "ABC"),
        ("'abc'[1:]", "bc"),
        ("caller.claims.nothing|default('x')", "x"),
        ("caller.claims.nothing is defined", False),
        ("range(3)|list", [0, 1, 2]),
        ("-1 - +2", -3),
        ("2 ** 10 // 3 % 7", 5),
        ("not 1 or 2", 2),
        ("[3, 1, 2]|sort|first", 1),
        ("[{'a': 1}, {'a': 2}]|selectattr('a', 'gt', 1)|map(attribute='a')|list", [2]),
        ("['b', 'a']|map('upper')|join('-')", "B-A"),
        ("[1, 2, 2]|unique|sum", 3),
        ("'a'|tojson", '"a"'),
        ("2.5|round|int", 2),
        ("'x' is string and 3 is odd", True),
    ],
)
def test_expression_gives_a_plain_value(bench: Bench, text: str, value: object) -> None:
    result = bench.evaluate(text)
    assert result == value
    assert type(result) is type(value)


def test_rules_of_the_documentation_hold(bench: Bench) -> None:
    rule = "content_type != 'chain' or (steps or [])|length >= 2"
    assert bench.evaluate(rule, {"content_type": "chain"}, "steps") is False
    assert bench.evaluate(rule, {"content_type": "chain", "steps": [1, 2]}) is True
    assert bench.evaluate(rule, {"content_type": "single"}, "steps") is True


def test_absent_parameter_is_none_and_sent_tells(bench: Bench) -> None:
    assert bench.evaluate("[x, sent('x')]", {}, "x") == [None, False]
    assert bench.evaluate("[x, sent('x')]", {"x": None}) == [None, True]


def test_decimal_keeps_its_digits(bench: Bench) -> None:
    values = {"price": Decimal("0.10")}
    assert bench.evaluate("price * 1.5", values) == Decimal("0.150")
    assert bench.evaluate("price == 0.1", values) is True
    assert bench.evaluate("price ~ ''", values) == "0.10"


def test_item_comes_before_any_attribute(bench: Bench) -> None:
    values = {"row": {"items": 1, "keys": 2}}
    assert bench.evaluate("row.items + row.keys", values) == 3
    assert bench.evaluate("row.keys()", values) == ["items", "keys"]


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), ("true", True), ("null", None), ("2.5", 2.5)]
)
def test_scalar_that_is_no_text_is_itself(bench: Bench, text: str, value: object) -> None:
    compiled = compile_expression(Scalar(text, START, plain=True), bench.site, Names(frozenset()))
    assert compiled is not None
    assert (compiled.evaluate({}), compiled.names) == (value, frozenset())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("published", "1: unknown-name: there is no 'published' here"),
        ("title == publishd", "10: unknown-name: there is no 'publishd' here"),
        ("hello world", "7: expression-syntax: expected the end, found 'world'"),
        ("$title", "1: reference-in-expression: '$title' is a reference of trees; "
         "in an expression a name stands alone"),
        ("title +", "8: expression-syntax: expected an expression, found the end"),
        ("(title", "7: expression-syntax: expected ')', found the end"),
        ("'abc", "1: expression-syntax: a text is not closed"),
        ("", "1: expression-syntax: expected an expression, found the end"),
        ("title.upper", None),
        ("now", "1: forbidden-expression: 'now' is a function"),
        ("sent('titel')", "6: unknown-name: there is no parameter 'titel'"),
        ("title|uppr", "7: unknown-filter: there is no filter 'uppr'"),
        ("title is strng", "7: unknown-test: there is no test 'strng'"),
        ("caller.userid", "7: unknown-name: there is no 'userid' in 'caller'"),
        ("title.format(1)", "13: forbidden-expression: 'format' cannot be called"),
        ("title()", "6: unknown-name: there is no function 'title'"),
        ("1" * 5000, "1: expression-syntax: a number has too many digits"),
        ("(" * 500, "1: expression-too-large: the expression is nested too deep"),
        ("1" + "+1" * 5000, "1: expression-too-large: the expression is nested too deep"),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_fault_is_reported_in_our_words_at_its_place(
    bench: Bench, text: str, told: str | None
) -> None:
    if told is None:
        with pytest.raises(ExpressionError, match="'upper' is missing"):
            bench.evaluate(text, {"title": "x"})
        return
    assert bench.refuse(text, "title") == [told]


def test_every_unknown_name_is_reported_once(bench: Bench) -> None:
    assert bench.refuse("foo + bar + foo") == [
        "1: unknown-name: there is no 'foo' here",
        "7: unknown-name: there is no 'bar' here",
    ]


def test_bare_unknown_word_suggests_a_quoted_text(bench: Bench) -> None:
    bench.refuse("published")
    assert [one.hint for one in bench.reported] == ["""for a text write "'published'\""""]


def test_close_name_is_suggested(bench: Bench) -> None:
    bench.refuse("titel ~ ''", "title")
    assert [one.hint for one in bench.reported] == ["did you mean 'title'?"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("caller.claims.nothing", "'nothing' is missing"),
        ("x.y.z", "'y' is missing"),
        ("x[9]", "'9' is missing"),
        ("caller.claims.nothing ~ ''", "'nothing' is missing"),
        ("caller.claims.nothing == 1", "'nothing' is missing"),
        ("x + 'secret'", "an expression of this tool does not fit these values"),
        ("1 / 0", "an expression of this tool does not fit these values"),
        ("x > 1", "an expression of this tool does not fit these values"),
        ("now() > 'tomorrow'", "an expression of this tool does not fit these values"),
        ("x|abs", "an expression of this tool does not fit these values"),
    ],
)
def test_fault_at_run_time_is_neutral(bench: Bench, text: str, told: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        bench.evaluate(text, {"x": ["secret"]})
    assert str(caught.value) == told


def test_names_are_those_that_are_read(bench: Bench) -> None:
    names = Names(frozenset({"a", "b", "c"}), frozenset({"rows"}))
    text = "a ~ (b if rows else now()) ~ sent('c')"
    compiled = compile_expression(Scalar(text, START), bench.site, names)
    assert compiled is not None
    assert compiled.names == {"a", "b", "rows"}


def test_check_compiles_rule_and_words(bench: Bench) -> None:
    spec = CheckSpec.model_validate(
        {"that": Scalar("rows == 1", START), "else": Scalar("No prompt {{ id }}", START)}
    )
    names = Names(frozenset({"id"}), frozenset({"rows"}))
    (check,) = compile_checks([spec], bench.site, names)
    scope = {"id": "p1", "rows": 0}
    assert (check.that.evaluate(scope), check.otherwise.render(scope)) == (False, "No prompt p1")
