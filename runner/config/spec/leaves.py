"""The leaf types of the file: how one scalar becomes a text, a number, a duration, a secret.

A leaf takes a `Scalar` (text with a position) and refuses anything else in our own words.
`${NAME}` is replaced here, so that the field decides the type of what comes in; leaves that hold
SQL, expressions or templates refuse it. The environment comes in as pydantic's validation context
(an `Interpolation`), never from a global.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NewType, Protocol, TypeVar, get_args

from pydantic import (
    BeforeValidator,
    GetCoreSchemaHandler,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError
from typing_extensions import TypeAliasType

from runner.config.nodes import Mapping_, Node, PlainValue, Scalar, Sequence
from runner.diagnostics import Diagnostic
from runner.secret import Secret

Seconds = NewType("Seconds", float)
Tree = TypeAliasType("Tree", "dict[str, Tree] | list[Tree] | Scalar")
"""A free value of the file; its leaves keep their places for the compiler."""

_FLAGS = ("true", "false")
_FROM_ENVIRONMENT: dict[str, Any] = {"type": "string", "pattern": r"\$\{"}
# `${{ total }}` is a dollar before a template's value.
_REFERENCE = re.compile(r"(?<!\$)\$\{(?!\{)")
_CALL_REFERENCE = re.compile(r"\$\$?[A-Za-z_]")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)\Z")
_SIZE = re.compile(r"(\d+)(B|KiB|MiB|GiB)?\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {None: 1, "B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


class Interpolation(Protocol):
    """Replaces `${NAME}`, `${NAME:-default}`, `${file:path}` and unescapes `$${`."""

    def __call__(self, scalar: Scalar) -> Scalar:
        """The scalar with every reference replaced; itself where there is none.

        Raises:
            PydanticCustomError: `missing-variable` or `unreadable-file`, naming each one.
        """


def fault(code: str, message: str, **context: Any) -> PydanticCustomError:
    """The one way in which a leaf refuses: a code of the table and a finished message.

    Braces in `message` are safe; `hint`, `details` and `position` of the context reach the
    diagnostic, and `several` holds faults that were found together.
    """
    return PydanticCustomError(code, "{text}", {"text": message, **context})


def tree_of(node: Node) -> Tree:
    """The node as dicts, lists and scalars: what the models read."""
    match node:
        case Mapping_(entries):
            return {key: tree_of(entry.value) for key, entry in entries.items()}
        case Sequence(items):
            return [tree_of(item) for item in items]
        case Scalar():
            return node


def in_words(node: object) -> str:
    """What a node is, in a reader's words: `a list`, `a mapping`, `true`, `'ten'`, `nothing`."""
    match node:
        case Scalar(interpolated=True):
            return "another text, which a reference brought in"  # it may be a secret
        case Scalar():
            return _written(node)
        case Mapping():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(node)


def _written(scalar: Scalar) -> str:
    match scalar.value:
        case None:
            return "nothing"
        case bool() as flag:
            return str(flag).lower()
        case str():
            return f"'{scalar.text}'"
        case _:
            return scalar.text


def plain_value(scalar: Scalar) -> PlainValue:
    """The scalar's value where a number or a boolean may stand, from the environment too."""
    if scalar.interpolated:
        return Scalar(scalar.text, scalar.position, plain=True).value
    return scalar.value


def _scalar(node: object, expected: str) -> Scalar:
    if not isinstance(node, Scalar):
        raise fault("wrong-type", f"expected {expected}, found {in_words(node)}")
    return node


def _filled(node: object, expected: str, info: ValidationInfo) -> Scalar:
    scalar = _scalar(node, expected)
    interpolate: Interpolation | None = info.context
    return scalar if interpolate is None else interpolate(scalar)


