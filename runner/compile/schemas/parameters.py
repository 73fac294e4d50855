"""The grammar of `input`, `fields`, `items` and `result.columns`: from specs to schemas.

Every object is closed and lists its members in the order written. No reference is emitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.arguments.shapes import Kind, Member, Shape
from runner.catalog.expressions import ABSENT
from runner.catalog.schema import Parameter
from runner.codec.json import MAX_SAFE_INTEGER
from runner.codec.values import Decimals
from runner.compile.schemas.constants import common_word
from runner.compile.schemas.drafts import (
    Draft,
    apply_default,
    apply_enum,
    apply_keywords,
    apply_null,
)
from runner.compile.schemas.type_words import (
    ALIASES,
    FORMAT_WORDS,
    TYPE_WORDS,
    Fragment,
    TypeForm,
    output_fragment,
    parse_type,
)
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.config.spec.inputs import ParameterSpec
from runner.diagnostics import did_you_mean

_CHOOSE_RULE = "it stands alone, on a parameter of type string or string[]"
_ENUM_FROM_RULE = (
    "it stands alone, on a parameter of type string, integer, uuid or date, or of a list of them"
)
_DRAWN = frozenset({"string", "integer", "uuid", "date"})
_OUTPUT_KINDS: Mapping[str, Kind] = {"bytes": "string", "timestamp": "string", "json": "any"}


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where the specs stand: what is admitted there."""

    is_output: bool = False
    strict: bool = True
    decimals: Decimals = "text"
    depth: int = 0
    """0 for parameters and columns themselves, more inside them."""
    in_list: bool = False

    @property
    def words(self) -> frozenset[str]:
        """The type words."""
        return frozenset(TYPE_WORDS) | (frozenset(_OUTPUT_KINDS) if self.is_output else frozenset())

    def inside(self, *, is_list: bool) -> "Grammar":
        """The grammar of members or elements."""
        in_list = self.in_list or is_list
        return Grammar(self.is_output, self.strict, self.decimals, self.depth + 1, in_list)

    def fragments(self, word: str) -> tuple[Fragment, Fragment]:
        """The schema of a word as listed and as checked."""
        if self.is_output:
            fragment = output_fragment(word, is_nullable=False, decimals=self.decimals)
            return fragment, fragment
        entry = TYPE_WORDS[word]
        return entry.listed, entry.checked or entry.listed

    def kind(self, word: str) -> Kind:
        """How values of a word are coerced."""
        return _OUTPUT_KINDS.get(word) or TYPE_WORDS[word].kind


@dataclass(frozen=True, slots=True)
class Members:
    """The members of one object, compiled."""

    listed: Fragment
    checked: Fragment
    shape: Shape
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    drafts: Mapping[str, Draft] = field(default_factory=dict)


def compile_members(
    specs: Mapping[str, ParameterSpec], site: Site, grammar: Grammar
) -> Members | None:
    """The object whose members `specs` describe; None where one of them has a fault."""
    drafts: dict[str, Draft] = {}
    parameters: dict[str, Parameter] = {}
    is_sound = True
    for key, spec in specs.items():
        name = key.removesuffix("?")
        draft = compile_draft(spec, site / key, grammar)
        if draft is None:
            is_sound = False
            continue
        # Names themselves, one given twice too, are judged where the file is read.
        drafts[name] = draft
        is_required = draft.default is not ABSENT or not key.endswith("?")
        parameters[name] = _parameter(name, spec, draft, required=is_required)
    if not is_sound:
        return None
    required = [n for n, p in parameters.items() if p.required and drafts[n].default is ABSENT]
    members = {name: Member(draft.shape, draft.default) for name, draft in drafts.items()}
    is_open = not grammar.strict
    return Members(
        _closed({n: d.listed for n, d in drafts.items()}, required, is_open=is_open),
        _closed({n: d.checked for n, d in drafts.items()}, required, is_open=is_open),
        Shape("object", False, members, None, is_open),
        parameters,
        drafts,
    )


