"""Trees of the file, compiled: constants, `$name` references with their type, text with `{{ }}`.

A scalar is a reference only as a whole; `$$` at its start stands for one `$`. What came out of the
environment is a constant, whatever it looks like.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from runner.catalog.expressions import ABSENT, Scope, TreeTemplate
from runner.compile.expressions import Names, compile_template
from runner.compile.expressions.limits import Meter, missing
from runner.compile.expressions.paths import path_reader
from runner.compile.expressions.values import MISSING, OPEN_FIELDS, item_of, json_safe, settled
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.config.spec.leaves import Tree
from runner.diagnostics import did_you_mean
from runner.reserved import FUNCTIONS

Builder = Callable[[Scope], object]

_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)((?:\.[\w-]+)*)\Z", re.ASCII)
_ALMOST = re.compile(r"\$([A-Za-z_]\w*)(?:\.[\w-]+)*(?=\W)", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Compiled:
    names: frozenset[str]
    build: Builder


def compile_tree(tree: Tree, site: Site, names: Names) -> TreeTemplate | None:
    """The compiled tree. None: a fault was reported; every fault of the tree is."""
    compiled = _compile(tree, site, names)
    return TreeTemplate(compiled.names, compiled.build) if compiled is not None else None


def compile_json_tree(tree: Tree, site: Site, names: Names) -> TreeTemplate | None:
    """As `compile_tree`, for a tree that is a result: built values are JSON-safe."""
    compiled = _compile(tree, site, names)
    if compiled is None:
        return None
    build = compiled.build
    return TreeTemplate(compiled.names, lambda scope: json_safe(build(scope), Meter()))


def reference_of(scalar: Scalar) -> tuple[str, tuple[str, ...]] | None:
    """The name and the keys of a scalar that is a reference as a whole."""
    value = scalar.value
    if not isinstance(value, str) or scalar.interpolated:
        return None
    reference = _REFERENCE.match(value)
    return None if reference is None else (reference[1], tuple(reference[2].split(".")[1:]))


def compile_constant(tree: Tree) -> object:
    """The value of a constant tree: nothing in it is a reference."""
    match tree:
        case Scalar():
            return tree.value
        case list():
            return [compile_constant(item) for item in tree]
        case dict():
            return {key: compile_constant(item) for key, item in tree.items()}
        case _:
            assert_never(tree)


def _compile(tree: Tree, site: Site, names: Names) -> _Compiled | None:
    match tree:
        case Scalar():
            return _scalar(tree, site, names)
        case list():
            return _list([_compile(item, site / at, names) for at, item in enumerate(tree)])
        case dict():
            return _dict({key: _compile(item, site / key, names) for key, item in tree.items()})
        case _:
            assert_never(tree)


def _list(found: list[_Compiled | None]) -> _Compiled | None:
    items = [item for item in found if item is not None]
    if len(items) < len(found):
        return None
    builders = [item.build for item in items]

    def build(scope: Scope) -> object:
        values = [build_item(scope) for build_item in builders]
        return [value for value in values if value is not ABSENT]

    return _Compiled(frozenset().union(*(item.names for item in items)), build)


def _dict(found: dict[str, _Compiled | None]) -> _Compiled | None:
    items = {key: item for key, item in found.items() if item is not None}
    if len(items) < len(found):
        return None
    builders = [(key, item.build) for key, item in items.items()]

    def build(scope: Scope) -> object:
        return {
            key: value for key, build_item in builders if (value := build_item(scope)) is not ABSENT
        }

    return _Compiled(frozenset().union(*(item.names for item in items.values())), build)


def _scalar(scalar: Scalar, site: Site, names: Names) -> _Compiled | None:
    value = scalar.value
    if not isinstance(value, str) or scalar.interpolated:
        return _Compiled(frozenset(), lambda _scope: value)
    reference = reference_of(scalar)
    if reference is not None:
        return _reference(scalar, site, names, name=reference[0], keys=reference[1])
    escaped = value.startswith("$$")
    if "{{" in value:
        return _text(scalar, site, names, dollars=1 if escaped else 0)
    almost = _ALMOST.match(value)
    if almost is not None and almost[1] in names.readable:
        site.warning(
            "partial-reference",
            f"'{almost[0]}' is a reference only where it is the whole text",
            hint=f"write {{{{ {almost[0][1:]} }}}}, or $$ for a dollar sign",
            at=scalar.position,
        )
    text = value[1:] if escaped else value
    return _Compiled(frozenset(), lambda _scope: text)


def _text(scalar: Scalar, site: Site, names: Names, *, dollars: int) -> _Compiled | None:
    template = compile_template(scalar, site, names)
    if template is None:
        return None
    render = template.render
    return _Compiled(template.names, lambda scope: render(scope)[dollars:])


def _reference(
    scalar: Scalar, site: Site, names: Names, *, name: str, keys: tuple[str, ...]
) -> _Compiled | None:
    if name not in names.readable or name == "absent":
        hint = f"write {{{{ {name}() }}}}" if name in FUNCTIONS else names.closest(name)
        site.error("unknown-name", f"there is no '{name}' here", hint=hint, at=scalar.at(1))
        return None
    fields = OPEN_FIELDS.get(name)
    if fields is not None and keys and keys[0] not in fields:
        site.error(
            "unknown-name",
            f"there is no '{keys[0]}' in '{name}'",
            hint=did_you_mean(keys[0], fields),
            at=scalar.at(len(name) + 2),
        )
        return None
    known_here = name in names.parameters and name not in names.extra and fields is None
    read = _parameter(name, keys) if known_here else path_reader(name, keys)
    return _Compiled(frozenset({name}), read)


def _parameter(name: str, keys: tuple[str, ...]) -> Builder:
    """A member that was not sent is absent, as a parameter is."""

    def read(scope: Scope) -> object:
        value: object = scope[name]
        if value is None and not _is_sent(scope, name):
            return ABSENT
        for key in keys:
            owner, value = value, item_of(value, key)
            if value is MISSING:
                if isinstance(owner, dict):
                    return ABSENT
                raise missing(key)
        return settled(value)

    return read


def _is_sent(scope: Scope, name: str) -> bool:
    sent = scope.get("sent")
    return callable(sent) and bool(sent(name))
