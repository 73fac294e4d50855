"""A tool's input: from `input:` or `input_schema:` to the schema that is listed and its check."""

from collections.abc import Callable, Mapping

from runner.arguments.check import arguments_check
from runner.catalog.schema import InputSchema, JsonSchema
from runner.codec.paths import Path
from runner.compile.schemas.authored import schema_parameters, schema_shape
from runner.compile.schemas.defaults import check_defaults
from runner.compile.schemas.headers import KEYWORD, compile_headers
from runner.compile.schemas.json_schema import check_authored
from runner.compile.schemas.parameters import Grammar, compile_members
from runner.compile.schemas.source import read_schema
from runner.compile.site import Site, below
from runner.config.nodes import Document
from runner.config.spec.inputs import Parameters, WholeSchema
from runner.config.spec.tools import ToolSpec
from runner.reserved import RESERVED


def compile_input(
    spec: ToolSpec, site: Site, *, schemas: Mapping[str, Document], input_elements: int
) -> InputSchema | None:
    """What a client may send to the tool at `site`; None where it has a fault, all reported.

    A tool with neither `input` nor `input_schema` takes no arguments. `schemas` holds the schema
    files that the configuration names, by the path as written; `input_elements` bounds the
    values in one call.
    """
    if spec.input_schema is not None:
        place = site / "input_schema"
        return _compile_whole(
            spec, spec.input_schema, place, schemas=schemas, input_elements=input_elements
        )
    return _compile_grammar(spec, spec.input or {}, site / "input", input_elements)


def input_from_schema(
    schema: JsonSchema, site: Site, *, strict: bool, coerce: bool, input_elements: int
) -> InputSchema | None:
    """The input that a whole schema describes, its root an object; None and reports otherwise.

    For schemas that come from elsewhere than the file too, as from a function's type hints.
    """
    checked = check_authored(schema, site, must_be_object=True)
    if checked is None:
        return None
    headers = compile_headers(checked, lambda path: below(site, path) / KEYWORD)
    parameters = schema_parameters(checked)
    reserved = [name for name in parameters if name in RESERVED]
    for name in reserved:
        below(site, ("properties", name)).error_at_key(
            "reserved-name", f"'{name}' means something else in expressions"
        )
    if not check_defaults(checked, site) or headers is None or reserved:
        return None
    shape = schema_shape(checked, strict=strict)
    check = arguments_check(shape, checked, coerce=coerce, input_elements=input_elements)
    return InputSchema(checked, check, parameters, headers)


def _compile_whole(
    spec: ToolSpec,
    form: WholeSchema,
    site: Site,
    *,
    schemas: Mapping[str, Document],
    input_elements: int,
) -> InputSchema | None:
    schema, place = read_schema(form, site, schemas)
    if not isinstance(schema, Mapping):
        if schema is not None or form.file is None:
            site.error("wrong-schema", "expected a JSON Schema, found another value")
        return None
    return input_from_schema(
        schema, place, strict=spec.strict, coerce=spec.coerce, input_elements=input_elements
    )


def _compile_grammar(
    spec: ToolSpec, parameters: Parameters, site: Site, input_elements: int
) -> InputSchema | None:
    members = compile_members(parameters, site, Grammar(strict=spec.strict))
    if members is None:
        return None
    headers = compile_headers(members.listed, _written(site))
    if headers is None:
        return None
    check = arguments_check(
        members.shape, members.checked, coerce=spec.coerce, input_elements=input_elements
    )
    return InputSchema(members.listed, check, members.parameters, headers)


def _written(site: Site) -> Callable[[Path], Site]:
    """Where the grammar has the header of the property at a path of the schema."""

    def locate(path: Path) -> Site:
        place = site
        for step in path[1::2]:
            place = place if place is site else place / "fields"
            optional = place / f"{step}?"
            is_optional = place.document.find(optional.path) is not None
            place = optional if is_optional else place / step
        return place / "header"

    return locate
