"""What an expression or template may be made of: an allow-list over Jinja's nodes, and its names.

Everything that is not named here is refused with its place, so that a construct which Jinja adds
one day is refused too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jinja2 import meta, nodes

from runner.compile.expressions.filters import FILTERS, TESTS
from runner.compile.expressions.names import Names
from runner.compile.expressions.operations import METHOD_NAMES
from runner.compile.expressions.values import OPEN_FIELDS
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import did_you_mean
from runner.reserved import CONSTANTS, FUNCTIONS, RESERVED

_FREE: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.With, nodes.Const, nodes.List,
    nodes.Tuple, nodes.Dict, nodes.Pair, nodes.Keyword, nodes.Compare, nodes.Operand, nodes.And,
    nodes.Or, nodes.Not, nodes.Neg, nodes.Pos, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div,
    nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Concat, nodes.CondExpr, nodes.Slice, nodes.Assign,
)  # fmt: skip
_NAMED: Mapping[str, tuple[int, Mapping[str, object]]] = {
    "map": (0, FILTERS), "select": (0, TESTS), "reject": (0, TESTS),
    "selectattr": (1, TESTS), "rejectattr": (1, TESTS),
}  # fmt: skip
"""Filters that call a filter or test: where its name stands among the arguments."""


@dataclass(frozen=True, slots=True)
class Checker:
    """The check of one text; every fault is reported with its place."""

    scalar: Scalar
    site: Site
    names: Names

    def check(self, tree: nodes.Template) -> bool:
        """The tree holds only what is allowed, and only known names; else it was reported."""
        if not self._visit(tree):
            return False
        unknown = meta.find_undeclared_variables(tree) - self.names.readable - FUNCTIONS
        reported: set[str] = set()
        for node in tree.find_all(nodes.Name):
            if node.name in unknown and node.ctx == "load" and node.name not in reported:
                reported.add(node.name)
                self._unknown(node)
        return not unknown

    def _fault(self, code: str, message: str, node: nodes.Node, hint: str | None = None) -> bool:
        self.site.error(code, message, hint=hint, at=self.scalar.at(max((node.lineno or 1) - 1, 0)))
        return False

    def _unknown(self, node: nodes.Name) -> None:
        hint = self.names.closest(node.name)
        if node.name == self.scalar.text.strip():
            text = f"""for a text write "'{node.name}'\""""
            hint = f"{hint} {text}" if hint else text
        self._fault("unknown-name", f"there is no '{node.name}' here", node, hint)

    def _visit(self, node: nodes.Node) -> bool:
        check = _CHECKS.get(type(node))
        if check is None and not isinstance(node, _FREE):
            kind = type(node).__name__.lower()
            return self._fault("forbidden-expression", f"'{kind}' is not allowed here", node)
        if check is not None and not check(self, node):
            return False
        visited = [
            self._visit(child) for child in children_read(node)
        ]  # all, to report every fault
        return all(visited)

    def _name(self, node: nodes.Name) -> bool:
        name = node.name
        if name.startswith("_") or name in ("self", "super", "varargs", "kwargs"):
            return self._fault("unknown-name", f"there is no '{name}' here", node)
        if node.ctx != "load":
            if name in RESERVED or name in self.names.readable:
                return self._fault("reserved-name", f"'{name}' cannot be set", node)
            return True
        if name in FUNCTIONS and name not in self.names.readable:
            return self._fault(
                "forbidden-expression", f"'{name}' is a function", node, f"write {name}()"
            )
        return True

    def _attribute(self, node: nodes.Getattr) -> bool:
        if node.attr.startswith("_"):
            return self._fault(
                "forbidden-expression", f"'{node.attr}' cannot be read", node, "write ['name']"
            )
        owner = node.node
        fields = OPEN_FIELDS.get(owner.name) if isinstance(owner, nodes.Name) else None
        if fields is not None and node.attr not in fields:
            return self._fault(
                "unknown-name",
                f"there is no '{node.attr}' in '{ast_name(owner)}'",
                node,
                did_you_mean(node.attr, fields),
            )
        return True

    def _item(self, node: nodes.Getitem) -> bool:
        key = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(key, str) and key.startswith("__"):
            return self._fault("forbidden-expression", f"'{key}' cannot be read", node)
        return True

    def _call(self, node: nodes.Call) -> bool:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            return self._fault("forbidden-expression", "'*' is not allowed in a call", node)
        callee = node.node
        if isinstance(callee, nodes.Name):
            return self._function(callee.name, node)
        if not isinstance(callee, nodes.Getattr):
            return self._fault("forbidden-expression", "only functions can be called", node)
        if callee.attr not in METHOD_NAMES and callee.attr != "join":
            return self._fault(
                "forbidden-expression",
                f"'{callee.attr}' cannot be called",
                node,
                did_you_mean(callee.attr, METHOD_NAMES),
            )
        return True

    def _function(self, name: str, node: nodes.Call) -> bool:
        if name not in FUNCTIONS:
            return self._fault(
                "unknown-name", f"there is no function '{name}'", node,
                did_you_mean(name, FUNCTIONS),
            )  # fmt: skip
        if name in self.names.readable - CONSTANTS:
            return self._fault("forbidden-expression", f"'{name}' is a parameter here", node)
        count = range(1, 4) if name == "range" else range(1, 2) if name == "sent" else range(1)
        if node.kwargs or len(node.args) not in count:
            expected = {"range": "one to three numbers", "sent": "the name of a parameter"}
            message = f"expected {expected.get(name, 'nothing')} in '{name}()'"
            return self._fault("forbidden-expression", message, node)
        return name != "sent" or self._sent(node)

    def _sent(self, node: nodes.Call) -> bool:
        argument = node.args[0]
        if not isinstance(argument, nodes.Const) or not isinstance(argument.value, str):
            return self._fault(
                "forbidden-expression", "expected a quoted parameter in 'sent()'", node,
                "write sent('name')",
            )  # fmt: skip
        if argument.value not in self.names.parameters:
            return self._fault(
                "unknown-name", f"there is no parameter '{argument.value}'", argument,
                did_you_mean(argument.value, self.names.parameters),
            )  # fmt: skip
        return True

    def _filter(self, node: nodes.Filter) -> bool:
        if node.node is None or node.dyn_args is not None or node.dyn_kwargs is not None:
            return self._fault("forbidden-expression", "this use of a filter is not allowed", node)
        if node.name not in FILTERS:
            return self._fault(
                "unknown-filter", f"there is no filter '{node.name}'", node,
                did_you_mean(node.name, FILTERS),
            )  # fmt: skip
        place, known = _NAMED.get(node.name, (len(node.args), FILTERS))
        return place >= len(node.args) or self._constant_word(node.args[place], known)

    def _constant_word(self, node: nodes.Expr, known: Mapping[str, object]) -> bool:
        word = node.value if isinstance(node, nodes.Const) else None
        if isinstance(word, str) and word in known:
            return True
        hint = did_you_mean(word, known) if isinstance(word, str) else None
        kind = "filter" if known is FILTERS else "test"
        return self._fault(f"unknown-{kind}", f"expected the quoted name of a {kind}", node, hint)

    def _test(self, node: nodes.Test) -> bool:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            return self._fault("forbidden-expression", "'*' is not allowed in a test", node)
        if node.name not in TESTS:
            return self._fault(
                "unknown-test", f"there is no test '{node.name}'", node,
                did_you_mean(node.name, TESTS),
            )  # fmt: skip
        return True

    def _for(self, node: nodes.For) -> bool:
        if node.recursive:
            return self._fault("forbidden-expression", "'recursive' is not allowed here", node)
        return True


def children_read(node: nodes.Node) -> list[nodes.Node]:
    """The nodes below that are read; the name of a called function is no name that is read."""
    if isinstance(node, nodes.Call):
        callee = [node.node.node] if isinstance(node.node, nodes.Getattr) else []
        return [*callee, *node.args, *node.kwargs]
    return list(node.iter_child_nodes())


def ast_name(node: nodes.Node) -> str:
    """The name of a Name node, for messages."""
    return node.name if isinstance(node, nodes.Name) else "this"


_CHECKS: Mapping[type[nodes.Node], Callable[..., bool]] = {
    nodes.Name: Checker._name,
    nodes.Getattr: Checker._attribute,
    nodes.Getitem: Checker._item,
    nodes.Call: Checker._call,
    nodes.Filter: Checker._filter,
    nodes.Test: Checker._test,
    nodes.For: Checker._for,
}
