"""How the server and its tools are described, by what the client's version knows.

Runs at start only: everything here is encoded once.
Source: MCP 2026-07-28, server/tools, "Tool"; basic, "Implementation".
"""

from collections.abc import Mapping, Sequence

from runner.catalog.catalog import Identity
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource
from runner.catalog.tool import Icon, Tool, ToolAnnotations
from runner.protocol.versions import Features
from runner.protocol.wrapping import Form, object_form, wrap_schema


def describe_server(identity: Identity, features: Features) -> dict[str, object]:
    """The `Implementation` of this server."""
    brief = brief_server(identity)
    if not features.implementation_details:
        return brief
    return brief | _given(
        description=identity.description,
        websiteUrl=identity.website,
        icons=_icons(identity.icons),
    )


def brief_server(identity: Identity) -> dict[str, object]:
    """The `Implementation` that every result carries: without icons and prose, to stay small."""
    return _given(name=identity.name, version=identity.version, title=identity.title)


def describe_tool(tool: Tool, features: Features) -> dict[str, object]:
    """A tool as listed."""
    return _given(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        icons=_icons(tool.icons) if features.implementation_details else None,
        inputSchema=_plain(tool.input.listed if features.is_modern else _strict(tool.input.listed)),
        outputSchema=_output_schema(tool, features),
        annotations=_annotations(tool.annotations) if features.annotations else None,
    )


def describe_resource(resource: Resource, features: Features) -> dict[str, object]:
    """A resource as listed."""
    return {"uri": resource.uri, **_described(resource, features)}


def describe_template(resource: Resource, features: Features) -> dict[str, object]:
    """A resource template as listed."""
    return {"uriTemplate": resource.uri, **_described(resource, features)}


def _described(resource: Resource, features: Features) -> dict[str, object]:
    return _given(
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mimeType=resource.mime,
        icons=_icons(resource.icons) if features.implementation_details else None,
    )


def describe_prompt(prompt: Prompt, features: Features) -> dict[str, object]:
    """A prompt as listed."""
    return _given(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            _given(
                name=item.name,
                title=item.title,
                description=item.description,
                required=item.required,
            )
            for item in prompt.arguments
        ]
        or None,
        icons=_icons(prompt.icons) if features.implementation_details else None,
    )


def output_form(tool: Tool, features: Features) -> Form:
    """How the structured content of `tool` is written."""
    if features.is_modern:
        return Form.PLAIN
    return object_form(tool.output) if features.structured else Form.OMITTED


def _output_schema(tool: Tool, features: Features) -> object:
    if tool.output is None:
        return None
    match output_form(tool, features):
        case Form.OMITTED:
            return None
        case Form.WRAPPED:
            return _plain(wrap_schema(tool.output.listed))
        case _ if features.is_modern:
            return _plain(tool.output.listed)
        case _:
            return _plain(_strict(tool.output.listed))


def _strict(schema: Mapping[str, object]) -> Mapping[str, object]:
    """With objects for properties: `true` and `false` there are schemas to modern clients only."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return schema
    strict = {
        name: {} if value is True else {"not": {}} if value is False else value
        for name, value in properties.items()
    }
    return {**schema, "properties": strict}


def _annotations(hints: ToolAnnotations) -> dict[str, object]:
    if hints.read_only:
        return {"readOnlyHint": True, "openWorldHint": hints.open_world}
    return {
        "readOnlyHint": False,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    }


def _icons(icons: Sequence[Icon]) -> list[dict[str, object]] | None:
    return [
        _given(
            src=icon.src,
            mimeType=icon.mime_type,
            sizes=list(icon.sizes) or None,
            theme=icon.theme,
        )
        for icon in icons
    ] or None


def _plain(node: object) -> object:
    """The same tree in dicts and lists, which is what the JSON writer takes."""
    if isinstance(node, Mapping):
        return {str(key): _plain(value) for key, value in node.items()}
    return [_plain(item) for item in node] if isinstance(node, list | tuple) else node


def _given(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}
