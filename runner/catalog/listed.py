"""What is listed of a catalog whose allowed values are known: `enum` where `enum_from` stands."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from runner.catalog.allowed import Allowed, Values
from runner.catalog.catalog import Catalog
from runner.catalog.schema import JsonSchema
from runner.catalog.tool import Tool

Find = Callable[[str], Values | None]
"""The values of a source by its name; None where they could not be read yet."""


def with_allowed(catalog: Catalog, find: Find) -> Catalog:
    """The catalog whose tools list the values that `find` knows; only what is listed changes."""
    if not catalog.sources:
        return catalog
    tools = {name: _with_values(tool, find) for name, tool in catalog.tools.items()}
    endpoints = tuple(
        replace(endpoint, tools={name: tools[name] for name in endpoint.tools})
        for endpoint in catalog.endpoints
    )
    return replace(catalog, tools=tools, endpoints=endpoints)


def _with_values(tool: Tool, find: Find) -> Tool:
    allowed = tool.input.allowed
    if not allowed:
        return tool
    listed = _listed_with(tool.input.listed, allowed, find)
    ask = tool.ask
    if ask is not None:
        properties = _properties_with(ask.properties, allowed, find)
        ask = replace(ask, properties=properties)
    return replace(tool, input=replace(tool.input, listed=listed), ask=ask)


def _listed_with(schema: JsonSchema, allowed: Mapping[str, Allowed], find: Find) -> JsonSchema:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return schema
    return {**schema, "properties": _properties_with(properties, allowed, find)}


def _properties_with(
    properties: Mapping[str, JsonSchema], allowed: Mapping[str, Allowed], find: Find
) -> Mapping[str, JsonSchema]:
    changed = dict(properties)
    for name, one in allowed.items():
        values, found = find(one.source), properties.get(name)
        if found is None or values is None or not values.ordered:
            continue  # not every client takes an `enum` of nothing
        options: JsonSchema = {"enum": list(values.ordered)}
        items = found.get("items")
        if one.is_list and isinstance(items, Mapping):
            options = {"items": {**items, **options}}
        changed[name] = {**found, **options}
    return changed
