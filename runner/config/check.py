"""The tree of a file becomes a `ServerSpec`; every fault on the way becomes a diagnostic.

Knows the models and pydantic's kinds of error; pydantic's own words never leave here. Opens no
file and reads no environment: both come in with the interpolation.
"""

import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from runner.codec.paths import Path
from runner.config.availability import is_available, unavailable
from runner.config.interpolate import ReferenceFault
from runner.config.names import bad_names
from runner.config.nodes import Document, Mapping_, Node, Scalar, Sequence
from runner.config.owners import completed, left_out, owners
from runner.config.places import name_of, without
from runner.config.rules import broken_rules
from runner.config.spec.bindings import SqlForm
from runner.config.spec.leaves import Interpolation, Tree, shape_of
from runner.config.spec.model import Section
from runner.config.spec.root import ServerSpec
from runner.config.spelling import respelt
from runner.diagnostics import Diagnostic, Faults, Position, closest, did_you_mean

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


def check(
    document: Document, interpolation: Interpolation, *, errors: Iterable[Position] = ()
) -> tuple[ServerSpec | None, tuple[Diagnostic, ...]]:
    """The spec that `document` writes down, and every fault of it, sorted by position.

    Fields that this version does not have are refused and left out; the rest is still checked.
    What has an error is left out of the spec with what leans on it, so that the rest can be
    compiled; no spec is left where the fault is the file's own, such as its version.
    `errors` are the places of those found earlier: they count, but are not reported again.
    """
    refused = dict(unavailable(document.root))
    root = without(document.root, frozenset(refused))
    if document.lost:
        root = completed(root)
    rules = (*broken_rules(root), *bad_names(root))
    spec, wrong = _validated(document, root, interpolation)
    faults = Faults()
    faults.add(*refused.values(), *rules, *(item for _, item in wrong))
    marks = [*errors, *(item.position for item in rules if item.severity == "error")]
    faulty = _both(owners(root, marks), left_out(path for path, _ in wrong))
    if faulty is None or faulty:
        spec = _sound(document, root, interpolation, faulty)
    return spec, faults.sorted()


def _both(one: frozenset[Path] | None, other: frozenset[Path] | None) -> frozenset[Path] | None:
    return None if one is None or other is None else one | other


def _sound(
    document: Document,
    root: Mapping_,
    interpolation: Interpolation,
    faulty: frozenset[Path] | None,
) -> ServerSpec | None:
    """The spec of what is left without `faulty`, and without what is wrong for lack of it."""
    rest = root
    while faulty:
        rest = completed(without(rest, faulty))
        spec, wrong = _validated(document, rest, interpolation)
        broken = [item.position for item in broken_rules(rest)]
        if spec is not None and not broken:
            return spec
        faulty = _both(owners(rest, broken), left_out(path for path, _ in wrong))
        if faulty and without(rest, faulty) == rest:
            return None
    return None


def correct(
    document: Document, interpolation: Interpolation
) -> tuple[Document, tuple[Diagnostic, ...]]:
    """The document with its unknown fields read as those that were meant, and a fault for each.

    One that is like no known field, or would be wrong under the other name, is left out.
    """
    refused = dict(unavailable(document.root))
    faults: list[Diagnostic] = []
    unknown = _unknown_fields(document, interpolation, refused)
    while unknown:
        faults += (item.fault for item in unknown.values())
        meant = {path: item.meant for path, item in unknown.items()}
        tried = replace(document, root=respelt(document.root, meant))
        _, wrong = _validated(tried, without(tried.root, frozenset(refused)), interpolation)
        worse = [path for path, _ in wrong]
        kept = {
            path: None if any(_is_below(place, path, name) for place in worse) else name
            for path, name in meant.items()
        }
        corrected = replace(document, root=respelt(document.root, kept))
        if corrected == document:
            break
        document = corrected
        unknown = _unknown_fields(document, interpolation, refused)
    return document, tuple(faults)


def _is_below(place: Path, path: Path, name: str | None) -> bool:
    """`place` is at or below `path` under its new name."""
    return name is not None and place[: len(path)] == (*path[:-1], name)


@dataclass(frozen=True, slots=True)
class _UnknownField:
    fault: Diagnostic
    meant: str | None


def _unknown_fields(
    document: Document, interpolation: Interpolation, refused: Mapping[Path, Diagnostic]
) -> Mapping[Path, _UnknownField]:
    root = without(document.root, frozenset(refused))
    try:
        ServerSpec.model_validate(plain(root), context=interpolation)
    except ValidationError as error:
        found = (item for item in error.errors(include_url=False) if _is_unknown(item))
        return {_path(document, item["loc"]): _unknown(document, item) for item in found}
    return {}


def _validated(
    document: Document, root: Mapping_, interpolation: Interpolation
) -> tuple[ServerSpec | None, tuple[tuple[Path, Diagnostic], ...]]:
    try:
        return ServerSpec.model_validate(plain(root), context=interpolation), ()
    except ValidationError as error:
        found = error.errors(include_url=False)
        return None, tuple(
            (_path(document, item["loc"]), fault)
            for item in found
            for fault in _translated(document, item)
        )


def plain(node: Node) -> Tree:
    """The node as dicts, lists and scalars: what the models read."""
    match node:
        case Mapping_(entries):
            return {key: plain(entry.value) for key, entry in entries.items()}
        case Sequence(items):
            return [plain(item) for item in items]
        case Scalar():
            return node


def _translated(document: Document, error: ErrorDetails) -> Iterator[Diagnostic]:
    if error["type"] == "missing":
        yield _missing(document, error)
    elif _is_unknown(error):
        yield _unknown(document, error).fault
    else:
        yield from _wrong(document, error)


def _is_unknown(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden"


def _unknown(document: Document, error: ErrorDetails) -> _UnknownField:
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
    return _UnknownField(fault, closest(name, known))


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
    hint = _HINTS.get((expected, found))
    yield Diagnostic(document.position(path), "wrong-type", message, hint=hint)


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
