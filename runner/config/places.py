"""Finding places of a document by pattern, and naming them as a reader does.

Knows trees and paths; a pattern is dotted keys, where `*` stands for any key or list position.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.codec.paths import Path, dotted
from runner.config.nodes import Entry, Mapping_, Node, Scalar, Sequence
from runner.diagnostics import Position


@dataclass(frozen=True, slots=True)
class Found:
    """A value that a pattern met: where it is, its key where it has one, and itself."""

    path: Path
    key: Scalar | None
    node: Node

    @property
    def position(self) -> Position:
        """Of the key, or of the value where there is none."""
        return self.key.position if self.key is not None else self.node.position

    @property
    def entries(self) -> dict[str, Entry]:
        """Its fields; empty where it is no mapping."""
        return dict(self.node.entries) if isinstance(self.node, Mapping_) else {}


def places(root: Node, pattern: str) -> Iterator[Found]:
    """Every value that `pattern` meets, in the order written; an empty pattern meets the root."""
    found = [Found((), None, root)]
    for step in pattern.split(".") if pattern else ():
        found = [below for place in found for below in _children(place, step)]
    yield from found


def everything(root: Node) -> Iterator[Found]:
    """Every value below `root`, in the order written, each before what is in it."""
    waiting = [Found((), None, root)]
    while waiting:
        below = list(_children(waiting.pop(), "*"))
        yield from below
        waiting.extend(reversed(below))


def name_of(path: Path) -> str:
    """As a reader writes it: `tools.search.check[0].that`; the root is `the file`."""
    return dotted(path) or "the file"


def without(root: Mapping_, paths: frozenset[Path]) -> Mapping_:
    """The tree without the entries at `paths`."""
    above = frozenset(path[:depth] for path in paths for depth in range(len(path)))
    return _pruned(root, (), paths, above)


def _pruned(node: Mapping_, path: Path, paths: frozenset[Path], above: frozenset[Path]) -> Mapping_:
    if path not in above:
        return node
    entries: dict[str, Entry] = {}
    for key, entry in node.entries.items():
        here = (*path, key)
        if here not in paths:
            value = entry.value
            kept = _pruned(value, here, paths, above) if isinstance(value, Mapping_) else value
            entries[key] = Entry(entry.key, kept)
    return Mapping_(entries, node.position)


def _children(place: Found, step: str) -> Iterator[Found]:
    match place.node:
        case Mapping_(entries):
            for key, entry in entries.items():
                if step in ("*", key):
                    yield Found((*place.path, key), entry.key, entry.value)
        case Sequence(items) if step == "*":
            for index, item in enumerate(items):
                yield Found((*place.path, index), None, item)
        case _:
            return
