"""How the type of a field reads: `duration`, `list of text`, `name: section`.

Knows the leaf types of `runner.config.spec`; a type without a word here is an error, so that a new
one is named before it is documented.
"""

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from runner.config.spec import leaves
from runner.config.spec.model import OneOrMany, Section

MINUTE_S = 60
MEBIBYTE = 1024**2
WORDS: Sequence[tuple[object, str]] = (
    (leaves.SecretText, "text, kept secret"),
    (leaves.LocatedText, "text"),
    (leaves.SqlText, "SQL"),
    (leaves.ExpressionText, "expression"),
    (leaves.TemplateText, "template"),
    (leaves.SelectText, "JMESPath"),
    (leaves.ValueTree, "any value"),
    (leaves.CallTree, "tree"),
    (leaves.Text, "text"),
    (leaves.Flag, "true or false"),
    (leaves.Integer, "integer"),
    (leaves.Number, "number"),
    (leaves.Duration, "duration"),
    (leaves.Size, "size"),
)
"""Leaf type → its word. Types that read alike are told apart by their validators."""


def written_forms(hint: object) -> Sequence[object]:
    """What an author may write for a field of this type: short forms and sections, nulls left out.

    A field that reads several forms says them by its validator; the section that they become is
    not one of them.
    """
    if _word(hint) is not None or _choice(hint) is not None or _item_of_list(hint) is not None:
        return (hint,)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kept = [item for item in arguments if item is not type(None)]
        return [form for item in kept for form in written_forms(item)]
    if origin is Annotated:
        validators = [item for item in arguments[1:] if isinstance(item, BeforeValidator)]
        shown = validators[0].json_schema_input_type if validators else arguments[0]
        return written_forms(shown)
    return (hint,)


def sections_of(hint: object) -> Sequence[tuple[str, type[Section]]]:
    """The sections below a field: the steps of the path to each, and its model."""
    found: list[tuple[str, type[Section]]] = []
    for form in written_forms(hint):
        if isinstance(form, type) and issubclass(form, Section):
            found.append(("", form))
            continue
        below = _item_of_list(form)
        if below is None:
            below = _value_of_mapping(form)
        if below is not None:
            found += [(f".*{steps}", model) for steps, model in sections_of(below)]
    return found


def in_words(hint: object) -> str:
    """The type of a field as a reader says it."""
    return " or ".join(dict.fromkeys(_in_words(form) for form in written_forms(hint)))


def _in_words(form: object) -> str:
    choice, item, value = _choice(form), _item_of_list(form), _value_of_mapping(form)
    if choice is not None:
        return " or ".join(f"`{word}`" for word in choice)
    if item is not None:
        return f"list of {in_words(item)}" + (", or one" if _may_stand_alone(form) else "")
    if value is not None:
        return f"name: {in_words(value)}"
    if isinstance(form, type) and issubclass(form, Section):
        return "section"
    word = _word(form)
    if word is None:
        raise LookupError(f"no word says what {form!r} is")
    return word


def _word(hint: object) -> str | None:
    return next((word for leaf, word in WORDS if leaf == hint), None)


def _choice(hint: object) -> Sequence[str] | None:
    """The words of a `Word`."""
    if typing.get_origin(hint) is not Annotated:
        return None
    words, *extras = typing.get_args(hint)
    is_choice = any(isinstance(item, leaves.OneOf) for item in extras)
    return typing.get_args(words) if is_choice else None


def _item_of_list(hint: object) -> object | None:
    inner: object = typing.get_args(hint)[0] if _may_stand_alone(hint) else hint
    if typing.get_origin(inner) is not tuple:
        return None
    item: object = typing.get_args(inner)[0]
    return item


def _may_stand_alone(hint: object) -> bool:
    """A list that may be written as its one item."""
    if typing.get_origin(hint) is not Annotated:
        return False
    return any(isinstance(item, OneOrMany) for item in typing.get_args(hint))


def _value_of_mapping(hint: object) -> object | None:
    origin = typing.get_origin(hint)
    if not (isinstance(origin, type) and issubclass(origin, Mapping)):
        return None
    value: object = typing.get_args(hint)[1]
    return value


def default_in_words(field: FieldInfo, hint: object) -> str:
    """The default of a field: empty where leaving it out says nothing."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case None | () | Section() | Mapping():
            return ""
        case _:
            return f"`{_amount(value, _word(hint))}`"


def _amount(value: object, word: str | None) -> str:
    """Durations and sizes with their units."""
    match value:
        case float() if word == "duration":
            return f"{value / MINUTE_S:g}m" if value % MINUTE_S == 0 else f"{value:g}s"
        case int() if word == "size" and value % MEBIBYTE == 0:
            return f"{value // MEBIBYTE}MiB"
        case _:
            return str(value)
