"""JSON Schemas of hints as clients get them: no `$ref`, no titles of classes, closed objects.

What comes in is described as pydantic reads it, what goes out as `runner.codec.values` writes it.
"""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaMode,
    JsonSchemaValue,
)
from pydantic_core import core_schema

from runner.codec.json import MAX_SAFE_INTEGER
from runner.compile.python.typeddicts import RecursiveHint

MAX_NODES: Final = 10_000
"""Of a schema with its references put in place; a few types that use each other many times grow
beyond any list of tools."""
_REFERENCE: Final = "#/$defs/"
_FORMATS: Final = re.compile(
    r"(date-time|date|time|duration|uuid|(idn-)?(email|hostname)|ipv4|ipv6|[ui]ri(-reference)?"
    r"|uri-template|(relative-)?json-pointer|regex)\Z"
)
"""The formats of JSON Schema 2020-12; the names that pydantic adds say nothing to a client."""
_WRITTEN_AS_TEXT: Final = {"int": r"^-?[0-9]+$", "float": r"^(NaN|-?Infinity)$"}


_Node = (
    core_schema.CoreSchema
    | core_schema.ModelField
    | core_schema.DataclassField
    | core_schema.TypedDictField
    | core_schema.ComputedField
)


class TooLarge(Exception):  # noqa: N818 - the fault of a hint, told as a diagnostic
    """The schema has more than `MAX_NODES` nodes."""


def schema_of(adapter: TypeAdapter[object], mode: JsonSchemaMode) -> dict[str, object]:
    """The JSON Schema 2020-12 of what the adapter takes (`validation`) or gives.

    Raises:
        RecursiveHint: a type holds itself, so that no finite schema says it.
        TooLarge: it says too much.
        PydanticUserError: there is no JSON form of it.
    """
    whole = adapter.json_schema(schema_generator=_Listing, mode=mode)
    definitions = whole.pop("$defs", {})
    return _Inlining(definitions).mapping(whole, ())


class _Inlining:
    """Puts definitions in the place of references; counts what it writes."""

    def __init__(self, definitions: Mapping[str, Mapping[str, object]]) -> None:
        self._definitions = definitions
        self._left = MAX_NODES

    def mapping(self, node: Mapping[str, object], inside: tuple[str, ...]) -> dict[str, object]:
        reference = node.get("$ref")
        if not isinstance(reference, str) or not reference.startswith(_REFERENCE):
            return {
                key: self._value(value, inside)
                for key, value in node.items()
                if not (key == "format" and isinstance(value, str) and not _FORMATS.match(value))
            }
        name = reference.removeprefix(_REFERENCE)
        if name in inside:
            raise RecursiveHint(name)
        said_here = {key: value for key, value in node.items() if key != "$ref"}
        definition = self._definitions[name]
        return self.mapping({**definition, **said_here}, (*inside, name))

    def _value(self, value: object, inside: tuple[str, ...]) -> object:
        self._left -= 1
        if self._left < 0:
            raise TooLarge
        match value:
            case dict():
                return self.mapping(value, inside)
            case list():
                return [self._value(item, inside) for item in value]
            case _:
                return value


class _Listing(GenerateJsonSchema):
    """Pydantic's generator without its decoration, in the words of our codec."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default", "skipped-discriminator"}  # noqa: RUF012 - pydantic's own declaration

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        gives = self.mode == "serialization" and field["type"] != "typed-dict-field"
        return gives or super().field_is_required(field, total)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return self._plain_object(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return self._plain_object(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return self._plain_object(super().typed_dict_schema(schema), schema.get("cls"))

    def generate_inner(self, schema: _Node) -> JsonSchemaValue:
        if schema["type"] == "enum":
            # Its metadata holds the class's name as a title, and writes it last.
            return super().generate_inner({**schema, "metadata": {}})
        return super().generate_inner(schema)

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        return _untitled(super().enum_schema(schema), schema["cls"])

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        listed = super().tagged_union_schema(schema)
        listed.pop("discriminator", None)  # OpenAPI's word; its references would dangle
        return listed

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        listed = super().int_schema(schema)
        low = max(schema.get("ge", -(2**64)), schema.get("gt", -(2**64)))
        high = min(schema.get("le", 2**64), schema.get("lt", 2**64))
        is_safe = low >= -MAX_SAFE_INTEGER and high <= MAX_SAFE_INTEGER
        return listed if is_safe else self._or_text(listed, "int")

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        listed = super().float_schema(schema)
        return listed if schema.get("allow_inf_nan") is False else self._or_text(listed, "float")

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        if self.mode == "serialization":
            return {"type": "string"}
        number = super().float_schema({**schema, "type": "float"})  # type: ignore[typeddict-item]  # the same limits
        return {"anyOf": [number, {"type": "string"}]}

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        if self.mode == "serialization" or self._config.val_json_bytes == "base64":
            return {"type": "string", "contentEncoding": "base64"}
        return {"type": "string"}

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        is_naive = schema.get("tz_constraint") != "aware"
        return self._unformatted(super().datetime_schema(schema), unless=not is_naive)

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        return self._unformatted(super().time_schema(schema))

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return self._unformatted(super().timedelta_schema(schema))

    def _unformatted(self, listed: JsonSchemaValue, *, unless: bool = False) -> JsonSchemaValue:
        """A time without offset is written as it is, which RFC 3339's formats do not admit."""
        if self.mode == "serialization" and not unless:
            listed.pop("format", None)
        return listed

    def _plain_object(self, listed: JsonSchemaValue, of: type | None) -> JsonSchemaValue:
        if self.mode == "validation" and "properties" in listed:
            listed.setdefault("additionalProperties", False)
        return _untitled(listed, of)

    def _or_text(self, listed: JsonSchemaValue, kind: str) -> JsonSchemaValue:
        """Numbers that JSON readers would lose are written as text."""
        if self.mode != "serialization":
            return listed
        return {
            **listed,
            "type": [listed["type"], "string"],
            "pattern": _WRITTEN_AS_TEXT[kind],
        }


def _untitled(listed: JsonSchemaValue, of: type | None) -> JsonSchemaValue:
    if of is not None and listed.get("title") == of.__name__:
        del listed["title"]
    return listed
