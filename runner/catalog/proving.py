"""How a statement is proven on an engine: what compile asks, what an engine answers.

The `Prover` is the seam between `runner.compile.sql.prove`, which knows statements and their
shapes, and `runner.bindings.sql`, which knows engines. A prover prepares and describes; it never
runs a statement for its effects, and whatever it had to open it rolls back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from runner.catalog.sql import Bound, Column

RefusalKind = Literal[
    "syntax",
    "unknown-table",
    "unknown-column",
    "unknown-function",
    "ambiguous-column",
    "type-mismatch",
    "untyped-parameter",
    "writes",
    "permission",
    "no-database",
    "file-refused",
    "file-missing",
    "timeout",
    "other",
]
"""Why an engine refuses; `writes` where its read-only session or authorizer says so."""


@dataclass(frozen=True, slots=True)
class Description:
    """What an engine says of a statement that it accepts."""

    columns: Sequence[Column]
    """In order, duplicates kept; empty where the statement returns no rows."""
    casts: Mapping[int, str] = field(default_factory=dict)
    """Position in `parameters` → the engine's type name to cast to (`uuid`, `bigint[]`), for each
    parameter whose type it cannot infer; made from the declared type."""
    misfits: Mapping[int, str] = field(default_factory=dict)
    """Position in `parameters` → the engine's type that it takes the parameter for, where values of
    the declared type are none of it."""
    writes: bool | None = None
    """The engine's word, which wins over the parser's; None where it cannot tell by describing."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an engine says of a statement that it refuses; never the driver's own words."""

    kind: RefusalKind
    name: str | None = None
    """The table, column, function or file, or the word near which the syntax fails."""
    offset: int | None = None
    """Counted in `"".join(texts)`, the placeholders counting nothing; None where it is not told."""
    sqlstate: str | None = None
    """Or the engine's own error name (`SQLITE_ERROR`, `1064`); shown for `other`."""


class Prover(Protocol):
    """One engine with the database's schema, used by one thread at a time."""

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        """What the engine says of one shape of one statement, its effects never kept.

        The statement is `texts[0]`, placeholder, `texts[1]`, placeholder … `texts[-1]`: there is
        one text more than parameters, and the prover puts in its driver's placeholders (and
        doubles `%` where its driver wants that). A parameter that `expands` stands for one element
        of its list; its brackets are already in the texts. `parameters[i].type` is the declared
        type word, empty where nothing is declared; `is_list` without `expands` is a native array
        where the engine has them, else JSON text.

        Raises:
            StartError: the database cannot be reached.
        """
