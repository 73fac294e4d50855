"""References of an authored schema: inside the document, to a schema that is there, not endless.

Recursion is served (the value is finite) and flagged; a schema that leads back to itself without
going into the value has no meaning and is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from runner.codec.paths import Path
from runner.compile.schemas.subschemas import DEFINITIONS, IN_PLACE, Place, Schema, local_target
from runner.compile.site import Site, below

Graph = Mapping[Path, set[Path]]


def check_references(root: Schema, places: Sequence[Place], site: Site) -> bool:
    """Whether every reference of `places` (all schemas of `root`) is sound; reports the rest."""
    applied, in_place = _graph_of(places, keywords=None), _graph_of(places, keywords=IN_PLACE)
    is_sound = True
    for place in places:
        for keyword, reference in _references(place.schema):
            target = local_target(reference, root)
            if target is None or target not in applied:
                spot = below(site, (*place.path, keyword))
                _report(reference, spot, is_remote=target is None)
                is_sound = False
                continue
            applied[place.path].add(target)
            in_place[place.path].add(target)
    return is_sound and _check_cycles(applied, in_place, site)


def _graph_of(places: Sequence[Place], *, keywords: frozenset[str] | None) -> Graph:
    """From each schema to those that it applies; only through `keywords`, if given."""
    graph: dict[Path, set[Path]] = {place.path: set() for place in places}
    for place in places:
        is_wanted = keywords is None or place.keyword in keywords
        if place.parent is not None and is_wanted and place.keyword not in DEFINITIONS:
            graph[place.parent].add(place.path)
    return graph


def _references(schema: Schema) -> Iterator[tuple[str, str]]:
    for keyword in ("$ref", "$dynamicRef"):
        reference = schema.get(keyword)
        if isinstance(reference, str):
            yield keyword, reference


def _report(reference: str, spot: Site, *, is_remote: bool) -> None:
    if is_remote:
        spot.error(
            "remote-reference",
            f"expected a reference inside this schema, found '{reference}'",
            details=("schemas are never fetched",),
            hint="copy the schema under $defs and write #/$defs/NAME",
        )
    else:
        spot.error("unresolved-reference", f"no schema stands at '{reference}'")


def _check_cycles(applied: Graph, in_place: Graph, site: Site) -> bool:
    endless = _cycle(in_place)
    if endless is not None:
        below(site, endless).error(
            "endless-reference", "the schema refers to itself without going into the value"
        )
        return False
    recursive = _cycle(applied)
    if recursive is not None:
        below(site, recursive).warning(
            "recursive-schema",
            "the schema is recursive; some clients cannot read that",
            hint="write out the levels that are needed",
        )
    return True


def _cycle(graph: Graph) -> Path | None:
    """The first place of a cycle, in the order of paths, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        nodes: Sequence[Path] = error.args[1]
        return min(nodes, key=lambda path: [str(step) for step in path])
    return None
