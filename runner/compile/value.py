"""The `value` binding of the file: a tree as a plan."""

from runner.catalog.plans import ValuePlan
from runner.compile.expressions import Names
from runner.compile.site import Site
from runner.compile.trees import compile_json_tree
from runner.config.spec.leaves import Tree


def compile_value(tree: Tree, site: Site, names: Names) -> ValuePlan | None:
    """The plan of a tree; what it builds is JSON-safe. None: a fault was reported."""
    compiled = compile_json_tree(tree, site, names)
    return ValuePlan(compiled) if compiled is not None else None
