"""The defaults of an authored schema: the runner fills them in, so each must fit its own schema."""

from collections.abc import Iterator, Mapping

import jsonschema_rs

from runner.arguments.check import validator
from runner.arguments.violations import Violations
from runner.codec.paths import Path
from runner.compile.schemas.subschemas import Schema, walk
from runner.compile.site import Site, below

_ROOT = "urn:mcp-run:schema"


def check_defaults(schema: Schema, site: Site) -> bool:
    """Whether every default of a property is valid there; reports those that are not."""
    is_sound = True
    for path, default in _defaults(schema):
        words = _fault(schema, path, default)
        if words is not None:
            below(site, (*path, "default")).error("wrong-default", words)
            is_sound = False
    return is_sound


def _defaults(schema: Schema) -> Iterator[tuple[Path, object]]:
    for place in walk(schema):
        if place.keyword == "properties" and "default" in place.schema:
            yield place.path, place.schema["default"]


def _fault(schema: Schema, path: Path, default: object) -> str | None:
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
    root: Mapping[str, object] = {**schema, "$id": schema.get("$id", _ROOT)}
    alone = {"$defs": {"root": root}, "$ref": f"{root['$id']}#{pointer}"}
    try:
        compiled = validator(alone)
    except jsonschema_rs.ValidationError:
        return "the default cannot be checked"
    for _, words in Violations(alone, compiled).of(default, known=set()):
        return words
    return None
