"""Expressions, templates and rules of the file, compiled.

Text becomes nodes (`parsing`), the nodes are held against an allow-list (`checking`), made metered
(`rewriting`) and compiled by Jinja (`sandbox`); what is a mere path goes the short way (`paths`).
"""

from collections.abc import Callable, Sequence

from jinja2 import meta, nodes
from jinja2.exceptions import TemplateError

from runner.catalog.expressions import Check, Expression, ExpressionError, Scope, Template
from runner.compile.expressions.checking import Checker
from runner.compile.expressions.filters import MeteredContext
from runner.compile.expressions.names import Names
from runner.compile.expressions.parsing import parse_expression, parse_template, quiet, too_deep
from runner.compile.expressions.paths import constant, short_reader, short_template
from runner.compile.expressions.rewriting import rewritten
from runner.compile.expressions.sandbox import (
    FAULTS,
    SANDBOX,
    expression_of,
    template_of,
    unfit,
)
from runner.compile.expressions.values import plain
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.config.spec.bindings import CheckSpec

_TOO_DEEP = (RecursionError, MemoryError, SyntaxError, TemplateError)
"""What Python's and Jinja's compilers raise on text that is nested too deep."""


def compile_expression(scalar: Scalar, site: Site, names: Names) -> Expression | None:
    """The expression of a scalar; one that is no text is itself. None: a fault was reported."""
    value = scalar.value
    if not isinstance(value, str):
        return Expression(scalar.text, frozenset(), constant(value))
    node = parse_expression(scalar, site)
    if node is None:
        return None
    tree = nodes.Template([nodes.Output([node], lineno=node.lineno)], lineno=1)
    tree.set_environment(SANDBOX)
    try:
        return _expression(tree, node, Checker(scalar, site, names))
    except _TOO_DEEP:
        too_deep(scalar, site)
        return None


def _expression(tree: nodes.Template, node: nodes.Expr, checker: Checker) -> Expression | None:
    if not checker.check(tree):
        return None
    names = meta.find_undeclared_variables(tree) & checker.names.readable
    evaluate = short_reader(node) or _long_expression(tree)
    return Expression(checker.scalar.text, frozenset(names), evaluate)


def _long_expression(tree: nodes.Template) -> Callable[[Scope], object]:
    output = rewritten(tree).body[0]
    if not isinstance(output, nodes.Output):
        raise TypeError("an expression is one output")
    with quiet():
        run = expression_of(output.nodes[0])

    def evaluate(scope: Scope) -> object:
        value, context = run(scope)
        return _plain(value, context)

    return evaluate


def _plain(value: object, context: MeteredContext) -> object:
    try:
        return plain(value, context.meter)
    except ExpressionError:
        raise
    except FAULTS as error:
        raise unfit(error) from error


def compile_template(scalar: Scalar, site: Site, names: Names) -> Template | None:
    """The template of a scalar's text. None: a fault was reported."""
    if not any(mark in scalar.text for mark in ("{{", "{%", "{#")):
        text = scalar.text
        return Template(text, frozenset(), lambda _scope: text)
    tree = parse_template(scalar, site)
    if tree is None:
        return None
    try:
        if not Checker(scalar, site, names).check(tree):
            return None
        return _template(tree, scalar.text, names)
    except _TOO_DEEP:
        too_deep(scalar, site)
        return None


def _template(tree: nodes.Template, source: str, known: Names) -> Template:
    names = frozenset(meta.find_undeclared_variables(tree) & known.readable)
    short = short_template(tree)
    if short is not None:
        return Template(source, names, short)
    with quiet():
        return Template(source, names, template_of(rewritten(tree).body))


def compile_checks(specs: Sequence[CheckSpec], site: Site, names: Names) -> tuple[Check, ...]:
    """The rules that compile, in order; the faults of the others were reported."""
    checks = []
    for position, spec in enumerate(specs):
        that = compile_expression(spec.that, site / position / "that", names)
        otherwise = compile_template(spec.otherwise, site / position / "else", names)
        if that is not None and otherwise is not None:
            checks.append(Check(that, otherwise))
    return tuple(checks)
