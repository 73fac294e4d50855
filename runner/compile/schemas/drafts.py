"""One parameter on its way to a schema: its type's fragment, then keywords, values, null, default.

A draft holds the schema twice: as it is listed, and as coerced values are checked (a decimal is a
number there). Both grow together, so that what is listed and what is accepted come from one model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from runner.arguments.check import arguments_check
from runner.arguments.shapes import Kind, Member, Shape
from runner.catalog.expressions import ABSENT
from runner.catalog.schema import Parameter
from runner.compile.schemas.constants import (
    is_ambiguous,
    scalars,
    typed_scalar,
)
from runner.compile.schemas.json_schema import check_meta, check_place
from runner.compile.schemas.keywords import BY_KIND, CORE, KEYWORDS, NUMERIC, TEXT_VALUED
from runner.compile.schemas.subschemas import walk
from runner.compile.schemas.type_words import TypeForm, nullable
from runner.compile.site import Site, below
from runner.compile.trees import compile_constant
from runner.config.nodes import Scalar
from runner.config.nodes import Sequence as SequenceNode
from runner.config.spec.inputs import ParameterSpec
from runner.config.spec.leaves import Tree, plain_value
from runner.diagnostics import did_you_mean
from runner.errors import ArgumentsError

_ANY_COUNT = 1_000_000
_INSTEAD: Mapping[str, str] = {
    "properties": "write fields:",
    "required": "a name that ends in '?' is optional, every other is required",
    **dict.fromkeys(CORE, "write the whole schema under input_schema:"),
}


@dataclass(slots=True)
class Draft:
    """A parameter's schema while it is made."""

    form: TypeForm
    kind: Kind
    listed: dict[str, object]
    checked: dict[str, object]
    members: Mapping[str, "Draft"] = field(default_factory=dict)
    item: "Draft | None" = None
    fields: Mapping[str, Parameter] | None = None
    is_nullable: bool = False
    drops_unknown: bool = False
    default: object = ABSENT
    """In its coerced form."""

    @property
    def shape(self) -> Shape:
        """How its values are coerced."""
        item = self.item.shape if self.item is not None else None
        members = {n: Member(draft.shape, draft.default) for n, draft in self.members.items()}
        return Shape(self.kind, self.is_nullable, members, item, self.drops_unknown)


def apply_keywords(draft: Draft, spec: ParameterSpec, site: Site) -> bool:
    """Adds the JSON Schema keywords of `spec`; False where one does not fit, all reported."""
    added: dict[str, object] = {}
    is_sound = True
    for keyword, tree in spec.keywords.items():
        if not _is_admitted(keyword, tree, draft, site / keyword):
            is_sound = False
            continue
        added[keyword] = _keyword_value(keyword, tree, draft)
        draft.listed[keyword] = added[keyword]
        draft.checked[keyword] = _exact(keyword, tree, draft)
    if not is_sound or not check_meta(draft.listed, site):
        return False
    outcomes = [check_place(place, below(site, place.path)) for place in walk(added)]
    outcomes += [_has_no_core(place.schema, below(site, place.path)) for place in walk(added)]
    return all(outcomes)


def _is_admitted(keyword: str, tree: Tree, draft: Draft, site: Site) -> bool:
    if keyword in _INSTEAD:
        site.error_at_key("unknown-field", f"'{keyword}' cannot stand here", hint=_INSTEAD[keyword])
        return False
    if keyword not in KEYWORDS:
        known = [*KEYWORDS - set(_INSTEAD), *ParameterSpec.model_fields]
        site.error_at_key(
            "unknown-field",
            f"a parameter has no field '{keyword}'",
            details=("known are the fields of the input grammar and JSON Schema 2020-12 keywords",),
            hint=did_you_mean(keyword, known),
        )
        return False
    return _fits_type(keyword, tree, draft, site)


def _fits_type(keyword: str, tree: Tree, draft: Draft, site: Site) -> bool:
    is_foreign = any(keyword in words for words in BY_KIND.values())
    if is_foreign and draft.kind != "any" and keyword not in BY_KIND[draft.kind]:
        site.error_at_key("wrong-keyword", f"'{keyword}' does not fit the type '{draft.form.text}'")
        return False
    own = draft.listed.get("format") if keyword == "format" else None
    if own is not None and not (isinstance(tree, Scalar) and tree.text == own):
        site.error_at_key("wrong-keyword", f"the type '{draft.form.text}' has its own format")
        return False
    return True


def _has_no_core(schema: Mapping[str, object], site: Site) -> bool:
    found = [keyword for keyword in schema if keyword in CORE]
    for keyword in found:
        (site / keyword).error_at_key(
            "unknown-field", f"'{keyword}' cannot stand here", hint=_INSTEAD[keyword]
        )
    return not found


