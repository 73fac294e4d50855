"""Output schemas for clients that know only objects: `{"result": …}` around everything else.

Schema and value are wrapped together or both left out, so that they never disagree.
Source: MCP 2025-11-25, server/tools, "Output Schema": the root is an object.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from runner.catalog.schema import JsonSchema, OutputSchema

_UNMOVABLE: Final = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef")
_HOISTED: Final = ("$schema", "$defs", "definitions")
_LITERAL: Final = ("const", "default", "enum", "examples")
"""Keywords whose values are data, not schemas."""
_NAMED: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
"""Keywords whose members are schemas under names of the author."""


class Form(Enum):
    """How the structured content of a tool is written for a version."""

    PLAIN = auto()
    """As it is."""
    WRAPPED = auto()
    BY_VALUE = auto()
    """No schema: an object as it is, anything else wrapped."""
    OMITTED = auto()


def object_form(output: OutputSchema | None) -> Form:
    """How a tool's result becomes an object."""
    if output is None:
        return Form.BY_VALUE
    if output.listed.get("type") == "object":
        return Form.PLAIN
    return Form.WRAPPED if _can_move(output.listed) else Form.OMITTED


def wrap_schema(schema: JsonSchema) -> dict[str, object]:
    """The schema of `{"result": …}`; its definitions stand at the new root."""
    hoisted = {key: _moved(schema[key], key) for key in _HOISTED if key in schema}
    inner = {key: value for key, value in schema.items() if key not in _HOISTED}
    return {
        **hoisted,
        "type": "object",
        "properties": {"result": _moved(inner)},
        "required": ["result"],
    }


def _can_move(node: object, keyword: str = "") -> bool:
    if keyword in _LITERAL:
        return True
    if isinstance(node, Mapping):
        named = keyword in _NAMED
        return all(
            (named or key not in _UNMOVABLE) and _can_move(value, "" if named else str(key))
            for key, value in node.items()
        )
    return not isinstance(node, list | tuple) or all(_can_move(item) for item in node)


def _moved(node: object, keyword: str = "") -> object:
    if keyword in _LITERAL:
        return node
    if isinstance(node, Mapping):
        named = keyword in _NAMED
        return {
            key: _reference(value)
            if key == "$ref" and not named
            else _moved(value, "" if named else str(key))
            for key, value in node.items()
        }
    return [_moved(item) for item in node] if isinstance(node, list | tuple) else node


def _reference(reference: object) -> object:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return reference
    if reference.startswith(("#/$defs/", "#/definitions/")):
        return reference
    return "#/properties/result" + reference[1:]
