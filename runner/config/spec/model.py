"""The base of every section of the file: frozen, closed, documented by its attribute docstrings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

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


def listed(node: object) -> object:
    """A validator that reads one item as the list of that item."""
    return [node] if node is not None and not isinstance(node, list) else node


def ListOf(item: Any) -> Any:  # noqa: N802 - stands where a type stands
    """A list of `item`, or one `item` alone."""
    return Annotated[
        tuple[item, ...], BeforeValidator(listed, json_schema_input_type=item | Sequence[item])
    ]


__all__ = ["ListOf", "Mapping", "Section", "listed", "short"]
