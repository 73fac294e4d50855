"""The Jinja environment of all expressions and templates: nothing in it reaches Python.

It adds to Jinja's own sandbox that attributes are items, that operators are metered and that
nothing can be called; `checking` has refused before what would end here.
"""

from collections.abc import Callable, Iterator

from jinja2 import StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import SecurityError, TemplateError, UndefinedError
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from runner.catalog.expressions import ExpressionError, Scope
from runner.compile.expressions import operations
from runner.compile.expressions.filters import FILTERS, OPERATIONS, TESTS, MeteredContext, meter_of
from runner.compile.expressions.limits import check_length, missing
from runner.compile.expressions.values import MISSING, item_of, text_of

FAULTS = (
    TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
    AssertionError, RecursionError,
)  # fmt: skip
"""What evaluating can raise when values do not fit what the author wrote."""


@pass_context
def _finalize(context: Context, value: object) -> str:
    return text_of(value, meter_of(context))


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja with our items, our operators and our filters alone."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})
    intercepted_unops = frozenset({"+", "-"})

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            finalize=_finalize,
            autoescape=False,
            optimized=False,
            keep_trailing_newline=True,
            cache_size=0,
        )
        self.globals.clear()
        self.filters = {**FILTERS, **OPERATIONS}
        self.tests = dict(TESTS)

    def getattr(self, obj: object, attribute: str) -> object:
        """The item `attribute`; an undefined value where there is none."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: object, argument: object) -> object:
        """The item `argument`; an undefined value where there is none."""
        if isinstance(obj, Undefined):
            raise missing(obj._undefined_name)
        item = item_of(obj, argument)
        return self.undefined(name=str(argument)[:100]) if item is MISSING else item

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """The metered operation."""
        return operations.arithmetic(meter_of(context), operator, left, right)

    def call_unop(self, context: Context, operator: str, arg: object) -> object:
        """The metered operation: a sign is a difference from zero."""
        if isinstance(arg, Undefined):
            raise missing(arg._undefined_name)
        return self.call_binop(context, operator, 0, arg)

    def call(self, *_arguments: object, **_options: object) -> object:
        """Nothing is called: functions and methods are operations.

        Raises:
            SecurityError: always.
        """
        raise SecurityError("nothing can be called")


SANDBOX = Sandbox()
_RESULT = "_result"  # names that begin so are refused in sources


def expression_of(node: nodes.Expr) -> Callable[[Scope], tuple[object, MeteredContext]]:
    """Evaluates a rewritten expression; gives the value as Jinja knows it, and the context."""
    target = nodes.Name(_RESULT, "store", lineno=1)
    render = _compiled([nodes.Assign(target, node, lineno=1)])

    def evaluate(scope: Scope) -> tuple[object, MeteredContext]:
        context = MeteredContext(SANDBOX, scope)
        for _ in _guarded(render(context)):
            pass
        return context.vars[_RESULT], context

    return evaluate


def template_of(body: list[nodes.Node]) -> Callable[[Scope], str]:
    """Renders a rewritten template; the output is capped while it grows."""
    render = _compiled(body)

    def run(scope: Scope) -> str:
        pieces: list[str] = []
        length = 0
        for piece in _guarded(render(MeteredContext(SANDBOX, scope))):
            length += len(piece)
            check_length(length)
            pieces.append(piece)
        return "".join(pieces)

    return run


def _compiled(body: list[nodes.Node]) -> Callable[[Context], Iterator[str]]:
    tree = nodes.Template(body, lineno=1)
    tree.set_environment(SANDBOX)
    return Template.from_code(SANDBOX, SANDBOX.compile(tree), {}).root_render_func


def _guarded(pieces: Iterator[str]) -> Iterator[str]:
    try:
        yield from pieces
    except ExpressionError:
        raise
    except FAULTS as error:
        raise unfit(error) from error


def unfit(error: Exception) -> ExpressionError:
    """The neutral error of values that do not fit; never the values themselves."""
    text = str(error)
    if isinstance(error, UndefinedError) and text.endswith(" is undefined"):
        return ExpressionError(text.removesuffix("is undefined") + "is missing")
    return ExpressionError("an expression of this tool does not fit these values")