def _closed(
    properties: Mapping[str, object], required: list[str], *, is_open: bool
) -> dict[str, object]:
    demanded = {"required": required} if required else {}
    return {
        "type": "object",
        "properties": dict(properties),
        **demanded,
        "additionalProperties": is_open,
    }


def _parameter(name: str, spec: ParameterSpec, draft: Draft, *, required: bool) -> Parameter:
    form = draft.form
    return Parameter(
        name,
        type=form.word if form.item is None else TypeForm(form.item.word, form.item.item).text,
        is_list=form.item is not None,
        nullable=draft.is_nullable,
        required=required,
        choose={word: sql.text for word, sql in spec.choose.items()} if spec.choose else None,
        fields=draft.fields,
    )


def compile_draft(
    spec: ParameterSpec, site: Site, grammar: Grammar, form: TypeForm | None = None
) -> Draft | None:
    """One parameter's schema; None where it has a fault. `form` is the type if `spec` has none."""
    form = _form(spec, site, form)
    if form is None or not _has_known_words(form, site, grammar):
        return None
    placed = _is_placed(spec, form, site, grammar)
    draft = _structure(spec, form, site, grammar)
    if draft is None or not placed:
        return None
    return draft if _apply(draft, spec, site) else None


def _apply(draft: Draft, spec: ParameterSpec, site: Site) -> bool:
    """Adds everything that `spec` says beside the type; False where some of it has a fault."""
    if spec.description is not None:
        draft.listed["description"] = spec.description
    if not apply_keywords(draft, spec, site):
        return False
    if spec.choose is not None:
        _apply_choose(draft, list(spec.choose))
    if spec.enum is not None and not apply_enum(draft, spec.enum, site):
        return False
    apply_null(draft)
    _apply_header(draft, spec)
    default = spec.default
    return default is None or apply_default(draft, default, site / "default")


def _form(spec: ParameterSpec, site: Site, given: TypeForm | None) -> TypeForm | None:
    """The type, said or plain from what else is said; a text's format is its type."""
    form = parse_type(spec.type) if spec.type is not None else given or _implied(spec, site)
    word = spec.keywords.get("format")
    if form is None or form.word != "string" or not isinstance(word, Scalar):
        return form
    return TypeForm(word.text, nullable=form.nullable) if word.text in FORMAT_WORDS else form


def _implied(spec: ParameterSpec, site: Site) -> TypeForm | None:
    if spec.fields is not None:
        return TypeForm("object")
    if spec.items is not None:
        element = _form(spec.items, site / "items", None)
        return TypeForm(item=element) if element is not None else None
    if spec.enum is not None:
        return TypeForm(common_word(list(spec.enum)))
    if spec.choose is not None or "format" in spec.keywords:
        return TypeForm("string")
    site.error("missing-type", "expected a type, found none", hint="add type: string")
    return None


def _has_known_words(form: TypeForm, site: Site, grammar: Grammar) -> bool:
    place = site / "type"
    if form.item is not None:
        return _has_known_words(form.item, site, grammar)
    if form.word in grammar.words:
        return True
    if form.word in ("", "array", "list"):
        place.error(
            "untyped-list",
            "expected the type of the list's elements",
            hint="write string[], integer[], object[] …",
        )
        return False
    meant = ALIASES.get(form.word.lower())
    hint = f"did you mean '{meant}'?" if meant else did_you_mean(form.word, grammar.words)
    known = ", ".join(sorted(grammar.words))
    place.error(
        "unknown-type",
        f"expected a type word, found '{form.word}'",
        details=(f"type words: {known}; T[] for a list, T|null where null is a value",),
        hint=hint,
    )
    return False


