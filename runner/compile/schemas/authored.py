"""What bindings and the coercion must know of an authored schema: its shape, its parameters.

The schema itself is listed untouched and judges untouched; here it is only read. References are
followed where they stand alone; a recursive one is cut where it comes back, and what lies below is
taken as it is sent.
"""

from collections.abc import Iterator, Mapping

from runner.arguments.shapes import Kind, Member, Shape
from runner.catalog.expressions import ABSENT
from runner.catalog.schema import Parameter
from runner.codec.paths import Path, value_at
from runner.compile.schemas.subschemas import Schema, local_target
from runner.compile.schemas.type_words import FORMAT_WORDS

MAX_SHAPES = 5000
"""Of one schema; references may repeat a part many times."""
_KINDS: Mapping[str, Kind] = {
    "string": "string", "integer": "integer", "number": "number", "boolean": "boolean",
    "object": "object", "array": "array",
}  # fmt: skip


class _Reader:
    def __init__(self, root: Schema, *, strict: bool) -> None:
        self._root = root
        self._strict = strict
        self._left = MAX_SHAPES

    def shape(self, schema: object, open_targets: frozenset[Path] = frozenset()) -> Shape:
        self._left -= 1
        if not isinstance(schema, Mapping) or self._left < 0:
            return Shape()
        resolved, target = _resolved(schema, self._root)
        if target in open_targets:
            return Shape()
        inside = open_targets | ({target} if target is not None else set())
        names = _type_names(resolved)
        nullable = not names or "null" in names
        match [_KINDS[name] for name in names if name != "null"]:
            case ["array"]:
                return Shape("array", nullable, item=self.shape(resolved.get("items"), inside))
            case ["object"]:
                members = {
                    name: Member(self.shape(child, inside), _default(child))
                    for name, child in _properties(resolved)
                }
                return Shape("object", nullable, members, drops_unknown=self._drops(resolved))
            case [kind]:
                return Shape(kind, nullable)
        return Shape(nullable=nullable)

    def _drops(self, schema: Schema) -> bool:
        is_closed = schema.get("additionalProperties") is False
        return not self._strict and is_closed and "patternProperties" not in schema

    def parameter(
        self,
        name: str,
        schema: object,
        *,
        required: bool,
        open_targets: frozenset[Path] = frozenset(),
    ) -> Parameter:
        self._left -= 1
        whole, target = self._resolve(schema)
        names = _type_names(whole)
        is_list = [kind for kind in names if kind != "null"] == ["array"]
        inner, inner_target = self._resolve(whole.get("items")) if is_list else (whole, target)
        targets = {found for found in (target, inner_target) if found is not None}
        is_cut = self._left < 0 or not targets.isdisjoint(open_targets)
        fields = {} if is_cut else self.parameters(inner, open_targets | targets)
        return Parameter(
            name,
            type=_word(inner),
            is_list=is_list,
            nullable=not names or "null" in names,
            required=required,
            fields=fields or None,
        )

    def parameters(
        self, schema: Schema, open_targets: frozenset[Path] = frozenset()
    ) -> dict[str, Parameter]:
        required = schema.get("required")
        demanded = required if isinstance(required, list) else []
        return {
            name: self.parameter(
                name,
                child,
                required=name in demanded or _default(child) is not ABSENT,
                open_targets=open_targets,
            )
            for name, child in _properties(schema)
        }

    def _resolve(self, schema: object) -> tuple[Schema, Path | None]:
        return _resolved(schema, self._root) if isinstance(schema, Mapping) else ({}, None)


def schema_shape(schema: Schema, *, strict: bool) -> Shape:
    """The shape of the values that `schema` describes; not `strict` drops what it closes out."""
    return _Reader(schema, strict=strict).shape(schema)


def schema_parameters(schema: Schema) -> dict[str, Parameter]:
    """The top-level properties as parameters; `type` is empty where the schema names none."""
    return _Reader(schema, strict=True).parameters(schema)


def _word(schema: Schema) -> str:
    names = [name for name in _type_names(schema) if name != "null"]
    if len(names) != 1 or names == ["array"]:
        return ""
    form = schema.get("format")
    return form if names == ["string"] and form in FORMAT_WORDS else names[0]


def _resolved(schema: Schema, root: Schema) -> tuple[Schema, Path | None]:
    """The schema that a chain of references ends at, and the last target."""
    target: Path | None = None
    for _ in range(MAX_SHAPES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or "type" in schema:
            break
        target = local_target(reference, root)
        found = value_at(root, target) if target is not None else None
        if not isinstance(found, Mapping):
            return {}, target
        schema = found
    return schema, target


def _type_names(schema: Schema) -> list[str]:
    match schema.get("type"):
        case str(name):
            return [name]
        case [*names]:
            return [str(name) for name in names]
        case _:
            return []


def _properties(schema: Schema) -> Iterator[tuple[str, object]]:
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        yield from properties.items()


def _default(schema: object) -> object:
    return schema.get("default", ABSENT) if isinstance(schema, Mapping) else ABSENT