def _text(node: object, info: ValidationInfo) -> str:
    scalar = _filled(node, "text", info)
    if scalar.plain and not scalar.interpolated and scalar.value is None:
        raise fault(
            "wrong-type",
            "expected text, found nothing",
            hint="quote it: a plain comma, ' #' or ':' may have cut it",
        )
    if scalar.plain and isinstance(scalar.value, bool):
        raise fault(
            "wrong-type", f"expected text, found {scalar.text}", hint=f'quote it: "{scalar.text}"'
        )
    return scalar.text


def _flag(node: object, info: ValidationInfo) -> bool:
    scalar = _filled(node, "true or false", info)
    if isinstance(scalar.value, bool):
        return scalar.value
    if scalar.interpolated and scalar.text in _FLAGS:
        return scalar.text == "true"
    hint = "remove the quotes" if scalar.text in _FLAGS else None
    raise fault("wrong-type", f"expected true or false, found {in_words(scalar)}", hint=hint)


def _integer(node: object, info: ValidationInfo) -> int:
    scalar = _filled(node, "an integer", info)
    value = plain_value(scalar)
    if isinstance(value, bool) or not isinstance(value, int):
        raise fault("wrong-type", f"expected an integer, found {in_words(scalar)}")
    return value


def _number(node: object, info: ValidationInfo) -> float:
    scalar = _filled(node, "a number", info)
    value = plain_value(scalar)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise fault("wrong-type", f"expected a number, found {in_words(scalar)}")
    return value


def _duration(node: object, info: ValidationInfo) -> Seconds:
    scalar = _filled(node, "a duration", info)
    found = _DURATION.match(scalar.text)
    if not found:
        raise fault(
            "wrong-type",
            f"expected a duration such as 500ms, 10s or 5m, found {in_words(scalar)}",
            hint="add the unit" if scalar.text.isdecimal() else None,
        )
    return Seconds(float(found[1]) * _SECONDS[found[2]])


def _size(node: object, info: ValidationInfo) -> int:
    scalar = _filled(node, "a size", info)
    found = _SIZE.match(scalar.text)
    if not found:
        raise fault(
            "wrong-type", f"expected a size such as 64KiB or 1MiB, found {in_words(scalar)}"
        )
    return int(found[1]) * _BYTES[found[2]]


def _secret(node: object, info: ValidationInfo) -> Secret:
    return Secret(_text(node, info))


def _located(node: object, info: ValidationInfo) -> Scalar:
    _text(node, info)
    return _filled(node, "text", info)


def refused_reference(scalar: Scalar, what: str) -> Diagnostic | None:
    """The fault of a text (`what`: SQL, a template) that asks for something from outside."""
    found = _REFERENCE.search(scalar.text)
    if found is None:
        return None
    message = f"${{…}} is not replaced inside {what}"
    hint = "put it under `vars:` and use vars.NAME, or bind it as a parameter"
    return Diagnostic(scalar.at(found.start()), "interpolation-refused", message, (), hint)


def _code(what: str) -> Callable[[object], Scalar]:
    def check(node: object) -> Scalar:
        scalar = _scalar(node, what)
        refused = refused_reference(scalar, what)
        if refused is not None:
            raise fault(refused.code, refused.message, hint=refused.hint, position=refused.position)
        return scalar

    return check


def _tree(node: object, info: ValidationInfo) -> Tree:
    return _whole_tree(node, lambda scalar: _filled(scalar, "a value", info))


def _code_tree(node: object, info: ValidationInfo) -> Tree:
    def leaf(scalar: Scalar) -> Scalar:
        if "{{" in scalar.text:
            return _code("a template")(scalar)
        is_reference = _CALL_REFERENCE.match(scalar.text) and "${" not in scalar.text
        return scalar if is_reference else _filled(scalar, "a value", info)

    return _whole_tree(node, leaf)


