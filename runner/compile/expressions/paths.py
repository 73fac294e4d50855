"""The short way: dotted paths, literals and plain functions without Jinja at run time."""

from collections.abc import Callable, Sequence

from jinja2 import nodes

from runner.catalog.expressions import Scope
from runner.compile.expressions.limits import Meter, missing
from runner.compile.expressions.values import MISSING, item_of, settled, text_of

Reader = Callable[[Scope], object]
Key = str | int


def constant(value: object) -> Reader:
    """Reads nothing: the value itself."""
    return lambda _scope: value


def path_reader(root: str, keys: Sequence[Key]) -> Reader:
    """Reads `root.key.key` as a plain value.

    Raises (the reader):
        ExpressionError: something on the way is missing.
    """

    def read(scope: Scope) -> object:
        try:
            value = scope[root]
        except KeyError:
            raise missing(root) from None
        for key in keys:
            value = item_of(value, key)
            if value is MISSING:
                raise missing(key)
        return settled(value)

    return read


def call_reader(name: str) -> Reader:
    """Reads what the function `name` gives: `uuid()`."""

    def read(scope: Scope) -> object:
        try:
            function = scope[name]
        except KeyError:
            raise missing(name) from None
        return settled(function())  # type: ignore[operator]  # every scope holds functions there

    return read


def short_reader(node: nodes.Node) -> Reader | None:
    """A reader of a checked node that is a literal, a path or a plain call; None for all else."""
    match node:
        case nodes.Const():
            return constant(node.value)
        case nodes.Call(node=nodes.Name(name=name), args=[]):
            return call_reader(name)
        case _:
            found = _path(node)
            return path_reader(found[0], found[1:]) if found else None  # type: ignore[arg-type]  # the first is a name


def short_template(tree: nodes.Template) -> Callable[[Scope], str] | None:
    """A renderer of a checked template that is text and short readers only; None for all else."""
    parts: list[str | Reader] = []
    for statement in tree.body:
        if not isinstance(statement, nodes.Output):
            return None
        for node in statement.nodes:
            part = node.data if isinstance(node, nodes.TemplateData) else short_reader(node)
            if part is None:
                return None
            parts.append(part)

    def render(scope: Scope) -> str:
        meter = Meter()
        texts = [part if isinstance(part, str) else text_of(part(scope), meter) for part in parts]
        return text_of("".join(texts), meter)

    return render


def _path(node: nodes.Node) -> list[Key] | None:
    keys: list[Key] = []
    while True:
        match node:
            case nodes.Name():
                keys.append(node.name)
                return keys[::-1]
            case nodes.Getattr():
                keys.append(node.attr)
                node = node.node
            case nodes.Getitem(arg=nodes.Const(value=str() | int() as key)):
                keys.append(key)
                node = node.node
            case _:
                return None
