"""The tree of a YAML document with the place of every key and value.

Knows YAML's shapes only; nothing of what a key means. `source` builds it, `spec` reads it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from runner.codec.paths import Path
from runner.diagnostics import Position

PlainValue = str | int | float | bool | None

# Decimal notation alone: `0123`, `1e3`, `0x1F`, `1_000` and `12:30:00` stay text.
# Longer ones are text too: no field needs them, and a float of them would not be finite.
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,299})\Z")
_FRACTION = re.compile(r"[-+]?(0|[1-9][0-9]{0,299})\.[0-9]+\Z")
_WORDS: Mapping[str, PlainValue] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text of the file and where it stands."""

    text: str
    """As YAML reads it, after interpolation; the whole content where it came from a file."""
    position: Position
    plain: bool = False
    """Written without quotes or block marks, so that it may also be a number or a word."""
    interpolated: bool = False
    lines: tuple[tuple[int, int, int], ...] = ()
    """For texts of several source lines: (offset in `text`, line, column) of each line's start."""

    @property
    def value(self) -> PlainValue:
        """The value by YAML 1.2's rules, strictly: text unless plain and unmistakable."""
        if not self.plain or self.interpolated:
            return self.text
        if self.text in _WORDS:
            return _WORDS[self.text]
        if _INTEGER.match(self.text):
            return int(self.text)
        return float(self.text) if _FRACTION.match(self.text) else self.text

    def at(self, offset: int) -> Position:
        """The place of the character at `offset` of `text`."""
        start, line, column = 0, self.position.line, self.position.column
        for mark in self.lines:
            if mark[0] > offset:
                break
            start, line, column = mark
        return replace(self.position, line=line, column=column + offset - start)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list; `position` is its first character."""

    items: tuple["Node", ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping_:  # noqa: N801 - `Mapping` is the standard library's; this is YAML's word
    """A mapping in the order written; keys are texts and unique."""

    entries: Mapping[str, Entry]
    position: Position


Node = Scalar | Sequence | Mapping_


@dataclass(frozen=True, slots=True)
class Lost:
    """A part of a document that could not be read: what it was, and where the fault stands."""

    path: Path
    """Its section and its name, as far as they are known; empty for anything."""
    position: Position


@dataclass(frozen=True, slots=True)
class Document:
    """One configuration, includes merged: its tree, and the files that it was read from."""

    path: str
    root: Mapping_
    files: tuple[str, ...] = field(default=())
    lost: tuple["Lost", ...] = ()
    """What could not be read of it."""

    def may_hold(self, section: str, name: str) -> bool:
        """An entry of that name may stand in what could not be read."""
        return any(lost.path in ((), (section,), (section, name)) for lost in self.lost)

    def find(self, path: Path) -> Node | None:
        """The value at `path`, or None."""
        found = list(self._walk(path))
        return found[-1][1] if len(found) == len(path) + 1 else None

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Where the value at `path` (or its key) stands; the nearest ancestor if it is absent."""
        *_, (entry_key, node) = self._walk(path)
        return entry_key.position if key and entry_key is not None else node.position

    def _walk(self, path: Path) -> Iterator[tuple[Scalar | None, Node]]:
        node: Node = self.root
        yield None, node
        for step in path:
            match node:
                case Mapping_(entries) if isinstance(step, str) and step in entries:
                    entry = entries[step]
                    node = entry.value
                    yield entry.key, node
                case Sequence(items) if isinstance(step, int) and step < len(items):
                    node = items[step]
                    yield None, node
                case _:
                    return
