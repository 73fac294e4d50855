"""A whole JSON Schema as an author gave it, inline or as a file, and the place of its parts.

Compile sees texts, never files: `texts` maps the path as written to the file's content.
"""

from collections.abc import Mapping

import yaml

from runner.codec.json import JsonFault, decode
from runner.compile.constants import constant
from runner.compile.site import Site
from runner.config.nodes import Document, Entry, Mapping_, Node, Scalar, Sequence
from runner.config.spec.inputs import WholeSchema
from runner.diagnostics import Position


def read_schema(form: WholeSchema, site: Site, texts: Mapping[str, str]) -> tuple[object, Site]:
    """The schema's value and the site of its root; None and a report where a file has none."""
    if form.file is None:
        value = None if form.inline is None else constant(form.inline)
        return value, site
    text = texts.get(form.file)
    if text is None:
        (site / "file").error("missing-file", f"the file '{form.file}' cannot be read")
        return None, site
    root = _compose(text, form.file, site)
    if not isinstance(root, Mapping_):
        if root is not None:
            (site / "file").error("wrong-schema", f"expected a mapping in '{form.file}'")
        return None, site
    place = Site(Document(form.file, root, (form.file,)), site.faults)
    try:
        # JSON has notations for numbers that YAML reads as text: 1e6.
        return decode(text), place
    except JsonFault:
        return _value(root), place


def _compose(text: str, path: str, site: Site) -> Node | None:
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        place = Position(path, line, column)
        site.error("wrong-schema", f"'{path}' is neither JSON nor YAML", at=place)
        return None
    if root is None:
        (site / "file").error("wrong-schema", f"the file '{path}' is empty")
        return None
    return node_of(root, path)


def node_of(node: yaml.Node, path: str) -> Node:
    """The tree of a composed YAML node, with its places; `path` is the file's name."""
    mark = node.start_mark
    position = Position(path, mark.line + 1, mark.column + 1) if mark else Position(path, 1, 1)
    if isinstance(node, yaml.MappingNode):
        entries = {}
        for key, value in node.value:
            name = node_of(key, path)
            if isinstance(name, Scalar):
                entries[name.text] = Entry(name, node_of(value, path))
        return Mapping_(entries, position)
    if isinstance(node, yaml.SequenceNode):
        return Sequence(tuple(node_of(item, path) for item in node.value), position)
    return Scalar(str(node.value), position, plain=not getattr(node, "style", None))


def _value(node: Node) -> object:
    match node:
        case Scalar():
            return node.value
        case Sequence(items):
            return [_value(item) for item in items]
        case Mapping_(entries):
            return {name: _value(entry.value) for name, entry in entries.items()}
