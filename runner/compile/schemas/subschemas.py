"""The schemas inside a schema: where each one stands and by which keyword it is reached.

Knows which keywords of JSON Schema 2020-12 hold schemas; nothing of what is right.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from runner.codec.paths import Path

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLES = frozenset(
    {
        "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    }
)  # fmt: skip
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords whose schemas judge the same value as the schema around them."""
DEFINITIONS = frozenset({"$defs", "definitions"})
"""Keywords whose schemas judge nothing until they are referred to."""
Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Place:
    """One schema and where it stands."""

    path: Path
    schema: Schema
    parent: Path | None = None
    keyword: str = ""
    """Of the parent, through which this one is reached."""
    by_properties: bool = True
    """Reached from the root through `properties` alone."""


def walk(schema: Schema) -> Iterator[Place]:
    """The schema and every schema inside it, parents first; `true` and `false` are left out."""
    pending = [Place((), schema)]
    while pending:
        place = pending.pop()
        yield place
        pending += reversed(list(_children(place)))


def _children(place: Place) -> Iterator[Place]:
    for keyword, value in place.schema.items():
        by_properties = place.by_properties and keyword == "properties"
        for steps, child in _below(keyword, value):
            if isinstance(child, Mapping):
                yield Place((*place.path, *steps), child, place.path, keyword, by_properties)


def _below(keyword: str, value: object) -> Iterator[tuple[Path, object]]:
    match value:
        case Mapping() if keyword in _MAPS:
            for name, child in value.items():
                yield (keyword, name), child
        case list() if keyword in _LISTS:
            for index, child in enumerate(value):
                yield (keyword, index), child
        case Mapping() if keyword in _SINGLES:
            yield (keyword,), value


def local_target(reference: str, root: Schema) -> Path | None:
    """The path that a local reference names, whether or not something stands there.

    None: the reference leads out of the document.
    """
    base, mark, fragment = reference.partition("#")
    if base and base != str(root.get("$id", "")).partition("#")[0]:
        return None
    if not mark or not fragment:
        return ()
    return _pointed(fragment, root) if fragment.startswith("/") else _anchored(fragment, root)


def _pointed(pointer: str, root: Schema) -> Path:
    steps: list[str | int] = []
    node: object = root
    for raw in pointer[1:].split("/"):
        step: str | int = unquote(raw).replace("~1", "/").replace("~0", "~")
        if isinstance(node, list) and str(step).isdecimal() and int(step) < len(node):
            step = int(step)
            node = node[step]
        else:
            node = node.get(step) if isinstance(node, Mapping) else None
        steps.append(step)
    return tuple(steps)


def _anchored(name: str, root: Schema) -> Path:
    for place in walk(root):
        if name in (place.schema.get("$anchor"), place.schema.get("$dynamicAnchor")):
            return place.path
    return ("#", name)
