"""What a type hint means for a parameter or a result: its schema, how its values are made.

Knows hints alone, not functions. A hint that cannot be served is a `HintFault` in our words.
"""

import re
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticUndefinedAnnotation
from pydantic.json_schema import JsonSchemaMode
from pydantic_core import PydanticSerializationError, SchemaError, to_json

from runner.catalog.content import ContentBlock
from runner.codec.json import decode, encode
from runner.codec.paths import dotted
from runner.compile.python.listing import TooLarge, schema_of
from runner.compile.python.typeddicts import RecursiveHint, readable
from runner.errors import ArgumentsError, FieldFault

Schema = dict[str, object]
_CONTENT = typing.get_args(ContentBlock)
_BASE64 = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
_REFUSALS = (
    PydanticUserError,
    PydanticUndefinedAnnotation,
    SchemaError,
    TypeError,
    ValueError,
    RecursionError,
)
"""What pydantic, or a type's own hooks for it, raise on a hint that they cannot serve."""
_AS_SENT = (str, bool, type(None), typing.Any, object)


class HintFault(Exception):  # noqa: N818 - told as a diagnostic
    """A hint that cannot be served: a stable code, `str` is the message, `hint` how to mend it."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Taken:
    """A hint of a parameter."""

    schema: Schema
    build: Callable[[object], object] | None
    """How a checked JSON value becomes what the hint says; None: it is that already.

    Raises:
        ArgumentsError: a rule that no schema can say refuses it.
    """
    default: object = ...
    """The function's default as JSON; `...` where there is none that JSON can say."""


@dataclass(frozen=True, slots=True)
class Given:
    """A hint of a result."""

    schema: Schema | None
    """None: results may be texts, content blocks or anything."""
    convert: Callable[[object], object] | None
    """How a returned value becomes plain dicts and lists; None: as any other value does."""


def taken(name: str, hint: object, default: object = ...) -> Taken:
    """What the parameter `name` with this hint takes.

    Raises:
        HintFault: no finite JSON Schema says it.
    """
    adapter = _adapter(hint)
    schema = _schema(adapter, hint, "validation")
    return Taken(schema, built(name, hint), _json_default(adapter, default))


def built(name: str, hint: object) -> Callable[[object], object] | None:
    """How a checked value of the parameter `name` is made, as `Taken.build`.

    Raises:
        HintFault: no JSON value can become what the hint says.
    """
    return None if _is_as_sent(hint) else _builder(name, _adapter(hint))


def given(hint: object, *, is_declared: bool = False) -> Given:
    """What a function with this return hint gives; no schema where the file declares one.

    Raises:
        HintFault: no finite JSON Schema says it.
    """
    while typing.get_origin(hint) in (Awaitable, Coroutine):
        hint = typing.get_args(hint)[-1]
    if _may_be_free(hint):
        return Given(None, None)
    adapter = _adapter(hint)

    def convert(value: object) -> object:
        return adapter.dump_python(value, by_alias=True, warnings=False)

    if is_declared:
        return Given(None, convert)
    return Given(_schema(adapter, hint, "serialization") or None, convert)


def _adapter(hint: object) -> TypeAdapter[object]:
    with _translating(hint):
        form = readable(hint)
        try:
            return TypeAdapter(form, config=_BASE64)  # type: ignore[arg-type]  # a form at run time
        except PydanticUserError as error:
            if error.code != "type-adapter-config-unused":
                raise
            return TypeAdapter(form)  # type: ignore[arg-type]  # the same


def _schema(adapter: TypeAdapter[object], hint: object, mode: JsonSchemaMode) -> Schema:
    with _translating(hint):
        return schema_of(adapter, mode)


@contextmanager
def _translating(hint: object) -> Iterator[None]:
    """Around pydantic, whose words are about pydantic."""
    try:
        yield
    except RecursiveHint as error:
        name = str(error).rpartition("__")[2]
        raise HintFault(
            "recursive-hint",
            f"'{name}' holds itself, so that no finite schema says it",
            "end it at a fixed depth, or declare the schema in the file",
        ) from error
    except TooLarge as error:
        raise HintFault(
            "hint-too-large",
            f"the schema of '{described(hint)}' is too large to be listed",
            "split the tool, or declare a smaller schema in the file",
        ) from error
    except _REFUSALS as error:
        if getattr(error, "code", "") in ("class-not-fully-defined", "undefined-annotation"):
            raise HintFault(
                "unresolved-hint",
                f"'{described(hint)}' names a type that is not defined at run time",
                "import it outside `if TYPE_CHECKING`",
            ) from error
        raise HintFault(
            "unsupported-hint",
            f"no JSON Schema says what '{described(hint)}' is",
            "use JSON's types, dataclasses, TypedDicts, pydantic models, enums, dates, Decimal",
        ) from error


def described(hint: object) -> str:
    """The hint as its author writes it, without the modules of its types."""
    if typing.get_origin(hint) is typing.Annotated:
        return described(typing.get_args(hint)[0])
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _builder(name: str, adapter: TypeAdapter[object]) -> Callable[[object], object]:
    def build(value: object) -> object:
        try:
            return adapter.validate_json(to_json(value, bytes_mode="base64"))
        except ValidationError as error:
            faults = [_fault(name, item["loc"], item) for item in error.errors(include_url=False)]
        raise ArgumentsError(faults)

    return build


def _fault(name: str, place: tuple[int | str, ...], item: Mapping[str, object]) -> FieldFault:
    """The author's own words where a validator speaks; pydantic's are about pydantic."""
    context = item.get("ctx")
    said = context.get("error") if isinstance(context, dict) else None
    return FieldFault(
        dotted((name, *place)), str(said) if said else "expected a value that the tool takes"
    )


def _json_default(adapter: TypeAdapter[object], default: object) -> object:
    if default is ...:
        return ...
    try:
        text = encode(adapter.dump_python(default, mode="json", by_alias=True, warnings="error"))
        adapter.validate_json(text)
    except (PydanticSerializationError, ValidationError, TypeError):
        return ...
    return decode(text)


def _is_as_sent(hint: object) -> bool:
    """A checked JSON value is already what the hint says; numbers are not (3.0 fits an int)."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return all(type(value) in (str, bool, type(None)) for value in arguments)
    if origin in (typing.Union, types.UnionType, list, dict):
        return all(_is_as_sent(item) for item in arguments)
    return hint in (*_AS_SENT, list, dict)


def _may_be_free(hint: object) -> bool:
    """A result may be a text or content blocks, which have no schema, or is said to be anything."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _may_be_free_alone(hint)
    if origin is typing.Annotated:
        return _may_be_free(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return any(_may_be_free(item) for item in arguments)
    if origin is typing.Literal:
        return any(isinstance(item, str) and not isinstance(item, Enum) for item in arguments)
    return _is_list(origin) and any(_may_hold_content(item) for item in arguments)


def _may_be_free_alone(hint: object) -> bool:
    """The same of a hint that is no combination of others."""
    if isinstance(hint, typing.NewType):
        return _may_be_free(hint.__supertype__)
    if hasattr(hint, "__value__"):
        return _may_be_free(hint.__value__)
    if not isinstance(hint, type):
        return hint is not None
    is_text = issubclass(hint, str) and not issubclass(hint, Enum)
    return is_text or hint in (*_CONTENT, object, list, tuple)


def _may_hold_content(hint: object) -> bool:
    return hint in (typing.Any, object) or any(
        item in _CONTENT for item in (hint, *typing.get_args(hint))
    )


def _is_list(origin: object) -> bool:
    return isinstance(origin, type) and issubclass(origin, Sequence | Set)
