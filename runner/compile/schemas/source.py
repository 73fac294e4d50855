"""A whole JSON Schema as an author gave it, inline or as a file, and the place of its parts."""

from collections.abc import Mapping

from runner.compile.schemas.constants import constant
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_, Node, Scalar, Sequence
from runner.config.spec.inputs import WholeSchema


def read_schema(
    form: WholeSchema, site: Site, schemas: Mapping[str, Document]
) -> tuple[object, Site]:
    """The schema's value and the site of its root.

    The value is None where there is none, or where its file could not be read, which is reported
    where files are read. `schemas` holds the files by the path as written.
    """
    if form.file is None:
        return (None if form.inline is None else constant(form.inline)), site
    document = schemas.get(form.file)
    if document is None:
        return None, site
    return _value(document.root), Site(document, site.faults)


def _value(node: Node) -> object:
    match node:
        case Scalar():
            return node.value
        case Sequence(items):
            return [_value(item) for item in items]
        case Mapping_(entries):
            return {name: _value(entry.value) for name, entry in entries.items()}
