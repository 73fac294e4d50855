"""JMESPath of the file, compiled once; what it does to a value is metered."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jmespath import compile as parse
from jmespath.exceptions import JMESPathError, ParseError
from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter

from runner.catalog.expressions import ExpressionError
from runner.catalog.plans import Select
from runner.compile.expressions.limits import Meter, weigh
from runner.compile.expressions.values import json_safe
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import did_you_mean

_FUNCTIONS: Mapping[str, object] = Functions.FUNCTION_TABLE
_MAKERS = frozenset({
    "multi_select_list", "multi_select_dict", "projection", "filter_projection",
    "value_projection", "flatten", "slice", "function_expression",
})  # fmt: skip
_FAULTS = (JMESPathError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
           RecursionError)  # fmt: skip


if TYPE_CHECKING:
    # Only jmespath's type stubs have a name for its nodes, which are dicts.
    from jmespath.visitor import _TreeNode as _Node
else:
    _Node = dict


class _Interpreter(TreeInterpreter):
    """Pays for every node that is visited and every value that is made."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    def visit(self, node: _Node, *args: object, **kwargs: object) -> object:
        self._meter.charge(1)
        value: object = super().visit(node, *args, **kwargs)
        if node["type"] in _MAKERS and isinstance(value, list | dict | str):
            weigh(value, self._meter)
        return value


def compile_select(scalar: Scalar, site: Site) -> Select | None:
    """The selection of a JMESPath text; its result is JSON-safe. None: a fault was reported.

    Raises (the selection):
        ExpressionError: it does not fit the value, or does too much.
    """
    try:
        # An old spelling of literals works but warns; that is the author's to know, not the log's.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            tree = parse(scalar.text).parsed
    except ParseError as error:
        offset = min(max(error.lex_position or 0, 0), len(scalar.text))
        found = scalar.text[offset : offset + 20]
        message = f"unexpected '{found}'" if found else "it ends too early"
        site.error("select-syntax", f"this is no JMESPath: {message}", at=scalar.at(offset))
        return None
    except (JMESPathError, RecursionError, ValueError):
        site.error("select-syntax", "this is no JMESPath", at=scalar.position)
        return None
    if not _are_known(tree, scalar, site):
        return None

    def select(value: object) -> object:
        meter = Meter()
        try:
            return json_safe(_Interpreter(meter).visit(tree, value), meter)
        except ExpressionError:
            raise
        except _FAULTS as error:
            raise ExpressionError("'select' does not fit what came") from error

    return select


def _are_known(tree: object, scalar: Scalar, site: Site) -> bool:
    """Every function that the tree calls exists; the others were reported."""
    pending, unknown = [tree], set[str]()
    while pending:
        node = pending.pop()
        if not isinstance(node, dict):
            continue
        pending += node.get("children", [])
        name = node.get("value")
        if node.get("type") == "function_expression" and name not in _FUNCTIONS:
            unknown.add(str(name))
    for name in sorted(unknown):
        site.error(
            "select-syntax",
            f"JMESPath has no function '{name}'",
            hint=did_you_mean(name, _FUNCTIONS),
            at=scalar.at(max(scalar.text.find(name), 0)),
        )
    return not unknown
