"""Which tool a fault belongs to, by its place.

Knows positions and that a section's entries follow each other; nothing of what is in them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from runner.config.nodes import Mapping_
from runner.config.places import places
from runner.diagnostics import Position


def owners(root: Mapping_, errors: Iterable[Position]) -> frozenset[str] | None:
    """The tools in which the errors stand; None if one stands outside of them."""
    starts = sorted(_starts(root), key=lambda start: start[0])
    keys = [position for position, _ in starts]
    found: set[str] = set()
    for error in errors:
        index = bisect_right(keys, error) - 1
        tool = starts[index][1] if index >= 0 else None
        if tool is None or keys[index].path != error.path:
            return None
        found.add(tool)
    return frozenset(found)


def _starts(root: Mapping_) -> Iterator[tuple[Position, str | None]]:
    """Where each section and each of its entries begins, with the tool that it is."""
    for section in places(root, "*"):
        yield section.position, None
    for entry in places(root, "*.*"):
        yield entry.position, str(entry.path[1]) if entry.path[0] == "tools" else None
