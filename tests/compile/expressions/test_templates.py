"""Templates: their output, their faults."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.expressions import ExpressionError
from tests.compile.expressions.bench import Bench


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("no marks: { } % # $x", "no marks: { } % # $x"),
        ("Save “{{ title }}” now\n", "Save “A” now\n"),
        ("{{ none }}|{{ true }}|{{ 1.5 }}|{{ tags }}|{{ row }}", '|true|1.5|["a","b"]|{"n":1}'),
        ("{{ price }} {{ now() }}", "0.10 2026-07-28T09:30:00.000000+00:00"),
        ("{% for t in tags %}{{ loop.index }}{{ t }}{% if not loop.last %},{% endif %}{% endfor %}",
         "1a,2b"),
        ("{% for key, value in row.items() %}{{ key }}={{ value }}{% endfor %}", "n=1"),
        ("{% for t in [] %}x{% else %}none{% endfor %}", "none"),
        ("{% set n = tags|length %}{{ n + 1 }}", "3"),
        ("{% with a = title %}{{ a ~ a }}{% endwith %}", "AA"),
        ("a {#- words -#} b", "ab"),
        ("{% raw %}{{ title }}{% endraw %}", "{{ title }}"),
        ("<b>{{ '<&>' }}</b>", "<b><&></b>"),
    ],
)  # fmt: skip
def test_template_renders(bench: Bench, text: str, output: str) -> None:
    values = {"title": "A", "tags": ["a", "b"], "row": {"n": 1}, "price": Decimal("0.10")}
    assert bench.render(text, values) == output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hello {{ nme }}", "10: unknown-name: there is no 'nme' here"),
        ("  {%- if x -%} a {%- endif %} {{ nope }}", "34: unknown-name: there is no 'nope' here"),
        ("{% if x %}", "11: template-syntax: expected the end of 'if', found the end"),
        ("{% foo %}", "4: template-syntax: there is no statement 'foo'"),
        ("{# a", "1: template-syntax: a comment is not closed"),
        ("{% set caller = x %}", "8: reserved-name: 'caller' cannot be set"),
        ("{% set x = 1 %}", "8: reserved-name: 'x' cannot be set"),
        ("{{ $x }}", "4: reference-in-expression: '$x' is a reference of trees; "
         "in an expression a name stands alone"),
    ],
)  # fmt: skip
def test_fault_in_a_template_stands_at_its_place(bench: Bench, text: str, told: str) -> None:
    assert bench.refuse(text, "x", template=True) == [told]


def test_fault_on_a_later_line_has_that_line(bench: Bench) -> None:
    """Columns are exact where the scalar knows its lines; here it counts on from the start."""
    assert bench.refuse("ab\ncd {{ y }}", "x", template=True) == [
        "10: unknown-name: there is no 'y' here"
    ]


def test_missing_item_is_an_error_not_an_empty_text(bench: Bench) -> None:
    with pytest.raises(ExpressionError, match="'name' is missing"):
        bench.render("Hi {{ row.name }}", {"row": {}})


@given(text=st.text())
def test_text_of_a_user_comes_out_unchanged(text: str) -> None:
    """Whatever was sent is a value: no template, no markup, no quoting in it is ever read."""
    bench = Bench()
    assert bench.evaluate("x", {"x": text}) == text
    assert bench.evaluate("x if true else y", {"x": text, "y": 1}) == text
    assert bench.render("{{ x }}", {"x": text}) == text
    assert bench.render("{% if true %}{{ x }}{% endif %}", {"x": text}) == text
