"""A reference to what an earlier step gave: held against that, and told where it leads nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from runner.compile.schemas.reading import Form, Forms, Misread, read
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import Position, did_you_mean

Sources = Mapping[str, Forms]
"""What each name gives; a name that is not here is not judged."""
WORDS: Final = {
    "object": "a mapping", "array": "a list", "string": "a text", "integer": "an integer",
    "number": "a number", "boolean": "true or false",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """A path as its author wrote it."""

    names: Sequence[str]
    """`orders.rows`; in a loop over them `row.id`."""
    places: Sequence[Position]
    """One a name."""
    root: Sequence[str]
    """What the first name stands for; elsewhere than in a loop itself."""
    mark: str = ""
    """What stands before it: `$` in trees, `:` in SQL."""

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the one that a step has."""
        return (*self.root, *self.names[1:])


def marked_reference(
    scalar: Scalar, names: Sequence[str], *, mark: str, offset: int = 0
) -> Reference:
    """The reference that stands at `offset` of a text, its names with dots between them."""
    places: list[Position] = []
    offset += len(mark)
    for name in names:
        places.append(scalar.at(offset))
        offset += len(name) + 1
    return Reference(names, places, names[:1], mark)


def check_reference(reference: Reference, sources: Sources, site: Site | None) -> Forms:
    """What the reference gives; one that leads nowhere is reported if there is a place for it."""
    root, *keys = reference.path
    found = read(sources.get(root, ()), keys)
    if not isinstance(found, Misread):
        return found
    # Before the first name of a loop, the loop itself is at fault, and told there.
    missing = found.depth + 2 - len(reference.root)
    if missing > 0 and site is not None:
        _report(reference, found, site, missing)
    return ()


def _report(reference: Reference, fault: Misread, site: Site, missing: int) -> None:
    names = reference.names
    shown, key, rest = ".".join(names[:missing]), names[missing], ".".join(names[missing:])
    at = reference.places[missing]
    if fault.owner.type != "object":
        kind = WORDS.get(fault.owner.type, fault.owner.type)
        is_list = fault.owner.type == "array"
        site.error(
            "no-fields",
            f"'{shown}' is {kind}; it has no '{key}'",
            hint=_first(reference, f"{shown}.0", rest, "item") if is_list else None,
            at=at,
        )
        return
    site.error(
        "unknown-name",
        f"there is no '{key}' in '{shown}'",
        details=(f"known here: {', '.join(fault.fields) or 'nothing'}",),
        hint=_first(reference, f"{shown}.rows.0", rest, "row")
        if _is_of_row(fault.owner, names[missing:])
        else did_you_mean(key, fault.fields),
        at=at,
    )


def _is_of_row(owner: Form, keys: Sequence[str]) -> bool:
    """What is missing is there in each of the rows."""
    properties = owner.schema.get("properties")
    if not isinstance(properties, Mapping) or "rows" not in properties:
        return False
    return not isinstance(read((owner,), ["rows", "0", *keys]), Misread)


def _first(reference: Reference, first: str, rest: str, what: str) -> str:
    if reference.mark == ":":
        return f"a statement reads no list: name the {what} before, by 'value: ${first}'"
    return f"write {reference.mark}{first}.{rest} for the first {what}"
