"""What each field of the file means: the docstrings beneath the fields of the models.

Read from the source when a schema or a page of documentation is made, so that starting a server
does not pay for it.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping

from runner.config.spec.model import Section


def descriptions(section: type[Section]) -> Mapping[str, str]:
    """The docstring of each field of a section, by the name that the file uses."""
    written = dict(_written(section))
    return {
        field.alias or name: written[name]
        for name, field in section.model_fields.items()
        if name in written
    }


def sections() -> Mapping[str, type[Section]]:
    """Every section of the file by class name."""
    return {section.__name__: section for section in _below(Section)}


def _below(parent: type[Section]) -> Iterator[type[Section]]:
    for child in parent.__subclasses__():
        yield child
        yield from _below(child)


def _written(section: type[Section]) -> Iterator[tuple[str, str]]:
    for parent in reversed(section.__mro__):
        if not issubclass(parent, Section) or parent is Section:
            continue
        [node] = ast.parse(textwrap.dedent(inspect.getsource(parent))).body
        assert isinstance(node, ast.ClassDef)  # the source of a class
        for field, text in zip(node.body, node.body[1:], strict=False):
            match field, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(words))),
                ):
                    yield name, inspect.cleandoc(words)
