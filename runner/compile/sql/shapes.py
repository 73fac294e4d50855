"""The shapes of a statement: which `[[ ]]` are there, which words were chosen.

Shapes are enumerated by parameter, not by part, since one parameter may decide several parts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from runner.catalog.schema import Parameter
from runner.catalog.sql import Bound, Chosen, OptionalPart, Statement
from runner.compile.sql.parts import flat

MOST = 64
"""So many shapes are proven each; of more, a selection."""


@dataclass(frozen=True, slots=True)
class ShapeChoice:
    """One shape: the optional parameters that are present, and each choice's words."""

    present: frozenset[str]
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def shape_choices(
    statement: Statement, parameters: Mapping[str, Parameter]
) -> tuple[ShapeChoice, ...]:
    """Every shape where there are at most `MOST`; else none, all, each alone and each missing."""
    optional = _optional(statement, parameters)
    words = _words(statement, parameters)
    count = 2 ** min(len(optional), 16)
    for options in words.values():
        count *= len(options)
    if count <= MOST:
        return tuple(
            ShapeChoice(frozenset(present), dict(zip(words, chosen, strict=True)))
            for present in _subsets(optional)
            for chosen in product(*words.values())
        )
    return tuple(_selection(optional, words))


def _optional(statement: Statement, parameters: Mapping[str, Parameter]) -> list[str]:
    names = [
        name
        for part in statement.parts
        if isinstance(part, OptionalPart)
        for name in part.parameters
        if name in parameters and not parameters[name].required
    ]
    return list(dict.fromkeys(names))


def _words(
    statement: Statement, parameters: Mapping[str, Parameter]
) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for part in flat(statement.parts):
        if isinstance(part, Chosen):
            every = tuple(part.texts)
            found[part.parameter] = [(word,) for word in every]
            if parameters[part.parameter].is_list and len(every) > 1:
                found[part.parameter].append(every)
    return found


def _subsets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(names) + 1):
        yield from combinations(names, size)


def _selection(
    optional: Sequence[str], words: Mapping[str, Sequence[tuple[str, ...]]]
) -> Iterable[ShapeChoice]:
    everything = frozenset(optional)
    first = {name: options[0] for name, options in words.items()}
    presences = [frozenset[str](), everything]
    presences += [frozenset({name}) for name in optional]
    presences += [everything - {name} for name in optional]
    for present in dict.fromkeys(presences):
        yield ShapeChoice(present, first)
    for name, options in words.items():
        for chosen in options[1:]:
            yield ShapeChoice(everything, {**first, name: chosen})


@dataclass(frozen=True, slots=True)
class Laid:
    """A shape laid out for an engine: texts with a parameter between each two."""

    texts: tuple[str, ...]
    parameters: tuple[Bound, ...]
    marks: tuple[tuple[int, int], ...]
    """(offset in the joined texts, offset in the author's text), ascending."""

    def origin(self, offset: int) -> int:
        """Where a character of the joined texts stands in the author's text."""
        start, there = 0, 0
        for mark in self.marks:
            if mark[0] > offset:
                break
            start, there = mark
        return there + offset - start


def lay_out(statement: Statement, choice: ShapeChoice, parameters: Mapping[str, Parameter]) -> Laid:
    """The texts and parameters of one shape."""
    layout = _Layout(choice)
    for part in statement.parts:
        if isinstance(part, OptionalPart):
            absent = [
                name
                for name in part.parameters
                if name in parameters
                and not parameters[name].required
                and name not in choice.present
            ]
            layout.optional(part, is_there=not absent)
        else:
            layout.add(part)
    return layout.laid()


class _Layout:
    """Collects texts, and counts along in the author's text and in the joined one."""

    def __init__(self, choice: ShapeChoice) -> None:
        self._choice = choice
        self._texts = [""]
        self._parameters: list[Bound] = []
        self._marks = [(0, 0)]
        self._joined = 0
        self._author = 0

    def laid(self) -> Laid:
        return Laid(tuple(self._texts), tuple(self._parameters), tuple(self._marks))

    def optional(self, part: OptionalPart, *, is_there: bool) -> None:
        self._skip(2)
        for inner in part.parts:
            if is_there:
                self.add(inner)
            else:
                self._skip(_length(inner))
        self._skip(2)

    def add(self, part: str | Bound | Chosen) -> None:
        match part:
            case str():
                self._text(part)
                self._author += len(part)
            case Chosen():
                words = self._choice.words[part.parameter]
                self._text(", ".join(part.texts[word] for word in words))
                self._skip(_length(part))
            case Bound():
                brackets = part.expands and not part.in_brackets
                self._text("(" if brackets else "")
                self._parameters.append(part)
                self._texts.append("")
                self._text(")" if brackets else "")
                self._skip(_length(part))

    def _text(self, text: str) -> None:
        self._texts[-1] += text
        self._joined += len(text)

    def _skip(self, count: int) -> None:
        self._author += count
        self._marks.append((self._joined, self._author))


def _length(part: str | Bound | Chosen) -> int:
    match part:
        case str():
            return len(part)
        case Bound():
            return 1 + len(".".join(part.path))
        case Chosen():
            return 2 + len(part.parameter)
