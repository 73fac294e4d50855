"""What is left out where a fault stands, so that the rest of the file is compiled all the same.

Knows positions and sections: that a section's entries follow each other, and which sections other
parts lean on. A part is left out only where no other part is thereby wrong.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from runner.codec.paths import Path
from runner.config.nodes import Entry, Mapping_, Scalar
from runner.config.places import places
from runner.diagnostics import Position

VERSION = "mcp"
"""A file of another version is not read on."""
TOOLS = ("tools",)
RUN: frozenset[Path] = frozenset({TOOLS, ("resources",), ("prompts",)})
"""What `defaults` are merged into, and what reads `vars`."""
SHARED = ("defaults", "vars")
"""What each of them may use: with a fault there none is compiled."""
APART = ("title", "icons", "tags", "timeout", "idempotent", "open_world", "examples", "tests")
"""Fields of a tool that nothing else of it leans on: one with a fault is left out alone."""
NEEDED = {"server": ("name", "version")}
"""Fields that must be there; a text takes the place of one that is left out."""
_FIRST_VERSION = "1"


def owners(root: Mapping_, errors: Iterable[Position]) -> frozenset[Path] | None:
    """The entries of sections that hold the errors; None where nothing can be read on.

    A fault of a section itself leaves the whole section out.
    """
    starts = sorted(_starts(root), key=lambda start: start[0])
    keys = [position for position, _ in starts]
    found: set[Path] = set()
    for error in errors:
        index = bisect_right(keys, error) - 1
        if index < 0 or keys[index].path != error.path:
            return None
        found.add(starts[index][1])
    return left_out(found)


def left_out(paths: Iterable[Path]) -> frozenset[Path] | None:
    """The entries that hold `paths`, and what leans on them; None where nothing can be read on."""
    entries = {path[:3] if _is_apart(path) else path[:2] for path in paths}
    if any(not path or path[0] == VERSION for path in entries):
        return None
    if any(path[0] in SHARED for path in entries):
        entries |= RUN
    return frozenset(entries)


def _is_apart(path: Path) -> bool:
    return path[:1] == TOOLS and len(path) > 2 and path[2] in APART


def completed(root: Mapping_) -> Mapping_:
    """The tree with a text for each needed field that was left out; it is never served."""
    version = Scalar(_FIRST_VERSION, root.position, plain=True)
    entries = {VERSION: Entry(Scalar(VERSION, root.position), version), **root.entries}
    for name, fields in NEEDED.items():
        key, value = Scalar(name, root.position), Mapping_({}, root.position)
        match root.entries.get(name):
            case Entry(written, Mapping_() as section):
                key, value = written, section
        given = {field: Entry(key, Scalar(field, key.position)) for field in fields}
        entries[name] = Entry(key, Mapping_({**given, **value.entries}, value.position))
    return Mapping_(entries, root.position)


def _starts(root: Mapping_) -> Iterator[tuple[Position, Path]]:
    """Where each section and each of its entries begins."""
    for pattern in ("*", "*.*"):
        for found in places(root, pattern):
            yield found.position, found.path
