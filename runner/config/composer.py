"""The tree of a YAML text, made of the parser's events; every fault beside it, not the first.

Knows YAML 1.2's shapes and what this program refuses of them: duplicate keys, keys that are no
text, tags, merge keys, recursion, bombs. Knows nothing of what a key means.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from runner.config.marks import Mark, block_marks, folded_marks, quoted_marks
from runner.config.nodes import Entry, Lost, Mapping_, Node, Scalar, Sequence
from runner.config.syntax import QUOTE_IT, Source
from runner.diagnostics import Diagnostic, Position

MAX_DEPTH = 64
"""Collections inside each other; no field of the file needs a quarter of it."""
ENTRY_DEPTH = 2
"""Collections around an entry of a section: the file, and the section."""
MAX_NODES = 200_000
"""Keys and values with every alias expanded; keeps alias bombs and huge files out."""

_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*\s+)+")
_CUT = re.compile(r" #[^\s#]\S*")


class RefusedError(Exception):
    """The text cannot be read on from here; `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Place(Protocol):
    """A place in the text; all three count from 0, in characters."""

    line: int
    column: int
    index: int


# The parser's marks are optional by its types, though never absent.
_NOWHERE = yaml.Mark("", 0, 0, 0, None, 0)


def begin(event: Event) -> Place:
    """Where the event's text starts, its anchor and tag included."""
    return event.start_mark or _NOWHERE


def end(event: Event) -> Place:
    """Where the event's text has ended."""
    return event.end_mark or _NOWHERE


# Stands for a value that was refused and is left out.
_REFUSED = Scalar("", Position("", 0, 0))


@dataclass(slots=True)
class _Anchor:
    """A named node; `node` is None while it is still open."""

    node: Node | None
    size: int = 0


class Composer:
    """Builds one tree; `faults` holds what was wrong on the way."""

    def __init__(self, source: Source, events: Iterator[Event]) -> None:
        self.faults: list[Diagnostic] = []
        self.lost: list[Lost] = []
        """Entries that were refused; what they were is not known."""
        self._source = source
        self._events = events
        self._anchors: dict[str, _Anchor] = {}
        self._size = 0
        self._depth = 0

    def compose(self) -> Node | None:
        """The root of the only document; None where there is none.

        Raises:
            RefusedError: too deep or too large.
            yaml.MarkedYAMLError: the text is no YAML.
        """
        root: Node | None = None
        for event in self._events:
            match event:
                case yaml.DocumentStartEvent():
                    if root is not None:
                        message = "the file holds several documents; expected one"
                        self._fault("several-documents", message, event, hint="remove the '---'")
                        break
                    if event.tags:
                        self._fault("yaml-tag", "tag directives are not used here", event)
                case NodeEvent():
                    root = self._node(event)
                case _:
                    pass
        return root

    def _node(self, event: NodeEvent) -> Node:
        self._count(1, event)
        if isinstance(event, AliasEvent):
            return self._alias(event)
        before = self._size
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.tag is not None:
            message = "tags are not used here; the field decides the type"
            self._fault(
                "yaml-tag", message, event, hint="remove the '!…'; quote the text if need be"
            )
        anchor = _Anchor(None)
        if event.anchor is not None:
            self._anchors[event.anchor] = anchor
        node = self._scalar(event) if isinstance(event, ScalarEvent) else self._nested(event)
        anchor.node, anchor.size = node, self._size - before
        return node

    def _nested(self, event: NodeEvent) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RefusedError(
                self._diagnostic("too-deep", f"nested over {MAX_DEPTH} levels", event)
            )
        is_mapping = isinstance(event, MappingStartEvent)
        node = self._mapping(event) if is_mapping else self._sequence(event)
        self._depth -= 1
        return node

    def _sequence(self, event: NodeEvent) -> Sequence:
        items = []
        while isinstance(item := next(self._events), NodeEvent):
            items.append(self._node(item))
        kept = tuple(node for node in items if node is not _REFUSED)
        return Sequence(kept, self._position(event))

    def _mapping(self, event: NodeEvent) -> Mapping_:
        entries: dict[str, Entry] = {}
        is_deep = self._depth > ENTRY_DEPTH
        while isinstance(key_event := next(self._events), NodeEvent):
            entry = self._entry(key_event, in_braces=bool(getattr(event, "flow_style", False)))
            if entry is None:
                if not is_deep:
                    self.lost.append(Lost((), self.faults[-1].position))
                continue
            if entry.key.plain and entry.key.text == "<<":
                self._merge(entries, entry)
                continue
            first = entries.setdefault(entry.key.text, entry)
            if first is not entry:
                self.faults.append(duplicate(first.key, entry.key))
        return Mapping_(entries, self._position(event))

    def _entry(self, event: NodeEvent, *, in_braces: bool) -> Entry | None:
        """A key with its value; None where it was refused."""
        faults = len(self.faults)
        key = self._node(event)
        value_event = next(self._events)
        assert isinstance(value_event, NodeEvent)  # the parser gives every key a value
        if not isinstance(key, Scalar) or isinstance(event, AliasEvent):
            del self.faults[faults:]
            hint = QUOTE_IT if isinstance(event, CollectionStartEvent) else None
            self._fault("key-not-text", "expected a text as key", event, hint=hint)
            self._node(value_event)
            return None
        value = self._node(value_event)
        if value is _REFUSED:
            return None
        if key.plain and not key.text:
            self._fault("key-not-text", "expected a key before ':'", event)
            return None
        if in_braces and self._is_cut(event, value_event):
            message = f"'{key.text}' has no value: a comma cuts a plain text in braces"
            self._fault(
                "cut-text", message, event, hint="quote the whole text before and after ','"
            )
            return None
        return Entry(key, value)

    def _merge(self, entries: dict[str, Entry], merge: Entry) -> None:
        """Refuses a merge key, and takes its entries so that none of them is missed later."""
        message = "merge keys are not part of YAML 1.2"
        hint = "repeat the fields, or use `defaults:`"
        self.faults.append(Diagnostic(merge.key.position, "merge-key", message, (), hint))
        if isinstance(merge.value, Mapping_):
            for name, entry in merge.value.entries.items():
                entries.setdefault(name, entry)

    def _is_cut(self, key: NodeEvent, value: NodeEvent) -> bool:
        if not isinstance(value, ScalarEvent) or value.value or value.style:
            return False
        between = self._source.text[end(key).index : begin(value).index]
        return ":" not in between

    def _alias(self, event: AliasEvent) -> Node:
        anchor = self._anchors.get(event.anchor or "")
        if anchor is not None and anchor.node is not None:
            self._count(anchor.size, event)
            return anchor.node
        if anchor is None:
            hint = f'quote it, if a text is meant: "*{event.anchor}"'
            self._fault("unknown-alias", f"no anchor '&{event.anchor}' above", event, hint=hint)
        else:
            self._fault("recursive-alias", f"'*{event.anchor}' holds itself", event)
        return _REFUSED

    def _scalar(self, event: ScalarEvent) -> Scalar:
        start = begin(event)
        skipped = 0
        if event.anchor is not None or event.tag is not None:
            found = _PROPERTIES.match(self._source.text, start.index)
            skipped = len(found[0]) if found and found.end() <= end(event).index else 0
        plain = not event.style
        line = start.line + self._source.text.count("\n", start.index, start.index + skipped)
        column = start.column + skipped if line == start.line else 0
        position = Position(self._source.path, line + 1, column + 1)
        raw = self._source.text[start.index + skipped : end(event).index]
        marks = self._marks(event, raw, position)
        scalar = Scalar(event.value, position, plain, lines=marks)
        if plain and isinstance(scalar.value, str):
            self._check_comment(event)
        return scalar

    def _marks(self, event: ScalarEvent, raw: str, position: Position) -> tuple[Mark, ...]:
        line, column = position.line, position.column
        if event.style in ("|", ">"):
            lines = self._source.lines[line : end(event).line + 1]
            return block_marks(event.value, lines, line=line + 1)
        if event.style:
            double = event.style == '"'
            return quoted_marks(raw[1:-1], line=line, column=column + 1, double=double)
        if begin(event).line == end(event).line:
            return ()
        return folded_marks(event.value, raw.splitlines(), line=line, column=column)

    def _check_comment(self, event: ScalarEvent) -> None:
        """A text that ` #` cuts: a comment has a space behind its `#`, a cut text has none."""
        rest = self._source.rest((end(event).line, end(event).column))
        found = _CUT.match(rest)
        if not found:
            return
        place = (end(event).line, end(event).column + 1)
        self.faults.append(
            self._source.fault(
                "cut-text",
                f"'{found[0].strip()}' is cut off: ' #' starts a comment in a plain text",
                at=place,
                hint="quote the whole text; or put a space after '#' if a comment is meant",
            )
        )

    def _count(self, nodes: int, event: Event) -> None:
        self._size += nodes
        if self._size > MAX_NODES:
            message = f"more than {MAX_NODES} values, aliases expanded"
            raise RefusedError(self._diagnostic("too-large", message, event))

    def _position(self, event: Event) -> Position:
        return Position(self._source.path, begin(event).line + 1, begin(event).column + 1)

    def _diagnostic(
        self, code: str, message: str, event: Event, hint: str | None = None
    ) -> Diagnostic:
        return Diagnostic(self._position(event), code, message, (), hint)

    def _fault(self, code: str, message: str, event: Event, *, hint: str | None = None) -> None:
        self.faults.append(self._diagnostic(code, message, event, hint))


def duplicate(first: Scalar, second: Scalar, code: str = "duplicate-key") -> Diagnostic:
    """The fault of a key given twice, at the second place, naming both."""
    here, there = second.position, first.position
    where = f"line {there.line}" if here.path == there.path else str(there)
    message = f"'{second.text}' is given twice: first on {where}, again on line {here.line}"
    return Diagnostic(here, code, message)
