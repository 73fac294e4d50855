"""The callable that a reference names, looked at: how it is called, what it asks for, its words.

Asks the loader that it is given; every fault is a diagnostic at the reference or in the author's
own file. Knows nothing of schemas.
"""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from runner.catalog import injected as authors
from runner.catalog.caller import Caller
from runner.compile.python.docstrings import Docstring, parse_docstring
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.errors import LoadError

_INJECTED: Mapping[object, str] = {
    authors.Context: "context",
    authors.Database: "database",
    authors.Http: "http",
    authors.Progress: "progress",
    Caller: "caller",
}
_Parameter = inspect.Parameter


class Loader(Protocol):
    """Imports what `package.module:name` names."""

    def load(self, reference: str) -> object:
        """The object.

        Raises:
            LoadError: it cannot be had.
        """


@dataclass(frozen=True, slots=True)
class Asked:
    """A parameter that a client or the file fills."""

    name: str
    hint: object
    """Without a hint `Any`; `is_hinted` tells."""
    is_hinted: bool
    default: object
    """`...` where it must be given."""
    description: str | None


@dataclass(frozen=True, slots=True)
class Injection:
    """A parameter that the program fills."""

    kind: str
    """`context`, `database`, `http`, `progress`, `caller`."""
    source: str | None = None
    """The database or API that the hint names: `Annotated[Database, "library"]`."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A callable that can be served."""

    function: Callable[..., object]
    is_async: bool
    asked: Mapping[str, Asked]
    injected: Mapping[str, Injection]
    takes_whole: bool
    """Has `**name`."""
    returns: object
    """The hint of the result; `Any` without one."""
    doc: Docstring = field(default_factory=Docstring)


def load(reference: Scalar, site: Site, loader: Loader) -> object | None:
    """What the reference names; None after reporting why it cannot be had."""
    try:
        return loader.load(reference.text)
    except LoadError as error:
        place = error.position or reference.position
        details = () if error.position is None else (f"loaded for {site.name}",)
        site.error(error.code, str(error), hint=error.hint, details=details, at=place)
        return None


def examine(found: object, reference: Scalar, site: Site) -> Examined | None:
    """The callable as it will be called; None after reporting why it cannot be served."""
    plain = _written(found)
    refusal = _refusal(found, plain)
    if refusal is not None or plain is None or not callable(found):
        site.error(
            "unsupported-callable",
            f"'{reference.text}' {refusal or 'cannot be called'}",
            hint="name a function, a method of an object, or an object with __call__",
            at=reference.position,
        )
        return None
    try:
        parameters = inspect.signature(found).parameters
        hints = typing.get_type_hints(plain, include_extras=True)
    except (NameError, TypeError, ValueError, AttributeError, SyntaxError) as error:
        _report_hints(error, reference, site)
        return None
    by_position = [p.name for p in parameters.values() if p.kind is _Parameter.POSITIONAL_ONLY]
    if by_position:
        site.error(
            "unsupported-parameter",
            f"'{reference.text}' takes '{by_position[0]}' by position only",
            hint="remove the `/` from its signature: arguments are passed by name",
            at=reference.position,
        )
        return None
    return _examined(found, plain, parameters, hints)


def _written(found: object) -> Callable[..., object] | None:
    """The function as the author wrote it: without partials, objects and decorators around it."""
    while isinstance(found, functools.partial):
        found = found.func
    if callable(found) and not inspect.isroutine(found) and not isinstance(found, type):
        found = found.__call__
    return inspect.unwrap(found) if callable(found) else None


def _refusal(found: object, plain: Callable[..., object] | None) -> str | None:
    if plain is None:
        return "is no function"
    if isinstance(found, type):
        return "is a class"
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        return "is a generator: return a list instead"
    if inspect.isfunction(found) and "." in found.__qualname__.rpartition("<locals>.")[2]:
        first = next(iter(inspect.signature(found).parameters), "")
        return "is a method without its object" if first in ("self", "cls") else None
    return None


def _report_hints(error: Exception, reference: Scalar, site: Site) -> None:
    if isinstance(error, NameError):
        site.error(
            "unresolved-hint",
            f"a hint of '{reference.text}' names '{error.name}', which is not defined at run time",
            hint="import it outside `if TYPE_CHECKING`",
            at=reference.position,
        )
        return
    site.error(
        "unsupported-callable",
        f"the signature of '{reference.text}' cannot be read",
        hint="wrap it in a function with plain type hints",
        at=reference.position,
    )


def _examined(
    found: Callable[..., object],
    plain: Callable[..., object],
    parameters: Mapping[str, inspect.Parameter],
    hints: Mapping[str, object],
) -> Examined:
    doc = parse_docstring(inspect.getdoc(plain))
    asked: dict[str, Asked] = {}
    injected: dict[str, Injection] = {}
    for name, parameter in parameters.items():
        hint = hints.get(name, typing.Any)
        injection = _injection(hint)
        if parameter.kind in (_Parameter.VAR_POSITIONAL, _Parameter.VAR_KEYWORD):
            continue
        if injection is not None:
            injected[name] = injection
            continue
        described = _description(hint) or doc.parameters.get(name)
        default = ... if parameter.default is _Parameter.empty else parameter.default
        asked[name] = Asked(name, hint, name in hints, default, described)
    kinds = {parameter.kind for parameter in parameters.values()}
    return Examined(
        found,
        is_async=any(inspect.iscoroutinefunction(item) for item in (plain, found)),
        asked=asked,
        injected=injected,
        takes_whole=_Parameter.VAR_KEYWORD in kinds,
        returns=hints.get("return", typing.Any),
        doc=doc,
    )


def _injection(hint: object) -> Injection | None:
    """What the program puts there; `Optional` and `Annotated` around it change nothing."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        inner = _injection(arguments[0])
        named = next((item for item in arguments[1:] if isinstance(item, str)), None)
        return inner and Injection(inner.kind, named or inner.source)
    if origin in (typing.Union, types.UnionType):
        others = [item for item in arguments if item is not type(None)]
        return _injection(others[0]) if len(others) == 1 else None
    kind = next((word for known, word in _INJECTED.items() if known is hint), None)
    return Injection(kind) if kind else None


def _description(hint: object) -> str | None:
    """What `Annotated[…]` says: a text of its own, or pydantic's `Field(description=…)`."""
    if typing.get_origin(hint) is not typing.Annotated:
        return None
    for item in typing.get_args(hint)[1:]:
        text = item if isinstance(item, str) else getattr(item, "description", None)
        if isinstance(text, str):
            return text
    return None
