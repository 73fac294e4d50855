"""The tree of a file becomes a `ServerSpec`; every fault on the way becomes a diagnostic.

Knows the models and pydantic's kinds of error; pydantic's own words never leave here. Opens no
file and reads no environment: both come in with the interpolation.
"""

import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from runner.config.availability import is_available, unavailable
from runner.config.interpolate import ReferenceFault
from runner.config.names import bad_names
from runner.config.nodes import Document, Mapping_, Node, Path, Scalar, Sequence
from runner.config.owners import owners
from runner.config.places import name_of, without
from runner.config.rules import broken_rules
from runner.config.spec.bindings import SqlForm
from runner.config.spec.leaves import Interpolation, Tree, shape_of
from runner.config.spec.model import Section
from runner.config.spec.root import ServerSpec
from runner.diagnostics import Diagnostic, Faults, Position, did_you_mean

_EXPECTED = {
    "model_type": "a mapping of fields",
    "model_attributes_type": "a mapping of fields",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "string_type": "text",
}


def check(
    document: Document, interpolation: Interpolation, *, errors: Iterable[Position] = ()
) -> tuple[ServerSpec | None, tuple[Diagnostic, ...]]:
    """The spec that `document` writes down, and every fault of it, sorted by position.

    Fields that this version does not have are refused and left out; the rest is still checked.
    A tool with an error is left out of the spec; an error outside `tools` leaves no spec at all.
    `errors` are the places of those found earlier: they count, but are not reported again.
    """
    refused = dict(unavailable(document.root))
    root = without(document.root, frozenset(refused))
    rules = (*broken_rules(root), *bad_names(root))
    spec, wrong = _validated(document, root, interpolation)
    places_of = [item.position for item in (*rules, *wrong) if item.severity == "error"]
    faulty = owners(root, (*errors, *places_of))
    if faulty:
        rest = without(root, frozenset(("tools", name) for name in faulty))
        spec, _ = _validated(document, rest, interpolation)
        if any(broken_rules(rest)):
            spec = None
    faults = Faults()
    faults.add(*refused.values(), *rules, *wrong)
    return (spec if faulty is not None else None), faults.sorted()


def _validated(
    document: Document, root: Mapping_, interpolation: Interpolation
) -> tuple[ServerSpec | None, tuple[Diagnostic, ...]]:
    try:
        return ServerSpec.model_validate(plain(root), context=interpolation), ()
    except ValidationError as error:
        return None, tuple(_translated(document, error.errors(include_url=False)))


def plain(node: Node) -> Tree:
    """The node as dicts, lists and scalars: what the models read."""
    match node:
        case Mapping_(entries):
            return {key: plain(entry.value) for key, entry in entries.items()}
        case Sequence(items):
            return [plain(item) for item in items]
        case Scalar():
            return node


def _translated(document: Document, errors: Iterable[ErrorDetails]) -> Iterator[Diagnostic]:
    errors = list(errors)
    suggested = set()
    for error in errors:
        if _is_unknown(error):
            unknown = _unknown(document, error)
            suggested.add((error["loc"][:-1], unknown.hint))
            yield unknown
    for error in errors:
        if error["type"] == "missing":
            # A field that is there under a wrong name is one fault, not two.
            hint = f"did you mean '{error['loc'][-1]}'?"
            if (error["loc"][:-1], hint) not in suggested:
                yield _missing(document, error)
        elif not _is_unknown(error):
            yield from _wrong(document, error)


def _is_unknown(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden"


def _unknown(document: Document, error: ErrorDetails) -> Diagnostic:
    path = _path(document, error["loc"])
    known = [field for field in _fields(error["loc"][:-1]) if is_available((*path[:-1], field))]
    name = str(path[-1])
    return Diagnostic(
        document.position(path, key=True),
        "unknown-field",
        f"{name_of(path[:-1])} has no field '{name}'",
        (f"known fields here: {', '.join(known)}",),
        did_you_mean(name, known),
    )


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
    found = shape_of(plain(node)) if node is not None else "nothing"
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
