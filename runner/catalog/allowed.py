"""The allowed values of a parameter that come from a query: `enum_from`.

They are data, not part of the file: they are read while the server runs, listed as `enum`, and read
again as they grow old. So a tool is compiled without them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from runner.errors import FieldFault

MAX_ALLOWED: Final = 1000
"""Values of one parameter; a longer list is no help to a model, and makes every listing long."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one source as they were read last."""

    ordered: Sequence[str | int]
    """In the order of the query, each once."""
    known: frozenset[str | int]
    """The same, as they are compared."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """How one parameter is held to its values."""

    source: str
    """The name in the catalog's `sources`."""
    is_list: bool
    """The elements are held to them."""
    faults: Callable[[object, Values], Sequence[FieldFault]]
    """What is wrong with the checked value."""
