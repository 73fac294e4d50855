"""Checked nodes with every operator, call, loop and literal replaced by its metered operation."""

from jinja2 import nodes
from jinja2.visitor import NodeTransformer


def _operation(
    name: str, node: nodes.Node, subject: nodes.Expr, *arguments: nodes.Expr
) -> nodes.Filter:
    return nodes.Filter(subject, f"{name}()", list(arguments), [], None, None, lineno=node.lineno)


def _constant(value: object, node: nodes.Node) -> nodes.Const:
    return nodes.Const(value, lineno=node.lineno)


class _Rewriter(NodeTransformer):
    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        rest: list[nodes.Expr] = []
        for operand in node.ops:
            rest += [_constant(operand.op, operand), operand.expr]
        return _operation("compare", node, node.expr, *rest)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        return _operation("concatenated", node, node.nodes[0], *node.nodes[1:])

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        callee = node.node
        if isinstance(callee, nodes.Name):
            self.generic_visit(node)
            return _operation(callee.name, node, _constant(None, node), *node.args)
        if isinstance(callee, nodes.Getattr):
            self.generic_visit(node)
            name = _constant(callee.attr, callee)
            return nodes.Filter(
                callee.node,
                "invoked()",
                [name, *node.args],
                node.kwargs,
                None,
                None,
                lineno=node.lineno,
            )
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        if not isinstance(node.arg, nodes.Slice):
            return node
        bounds = (node.arg.start, node.arg.stop, node.arg.step)
        given = [bound if bound is not None else _constant(None, node) for bound in bounds]
        return _operation("sliced", node, node.node, *given)

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        return _operation("weighed", node, node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        return _operation("weighed", node, node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        return _operation("weighed", node, node) if node.ctx == "load" else node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        if isinstance(node.iter, nodes.Expr):
            node.iter = _operation("elements", node, node.iter)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802 - Jinja's spelling
        self.generic_visit(node)
        node.expr2 = node.expr2 or _constant(None, node)
        return node


def rewritten(tree: nodes.Template) -> nodes.Template:
    """The same meaning, metered; the tree itself is changed."""
    _Rewriter().visit(tree)
    return tree
