"""The JSON Schema of `mcp.yaml`, for editors; made from the models, short forms included.

Knows the models alone. It admits what the models admit of plain values, and is checked by
examples; rules between fields, names and references are `validate`'s.
"""

from typing import Any

from runner.config.availability import NOT_AVAILABLE
from runner.config.descriptions import descriptions, sections
from runner.config.spec.model import Section
from runner.config.spec.root import ServerSpec

ID = "https://mcp-run.dev/schema/1/mcp-run.schema.json"
Schema = dict[str, Any]  # JSON as it is; pydantic types it so
_NOISE = ("title", "default")


def file_schema() -> Schema:
    """JSON Schema 2020-12 of the whole file, which draft-07 readers understand as well."""
    made = ServerSpec.model_json_schema(by_alias=True, mode="validation")
    _describe(made, ServerSpec)
    for name, section in sections().items():
        if name in made["$defs"]:
            _describe(made["$defs"][name], section)
    schema: Schema = _tidy(made)
    schema["properties"]["mcp"] = {"const": 1, "description": "The version of this format: 1."}
    for name in (pattern for pattern in NOT_AVAILABLE if "." not in pattern):
        field = schema["properties"][name]
        field["description"] = f"Not available in this version. {field.get('description', '')}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "mcp.yaml",
        **schema,
    }


def _describe(schema: Schema, section: type[Section]) -> None:
    """Adds what each field means."""
    for name, text in descriptions(section).items():
        schema["properties"][name] = {**schema["properties"][name], "description": text}


def _tidy(node: Any) -> Any:
    """Without pydantic's titles, defaults and nulls: a field that is left out is not null."""
    match node:
        case dict():
            kept = {key: _below(key, value) for key, value in node.items() if key not in _NOISE}
            return _single(kept)
        case list():
            return [_tidy(item) for item in node]
        case _:
            return node


def _below(key: str, value: Any) -> Any:
    if key in ("properties", "$defs"):
        return {name: _tidy(item) for name, item in value.items()}
    if key == "anyOf":
        return [_tidy(item) for item in value if item != {"type": "null"}]
    return _tidy(value)


def _single(schema: Schema) -> Schema:
    """A choice of one is that one."""
    choice = schema.get("anyOf")
    if not isinstance(choice, list) or len(choice) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**choice[0], **rest}
