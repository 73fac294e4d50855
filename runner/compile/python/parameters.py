"""Parameters of a callable against those of the file: derived from hints, or compared with them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from pydantic.fields import FieldInfo

from runner.catalog.schema import JsonSchema, Parameter
from runner.compile.python.callables import Asked, Examined
from runner.compile.python.hints import HintFault, Schema, built, described, taken
from runner.compile.site import Site
from runner.config.nodes import Mapping_, Scalar
from runner.diagnostics import did_you_mean

Builder = Callable[[object], object]
_WORDS = ("uuid", "date", "date-time", "time", "duration", "email", "uri")
_JSON_TYPES: Mapping[str, frozenset[str]] = {
    "integer": frozenset({"integer", "number"}),
    "int64": frozenset({"integer", "number"}),
    "number": frozenset({"integer", "number"}),
    "decimal": frozenset({"integer", "number", "string"}),
    "boolean": frozenset({"boolean"}),
    "object": frozenset({"object"}),
}


@dataclass(slots=True)
class Input:
    """The input of a Python tool."""

    builders: dict[str, Builder] = field(default_factory=dict)
    listed: JsonSchema | None = None
    """Derived from the hints; None where the file gives the input."""
    parameters: dict[str, Parameter] = field(default_factory=dict)
    """Of `listed`."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compiled, and where its faults are reported."""

    examined: Examined
    reference: Scalar
    site: Site

    def error(self, code: str, message: str, hint: str | None = None) -> None:
        """Reports a fault at the reference."""
        self.site.error(code, message, hint=hint, at=self.reference.position)

    def warning(self, code: str, message: str, hint: str | None = None) -> None:
        """Reports a doubt at the reference."""
        self.site.warning(code, message, hint=hint, at=self.reference.position)


def derived_input(subject: Subject, binds: Collection[str]) -> Input:
    """The input that the hints say, parameters of `bind` left out of the list."""
    found = Input()
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for asked in subject.examined.asked.values():
        schema = _derived(asked, subject, found.builders)
        if schema is None or asked.name in binds:
            continue
        properties[asked.name] = schema
        if asked.default is ...:
            required.append(asked.name)
        is_there = asked.default is ... or "default" in schema
        found.parameters[asked.name] = parameter_of(asked.name, schema, required=is_there)
    found.listed = {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }
    if subject.examined.takes_whole and not properties:
        subject.warning(
            "missing-hint",
            f"'{subject.reference.text}' takes any argument, so that none is listed",
            "say which in `input`",
        )
    return found


def compared_input(
    subject: Subject, declared: Mapping[str, Parameter], binds: Collection[str]
) -> Input:
    """The builders for the file's own input, each difference from the signature reported."""
    found = Input()
    examined, name = subject.examined, subject.reference.text
    for parameter in declared.values():
        asked = examined.asked.get(parameter.name)
        if asked is not None:
            _compare(asked, parameter, subject)
        elif parameter.name in examined.injected or not examined.takes_whole:
            kind = examined.injected.get(parameter.name)
            what = f"fills '{parameter.name}' itself" if kind else f"has no '{parameter.name}'"
            _declaration(subject.site, parameter.name).error_at_key(
                "parameter-not-taken",
                f"'{name}' {what}",
                hint=did_you_mean(parameter.name, examined.asked),
            )
    for asked in examined.asked.values():
        is_given = asked.name in declared or asked.name in binds
        if not is_given and asked.default is ...:
            subject.error(
                "parameter-not-given",
                f"'{name}' needs '{asked.name}', which the tool does not have",
                f"add '{asked.name}' to `input` or `bind`, or give it a default",
            )
        elif is_given:
            _keep_builder(asked, subject, found.builders)
    return found


def parameter_of(name: str, schema: Mapping[str, object], *, required: bool) -> Parameter:
    """The parameter as other parts need to know it, read from its JSON Schema."""
    only, nullable = _without_null(schema)
    items = only.get("items")
    is_list = only.get("type") == "array"
    element = items if is_list and isinstance(items, dict) else only
    return Parameter(
        name,
        _word(element),
        is_list=is_list,
        nullable=nullable,
        required=required,
        fields=_fields(element),
    )