def _whole_tree(node: object, leaf: Callable[[Scalar], Scalar]) -> Tree:
    """The tree with `leaf` applied to each scalar; its faults are raised together."""
    faults: list[PydanticCustomError] = []

    def walk(part: object) -> Tree:
        match part:
            case Scalar():
                try:
                    return leaf(part)
                except PydanticCustomError as error:
                    faults.append(error)
                    return part
            case dict():
                return {key: walk(item) for key, item in part.items()}
            case list():
                return [walk(item) for item in part]
            case _:
                raise fault("wrong-type", f"expected a value, found {in_words(part)}")

    tree = walk(node)
    if faults:
        raise fault("several", "", several=faults)
    return tree


class OneOf:
    """Reads a scalar as one of the words of a `Literal`; others are `unknown-word`, with a hint."""

    def __init__(self, *, beside: str = "") -> None:
        """`beside` is another form that may stand in place of a word."""
        self._beside = beside

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        words: tuple[str, ...] = get_args(source)
        allowed: list[object] = [*words, *(word == "true" for word in words if word in _FLAGS)]
        listed = WithJsonSchema({"anyOf": [{"enum": allowed}, _FROM_ENVIRONMENT]})
        check = _one_of(words, self._beside)
        reader = BeforeValidator(check, json_schema_input_type=Annotated[object, listed])
        return reader.__get_pydantic_core_schema__(source, handler)


def _one_of(words: tuple[str, ...], beside: str) -> Callable[[object, ValidationInfo], str]:
    expected = f"one of {', '.join(words)}" + (f" or {beside}" if beside else "")

    def check(node: object, info: ValidationInfo) -> str:
        scalar = _filled(node, expected, info)
        if scalar.text not in words:
            raise fault(
                "unknown-word",
                f"expected {expected}, found {in_words(scalar)}",
                word=scalar.text,
                known=words,
            )
        return scalar.text

    return check


W = TypeVar("W", bound=str)
Word = Annotated[W, OneOf()]
"""`Word[Literal["a", "b"]]`: one of the words."""
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": ["string", "number"]})]
Flag = Annotated[
    bool,
    BeforeValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, _FROM_ENVIRONMENT]}),
]
Integer = Annotated[
    int,
    BeforeValidator(_integer),
    WithJsonSchema({"anyOf": [{"type": "integer"}, _FROM_ENVIRONMENT]}),
]
Number = Annotated[
    float,
    BeforeValidator(_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, _FROM_ENVIRONMENT]}),
]
Duration = Annotated[
    Seconds,
    PlainValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": r"^(\d+(\.\d+)?(ms|s|m|h|d)|.*\$\{.*)$"}),
]
Size = Annotated[
    int,
    BeforeValidator(_size),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer"},
                {"type": "string", "pattern": r"^(\d+(B|KiB|MiB|GiB)?|.*\$\{.*)$"},
            ]
        }
    ),
]
SecretText = Annotated[
    Secret, PlainValidator(_secret), WithJsonSchema({"type": ["string", "number"]})
]
LocatedText = Annotated[
    Scalar, PlainValidator(_located), WithJsonSchema({"type": ["string", "number"]})
]
"""Text that needs its place later: a module path, a URL template."""
SqlText = Annotated[Scalar, PlainValidator(_code("SQL")), WithJsonSchema({"type": "string"})]
ExpressionText = Annotated[
    Scalar,
    PlainValidator(_code("an expression")),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]
TemplateText = Annotated[
    Scalar, PlainValidator(_code("a template")), WithJsonSchema({"type": ["string", "number"]})
]
SelectText = Annotated[
    Scalar, PlainValidator(_code("a JMESPath expression")), WithJsonSchema({"type": "string"})
]
ValueTree = Annotated[Tree, PlainValidator(_tree), WithJsonSchema({})]
"""A constant: `${NAME}` is replaced."""
CallTree = Annotated[Tree, PlainValidator(_code_tree), WithJsonSchema({})]
"""A tree of the call: `$name` references, `{{ }}` text (where `${NAME}` is refused), constants."""
