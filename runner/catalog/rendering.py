"""The shapes of a statement: which parts are there, which words were chosen, how long lists are.

A shape has one text, made once; the values of a call decide which shape it is and are never part
of the text. Pure: knows no engine, only where its placeholders stand (`Rendered.slots`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from runner.catalog.sql import Bound, Chosen, OptionalPart, Part, Statement
from runner.codec.paths import value_at

Values = Mapping[str, object]
"""What a statement may bind, by the first word of `Bound.path`; absent ones are absent."""
Key = tuple[object, ...]
"""One entry a part that varies: words, a padded length, None (vanished) or a key inside."""
MAX_ELEMENTS: Final = 16_384
"""Of an expanded list; engines stop at 32,766 (SQLite) and 65,535 (PostgreSQL) placeholders."""
_EMPTY: Final = "SELECT NULL WHERE 1 = 0"
"""A list without elements: `IN` finds nothing in it, `NOT IN` misses everything."""


class TooManyElementsError(ValueError):
    """A list is longer than a statement can hold; `path` says which, `count` how long it is."""

    def __init__(self, bound: Bound, count: int) -> None:
        super().__init__(f"'{'.'.join(bound.path)}' has {count} elements, at most {MAX_ELEMENTS}")
        self.path = bound.path
        self.count = count


@dataclass(frozen=True, slots=True)
class Slot:
    """One placeholder and what is bound there."""

    bound: Bound
    element: int | None = None
    """Which element of an expanded list; beyond its end the last one is repeated."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A shape's text around its placeholders; one text more than slots."""

    texts: Sequence[str]
    slots: Sequence[Slot]

    def text(self, placeholder: Callable[[int, Bound], str]) -> str:
        """The whole text; `placeholder` writes the one at a position, counted from 0."""
        pieces = [self.texts[0]]
        for index, slot in enumerate(self.slots):
            pieces += (placeholder(index, slot.bound), self.texts[index + 1])
        return "".join(pieces)


class Shapes:
    """Finds and renders the shapes of one statement."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self._parts = tuple(part for part in statement.parts if _varies(part))
        self.is_fixed = not self._parts
        """There is one shape, with the key `()`."""

    def key(self, values: Values) -> Key:
        """The shape for these values.

        Raises:
            TooManyElementsError: an expanded list is longer than any statement may be.
        """
        return tuple(_part_key(part, values) for part in self._parts)

    def render(self, key: Key, *, empty: Callable[[Bound], str] | None = None) -> Rendered:
        """The text and bind order of a shape; `empty` writes the query for a list without elements
        where an engine wants it typed."""
        writer = _Writer(empty or (lambda _bound: _EMPTY))
        writer.add_all(self.statement.parts, key)
        return writer.rendered()

    @staticmethod
    def has_empty_list(key: Key) -> bool:
        """Some list of the shape has no elements."""
        return any(Shapes.has_empty_list(e) if isinstance(e, tuple) else e == 0 for e in key)

    @staticmethod
    def filled(key: Key) -> Key:
        """The same shape with one element in each list that has none."""
        return tuple(
            Shapes.filled(entry) if isinstance(entry, tuple) else 1 if entry == 0 else entry
            for entry in key
        )


def _varies(part: Part) -> bool:
    return isinstance(part, Chosen | OptionalPart) or (isinstance(part, Bound) and part.expands)


def _part_key(part: Part, values: Values) -> object:
    match part:
        case OptionalPart():
            if not all(name in values for name in part.parameters):
                return None
            inner = [piece for piece in part.parts if _varies(piece)]
            if any(isinstance(p, Chosen) and not values[p.parameter] for p in inner):
                return None  # no word was chosen
            return tuple(_part_key(piece, values) for piece in inner)
        case Chosen():
            word = values[part.parameter]
            return tuple(word) if isinstance(word, list) else (word,)
        case Bound():
            return _padded(part, value_at(values, part.path))
    raise AssertionError("a part that does not vary has no key")


def _padded(bound: Bound, value: object) -> int:
    """The length rounded up to a power of two, so that the texts of a list are few."""
    count = len(value) if isinstance(value, list | tuple) else 0
    if count > MAX_ELEMENTS:
        raise TooManyElementsError(bound, count)
    return count if count == 0 else 1 << (count - 1).bit_length()


class _Writer:
    """Puts texts and slots side by side."""

    def __init__(self, empty: Callable[[Bound], str]) -> None:
        self._empty = empty
        self._texts = [""]
        self._slots: list[Slot] = []

    def rendered(self) -> Rendered:
        return Rendered(tuple(self._texts), tuple(self._slots))

    def add_all(self, parts: Sequence[Part], key: Key) -> None:
        entries = iter(key)
        for part in parts:
            self._add(part, next(entries) if _varies(part) else None)

    def _add(self, part: Part, entry: object) -> None:
        match part:
            case str():
                self._texts[-1] += part
            case Chosen():
                words = entry if isinstance(entry, tuple) else ()
                self._texts[-1] += ", ".join(part.texts[word] for word in words)
            case OptionalPart():
                if isinstance(entry, tuple):
                    self.add_all(part.parts, entry)
            case Bound():
                self._add_bound(part, entry)

    def _add_bound(self, bound: Bound, count: object) -> None:
        if not isinstance(count, int):
            self._slot(Slot(bound))
            return
        self._texts[-1] += "" if bound.in_brackets else "("
        for element in range(count):
            self._texts[-1] += ", " if element else ""
            self._slot(Slot(bound, element))
        if count == 0:
            self._texts[-1] += self._empty(bound)
        self._texts[-1] += "" if bound.in_brackets else ")"

    def _slot(self, slot: Slot) -> None:
        self._slots.append(slot)
        self._texts.append("")
