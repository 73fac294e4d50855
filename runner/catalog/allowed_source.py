"""Where allowed values come from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.catalog.allowed import Values
from runner.catalog.tool import Tool


@dataclass(frozen=True, slots=True)
class AllowedSource:
    """Where the values come from."""

    tool: Tool
    """Hidden: a query of one column, without parameters."""
    refresh_s: float
    """How old they may become."""
    read: Callable[[Sequence[object]], Values]
    """The column as values.

    Raises:
        ValueError: one is not of the parameter's type, or there are too many.
    """
