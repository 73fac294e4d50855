"""Which names an expression may use: the call's parameters and what every call knows."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from runner.diagnostics import did_you_mean
from runner.reserved import CONSTANTS, FUNCTIONS


@dataclass(frozen=True, slots=True)
class Names:
    """What an expression may read besides what every call knows."""

    parameters: frozenset[str]
    """Of the tool, hidden ones included."""
    extra: frozenset[str] = frozenset()
    """Known at this place only: `rows`, `item`, `response`, `as` names."""
    later: frozenset[str] = frozenset()
    """The `as` names of steps that run later, and of the one that this is."""

    @property
    def readable(self) -> frozenset[str]:
        """Every name that has a value here."""
        return self.parameters | self.extra | CONSTANTS

    def with_extra(self, names: Iterable[str]) -> "Names":
        """The same with more names of this place."""
        return replace(self, extra=self.extra | frozenset(names))

    def closest(self, name: str) -> str | None:
        """A hint for an unknown `name`, or None."""
        if name in self.later:
            return "a step sees the results of the steps above it alone"
        return did_you_mean(name, sorted(self.readable | FUNCTIONS))
