"""From what a function returned to an outcome: a text, content blocks, or a JSON value."""

import typing
from collections.abc import Sequence
from enum import Enum

from pydantic import TypeAdapter

from runner.catalog.call import Outcome
from runner.catalog.content import ContentBlock, TextContent
from runner.catalog.plans import PythonPlan
from runner.codec.values import UnknownTypeError, plain
from runner.errors import BindingError, Kind

_BLOCKS: tuple[type[ContentBlock], ...] = typing.get_args(ContentBlock)
_ANYTHING: TypeAdapter[object] = TypeAdapter(typing.Any)


def outcome_of(value: object, plan: PythonPlan) -> Outcome:
    """The outcome for a returned value; a `str` is a text unless an output schema is listed.

    Raises:
        BindingError: a value has no JSON form; the reason names its type.
        TypeError: blocks stand beside something that is none.
    """
    blocks = _content(value, is_text_too=not plan.text_is_structured)
    if blocks is None:
        convert = plan.returns or _converted
        return Outcome(_plain(convert(value)))
    if plan.text_is_structured:
        raise TypeError("content blocks were returned where an output schema is listed")
    return Outcome(content=blocks, is_structured=False)


def _plain(value: object) -> object:
    try:
        return plain(value)
    except UnknownTypeError as error:
        message = "the tool returned something that has no JSON form"
        raise BindingError(Kind.REDACTED, message, reason=str(error)) from error


def _converted(value: object) -> object:
    """The value with models and dataclasses, however deep, as dicts."""
    return _ANYTHING.dump_python(value, by_alias=True, warnings=False)


def _content(value: object, *, is_text_too: bool) -> Sequence[ContentBlock] | None:
    if isinstance(value, str) and not isinstance(value, Enum):
        return [_text(value)] if is_text_too else None
    if isinstance(value, _BLOCKS):
        return [value]
    if not isinstance(value, list | tuple) or not any(isinstance(item, _BLOCKS) for item in value):
        return None
    return [_block(item) for item in value]


def _block(item: object) -> ContentBlock:
    if isinstance(item, _BLOCKS):
        return item
    if isinstance(item, str):
        return _text(item)
    raise TypeError(f"a content block stands beside a {type(item).__name__}")


def _text(text: str) -> TextContent:
    return TextContent(str(plain(text)))
