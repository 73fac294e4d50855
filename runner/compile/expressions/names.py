"""Which names an expression may use: the call's parameters and what every call knows."""

from collections.abc import Iterable
from dataclasses import dataclass

from runner.diagnostics import did_you_mean

FUNCTIONS = frozenset({"now", "today", "uuid", "sent", "range"})
"""Called, never read: `now()`."""
CONSTANTS = frozenset({"caller", "request", "vars", "absent"})
"""Known to every call."""
_WORDS = frozenset({
    "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None",
    "self", "super", "loop",
})  # fmt: skip
_OF_PLACES = frozenset({"context", "item", "index", "rows", "cursor"})
RESERVED = (FUNCTIONS - {"range"}) | CONSTANTS | _WORDS | _OF_PLACES
"""No parameter and no `as` name may be one of these; `range` is free, and hides the function."""


@dataclass(frozen=True, slots=True)
class Names:
    """What an expression may read besides what every call knows."""

    parameters: frozenset[str]
    """Of the tool, hidden ones included."""
    extra: frozenset[str] = frozenset()
    """Known at this place only: `rows`, `item`, `response`, `as` names."""

    @property
    def readable(self) -> frozenset[str]:
        """Every name that has a value here."""
        return self.parameters | self.extra | CONSTANTS

    def with_extra(self, names: Iterable[str]) -> "Names":
        """The same with more names of this place."""
        return Names(self.parameters, self.extra | frozenset(names))

    def closest(self, name: str) -> str | None:
        """A hint for an unknown `name`, or None."""
        return did_you_mean(name, sorted(self.readable | FUNCTIONS))
