"""The tree of a file becomes a `ServerSpec`; every fault on the way becomes a diagnostic.

What has a fault is left out, so that the rest is still checked and compiled. Opens no file and
reads no environment: both come in with the interpolation.
"""

from collections.abc import Iterable
from dataclasses import replace

from runner.codec.paths import Path
from runner.config.availability import unavailable
from runner.config.names import bad_names
from runner.config.nodes import Document, Mapping_
from runner.config.owners import completed, left_out, owners
from runner.config.places import without
from runner.config.rules import broken_rules
from runner.config.spec.leaves import Interpolation
from runner.config.spec.root import ServerSpec
from runner.config.spelling import respelt
from runner.config.verdict import unknown_fields, validated
from runner.diagnostics import Diagnostic, Faults, Position


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
    spec, wrong = validated(document, root, interpolation)
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
        spec, wrong = validated(document, rest, interpolation)
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
    unknown = unknown_fields(document, interpolation, refused)
    while unknown:
        faults += (item.fault for item in unknown.values())
        meant = {path: item.meant for path, item in unknown.items()}
        tried = replace(document, root=respelt(document.root, meant))
        _, wrong = validated(tried, without(tried.root, frozenset(refused)), interpolation)
        worse = [path for path, _ in wrong]
        kept = {
            path: None if any(_is_below(place, path, name) for place in worse) else name
            for path, name in meant.items()
        }
        corrected = replace(document, root=respelt(document.root, kept))
        if corrected == document:
            break
        document = corrected
        unknown = unknown_fields(document, interpolation, refused)
    return document, tuple(faults)


def _is_below(place: Path, path: Path, name: str | None) -> bool:
    """`place` is at or below `path` under its new name."""
    return name is not None and place[: len(path)] == (*path[:-1], name)
