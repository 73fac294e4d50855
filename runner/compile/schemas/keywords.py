"""The keywords of JSON Schema 2020-12, by the kind of value that they judge."""

from collections.abc import Mapping

ANNOTATIONS = frozenset(
    {"title", "description", "$comment", "deprecated", "readOnly", "writeOnly", "examples"}
)
VALUES = frozenset({"type", "enum", "const", "default"})
APPLICATORS = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
CORE = frozenset(
    {
        "$schema", "$id", "$ref", "$defs", "$anchor", "$dynamicRef", "$dynamicAnchor",
        "$vocabulary",
    }
)  # fmt: skip
STRING = frozenset(
    {"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
     "contentSchema"}
)  # fmt: skip
NUMERIC = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
ARRAY = frozenset(
    {"items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems",
     "uniqueItems", "unevaluatedItems"}
)  # fmt: skip
OBJECT = frozenset(
    {"properties", "patternProperties", "additionalProperties", "propertyNames", "required",
     "minProperties", "maxProperties", "dependentRequired", "dependentSchemas",
     "unevaluatedProperties"}
)  # fmt: skip
KEYWORDS = ANNOTATIONS | VALUES | APPLICATORS | CORE | STRING | NUMERIC | ARRAY | OBJECT
"""All of them."""

BY_KIND: Mapping[str, frozenset[str]] = {
    "string": STRING, "integer": NUMERIC, "number": NUMERIC, "decimal": NUMERIC, "int64": NUMERIC,
    "boolean": frozenset(), "array": ARRAY, "object": OBJECT,
}  # fmt: skip
"""Kind of a shape → the keywords that mean something for its values."""

TEXT_VALUED = frozenset(
    {"title", "$comment", "pattern", "format", "contentEncoding", "contentMediaType"}
)
"""Keywords whose value is a text, however it is written."""
