"""A whole JSON Schema as an author gave it, inline or as a file, and the place of its parts."""

from collections.abc import Mapping

from runner.compile.site import Site
from runner.compile.trees import compile_constant
from runner.config.nodes import Document
from runner.config.spec.inputs import WholeSchema
from runner.config.spec.leaves import tree_of


def read_schema(
    form: WholeSchema, site: Site, schemas: Mapping[str, Document]
) -> tuple[object, Site]:
    """The schema's value and the site of its root.

    The value is None where there is none, or where its file could not be read, which is reported
    where files are read. `schemas` holds the files by the path as written.
    """
    if form.file is None:
        return (None if form.inline is None else compile_constant(form.inline)), site
    document = schemas.get(form.file)
    if document is None:
        return None, site
    return compile_constant(tree_of(document.root)), Site(document, site.faults)