def _without_null(schema: Mapping[str, object]) -> tuple[Mapping[str, object], bool]:
    """The one alternative beside null, or an empty schema; and whether null is admitted."""
    branches = schema.get("anyOf")
    if not isinstance(branches, list):
        return schema, schema == {} or schema.get("type") == "null"
    others = [item for item in branches if item != {"type": "null"}]
    return others[0] if len(others) == 1 else {}, len(others) < len(branches)


def _fields(schema: Mapping[str, object]) -> Mapping[str, Parameter] | None:
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return None
    return {
        name: parameter_of(name, field, required=name in required or "default" in field)
        for name, field in properties.items()
    }


def _word(schema: Mapping[str, object]) -> str:
    """The type word of a schema; `object` for what has several."""
    if schema.get("format") in _WORDS:
        return str(schema["format"])
    kind = schema.get("type")
    return kind if isinstance(kind, str) and kind not in ("array", "null") else "object"


def _derived(asked: Asked, subject: Subject, builders: dict[str, Builder]) -> Schema | None:
    name = subject.reference.text
    if isinstance(asked.default, FieldInfo):
        subject.error(
            "unsupported-parameter",
            f"'{asked.name}' of '{name}' has a Field as its default",
            f"write {asked.name}: Annotated[{described(asked.hint)}, Field(…)]",
        )
        return None
    if not asked.is_hinted:
        subject.warning(
            "missing-hint",
            f"'{asked.name}' of '{name}' has no type hint, so that anything may be sent",
            "add a type hint, or say it in `input`",
        )
    try:
        found = taken(asked.name, asked.hint, asked.default)
    except HintFault as fault:
        subject.error(fault.code, f"'{asked.name}' of '{name}': {fault}", fault.hint)
        return None
    if found.build is not None:
        builders[asked.name] = found.build
    described_as = {"description": asked.description} if asked.description else {}
    default = {} if found.default is ... else {"default": found.default}
    return {**found.schema, **described_as, **default}


def _keep_builder(asked: Asked, subject: Subject, builders: dict[str, Builder]) -> None:
    try:
        build = built(asked.name, asked.hint)
    except HintFault as fault:
        text = f"'{asked.name}' of '{subject.reference.text}': {fault}"
        subject.error(fault.code, text, fault.hint)
        return
    if build is not None:
        builders[asked.name] = build


def _compare(asked: Asked, parameter: Parameter, subject: Subject) -> None:
    where = _declaration(subject.site, parameter.name)
    name = subject.reference.text
    if not parameter.required and asked.default is ...:
        where.error_at_key(
            "parameter-may-be-absent",
            f"'{parameter.name}' is optional here, but '{name}' needs it",
            hint="give it a default, here or in the signature",
        )
    try:
        accepted = _json_types(taken(asked.name, asked.hint).schema)
    except HintFault:
        return  # reported where its builder is made, if it has none
    sent = frozenset({"array"}) if parameter.is_list else _JSON_TYPES.get(parameter.type)
    if accepted is not None and not accepted & (sent or frozenset({"string"})):
        kind = f"{parameter.type}[]" if parameter.is_list else parameter.type
        where.error_at_key(
            "parameter-type",
            f"'{parameter.name}' is {kind} here, but '{name}' takes '{described(asked.hint)}'",
            hint="change the one or the other",
        )


def _json_types(schema: Mapping[str, object]) -> frozenset[str] | None:
    """The JSON types that a schema admits; None where it does not say."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            found = [_json_types(item) for item in branches]
            return None if None in found else frozenset().union(*(item or () for item in found))
    kind = schema.get("type")
    if isinstance(kind, list):
        return frozenset(kind)
    return frozenset({kind}) if isinstance(kind, str) else None


def _declaration(site: Site, name: str) -> Site:
    """The parameter's key in the file; the nearest place where it is not a key there."""
    declared = site.document.find((*site.path, "input"))
    if isinstance(declared, Mapping_):
        return site / "input" / (name if name in declared.entries else f"{name}?")
    return site / "input_schema"
