"""`confirm` and `ask` of a tool: what the user is asked before it runs."""

from collections.abc import Mapping
from typing import Final

from runner.catalog.asking import AskedParameters
from runner.catalog.expressions import TreeTemplate
from runner.catalog.schema import InputSchema, JsonSchema
from runner.catalog.tool import Confirm, Show
from runner.compile.expressions import Names, compile_template
from runner.compile.site import Site
from runner.compile.steps import Callee, callee_of
from runner.compile.trees import compile_tree
from runner.config.spec.tools import ConfirmSpec, ShowSpec, ToolSpec
from runner.diagnostics import did_you_mean

_KEYWORDS: Final = {
    "string": ("minLength", "maxLength", "format"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": (),
}
"""What a form knows of each type."""
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})
_ALWAYS: Final = ("title", "description", "default")


def compile_confirm(
    spec: ConfirmSpec | None, site: Site, names: Names, tools: Mapping[str, ToolSpec]
) -> Confirm | None:
    """The question of a tool whose place is `site`; None where there is none, or after a report."""
    if spec is None:
        return None
    place = site / "confirm"
    is_short = place.document.find((*place.path, "text")) is None
    text = compile_template(spec.text, place if is_short else place / "text", names)
    show = None
    if spec.show is not None:
        show = _show(spec.show, place / "show", names, tools)
        if show is None:
            return None
    return None if text is None else Confirm(text, show, spec.fallback == "allow")


def names_shown(confirm: Confirm | None) -> frozenset[str]:
    """The names that the question reads."""
    if confirm is None:
        return frozenset()
    trees = () if confirm.show is None else confirm.show.arguments.values()
    return confirm.text.names.union(*(tree.names for tree in trees))


def without_required(schema: JsonSchema, asked: AskedParameters) -> JsonSchema:
    """The schema as listed, where what is asked for need not be sent."""
    required = schema.get("required")
    if not isinstance(required, list | tuple):
        return schema
    left = [name for name in required if name not in asked.properties]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return {**rest, "required": left} if left else rest


def _show(spec: ShowSpec, site: Site, names: Names, tools: Mapping[str, ToolSpec]) -> Show | None:
    called = tools.get(spec.tool)
    if called is None:
        if not site.may_have("tools", spec.tool):
            hint = did_you_mean(spec.tool, tools)
            (site / "tool").error("unknown-tool", f"there is no tool '{spec.tool}'", hint=hint)
        return None
    if called.writes not in (None, "false") or called.confirm is not None:
        (site / "tool").error(
            "shows-what-acts",
            f"'{spec.tool}' is no tool that only reads, and is run before anything is confirmed",
        )
        return None
    return _shown_with(spec, site, names, callee_of(called))


def _shown_with(spec: ShowSpec, site: Site, names: Names, callee: Callee) -> Show | None:
    arguments: dict[str, TreeTemplate] = {}
    for key, tree in spec.with_.items():
        if callee.known is not None and key not in callee.known:
            (site / "with" / key).error_at_key(
                "unknown-argument",
                f"'{spec.tool}' has no parameter '{key}'",
                hint=did_you_mean(key, callee.known),
            )
            continue
        compiled = compile_tree(tree, site / "with" / key, names)
        if compiled is not None:
            arguments[key] = compiled
    missing = sorted(callee.required - set(spec.with_))
    if missing:
        listed = ", ".join(f"'{key}'" for key in missing)
        (site / "tool").error("missing-argument", f"'{spec.tool}' needs {listed} under 'with'")
    is_whole = not missing and len(arguments) == len(spec.with_)
    return Show(spec.tool, arguments) if is_whole else None


def compile_ask(spec: ToolSpec, site: Site, schema: InputSchema) -> AskedParameters | None:
    """The parameters that the user is asked for; None where there are none, or after a report."""
    if not spec.ask:
        return None
    place = site / "ask"
    properties: dict[str, JsonSchema] = {}
    listed = schema.listed.get("properties")
    known = listed if isinstance(listed, Mapping) else {}
    for position, name in enumerate(spec.ask):
        at = place / position if len(spec.ask) > 1 else place
        if name not in known:
            at.error(
                "unknown-parameter",
                f"there is no parameter '{name}'",
                hint=did_you_mean(name, known),
            )
            continue
        field = _field(known[name])
        if field is None:
            at.error(
                "not-for-a-form",
                f"'{name}' cannot be asked for in a form",
                hint="forms have texts, numbers, booleans and choices",
            )
            continue
        properties[name] = field
    if len(properties) < len(spec.ask):
        return None
    required = schema.listed.get("required")
    needed = frozenset(map(str, required)) if isinstance(required, list | tuple) else frozenset()
    title = spec.title or site.path[-1]
    return AskedParameters(f"{title} needs more to go on.", properties, needed & properties.keys())


def _field(schema: object) -> JsonSchema | None:
    """The property as a form has it; None: forms have no such thing."""
    if not isinstance(schema, Mapping):
        return None
    kept = {key: schema[key] for key in _ALWAYS if schema.get(key) is not None}
    choices = schema.get("enum")
    kind = schema.get("type")
    if isinstance(choices, list | tuple):
        is_text = all(isinstance(choice, str) for choice in choices)
        return {**kept, "type": "string", "enum": list(choices)} if is_text else None
    if kind == "array":
        return _several(schema, kept)
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        return None
    more = {key: schema[key] for key in _KEYWORDS[kind] if key in schema}
    if more.get("format") not in (None, *_FORMATS):
        del more["format"]
    return {**kept, "type": kind, **more}


def _several(schema: Mapping[str, object], kept: Mapping[str, object]) -> JsonSchema | None:
    """Several of some choices."""
    items = schema.get("items")
    found = items.get("enum") if isinstance(items, Mapping) else None
    if not isinstance(found, list | tuple) or not all(isinstance(choice, str) for choice in found):
        return None
    bounds = {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
    chosen = {"type": "string", "enum": list(found)}
    return {**kept, **bounds, "type": "array", "items": chosen}
