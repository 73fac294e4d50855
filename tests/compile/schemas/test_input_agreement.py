"""What is listed and what is accepted come from one model: proven against the reference validator.

The reference is `jsonschema` with our formats, and patterns in the words that `portable` gives.
"""

import json
import re
from collections.abc import Mapping

import jsonschema
from hypothesis import event, given, settings
from hypothesis import strategies as st
from jsonschema.validators import extend

from runner.arguments.formats import FORMATS
from runner.catalog.schema import InputSchema
from runner.compile.schemas.patterns import portable
from runner.errors import ArgumentsError
from tests.compile.schemas.input_cases import attempt

_FORMAT_CHECKER = jsonschema.FormatChecker(formats=())
for _name, _is_one in FORMATS.items():
    _FORMAT_CHECKER.checks(_name)(
        lambda value, is_one=_is_one: not isinstance(value, str) or is_one(value)
    )


def _pattern(_validator: object, pattern: str, value: object, _schema: object) -> object:
    if isinstance(value, str) and not re.search(portable(pattern), value):
        yield jsonschema.ValidationError("pattern")


_Reference = extend(  # type: ignore[no-untyped-call]  # the stubs leave it out
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)


def _filled(schema: object, value: object) -> object:
    """The value with defaults, and without nulls that mean absent."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, list) and "items" in schema:
        return [_filled(schema["items"], item) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    properties = schema["properties"]
    kept = {
        name: _filled(properties.get(name), item)
        for name, item in value.items()
        if item is not None or name not in properties or "null" in properties[name]["type"]
    }
    defaults = {n: p["default"] for n, p in properties.items() if "default" in p}
    return {**defaults, **kept}


_TEXTS = st.sampled_from(
    ["", "a", "abc", "ab\n", "é😀", "12", "-0", "1.5", "true", "null", "[1]", "{}", "2026-01-31",
     "2026-02-30", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00", "12:30:00", "PT1M", "P", "a@b.de",
     "x:y", "3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f", "9223372036854775807"]
)  # fmt: skip
_NUMBERS = st.one_of(st.integers(-20, 20), st.sampled_from([0.5, 2.0, -1.5, 10.25, 2**40]))
_SCALARS = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abcx"), inner, max_size=3)
    ),
    max_leaves=6,
)


def _optional(**keywords: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries({}, optional=keywords)


_SMALL = st.integers(0, 4)
_FLAG = st.booleans()
_TEXT_SPEC = _optional(
    minLength=_SMALL, maxLength=_SMALL, nullable=_FLAG,
    pattern=st.sampled_from(["^a", r"^\d+$", "b", r"^\w{2,3}$", "[^a]$", "."]),
).map(lambda spec: {"type": "string", **spec})  # fmt: skip
_NUMBER_SPEC = st.builds(
    lambda word, spec: {"type": word, **spec},
    st.sampled_from(["integer", "number"]),
    _optional(
        minimum=st.integers(-5, 5), exclusiveMaximum=st.integers(-5, 20), nullable=_FLAG,
        multipleOf=st.integers(1, 3),
    ),
)  # fmt: skip
_WORD_SPEC = st.sampled_from(
    ["boolean", "uuid", "date", "date-time", "time", "duration", "email", "uri", "decimal",
     "int64", "object", "date|null", "boolean|null", "decimal|null"]
)  # fmt: skip
_ENUM_SPEC = st.sampled_from(
    [["a", "abc"], [1, 2], {"enum": ["a", None], "type": "string|null"}, {"enum": [0.5, 2]},
     {"type": "integer", "default": 3}, {"type": "string", "default": "a", "nullable": True},
     {"type": "string[]", "default": ["a"]}, {"type": "string", "anyOf": [{"maxLength": 1}]},
     {"type": "integer", "not": {"enum": [0, 1]}}]
)  # fmt: skip


def _containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    lists = st.builds(
        lambda item, spec: {"items": item, **spec},
        inner,
        _optional(minItems=_SMALL, maxItems=_SMALL, uniqueItems=_FLAG, nullable=_FLAG),
    )
    members = st.dictionaries(st.sampled_from(["a", "b?", "c?"]), inner, min_size=1, max_size=3)
    objects = st.builds(
        lambda fields, spec: {"type": "object", "fields": fields, **spec},
        members,
        _optional(minProperties=_SMALL, nullable=_FLAG),
    )
    return st.one_of(lists, objects)


_SPECS = st.recursive(
    st.one_of(_TEXT_SPEC, _NUMBER_SPEC, _WORD_SPEC, _ENUM_SPEC), _containers, max_leaves=4
)
_INPUTS = st.dictionaries(st.sampled_from(["a", "b?", "c"]), _SPECS, min_size=1, max_size=3)
_BY_TYPE: Mapping[str, st.SearchStrategy[object]] = {
    "string": _TEXTS, "integer": st.integers(-6, 12), "number": _NUMBERS, "null": st.none(),
    "boolean": st.booleans(), "object": st.dictionaries(st.sampled_from("abx"), _SCALARS),
}  # fmt: skip


def _likely(schema: Mapping[str, object]) -> st.SearchStrategy[object]:
    """Values near the schema: of its types mostly, valid often."""
    match schema:
        case {"enum": [*options]}:
            near: st.SearchStrategy[object] = st.sampled_from(options)
        case {"items": dict(items)}:
            near = st.lists(_likely(items), max_size=4)
        case {"properties": dict(properties)}:
            required = schema.get("required")
            names = required if isinstance(required, list) else []
            members = {name: _likely(child) for name, child in properties.items()}
            near = st.fixed_dictionaries(
                {name: members[name] for name in names},
                optional={name: child for name, child in members.items() if name not in names},
            )
        case {"type": [*names]}:
            near = st.one_of(*[_BY_TYPE[n] for n in map(str, names) if n in _BY_TYPE])
        case _:
            near = _BY_TYPE.get(str(schema.get("type")), _VALUES)
    return st.integers(0, 9).flatmap(lambda dice: near if dice else _VALUES)


def _draw(data: st.DataObject, schema: InputSchema) -> dict[str, object]:
    sent = data.draw(_likely(schema.listed))
    return sent if isinstance(sent, dict) else {"x": sent}


def _compile(specs: object, **fields: object) -> InputSchema:
    schema, reported = attempt(json.dumps({"input": specs, **fields}))
    assert schema is not None, reported
    return schema


def _checked(schema: InputSchema, sent: dict[str, object]) -> dict[str, object] | None:
    try:
        return schema.check(sent)
    except ArgumentsError:
        return None


@settings(max_examples=300, deadline=None)
@given(_INPUTS, st.data())
def test_the_check_agrees_with_the_reference(specs: object, data: st.DataObject) -> None:
    """Without coercion, exactly what the listed schema admits is accepted."""
    schema = _compile(specs, coerce=False)
    sent = _draw(data, schema)
    reference = _Reference(schema.listed, format_checker=_FORMAT_CHECKER)
    expected = reference.is_valid(_filled(schema.listed, sent))
    event("valid" if expected else "invalid")
    assert (_checked(schema, sent) is not None) == expected


@settings(max_examples=150, deadline=None)
@given(_INPUTS, st.data())
def test_coercion_changes_nothing_that_fits_already(specs: object, data: st.DataObject) -> None:
    schema = _compile(specs)
    sent = _draw(data, schema)
    plain = _checked(_compile(specs, coerce=False), sent)
    assert plain is None or _checked(schema, sent) == plain


@settings(max_examples=150, deadline=None)
@given(_INPUTS, st.data())
def test_a_listed_schema_is_valid_closed_and_free_of_references(
    specs: object, data: st.DataObject
) -> None:
    """And checking never changes what was sent."""
    schema = _compile(specs)
    sent = _draw(data, schema)
    before = json.dumps(sent)
    _checked(schema, sent)
    assert json.dumps(sent) == before
    jsonschema.Draft202012Validator.check_schema(dict(schema.listed))
    assert schema.listed["additionalProperties"] is False
    assert "$ref" not in json.dumps(schema.listed)
