"""Nothing reaches Python, nothing runs without bound: escapes and bombs known from Jinja."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.expressions import ExpressionError, Template
from runner.compile.expressions import Names, compile_expression, compile_template
from runner.config.nodes import Scalar
from tests.compile.expressions.bench import START, Bench

REFUSED = (
    "''.__class__",
    "''.__class__.__mro__[1].__subclasses__()",
    "x['__class__']['__base__']",
    "().__class__.__bases__[0]",
    "cycler.__init__.__globals__.os",
    "joiner.__init__.__globals__",
    "lipsum.__globals__['os'].popen('id').read()",
    "self._TemplateReference__context",
    "self",
    "super()",
    "config",
    "namespace(a=1)",
    "dict(a=1)",
    "get_flashed_messages.__globals__",
    "request.application.__globals__",
    "x|attr('__class__')",
    "x|map('attr', '__class__')|list",
    "x|format(1)",
    "'{0.__class__}'.format(x)",
    "'%s'|format(x)",
    "x|xmlattr",
    "x|pprint",
    "x|safe",
    "x|groupby('__class__')",
    "x.append(1)",
    "x.__len__()",
    "x|select('callable')|list",
    "x|map(x)|list",
    "range(*x)",
    "caller.principal",
    "[].__class__.__init__",
    "now.__self__",
    "now().__reduce__()",
    "now().strftime('%Y')",
    "sent.__globals__",
    "uuid.__globals__['os']",
    "x.encode('utf-8')",
    "'a'.center(10000000000)",
    "'a'.ljust(10000000000)",
    "x|indent(1000000000)",
    "'a'|center(1000000000)",
)
REFUSED_TEMPLATES = (
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% from 'os' import path %}",
    "{% extends 'a' %}",
    "{% block a %}{{ self.a() }}{% endblock %}",
    "{% call x() %}{% endcall %}",
    "{% filter upper %}a{% endfilter %}",
    "{% set a %}{{ x }}{% endset %}",
    "{% set ns = namespace() %}{% set ns.a = 1 %}",
    "{% for a in x recursive %}{{ loop(x) }}{% endfor %}",
    "{% autoescape true %}{% endautoescape %}",
    "{% for a in x %}{{ loop.__class__ }}{% endfor %}",
    "{% do x.append(1) %}",
    "{% set _a = 1 %}",
    "{% debug %}",
)
CAPPED = (
    "range(10**9)",
    "range(10**4000)|length",
    "'x' * 10**10",
    "10**10 * 'x'",
    "[1] * 10**9",
    "[[1] * 1000] * 1000 * 1000",
    "9**9999",
    "2.0**99999",
    "(9**999) * (9**999) * (9**999) * (9**999)",
    "'x' * 1000000 ~ 'x' * 1000000",
    "('a' * 1000000)|replace('a', 'bbbbbbbbbb')",
    "('a' * 1000)|replace('', 'b' * 100000)",
    "(range(100000)|join('x' * 1000000))",
    "[('x' * 1000000)] * 1000 == [('x' * 1000000)] * 1001",
    "([['x' * 1000] * 1000] * 1000)|string",
    "([['x' * 1000] * 1000] * 1000)|upper",
    "([['x' * 1000] * 1000] * 1000)|tojson",
    "([[[[1] * 100] * 100] * 100] * 100)|sort",
    "1.5|round(10**9)",
    "1.5|round(10**9, 'ceil')",
    "('1' * 1000000)|int(0, 16)",
    "1e300|int",
    "'%1000000000s' % 1",
    "('%' ~ '9' * 9 ~ 'd') % 1",
    "range(1000000)|map('default', 'x' * 100000)|list",
    "x|map(attribute='__class__')|list",
    "x|map(attribute='a.__class__')|list",
    "x|selectattr('__class__')|list",
    "x|sum(start='')",
    "x|sort(attribute='__class__')",
)
CAPPED_TEMPLATES = (
    "{% for a in range(2000) %}{% for b in range(2000) %}{% for c in range(2000) %}"
    "{{ a }}{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in range(100000) %}{{ 'x' * 1000 }}{% endfor %}",
    "{% set a = 'x' * 1000 %}" + "{% set a = a ~ a %}" * 30 + "{{ a }}",
    "{% set a = [1, 1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a }}",
    "{% set a, b = [1], [1] %}" + "{% set a, b = [a, a], [b, b] %}" * 40 + "{{ a == b }}",
    "{% set a = (1,) %}" + "{% set a = (a, a) %}" * 40 + "{{ {a: 1} }}",
    "{% set a = 9 %}" + "{% set a = a * a %}" * 40 + "{{ a }}",
    "{% for a in range(1000) %}{% for b in 'x' * 1000000 %}{% endfor %}{% endfor %}",
    "{% for a in range(100000) %}{{ ('x' * 1000000)|length }}{% endfor %}",
)


@pytest.mark.parametrize("text", REFUSED)
def test_escape_is_refused_at_compile(bench: Bench, text: str) -> None:
    assert bench.refuse(text, "x")
    assert bench.refuse(f"{{{{ {text} }}}}", "x", template=True)


@pytest.mark.parametrize("text", REFUSED_TEMPLATES)
def test_statement_is_refused_at_compile(bench: Bench, text: str) -> None:
    assert bench.refuse(text, "x", template=True)


ENDLESS_S = 30
"""Without limits these would run for hours; measured by coverage, the slowest takes six seconds."""


@pytest.mark.parametrize("text", CAPPED)
def test_expression_ends_at_its_limits(bench: Bench, text: str) -> None:
    started = time.process_time()
    with pytest.raises(ExpressionError):
        bench.evaluate(text, {"x": [{"a": 1}, {"a": 2}]})
    assert time.process_time() - started < ENDLESS_S


@pytest.mark.parametrize("text", CAPPED_TEMPLATES, ids=lambda text: text[:40])
def test_template_ends_at_its_limits(bench: Bench, text: str) -> None:
    started = time.process_time()
    with pytest.raises(ExpressionError):
        bench.render(text, {})
    assert time.process_time() - started < ENDLESS_S


PIECES = st.sampled_from([
    "{{", "}}", "{%", "%}", "{#", "#}", "-", "x", "y", ".", "|", "(", ")", "[", "]", "'", '"', "1",
    "if", "for", "in", "endfor", "endif", "else", "set", "=", "==", "~", "**", " ", "\n", "$", ",",
    "caller", "now()", "sent('x')", "length", "is", "not", "raw", "endraw", "\\", "_", "{", "}",
    ":", "\r", "é", "\x00", "0x", "1_0", "1e9", "macro", "self", "loop", "*", "%", "@",
])  # fmt: skip


@given(text=st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join)))
def test_compiler_never_raises(text: str) -> None:
    """Any text compiles or is reported; what compiles gives a value or an ExpressionError."""
    for compile_one in (compile_expression, compile_template):
        bench = Bench()
        compiled = compile_one(Scalar(text, START), bench.site, Names(frozenset({"x"})))
        assert (compiled is None) == bench.faults.has_errors
        if compiled is None:
            continue
        run = compiled.render if isinstance(compiled, Template) else compiled.evaluate
        with suppress(ExpressionError):
            run(bench.scope({"x": "{{ 7 * 7 }}"}))
