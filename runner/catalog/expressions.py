"""Expressions, templates and trees of the file, compiled: what a call evaluates.

`runner.compile.expressions` makes them; here is only their shape. All of them read a `Scope`,
a mapping of the names that one call knows, and never change it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from runner.errors import CallError

Scope = Mapping[str, object]
"""Parameters by name (absent ones are None), `caller`, `request`, `vars`, `now`, `today`, `uuid`,
`sent`, `absent`; within a statement or template also `rows`, `item`, `index`, `response`, `result`
and the `as` names."""


class Absent:
    """The type of `ABSENT`, the value of `absent` in expressions: as if it had not been sent."""

    _instance: "Absent | None" = None

    def __new__(cls) -> "Absent":
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent()


class ExpressionError(CallError):
    """An expression or template cannot be evaluated in this call; the text is neutral."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression."""

    source: str
    names: frozenset[str]
    """The free names that it reads."""
    evaluate: Callable[[Scope], object]
    """Its value.

    Raises:
        ExpressionError: an item is missing or a limit is reached.
    """


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled text template."""

    source: str
    names: frozenset[str]
    render: Callable[[Scope], str]
    """The text.

    Raises:
        ExpressionError: an item is missing or a limit is reached.
    """


@dataclass(frozen=True, slots=True)
class TreeTemplate:
    """A compiled tree: constants, `$name` references with their type, text with `{{ }}`."""

    names: frozenset[str]
    build: Callable[[Scope], object]
    """The value; what refers to an absent parameter is left out, an absent root is ABSENT.

    Raises:
        ExpressionError: an item is missing or a limit is reached.
    """


@dataclass(frozen=True, slots=True)
class Bind:
    """A hidden parameter."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Check:
    """A rule: `that` false ends the call with the text of `otherwise`."""

    that: Expression
    otherwise: Template

    @property
    def names(self) -> frozenset[str]:
        """What it reads, or its text does."""
        return frozenset(self.that.names | self.otherwise.names)
