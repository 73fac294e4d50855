"""What goes in and what comes out: schemas as listed, with their compiled checks.

`runner.compile.schemas` makes them; no schema is compiled per request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from runner.catalog.allowed import Allowed

JsonSchema = Mapping[str, object]
"""A JSON Schema 2020-12 as it is listed."""
Arguments = dict[str, object]
"""Checked values by parameter: absent ones are absent, numbers are numbers (`decimal` a Decimal,
`int64` an int), formats (`uuid`, `date` …) stay texts."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool, as the bindings need to know it."""

    name: str
    type: str
    """The type word of the value or, for a list, of its elements: `string`, `uuid`, `object` …"""
    is_list: bool = False
    nullable: bool = False
    required: bool = True
    """Always has a value once checked: required, or with a default."""
    choose: Mapping[str, str] | None = None
    """Word → SQL text."""
    fields: Mapping[str, "Parameter"] | None = None
    """Members of an object (or of a list's objects)."""
    hidden: bool = False
    """A `bind`: never sent by the client."""


@dataclass(frozen=True, slots=True)
class HeaderParameter:
    """A parameter that clients repeat as the header `Mcp-Param-<name>`."""

    name: str
    path: tuple[str, ...]
    """Where the value stands in the arguments."""
    type: str
    """`string`, `integer` or `boolean`."""


@dataclass(frozen=True, slots=True)
class InputSchema:
    """The parameters of a tool."""

    listed: JsonSchema
    check: Callable[[Mapping[str, object]], Arguments]
    """The arguments coerced, with defaults, checked; does not change what was sent.

    Raises:
        ArgumentsError: naming every failing field.
    """
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """By name, without the hidden ones."""
    headers: tuple[HeaderParameter, ...] = ()
    allowed: Mapping[str, Allowed] = field(default_factory=dict)
    """The parameters whose values a query gives."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first place at which a result does not fit its schema."""

    place: str = ""
    """`rows[3].price`; empty for the whole."""
    is_null: bool = False


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The structured result of a tool."""

    listed: JsonSchema
    is_valid: Callable[[object], bool]
    is_declared: bool
    """Declared ones, in the file or by a return hint, are checked before each result is sent.

    Those that an engine derived are checked in tests.
    """
    misfit: Callable[[object], "Misfit"] = lambda _value: Misfit()
    """Where a value does not fit, which it must not."""