def _keyword_value(keyword: str, tree: Tree, draft: Draft) -> object:
    match tree:
        case Scalar() if keyword in TEXT_VALUED:
            return tree.text
        case Scalar() if keyword == "const":
            return typed(tree, draft)
        case list() if keyword == "examples":
            return [typed(item, draft) for item in tree]
        case Scalar():
            return plain_value(tree)
        case _:
            return typed(tree, draft) if keyword == "const" else compile_constant(tree)


def _exact(keyword: str, tree: Tree, draft: Draft) -> object:
    """The keyword's value as coerced values meet it: for decimals, digit for digit."""
    value = draft.listed[keyword]
    if draft.kind in ("decimal", "int64") and keyword == "const" and isinstance(value, str):
        return _decimal(value)
    if draft.kind == "decimal" and keyword in NUMERIC and isinstance(tree, Scalar):
        return _decimal(tree.text) if isinstance(value, float) else value
    return value


def _decimal(text: str) -> object:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def typed(tree: Tree, draft: Draft) -> object:
    """A value of the parameter, each scalar read by the type that stands at its place."""
    match tree:
        case Scalar():
            return typed_scalar(tree, draft.form.word, nullable=draft.is_nullable)
        case list() if draft.item is not None:
            return [typed(item, draft.item) for item in tree]
        case dict():
            return {
                key: typed(item, draft.members[key])
                if key in draft.members
                else compile_constant(item)
                for key, item in tree.items()
            }
        case _:
            return compile_constant(tree)


def warn_ambiguous(tree: Tree, draft: Draft, site: Site) -> None:
    """Warns of plain scalars that stay text here but are something else to other readers."""
    word = draft.item.form.word if draft.item is not None else draft.form.word
    for scalar in scalars(tree):
        is_null = draft.is_nullable and scalar.value is None
        if is_ambiguous(scalar, word) and not is_null:
            site.warning(
                "ambiguous-text",
                f"'{scalar.text}' is text here, but YAML may read it as something else",
                hint=f'quote it: "{scalar.text}"',
                at=scalar.position,
            )


def apply_enum(draft: Draft, options: tuple[Tree, ...], site: Site) -> bool:
    """Restricts the values to `options`; False where one is no value of the type."""
    # In the short form the list stands where the parameter does.
    is_short = isinstance(site.document.find(site.path), SequenceNode)
    listed: list[object] = []
    checked: list[object] = []
    is_sound = bool(options)
    if not options:
        (site / "enum").error("wrong-enum", "expected at least one value, found none")
    for index, tree in enumerate(options):
        spot = site / index if is_short else site / "enum" / index
        warn_ambiguous(tree, draft, spot)
        value = typed(tree, draft)
        fitted = _option(draft, value, spot, taken=checked)
        is_sound = is_sound and fitted is not ABSENT
        listed.append(value)
        checked.append(fitted)
    if is_sound:
        draft.listed["enum"] = listed
        draft.checked["enum"] = checked
    return is_sound


def _option(draft: Draft, value: object, site: Site, *, taken: list[object]) -> object:
    is_null = value is None and draft.is_nullable
    fitted = None if is_null else fit_value(draft, value, site, code="wrong-enum")
    if fitted is ABSENT or fitted not in taken:
        return fitted
    site.error("wrong-enum", "expected each value once, found one that repeats")
    return ABSENT


def fit_value(draft: Draft, value: object, site: Site, *, code: str) -> object:
    """The value in its coerced form; ABSENT and a report where it is none of the type."""
    check = arguments_check(
        Shape("object", members={"value": Member(draft.shape)}),
        {"type": "object", "properties": {"value": draft.checked}},
        coerce=False,
        input_elements=_ANY_COUNT,
    )
    try:
        return check({"value": value}).get("value", ABSENT)
    except ArgumentsError as error:
        for fault in error.faults:
            path = fault.path.removeprefix("value").lstrip(".")
            site.error(code, f"'{path}': {fault.message}" if path else fault.message)
        return ABSENT


def apply_null(draft: Draft) -> None:
    """Admits null where the parameter is nullable."""
    if draft.is_nullable:
        draft.listed = nullable(draft.listed)
        draft.checked = nullable(draft.checked)


def apply_default(draft: Draft, tree: Tree, site: Site) -> bool:
    """Sets the default; False where it is no value of the type."""
    if isinstance(tree, Scalar) and tree.plain and tree.value is None and not draft.is_nullable:
        site.error(
            "wrong-default",
            f"expected a value of the type '{draft.form.text}', found nothing",
            hint="end the name in '?' for an optional parameter, or say nullable: true",
        )
        return False
    warn_ambiguous(tree, draft, site)
    value = typed(tree, draft)
    draft.default = fit_value(draft, value, site, code="wrong-default")
    draft.listed["default"] = value
    return draft.default is not ABSENT
