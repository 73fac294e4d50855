"""The names that the expressions of one call read, made when they are read.

Reserved names are looked up first, so that no argument ever stands for the caller.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from runner.catalog.call import CallContext
from runner.catalog.expressions import ABSENT, Bind, Scope
from runner.catalog.schema import Arguments

_VARIANTS = "89ab"


class CallScope(Mapping[str, object]):
    """The scope of a call: costs nothing until a name is read.

    `arguments` stays the caller's: what is added to it later (bound parameters) is seen.
    `parameters` holds every parameter's name, hidden ones too; absent ones read as None.
    """

    __slots__ = ("_arguments", "_context", "_parameters", "_variables")

    def __init__(
        self,
        arguments: Arguments,
        parameters: Collection[str],
        *,
        context: CallContext,
        variables: Mapping[str, object],
    ) -> None:
        self._arguments = arguments
        self._parameters = parameters
        self._context = context
        self._variables = variables

    def __getitem__(self, name: str) -> object:
        reserved = _RESERVED.get(name)
        if reserved is not None:
            return reserved(self)
        if name in self._parameters:
            return self._arguments.get(name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in _RESERVED or name in self._parameters

    def __iter__(self) -> Iterator[str]:
        yield from _RESERVED
        yield from (name for name in self._parameters if name not in _RESERVED)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _now(self) -> datetime:
        return self._context.now

    def _today(self) -> date:
        return self._context.now.date()

    def _sent(self, name: str) -> bool:
        return name in self._arguments


_RESERVED: Mapping[str, Callable[[CallScope], object]] = {
    "caller": lambda scope: scope._context.caller,
    "request": lambda scope: scope._context.request,
    "vars": lambda scope: scope._variables,
    "now": lambda scope: scope._now,
    "today": lambda scope: scope._today,
    "uuid": lambda _scope: new_uuid,
    "sent": lambda scope: scope._sent,
    "absent": lambda _scope: ABSENT,
}


class ExtendedScope(Mapping[str, object]):
    """A scope with more names, which win over those below."""

    __slots__ = ("_base", "_names")

    def __init__(self, base: Scope, names: Mapping[str, object]) -> None:
        self._base = base
        self._names = names

    def __getitem__(self, name: str) -> object:
        return self._names[name] if name in self._names else self._base[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from (name for name in self._base if name not in self._names)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Scoped(Protocol):
    """A tool or a prompt: something that has parameters, hidden ones too."""

    @property
    def scope_names(self) -> frozenset[str]:
        """Every parameter, hidden ones too."""

    @property
    def binds(self) -> Sequence[Bind]:
        """The hidden ones."""


def bind(
    tool: Scoped, arguments: Arguments, context: CallContext, variables: Mapping[str, object]
) -> Scope:
    """The scope of a call of `tool`; the hidden parameters are added to `arguments`.

    Raises:
        ExpressionError: one of them cannot be evaluated.
    """
    scope = CallScope(arguments, tool.scope_names, context=context, variables=variables)
    if tool.binds:
        hidden = {bind.name: bind.value.evaluate(scope) for bind in tool.binds}
        arguments.update({name: value for name, value in hidden.items() if value is not ABSENT})
    return scope


def extend(scope: Scope, /, **names: object) -> Scope:
    """The same names and `names`: `rows`, `item`, `index`, `response`, `result`, `as` names.

    One that is ABSENT (a bound parameter that is not sent) reads as None, as a parameter does.
    """
    if any(value is ABSENT for value in names.values()):
        names = {name: None if value is ABSENT else value for name, value in names.items()}
    return ExtendedScope(scope, names)


def new_uuid() -> str:
    """A random UUID (version 4) as text."""
    text = os.urandom(16).hex()
    variant = _VARIANTS[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
