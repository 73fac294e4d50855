"""What a path finds in a value, as far as the value's schema tells.

Knows JSON Schema, and how references read values (mappings by name, lists and texts by number);
nothing of steps. Whatever a schema leaves open is not judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from runner.compile.schemas.subschemas import Schema, local_target, walk

_MAX_HOPS: Final = 8
_OPEN: Final = ("allOf", "if", "not", "dependentSchemas", "patternProperties", "$dynamicRef")
"""Keywords after which only a value itself can be judged."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form that a value may have: a schema with one `type`, which is not null."""

    schema: Schema
    root: Schema
    """The schema that holds what `$ref` names."""

    @property
    def type(self) -> str:
        """The type of JSON."""
        return str(self.schema["type"])


Forms = tuple[Form, ...]
"""The forms that a value may have when it is not null; none: anything."""


@dataclass(frozen=True, slots=True)
class Misread:
    """A path that leads nowhere."""

    depth: int
    """How many of its keys lead somewhere."""
    owner: Form
    """What has no such item."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names that the owner has, if it is a mapping."""
        properties = self.owner.schema.get("properties")
        return tuple(map(str, properties)) if isinstance(properties, Mapping) else ()


def forms_of(value: object, root: Schema, *, hops: int = _MAX_HOPS) -> Forms:
    """The forms of what the schema `value` admits; forms stand for themselves."""
    if isinstance(value, tuple):
        return tuple(form for form in value if isinstance(form, Form))
    if not isinstance(value, Mapping) or any(keyword in value for keyword in _OPEN):
        return ()
    reference = value.get("$ref")
    if isinstance(reference, str):
        target = _referred(reference, root)
        return forms_of(target, root, hops=hops - 1) if hops and target is not None else ()
    choices = value.get("anyOf", value.get("oneOf"))
    return _of_choices(choices, root, hops) if isinstance(choices, list) else _typed(value, root)


def _typed(schema: Schema, root: Schema) -> Forms:
    types = schema.get("type")
    named = types if isinstance(types, list) else [types] if isinstance(types, str) else []
    return tuple(Form({**schema, "type": name}, root) for name in named if name != "null")


def _of_choices(choices: Sequence[object], root: Schema, hops: int) -> Forms:
    found: list[Form] = []
    for choice in choices:
        if isinstance(choice, Mapping) and choice.get("type") == "null":
            continue
        forms = forms_of(choice, root, hops=hops)
        if not forms:
            return ()
        found += forms
    return tuple(found)


def _referred(reference: str, root: Schema) -> Schema | None:
    path = local_target(reference, root)
    return next((place.schema for place in walk(root) if place.path == path), None)


def read(forms: Forms, keys: Sequence[str]) -> Forms | Misread:
    """The forms of what is found along `keys`; a misread only where no form has such an item."""
    for depth, key in enumerate(keys):
        found: list[Forms] = [items for form in forms for items in _item(form, key)]
        if forms and not found:
            return Misread(depth, forms[0])
        if not all(found):
            return ()
        forms = tuple(form for items in found for form in items)
    return forms


def _item(form: Form, key: str) -> Iterator[Forms]:
    """The forms of the item; nothing where there is none for sure."""
    schema = form.schema
    match form.type:
        case "object":
            properties = schema.get("properties")
            known = properties if isinstance(properties, Mapping) else {}
            others = schema.get("additionalProperties")
            if key in known or others is not False:
                yield forms_of(known.get(key, others), form.root)
        case "array" if key.isdecimal():
            items = None if "prefixItems" in schema else schema.get("items")
            yield forms_of(items, form.root)
        case "string" if key.isdecimal():
            yield (Form({"type": "string"}, form.root),)
