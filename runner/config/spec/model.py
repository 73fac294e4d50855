"""The base of every section of the file: frozen, closed, documented by its attribute docstrings."""

from collections.abc import Callable
from typing import Annotated, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from runner.config.nodes import Scalar


class Section(BaseModel):
    """A mapping of the file whose keys are known; an unknown key is a fault."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        serialize_by_alias=True,
        defer_build=True,
    )


def short(key: str, kind: type = Scalar) -> Callable[[object], object]:
    """A validator that reads the short form of a section: `text` as `{key: text}`."""

    def expand(node: object) -> object:
        return {key: node} if isinstance(node, kind) else node

    return expand


class OneOrMany:
    """Reads one item as the list of that item."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[object, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        item = get_args(source)[0]
        reader = BeforeValidator(_listed, json_schema_input_type=item | source)
        return reader.__get_pydantic_core_schema__(source, handler)


def _listed(node: object) -> object:
    return [node] if node is not None and not isinstance(node, list) else node


T = TypeVar("T")
ListOf = Annotated[tuple[T, ...], OneOrMany()]
"""A list of items, or one item alone."""
