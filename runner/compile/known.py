"""What the names that a step reads are known to give, and whether what it reads is there.

Trees are judged by all names. Texts of templates, expressions and SQL by those of earlier steps
alone, for a parameter's fields are the business of the compilers of these texts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from runner.compile.expressions.reads import Read, expression_reads, template_reads
from runner.compile.references import Reference, Sources, check_reference, marked_reference
from runner.compile.schemas.reading import Form, Forms
from runner.compile.site import Site
from runner.compile.trees import reference_of
from runner.config.nodes import Scalar
from runner.config.spec.leaves import Tree

_NOTHING: Final[Mapping[str, object]] = {}
_KINDS: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True, slots=True)
class Known:
    """What a step may read."""

    parameters: Sources
    steps: Sources
    """The results of the steps before it."""

    def tree(self, tree: Tree, site: Site | None) -> Forms:
        """What a tree gives; faults of what it reads are reported if there is a place for them."""
        match tree:
            case Scalar():
                return self._scalar(tree, site)
            case list():
                for at, item in enumerate(tree):
                    self.tree(item, site and site / at)
                return (Form({"type": "array"}, _NOTHING),)
            case _:
                items = {key: self.tree(item, site and site / key) for key, item in tree.items()}
                return (mapping_of(items),)

    def template(self, scalar: Scalar, site: Site) -> None:
        """Reports what a template reads in vain."""
        self._reads(scalar, site, template_reads(scalar, site))

    def expression(self, scalar: Scalar, site: Site) -> None:
        """Reports what an expression reads in vain."""
        self._reads(scalar, site, expression_reads(scalar, site))

    def _reads(self, scalar: Scalar, site: Site, reads: Iterable[Read]) -> None:
        for read in reads:
            places = [scalar.at(offset) for offset in read.offsets]
            check_reference(Reference(read.names, places, read.root), self.steps, site)

    def _scalar(self, scalar: Scalar, site: Site | None) -> Forms:
        found = reference_of(scalar)
        if found is None:
            if site is not None and isinstance(scalar.value, str) and not scalar.interpolated:
                self.template(scalar, site)
            kind = _KINDS.get(type(scalar.value))
            return () if kind is None else (Form({"type": kind}, _NOTHING),)
        reference = marked_reference(scalar, (found[0], *found[1]), mark="$")
        return check_reference(reference, {**self.parameters, **self.steps}, site)


def mapping_of(items: Mapping[str, object]) -> Form:
    """A mapping that has these items and no others."""
    return Form({"type": "object", "properties": items, "additionalProperties": False}, _NOTHING)
