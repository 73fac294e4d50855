"""What a SQL tool runs: statements in parts, so that no caller's value is ever part of a text.

A statement is a list of parts: text of the author, values bound by the driver (`Bound`), words
chosen from a closed map (`Chosen`) and parts that vanish (`OptionalPart`). Which parts are there
and which words were chosen is the statement's *shape*; a shape has one text, made once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.catalog.expressions import Check
from runner.catalog.schema import Parameter
from runner.codec.values import Decimals

Shape = Literal["rows", "row", "value", "column", "affected"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A `:name` or `:name.path` of the statement, bound by the driver."""

    path: tuple[str, ...]
    """`("owner",)`, `("item", "text")`, `("cursor", "id")`; `("created", "id")` of an `as` name."""
    type: str = ""
    """The declared type word; empty where nothing is declared (an `as` name's column)."""
    is_list: bool = False
    """A list parameter."""
    expands: bool = False
    """Stands in `IN :ids`; no element matches nothing, and with `NOT IN` everything."""
    is_limit: bool = False
    """Limits the rows: one more is bound, so that `truncated` and `next` are true."""
    offset: int = 0
    """Where it stands in the author's statement, for diagnostics."""
    in_brackets: bool = False
    """One that `expands` and stands in the author's own brackets: `IN (:ids)`; else the renderer
    writes them."""
    cast: str = ""
    """The engine's type name that it is cast to, where proving found that the engine cannot infer
    one: `uuid`, `bigint[]`."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A `{name}`: the text of the word that was sent; a list's texts are joined with commas."""

    parameter: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """A `[[ … ]]`: vanishes when one of its parameters is absent; null is not absent."""

    parts: Sequence["str | Bound | Chosen"]
    parameters: Sequence[str]
    """Of every `:name`, `:name.path` (its first word) and `{name}` inside."""


Part = str | Bound | Chosen | OptionalPart


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a tool's transaction."""

    parts: Sequence[Part]
    returns_rows: bool
    """A query, or it has RETURNING."""
    writes: bool
    """Its root is no query, or a query whose WITH writes."""
    each: str | None = None
    """A list parameter: once per element."""
    if_sent: str | None = None
    as_name: str | None = None
    checks: Sequence[Check] = ()
    limit: Bound | int | None = None
    """The LIMIT that stands last and decides how many rows come."""
    runs_at: int | None = None
    """Where the statement that an explanation runs begins, in the text of the first part."""


@dataclass(frozen=True, slots=True)
class Page:
    """Paging: the `size` parameter limits the rows, the sealed cursor names where to go on."""

    size: str
    key: Sequence[str]
    """Columns of ORDER BY, bound as `:cursor.<column>`; empty: the cursor holds `:offset`."""


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """What the author says of the columns."""

    json: frozenset[str] = frozenset()
    """Text columns that hold JSON."""
    types: Mapping[str, Parameter] = field(default_factory=dict)
    """Declared columns."""
    decimals: Decimals = "text"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the result, as the engine that proved the statement describes it."""

    name: str
    type: str = ""
    """A type word (`string`, `uuid`, `integer[]` …), empty where the engine tells none."""
    nullable: bool = True
    holds_nulls: bool = False
    """The engine says that it comes from a column that may hold null; False where it tells
    nothing."""


@dataclass(frozen=True, slots=True)
class SqlPlan:
    """The statements of a tool and how to read their result."""

    database: str
    dialect: str
    """SQLAlchemy's name of the backend; decides placeholders and casts."""
    statements: Sequence[Statement]
    result: int | None
    """Which statement gives the result; None: none (`affected` counts the last that writes)."""
    shape: Shape
    writes: bool
    """The tool may write: `writes: true` or `destructive`."""
    max_rows: int
    max_bytes: int
    parameters: Mapping[str, Parameter]
    """All that a statement may bind, hidden ones included."""
    columns: ResultColumns = field(default_factory=ResultColumns)
    page: Page | None = None
    client_parameter: str | None = None
    """The parameter in which the client writes one read-only statement; no `statements` then."""
    read_client: "Callable[[str], Statement] | None" = None
    """For `client_parameter`: the client's text as a statement of one text part.

    Raises:
        BindingError: `read_only` where it is no query, `invalid` where it is no single statement.
    """
    uses_scope: bool = False
    """A check needs a scope."""
    described: Sequence[Column] | None = None
    """The columns of the result, proven; None where nothing proved them."""
