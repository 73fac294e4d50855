"""A piece of a file as the compilers get it: its models with places, and a site that collects."""

from typing import TypeVar

import yaml

from runner.compile.site import Site
from runner.config.nodes import Document, Entry, Mapping_, Node, Scalar, Sequence
from runner.config.spec.model import Section
from runner.diagnostics import Faults, Position

Model = TypeVar("Model", bound=Section)
PATH = "mcp.yaml"


def written(text: str, model: type[Model]) -> tuple[Model, Site]:
    """The model that `text`, a YAML mapping, is read as, and its site."""
    root = _node(yaml.compose(text, yaml.SafeLoader))
    assert isinstance(root, Mapping_)
    return model.model_validate(_tree(root)), Site(Document(PATH, root), Faults())


def told(site: Site) -> list[str]:
    """Every fault as `line:column code message`."""
    return [
        f"{fault.position.line}:{fault.position.column} {fault.code} {fault.message}"
        for fault in site.faults.sorted()
    ]


def _node(node: yaml.Node | None) -> Node:
    assert node is not None
    mark = node.start_mark
    assert mark is not None
    position = Position(PATH, mark.line + 1, mark.column + 1)
    match node:
        case yaml.MappingNode():
            entries = ((_node(key), _node(value)) for key, value in node.value)
            return Mapping_(
                {key.text: Entry(key, value) for key, value in entries if isinstance(key, Scalar)},
                position,
            )
        case yaml.SequenceNode():
            return Sequence(tuple(_node(item) for item in node.value), position)
        case yaml.ScalarNode():
            # A quote stands before the text.
            lines = () if node.style is None else ((0, position.line, position.column + 1),)
            return Scalar(node.value, position, plain=node.style is None, lines=lines)
        case _:
            raise TypeError(node.tag)


def _tree(node: Node) -> object:
    match node:
        case Mapping_():
            return {key: _tree(entry.value) for key, entry in node.entries.items()}
        case Sequence():
            return [_tree(item) for item in node.items]
        case Scalar():
            return node