def _is_placed(spec: ParameterSpec, form: TypeForm, site: Site, grammar: Grammar) -> bool:
    """Whether each field of the grammar may stand here and fits the type."""
    nested = grammar.depth > 0 or grammar.is_output
    rules = (
        ("choose", nested or not _may_choose(spec, form), _CHOOSE_RULE),
        ("enum_from", nested or not _may_draw(spec, form), _ENUM_FROM_RULE),
        ("header", grammar.is_output or grammar.in_list, "it marks a parameter outside lists"),
        ("complete", nested, "it belongs to a parameter"),
        ("default", grammar.is_output, "a result has no defaults"),
        ("fields", _innermost(form).word != "object", f"the type is '{form.text}'"),
        ("items", form.item is None, f"the type is '{form.text}'"),
    )
    wrong = [(name, why) for name, is_wrong, why in rules if is_wrong]
    wrong = [(name, why) for name, why in wrong if name in spec.model_fields_set]
    for name, why in wrong:
        (site / name).error_at_key("misplaced-field", f"'{name}' cannot stand here", details=(why,))
    if spec.choose is not None and not spec.choose:
        (site / "choose").error("wrong-enum", "expected at least one word, found none")
        return False
    return not wrong


def _may_choose(spec: ParameterSpec, form: TypeForm) -> bool:
    element = form.item or form
    is_text = element.word == "string" and element.item is None
    return is_text and spec.enum is None and not _is_nullable(spec, form)


def _may_draw(spec: ParameterSpec, form: TypeForm) -> bool:
    element = form.item or form
    is_plain = spec.enum is None and spec.choose is None and spec.items is None
    return element.word in _DRAWN and is_plain and not _is_nullable(spec, form)


def _is_nullable(spec: ParameterSpec, form: TypeForm) -> bool:
    return spec.nullable or form.nullable


def _innermost(form: TypeForm) -> TypeForm:
    return form if form.item is None else _innermost(form.item)


def _structure(spec: ParameterSpec, form: TypeForm, site: Site, grammar: Grammar) -> Draft | None:
    is_nullable = _is_nullable(spec, form)
    if form.item is not None:
        element = _element(spec, form.item, site, grammar)
        if element is None:
            return None
        return Draft(
            form,
            "array",
            {"type": "array", "items": element.listed},
            {"type": "array", "items": element.checked},
            item=element,
            fields=element.fields,
            is_nullable=is_nullable,
        )
    if spec.fields is not None:
        inside = grammar.inside(is_list=False)
        members = compile_members(spec.fields, site / "fields", inside)
        if members is None:
            return None
        return Draft(
            form,
            "object",
            dict(members.listed),
            dict(members.checked),
            members=members.drafts,
            fields=members.parameters,
            is_nullable=is_nullable,
            drops_unknown=not grammar.strict and "additionalProperties" not in spec.keywords,
        )
    listed, checked = grammar.fragments(form.word)
    kind = grammar.kind(form.word)
    return Draft(form, kind, dict(listed), dict(checked), is_nullable=is_nullable)


def _element(spec: ParameterSpec, form: TypeForm, site: Site, grammar: Grammar) -> Draft | None:
    """The elements of a list: from `items`, or with the `fields` that stand beside the list."""
    inside = grammar.inside(is_list=True)
    if spec.items is None:
        # `fields` of `object[]` are the element's, and stand where the list does.
        bare = ParameterSpec.model_construct()
        if spec.fields is not None:
            bare = ParameterSpec.model_construct(fields=spec.fields)
        return compile_draft(bare, site, inside, form)
    if spec.fields is not None:
        (site / "fields").error_at_key("misplaced-field", "'fields' cannot stand beside 'items'")
        return None
    said = spec.items.type
    if said is not None and spec.type is not None and parse_type(said) != form:
        (site / "items" / "type").error(
            "wrong-type", f"expected '{form.text}' as in '{spec.type}', found '{said}'"
        )
        return None
    return compile_draft(spec.items, site / "items", inside, form)


def _apply_choose(draft: Draft, words: list[str]) -> None:
    target = draft.item or draft
    target.listed["enum"] = list(words)
    target.checked["enum"] = list(words)


def _apply_header(draft: Draft, spec: ParameterSpec) -> None:
    if spec.header is None:
        return
    draft.listed["x-mcp-header"] = spec.header
    if draft.kind == "integer":
        # Headers are compared as JavaScript's numbers; beyond these two integers would be one.
        for side, bound in (("minimum", -MAX_SAFE_INTEGER), ("maximum", MAX_SAFE_INTEGER)):
            draft.listed.setdefault(side, bound)
            draft.checked.setdefault(side, bound)
