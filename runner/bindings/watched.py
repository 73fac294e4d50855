"""Which of the files behind resources have changed: each is looked at once, whoever asks for it.

Looks are so far apart that they take a small part of the time, however many files there are.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from runner.bindings.files import path_of
from runner.catalog.plans import Plan

LOOKING_SHARE: Final = 0.02
"""Of the time, at most."""

Place = TypeVar("Place", bound=Hashable)
Behind = tuple[Plan, Mapping[str, str]]
"""What reads a resource, and the variables that its template found."""
Stamp = tuple[int, ...]


class Watched(Generic[Place]):
    """The files that somebody listens to; used by one thread at a time."""

    def __init__(self, stamp: Callable[[Path], Stamp]) -> None:
        """`stamp` asks the disk for what is other after every change of a file."""
        self._stamp = stamp
        self._behind: Sequence[tuple[Behind, Sequence[Place]]] = ()
        self._stamps: Mapping[Place, Stamp] = {}
        self._next_at = 0.0

    def __bool__(self) -> bool:
        return bool(self._behind)

    def replace(self, wanted: Mapping[Place, Behind]) -> None:
        """Looks at these from now on; what is known of those that stay is kept."""
        found: dict[Hashable, tuple[Behind, list[Place]]] = {}
        for place, behind in wanted.items():
            plan, variables = behind
            key = (id(plan), *variables.items())
            found.setdefault(key, (behind, []))[1].append(place)
        self._behind = tuple(found.values())

    def is_due(self, now: float) -> bool:
        """A look is to be taken again."""
        return now >= self._next_at

    def took(self, began: float, ended: float) -> None:
        """A look took so long, on the clock of `is_due`."""
        self._next_at = ended + (ended - began) * (1 / LOOKING_SHARE - 1)

    def meet(self) -> None:
        """Looks at those that are new, so that a change from now on is seen."""
        known = self._stamps
        new = [(behind, [p for p in places if p not in known]) for behind, places in self._behind]
        self._stamps = {**known, **self._stamped([pair for pair in new if pair[1]])}

    def look(self) -> Sequence[Place]:
        """The places whose file is another than at the look before."""
        before, self._stamps = self._stamps, self._stamped(self._behind)
        return [place for place, now in self._stamps.items() if before.get(place, now) != now]

    def _stamped(self, wanted: Sequence[tuple[Behind, Sequence[Place]]]) -> Mapping[Place, Stamp]:
        once: dict[str, Stamp] = {}
        stamps: dict[Place, Stamp] = {}
        for behind, places in wanted:
            file = path_of(*behind) or ""
            if file not in once:
                once[file] = self._stamp(Path(file)) if file else ()
            stamps.update(dict.fromkeys(places, once[file]))
        return stamps
