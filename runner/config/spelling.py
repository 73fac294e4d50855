"""Unknown fields: each reported once, then read as the field that was probably meant.

A misspelt field would otherwise be two faults, or hide what is wrong elsewhere in its section. The
corrected tree is for finding the other faults only; a file with an unknown field is never served.
"""

from collections.abc import Mapping

from runner.codec.paths import Path
from runner.config.nodes import Entry, Mapping_, Node, Sequence


def respelt(root: Mapping_, meant: Mapping[Path, str | None]) -> Mapping_:
    """The tree where each path of `meant` has the name given there, or is left out for None.

    A field that is there under its own name is not replaced.
    """
    above = frozenset(path[:depth] for path in meant for depth in range(len(path)))
    return _entries(root, (), meant, above)


def _respelt(
    node: Node, path: Path, meant: Mapping[Path, str | None], above: frozenset[Path]
) -> Node:
    if path not in above:
        return node
    match node:
        case Mapping_():
            return _entries(node, path, meant, above)
        case Sequence(items):
            changed = (
                _respelt(item, (*path, index), meant, above) for index, item in enumerate(items)
            )
            return Sequence(tuple(changed), node.position)
        case _:
            return node


def _entries(
    node: Mapping_, path: Path, meant: Mapping[Path, str | None], above: frozenset[Path]
) -> Mapping_:
    entries: dict[str, Entry] = {}
    for key, entry in node.entries.items():
        here = (*path, key)
        name = meant.get(here, key)
        if name is not None and (name == key or name not in node.entries):
            entries[name] = Entry(entry.key, _respelt(entry.value, here, meant, above))
    return Mapping_(entries, node.position)
