"""`input`: the grammar of a tool's parameters (also of `fields`, `items` and `result.columns`)."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict

from runner.config.nodes import Scalar
from runner.config.spec.leaves import (
    Duration,
    Flag,
    LocatedText,
    Seconds,
    SqlText,
    Text,
    ValueTree,
    fault,
    in_words,
)
from runner.config.spec.model import ListOf, Section
from runner.config.spec.server import FileText


class CompleteSpec(Section):
    """Where suggestions for a value come from."""

    values: ListOf[Text] | None = None
    """A fixed list."""
    sql: SqlText | None = None
    """A query of one column; `:value` is what was typed."""
    database: Text | None = None
    """Its database."""
    python: LocatedText | None = None
    """A callable, `package.module:name`; it is called with `value`."""


class EnumFromSpec(Section):
    """The query that gives the allowed values of a parameter."""

    sql: SqlText
    """A query of one column, without parameters; the same for every caller."""
    database: Text | None = None
    """Its database; else the tool's."""
    refresh: Duration = Seconds(60.0)
    """How old the values may become before they are read again."""


def _choices(node: object) -> object:
    if isinstance(node, list) and all(isinstance(item, Scalar) for item in node):
        return {item.text: item for item in node}
    return node


def _complete(node: object) -> object:
    return {"values": node} if isinstance(node, list) else node


CompleteForm = Annotated[
    CompleteSpec,
    BeforeValidator(_complete, json_schema_input_type=tuple[Text, ...] | CompleteSpec),
]
_Choices = Mapping[str, SqlText] | tuple[SqlText, ...]


class ParameterSpec(Section):
    """One parameter: its type word, its limits, its default.

    Any other JSON Schema 2020-12 keyword may stand beside these; see `keywords`.
    """

    model_config = ConfigDict(**{**Section.model_config, "extra": "allow"})

    type: Text | None = None
    """A type word: `string`, `integer`, `uuid`, `string[]`, `date|null` …"""
    enum: tuple[ValueTree, ...] | None = None
    """The values allowed."""
    enum_from: EnumFromSpec | None = None
    """The values allowed, read from a database while the server runs."""
    default: ValueTree | None = None
    """Used when the parameter is not sent."""
    description: Text | None = None
    """Tells the model what to send."""
    nullable: Flag = False
    """Null is a value of its own."""
    header: Text | None = None
    """Sent by clients as the header `Mcp-Param-<this>` too."""
    choose: (
        Annotated[Mapping[str, SqlText], BeforeValidator(_choices, json_schema_input_type=_Choices)]
        | None
    ) = None
    """SQL: word → SQL text, used as `{name}`; in a list each word is its own text."""
    fields: Mapping[str, "ParameterForm"] | None = None
    """The members of an object, in this same grammar."""
    items: "ParameterForm | None" = None
    """The elements of a list."""
    complete: CompleteForm | None = None
    """Variables of a resource's URI: where suggestions come from."""

    @property
    def keywords(self) -> Mapping[str, Any]:
        """Every other key, as written (trees of `Scalar`); JSON Schema 2020-12 keywords."""
        return self.__pydantic_extra__ or {}

    @property
    def has_default(self) -> bool:
        """A default is given; it may be null."""
        return "default" in self.model_fields_set


def _parameter(node: object) -> object:
    match node:
        case Scalar():
            return {"type": node}
        case list():
            return {"enum": node}
        case dict():
            return node
        case _:
            raise fault(
                "wrong-type",
                f"expected a type word, a list of values or a mapping, found {in_words(node)}",
            )


ParameterForm = Annotated[
    ParameterSpec,
    BeforeValidator(
        _parameter, json_schema_input_type=Text | tuple[ValueTree, ...] | ParameterSpec
    ),
]
Parameters = Mapping[str, ParameterForm]
"""By name as written: a name that ends in `?` is optional."""


class SchemaFile(FileText):
    """A JSON Schema in a file."""


def _schema(node: object) -> object:
    if isinstance(node, dict) and set(node) == {"file"} and isinstance(node["file"], Scalar):
        return node
    return {"inline": node}


class WholeSchema(Section):
    """A whole JSON Schema 2020-12, listed untouched; inline or in a file."""

    file: Text | None = None
    """Path of a JSON or YAML file."""
    inline: ValueTree | None = None
    """The schema itself."""


WholeSchemaForm = Annotated[
    WholeSchema, BeforeValidator(_schema, json_schema_input_type=dict[str, ValueTree])
]

ParameterSpec.model_rebuild()
CompleteSpec.model_rebuild()
