"""`include:` merged into one document, section by section; a name given twice is a fault.

Knows trees, and that a section of the root holds named entries; nothing of what they mean.
Files come in already parsed.
"""

from collections.abc import Iterable, Iterator

from runner.config.composer import duplicate
from runner.config.nodes import Document, Entry, Mapping_, Scalar
from runner.diagnostics import Diagnostic


def merged(root: Document, included: Iterable[Document]) -> tuple[Document, tuple[Diagnostic, ...]]:
    """`root` with the sections of `included` in it, and a fault for each conflict.

    An entry of a section is taken whole: what two files both say of one entry is a conflict.
    An included file may repeat `mcp: 1`, so that editors know it too, and includes no others.
    """
    sections = dict(root.root.entries)
    faults: list[Diagnostic] = []
    files = list(root.files)
    lost = root.lost
    for document in included:
        files.extend(document.files)
        lost += document.lost
        for name, entry in document.root.entries.items():
            faults.extend(_add(sections, name, entry))
    whole = Mapping_(sections, root.root.position)
    return Document(root.path, whole, tuple(files), lost), tuple(faults)


def _add(sections: dict[str, Entry], name: str, entry: Entry) -> Iterator[Diagnostic]:
    first = sections.get(name)
    if name == "include":
        message = "an included file includes no others"
        hint = "name every file in the root file's `include:`"
        yield Diagnostic(entry.key.position, "nested-include", message, (), hint)
    elif first is None:
        sections[name] = entry
    elif isinstance(first.value, Mapping_) and isinstance(entry.value, Mapping_):
        both = dict(first.value.entries)
        for key, item in entry.value.entries.items():
            earlier = both.setdefault(key, item)
            if earlier is not item:
                yield duplicate(earlier.key, item.key)
        sections[name] = Entry(first.key, Mapping_(both, first.value.position))
    elif name != "mcp" or not _same(first, entry):
        yield duplicate(first.key, entry.key)


def _same(first: Entry, second: Entry) -> bool:
    one, other = first.value, second.value
    return isinstance(one, Scalar) and isinstance(other, Scalar) and one.value == other.value
