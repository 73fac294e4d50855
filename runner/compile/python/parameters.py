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
_TEXTS = ("string", "uuid", "date", "date-time", "time", "duration", "email", "uri")
_JSON_TYPES: Mapping[str, frozenset[str]] = {
    "integer": frozenset({"integer", "number"}),
    "int64": frozenset({"integer", "number"}),
    "number": frozenset({"integer", "number"}),
    "decimal": frozenset({"integer", "number", "string"}),
    "boolean": frozenset({"boolean"}),
    "object": frozenset({"object"}),
    **dict.fromkeys(_TEXTS, frozenset({"string"})),
}
"""Type word → what the checked value is in JSON; any other word may be anything."""


@dataclass(slots=True)
class Input:
    """The input of a Python tool."""

    builders: dict[str, Builder] = field(default_factory=dict)
    listed: JsonSchema | None = None
    """Derived from the hints; None where the file gives the input."""


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
        _check_taken(parameter, subject)
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


def _check_taken(parameter: Parameter, subject: Subject) -> None:
    """Reports what the function does not take, or takes as another type."""
    examined = subject.examined
    asked = examined.asked.get(parameter.name)
    if asked is not None:
        _compare(asked, parameter, subject)
    elif parameter.name in examined.injected or not examined.takes_whole:
        kind = examined.injected.get(parameter.name)
        what = f"fills '{parameter.name}' itself" if kind else f"has no '{parameter.name}'"
        _declaration(subject.site, parameter.name).error_at_key(
            "parameter-not-taken",
            f"'{subject.reference.text}' {what}",
            hint=did_you_mean(parameter.name, examined.asked),
        )


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
    if accepted is not None and sent is not None and not accepted & sent:
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
