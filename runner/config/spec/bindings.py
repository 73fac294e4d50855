"""`sql`, `http`, `python`, `steps`, `value`: what a tool runs."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runner.config.nodes import Scalar
from runner.config.spec.leaves import (
    CallTree,
    ExpressionText,
    Integer,
    LocatedText,
    SelectText,
    SqlText,
    TemplateText,
    Text,
    Word,
    fault,
)
from runner.config.spec.model import Section


class CheckSpec(Section):
    """A rule that a schema cannot say, with its words for the model."""

    that: ExpressionText
    """An expression; the first false one ends the call."""
    otherwise: TemplateText = Field(alias="else")
    """A template: what the model is told."""


class StatementSpec(Section):
    """One statement of a transaction."""

    run: SqlText
    """The SQL."""
    each: Text | None = None
    """A list parameter: the statement runs once per element, as `:item` and `:index`."""
    if_sent: Text | None = None
    """Runs only if this parameter was sent."""
    as_: Text | None = Field(default=None, alias="as")
    """Names the first row for later statements: `:created.id`."""
    check: tuple[CheckSpec, ...] = ()
    """Rules that see `rows`, `item` and the `as` names; a false one rolls back."""


class SqlForm(Section):
    """A tool's SQL in any of its forms; exactly one."""

    statements: tuple[StatementSpec, ...] | None = None
    """One statement or several, in one transaction."""
    file: Text | None = None
    """The path of a file with one statement."""
    parameter: Text | None = None
    """The parameter in which the client writes the statement."""


def _statement(node: object) -> object:
    return {"run": node} if isinstance(node, Scalar) else node


def _sql(node: object) -> object:
    match node:
        case list():
            return {"statements": [_statement(item) for item in node]}
        case Scalar():
            return {"statements": [{"run": node}]}
        case {"run": run, **rest}:
            # The other forms beside `run` are one fault, which the rules between fields tell.
            extra = {key: item for key, item in rest.items() if key not in ("file", "parameter")}
            return {"statements": [{"run": run, **extra}]}
        case {"statements": _}:
            raise fault(
                "wrong-type",
                "expected SQL, a list of statements, or a mapping with file, parameter or run",
                hint="write the list itself under `sql:`",
            )
        case _:
            return node


class FileSql(Section):
    """SQL in a file."""

    file: Text
    """The path."""


class ClientSql(Section):
    """SQL that the client writes."""

    parameter: Text
    """The parameter that holds it."""


Sql = Annotated[
    SqlForm,
    BeforeValidator(
        _sql,
        json_schema_input_type=SqlText
        | FileSql
        | ClientSql
        | StatementSpec
        | tuple[SqlText | StatementSpec, ...],
    ),
]

METHODS = ("get", "post", "put", "patch", "delete", "head")


class PaginateSpec(Section):
    """Fetches the pages of an API itself."""

    next: Text | None = None
    """`link` for the Link header, or a JMESPath to the next URL or cursor."""
    page: Text | None = None
    """The query parameter that counts up."""
    cursor: Text | None = None
    """The query parameter that carries the cursor which `next` finds."""
    items: SelectText | None = None
    """JMESPath to the list on a page; the whole body if it is a list."""
    max_pages: Integer = 10
    """Pages at most."""


class HttpSpec(Section):
    """A call of an HTTP API."""

    api: Text | None = None
    """A name of `apis`."""
    url: LocatedText | None = None
    """A whole URL instead; `{name}` is one encoded path segment."""
    get: LocatedText | None = None
    """The path, for GET."""
    post: LocatedText | None = None
    """The path, for POST."""
    put: LocatedText | None = None
    """The path, for PUT."""
    patch: LocatedText | None = None
    """The path, for PATCH."""
    delete: LocatedText | None = None
    """The path, for DELETE."""
    head: LocatedText | None = None
    """The path, for HEAD."""
    query: Mapping[str, CallTree] = Field(default_factory=dict)
    """Query parameters; absent ones are left out."""
    headers: Mapping[str, CallTree] = Field(default_factory=dict)
    """Request headers."""
    body: CallTree | None = None
    """A JSON body."""
    form: Mapping[str, CallTree] | None = None
    """A form body."""
    text: TemplateText | None = None
    """A text body."""
    select: SelectText | None = None
    """JMESPath: the part of the answer that counts."""
    response: Word[Literal["json", "text", "bytes"]] | None = None
    """How the body is read; by its content type unless said."""
    arrays: Word[Literal["repeat", "comma", "brackets"]] = "repeat"
    """How a list is written in the query."""
    paginate: PaginateSpec | None = None
    """Fetches all pages."""
    retries: Integer | None = None
    """Overrides the API's."""


class StepSpec(Section):
    """One step of a composition: a tool or an inline binding."""

    tool: Text | None = None
    """A tool of this file."""
    with_: Mapping[str, CallTree] = Field(default_factory=dict, alias="with")
    """Its arguments."""
    as_: Text = Field(alias="as")
    """The name of its result for later steps."""
    sql: Sql | None = None
    """Inline SQL."""
    http: HttpSpec | None = None
    """An inline HTTP call."""
    python: LocatedText | None = None
    """An inline callable."""
    value: CallTree | None = None
    """An inline value."""
    database: Text | None = None
    """The database of inline SQL."""
