"""`typing.TypedDict` in hints, as pydantic reads it on Python 3.11: rebuilt with the backport.

From Python 3.12 on both are one and a hint stays as it is.
"""

import sys
import types
import typing
from collections.abc import Mapping

import typing_extensions


class RecursiveHint(Exception):  # noqa: N818 - the fault of a hint, told as a diagnostic
    """A TypedDict holds itself; `str` names it."""


def readable(hint: object) -> object:
    """`hint` with every `typing.TypedDict` in it, however deep, in the form that pydantic reads.

    Raises:
        RecursiveHint: a TypedDict holds itself.
    """
    return hint if sys.version_info >= (3, 12) else _readable(hint, ())


def _readable(hint: object, inside: tuple[object, ...]) -> object:
    if isinstance(hint, type) and typing.is_typeddict(hint):
        return _rebuilt(hint, inside)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if not arguments or origin is typing.Literal:
        return hint
    if origin is typing.Annotated:
        first, *rest = arguments
        return typing.Annotated.__class_getitem__((_readable(first, inside), *rest))
    changed = tuple(_readable(item, inside) for item in arguments)
    if all(old is new for old, new in zip(arguments, changed, strict=True)):
        return hint
    if origin in (typing.Union, types.UnionType):
        return typing.Union.__getitem__(changed)
    return hint.copy_with(changed) if hasattr(hint, "copy_with") else origin[changed]  # type: ignore[index]  # a generic alias


def _rebuilt(hint: type, inside: tuple[object, ...]) -> object:
    if hint in inside:
        raise RecursiveHint(hint.__name__)
    written: Mapping[str, object] = typing.get_type_hints(hint, include_extras=True)
    optional: frozenset[str] = getattr(hint, "__optional_keys__", frozenset())
    fields = {
        name: typing_extensions.NotRequired[inner] if name in optional else inner
        for name, inner in (
            (name, _readable(_bare(item), (*inside, hint))) for name, item in written.items()
        )
    }
    rebuilt = typing_extensions.TypedDict(hint.__name__, fields)  # type: ignore[misc]  # made at run time
    rebuilt.__doc__ = hint.__doc__
    rebuilt.__module__ = hint.__module__
    return rebuilt


def _bare(hint: object) -> object:
    """Without `Required[…]` and `NotRequired[…]`, which the key sets already say."""
    while typing.get_origin(hint) in (typing.Required, typing.NotRequired):
        hint = typing.get_args(hint)[0]
    return hint
