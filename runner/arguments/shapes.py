"""The shape of arguments: what the coercion must know of a schema, and no more.

A shape is read off the same source as the schema that is listed; the schema decides what is valid,
the shape only how a value is written before it is judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from runner.catalog.expressions import ABSENT

Kind = Literal[
    "any", "string", "integer", "number", "boolean", "decimal", "int64", "object", "array"
]


@dataclass(frozen=True, slots=True)
class Shape:
    """How one value is read."""

    kind: Kind = "any"
    """`any`: taken as sent."""
    nullable: bool = True
    """Null is a value; a member that is not nullable and sent as null counts as absent."""
    members: Mapping[str, "Member"] = field(default_factory=dict)
    """Of an object; keys without a member are left to the schema."""
    item: "Shape | None" = None
    """Of a list's elements."""
    drops_unknown: bool = False
    """Keys without a member are left out instead."""


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object."""

    shape: Shape
    default: object = ABSENT
    """Taken where the key is absent; ABSENT: there is none. In its coerced form."""
