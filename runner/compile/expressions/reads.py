"""What an expression or a template reads: each `name.key.key` of it, with its places.

Knows nothing of what the names give. What the text itself makes sure of (`is defined`, `default`)
is no read, and neither is what only a run can tell: a computed key, a name that is set.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from jinja2 import nodes

from runner.compile.expressions.checking import children_read
from runner.compile.expressions.parsing import parse_expression, parse_template
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import Faults

_GUARDS: Final = frozenset({"default", "d", "defined", "undefined"})
"""Filters and tests that take what is missing."""
_ITEM: Final = "0"
"""Stands for any item of a list."""


@dataclass(frozen=True, slots=True)
class Read:
    """One path that is read."""

    names: tuple[str, ...]
    """As written: `orders.rows`, or `row.id` in a loop over them."""
    offsets: tuple[int, ...]
    """Where each of the names stands."""
    root: tuple[str, ...]
    """What the first name stands for: itself, or `orders.rows.0` in a loop."""

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the one that the scope knows."""
        return (*self.root, *self.names[1:])


def template_reads(scalar: Scalar, site: Site) -> tuple[Read, ...]:
    """What a template reads that was compiled without a fault."""
    if "{{" not in scalar.text and "{%" not in scalar.text:
        return ()
    return _reads(scalar, parse_template(scalar, _quiet(site)))


def expression_reads(scalar: Scalar, site: Site) -> tuple[Read, ...]:
    """What an expression reads that was compiled without a fault."""
    if not isinstance(scalar.value, str):
        return ()
    return _reads(scalar, parse_expression(scalar, _quiet(site)))


def _quiet(site: Site) -> Site:
    return Site(site.document, Faults(), site.path)


def _reads(scalar: Scalar, tree: nodes.Node | None) -> tuple[Read, ...]:
    if tree is None:
        return ()
    reader = _Reader(scalar.text, frozenset(_set_in(tree)))
    found = list(reader.reads(tree, {}))
    return tuple(
        read
        for read in found
        if not any(read.path[: len(tested)] == tested for tested in reader.tested)
    )


def _set_in(tree: nodes.Node) -> Iterator[str]:
    """The names that the text sets itself, other than those of loops."""
    for assign in tree.find_all(nodes.Assign):
        yield from _names_in(assign.target)
    for block in tree.find_all(nodes.With):
        for target in block.targets:
            yield from _names_in(target)


def _names_in(target: nodes.Node) -> Iterator[str]:
    if isinstance(target, nodes.Name):
        yield target.name
    for name in target.find_all(nodes.Name):
        yield name.name


@dataclass(slots=True)
class _Reader:
    text: str
    is_set: frozenset[str]
    tested: set[tuple[str, ...]] = field(default_factory=set)
    """Paths of which the text asks whether they are there."""

    def reads(self, node: nodes.Node, loops: Mapping[str, tuple[str, ...]]) -> Iterator[Read]:
        """What is read in the node; `loops` says what the names of loops stand for."""
        if isinstance(node, nodes.For):
            yield from self._loop(node, loops)
            return
        if isinstance(node, nodes.Filter | nodes.Test) and node.name in _GUARDS:
            yield from self._guarded(node, loops)
            return
        read = self._path(node, loops)
        if read is not None:
            yield read
            return
        for child in children_read(node):
            yield from self.reads(child, loops)

    def _loop(self, node: nodes.For, loops: Mapping[str, tuple[str, ...]]) -> Iterator[Read]:
        yield from self.reads(node.iter, loops)
        names = frozenset(_names_in(node.target))
        inner = {name: path for name, path in loops.items() if name not in names}
        read = self._path(node.iter, loops)
        if isinstance(node.target, nodes.Name) and read is not None and not names & self.is_set:
            inner[node.target.name] = (*read.path, _ITEM)
        within = [*node.body, *([node.test] if node.test is not None else [])]
        for child in within:
            yield from self.reads(child, inner)
        for child in node.else_:
            yield from self.reads(child, loops)

    def _guarded(
        self, node: nodes.Filter | nodes.Test, loops: Mapping[str, tuple[str, ...]]
    ) -> Iterator[Read]:
        subject, *rest = children_read(node)
        read = self._path(subject, loops)
        if read is None:
            yield from self.reads(subject, loops)
        else:
            if isinstance(node, nodes.Test):
                self.tested.add(read.path)
            # Its owner must be there all the same.
            depth = max(len(read.names) - 1, 1)
            yield replace(read, names=read.names[:depth], offsets=read.offsets[:depth])
        for child in rest:
            yield from self.reads(child, loops)

    def _path(self, node: nodes.Node, loops: Mapping[str, tuple[str, ...]]) -> Read | None:
        """The path that the node is as a whole."""
        names: list[str] = []
        offsets: list[int] = []
        while not isinstance(node, nodes.Name):
            match node:
                case nodes.Getattr(attr=key):
                    pass
                case nodes.Getitem(arg=nodes.Const(value=str() | int() as key)):
                    pass
                case _:
                    return None
            start = node.lineno - 1
            names.append(str(key))
            offsets.append(max(self.text.find(str(key), start), start))
            node = node.node
        names.append(node.name)
        offsets.append(node.lineno - 1)
        root = loops.get(node.name, (node.name,))
        return Read(tuple(names[::-1]), tuple(offsets[::-1]), root)
