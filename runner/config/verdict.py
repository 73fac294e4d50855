"""The models' verdict on a tree, in our words: pydantic's own never leave here.

Knows the models and pydantic's kinds of error; `document` says where things stand.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from runner.codec.paths import Path
from runner.config.availability import is_available
from runner.config.interpolate import ReferenceFault
from runner.config.nodes import Document, Mapping_
from runner.config.places import name_of, without
from runner.config.spec.bindings import SqlForm
from runner.config.spec.leaves import Interpolation, in_words, tree_of
from runner.config.spec.model import Section
from runner.config.spec.root import ServerSpec
from runner.diagnostics import Diagnostic, Position, closest, did_you_mean

_EXPECTED = {
    "model_type": "a mapping of fields",
    "model_attributes_type": "a mapping of fields",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "string_type": "text",
}
_INDENT = "indent what belongs to it further than its name"
_NAMES = "write names in place of dashes, as in 'name: …'"
_HINTS = {
    ("a mapping", "nothing"): _INDENT,
    ("a mapping of fields", "nothing"): _INDENT,
    ("a mapping", "a list"): _NAMES,
    ("a mapping of fields", "a list"): _NAMES,
    ("a list", "a mapping"): "begin each entry with a dash, or put it in brackets",
}
"""What was expected and found → how the commonest mistake behind it is mended."""


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field that no section knows: its fault, and the known one that is probably meant."""

    fault: Diagnostic
    meant: str | None


def unknown_fields(
    document: Document, interpolation: Interpolation, refused: Mapping[Path, Diagnostic]
) -> Mapping[Path, UnknownField]:
    """The unknown fields of the document by path, those that were `refused` left out."""
    root = without(document.root, frozenset(refused))
    try:
        ServerSpec.model_validate(tree_of(root), context=interpolation)
    except ValidationError as error:
        found = (item for item in error.errors(include_url=False) if _is_unknown(item))
        return {_path(document, item["loc"]): _unknown(document, item) for item in found}
    return {}


def validated(
    document: Document, root: Mapping_, interpolation: Interpolation
) -> tuple[ServerSpec | None, tuple[tuple[Path, Diagnostic], ...]]:
    """The spec of `root`, or the place and the fault of everything that is wrong in it."""
    try:
        return ServerSpec.model_validate(tree_of(root), context=interpolation), ()
    except ValidationError as error:
        found = error.errors(include_url=False)
        return None, tuple(
            (_path(document, item["loc"]), fault)
            for item in found
            for fault in _translated(document, item)
        )


def _translated(document: Document, error: ErrorDetails) -> Iterator[Diagnostic]:
    if error["type"] == "missing":
        yield _missing(document, error)
    elif _is_unknown(error):
        yield _unknown(document, error).fault
    else:
        yield from _wrong(document, error)


def _is_unknown(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden"


def _unknown(document: Document, error: ErrorDetails) -> UnknownField:
    path = _path(document, error["loc"])
    known = [field for field in _fields(error["loc"][:-1]) if is_available((*path[:-1], field))]
    name = str(path[-1])
    fault = Diagnostic(
        document.position(path, key=True),
        "unknown-field",
        f"{name_of(path[:-1])} has no field '{name}'",
        (f"known fields here: {', '.join(known)}",),
        did_you_mean(name, known),
    )
    return UnknownField(fault, closest(name, known))


def _missing(document: Document, error: ErrorDetails) -> Diagnostic:
    path = _path(document, error["loc"])
    message = f"{name_of(path)} needs the field '{error['loc'][-1]}'"
    return Diagnostic(document.position(path, key=True), "missing-field", message)


def _wrong(document: Document, error: ErrorDetails) -> Iterator[Diagnostic]:
    path = _path(document, error["loc"])
    if "text" in error.get("ctx", {}):
        yield from _own(error["type"], error["ctx"], document.position(path))
        return
    node = document.find(path)
    expected = _EXPECTED.get(error["type"], "another value")
    found = in_words(tree_of(node)) if node is not None else "nothing"
    message = f"expected {expected}, found {found}"
    yield Diagnostic(document.position(path), "wrong-type", message)


def _own(code: str, context: Mapping[str, Any], position: Position) -> Iterator[Diagnostic]:
    """The diagnostics of a fault that a leaf worded; `Any` is what pydantic carries along."""
    if "several" in context:
        for fault in context["several"]:
            yield from _own(fault.type, fault.context or {}, position)
    elif "faults" in context:
        for reference in context["faults"]:
            yield _reference(reference)
    else:
        hint = context.get("hint")
        if "word" in context:
            hint = did_you_mean(context["word"], context["known"])
        details = tuple(context.get("details", ()))
        place = context.get("position", position)
        yield Diagnostic(place, code, context["text"], details, hint)


def _reference(fault: ReferenceFault) -> Diagnostic:
    return Diagnostic(fault.position, fault.code, fault.message, (), fault.hint)


def _path(document: Document, loc: tuple[int | str, ...]) -> Path:
    """The place in the file that pydantic's place stands for.

    The models write short forms out (`sql: text` becomes `statements[0].run`), so steps that the
    file does not have are left out.
    """
    path: Path = ()
    for step in loc:
        if document.find((*path, step)) is not None:
            path = (*path, step)
    return path


def _fields(loc: tuple[int | str, ...]) -> list[str]:
    """The fields, as written, of the section at pydantic's place."""
    kinds: list[object] = [ServerSpec]
    for step in loc:
        kinds = [below for kind in kinds for below in _below(kind, step)]
    for kind in kinds:
        if kind is SqlForm:
            return ["file", "parameter", "run"]
        if isinstance(kind, type) and issubclass(kind, Section):
            return [field.alias or name for name, field in kind.model_fields.items()]
    return []


def _below(kind: object, step: int | str) -> Iterator[object]:
    """The types that may stand one step below `kind`."""
    if isinstance(kind, type) and issubclass(kind, Section):
        for name, field in kind.model_fields.items():
            if step in (field.alias, name):
                yield from _unwrapped(field.annotation)
        return
    arguments = get_args(kind)
    if get_origin(kind) is tuple and arguments:
        yield from _unwrapped(arguments[0])
    elif arguments:
        yield from _unwrapped(arguments[-1])


def _unwrapped(kind: object) -> Iterator[object]:
    """The alternatives of a type, without annotations."""
    if get_origin(kind) is Annotated:
        yield from _unwrapped(get_args(kind)[0])
    elif get_origin(kind) in (Union, types.UnionType):
        for alternative in get_args(kind):
            yield from _unwrapped(alternative)
    else:
        yield kind
