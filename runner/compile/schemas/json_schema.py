"""Checks of JSON Schemas that an author wrote: valid, bounded, closed in themselves, portable.

Everything is a diagnostic at the offending place, in our words. Nothing is fetched, ever.
Source: MCP 2026-07-28, basic, "JSON Schema usage"; JSON Schema 2020-12.
"""

from collections.abc import Callable, Mapping

import jsonschema_rs

from runner.arguments.check import validator
from runner.arguments.formats import FORMATS
from runner.arguments.phrases import found, types, values
from runner.compile.schemas.keywords import KEYWORDS
from runner.compile.schemas.patterns import PatternError, portable
from runner.compile.schemas.references import check_references
from runner.compile.schemas.subschemas import Place, Schema, walk
from runner.compile.site import Site, below
from runner.diagnostics import did_you_mean

MAX_SUBSCHEMAS = 2000
MAX_DEPTH = 64
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# The library brings the meta-schemas along: nothing is fetched.
_META = jsonschema_rs.Draft202012Validator({"$ref": _DIALECT}, offline=True)


def check_authored(schema: object, site: Site, *, must_be_object: bool) -> Schema | None:
    """The schema itself where it may be served; else None, with every fault reported.

    `must_be_object`: its root must say `type: object`, as for a tool's input.
    """
    if not isinstance(schema, Mapping):
        site.error("wrong-schema", f"expected a JSON Schema, found {found(schema)}")
        return None
    if not _is_bounded(schema, site) or not check_meta(schema, site):
        return None
    places = list(walk(schema))
    outcomes = [
        _check_root(schema, site, must_be_object=must_be_object),
        *[check_place(place, below(site, place.path)) for place in places],
        check_references(schema, places, site),
    ]
    return schema if all(outcomes) and _compiles(schema, site) else None


def check_meta(schema: Schema, site: Site) -> bool:
    """Whether each keyword has a value that JSON Schema 2020-12 admits; reports the others."""
    dialect = schema.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        (site / "$schema").error(
            "unsupported-dialect",
            f"expected JSON Schema 2020-12, found the dialect {found(dialect)}",
            hint=f"remove $schema, or write {_DIALECT}",
        )
        return False
    errors = list(_META.iter_errors(schema))
    for error in errors:
        path = tuple(error.instance_path)
        keyword = next((step for step in reversed(path) if isinstance(step, str)), "the schema")
        below(site, path).error("wrong-schema", f"'{keyword}': {_meta_words(error)}")
    return not errors


def _meta_words(error: jsonschema_rs.ValidationError) -> str:
    details = error.kind.as_dict()
    match error.kind.name:
        case "type":
            names = sorted(details["types"])
            wanted = "a schema" if names == ["boolean", "object"] else types(names)
        case "anyOf":
            wanted = "the name of a JSON type or a list of them"
        case "enum":
            wanted = values(details["options"])
        case "minimum":
            wanted = f"at least {details['limit']}"
        case "exclusiveMinimum":
            wanted = f"more than {details['limit']}"
        case "minItems":
            return "expected at least one element, found none"
        case "uniqueItems":
            return "expected each element once, found one that repeats"
        case _:
            wanted = "another form"
    return f"expected {wanted}, found {found(error.instance)}"


def _is_bounded(schema: Schema, site: Site) -> bool:
    for count, place in enumerate(walk(schema), start=1):
        if count > MAX_SUBSCHEMAS or len(place.path) > MAX_DEPTH * 2:
            site.error(
                "schema-too-large",
                f"expected at most {MAX_SUBSCHEMAS} schemas and {MAX_DEPTH} levels, found more",
            )
            return False
    return True


def _check_root(schema: Schema, site: Site, *, must_be_object: bool) -> bool:
    if must_be_object and schema.get("type") != "object":
        place = site / "type" if "type" in schema else site
        wanted = f"found {found(schema['type'])}" if "type" in schema else "found no type"
        place.error("wrong-schema", f"expected type: object at the root, {wanted}")
        return False
    return True


def check_place(place: Place, site: Site) -> bool:
    """Whether one schema alone holds nothing that we refuse; reports what it holds."""
    schema = place.schema
    known = list(KEYWORDS)
    for keyword in schema:
        if keyword not in KEYWORDS and not keyword.startswith("x-"):
            hint = did_you_mean(keyword, known)
            (site / keyword).warning(
                "unknown-keyword", f"JSON Schema 2020-12 has no keyword '{keyword}'", hint=hint
            )
    form = schema.get("format")
    if isinstance(form, str) and form not in FORMATS:
        (site / "format").warning(
            "unchecked-format",
            f"the format '{form}' is listed but not checked",
            hint=did_you_mean(form, FORMATS),
        )
    outcomes = [
        _check_patterns(schema, site),
        _check_nested_root(place, site),
        _check_list(schema, site),
    ]
    return all(outcomes)


def _check_nested_root(place: Place, site: Site) -> bool:
    if not place.path:
        return True
    refused = [keyword for keyword in ("$id", "$schema", "$vocabulary") if keyword in place.schema]
    for keyword in refused:
        (site / keyword).error("wrong-schema", f"'{keyword}' may stand at the root only")
    return not refused


def _check_list(schema: Schema, site: Site) -> bool:
    if schema.get("type") != "array" or not schema.keys().isdisjoint(("items", "prefixItems")):
        return True
    site.error(
        "untyped-list", "expected the type of the list's elements", hint="add items: {type: string}"
    )
    return False


def _check_patterns(schema: Schema, site: Site) -> bool:
    outcomes: list[bool] = []
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        outcomes.append(_check_pattern(pattern, (site / "pattern").error))
    named = schema.get("patternProperties")
    if isinstance(named, Mapping):
        place = site / "patternProperties"
        outcomes += [_check_pattern(name, (place / name).error_at_key) for name in named]
    return all(outcomes)


def _check_pattern(pattern: str, report: Callable[..., None]) -> bool:
    try:
        portable(pattern)
    except PatternError as error:
        where = f"at character {error.offset + 1}"
        message = f"the regular expression is not portable {where}: {error}"
        report("wrong-pattern", message, hint=error.hint)
        return False
    return True


def _compiles(schema: Schema, site: Site) -> bool:
    try:
        validator(schema)
    except jsonschema_rs.ValidationError:
        site.error(
            "wrong-schema", "the schema cannot be compiled: it is too large or contradictory"
        )
        return False
    return True
