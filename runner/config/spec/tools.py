"""`tools`: one entry a tool; its input, its binding, its result, its words."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runner.config.spec.bindings import CheckSpec, HttpSpec, Sql, StepSpec
from runner.config.spec.inputs import Parameters, WholeSchemaForm
from runner.config.spec.leaves import (
    CallTree,
    Duration,
    ExpressionText,
    Flag,
    Integer,
    LocatedText,
    OneOf,
    Size,
    TemplateText,
    Text,
    ValueTree,
    Word,
)  # fmt: skip
from runner.config.spec.model import ListOf, Section, short
from runner.config.spec.server import IconSpec

Writes = Literal["false", "true", "destructive"]
"""What a tool may do to what it reaches: only read it, change it, or destroy."""


class AccessSpec(Section):
    """Who may see and use it."""

    public: Flag = False
    """Anonymous callers too."""
    scopes: ListOf[Text] = ()
    """Scopes that the caller's token needs."""
    when: ExpressionText | None = None
    """An expression; false hides it."""


class PageSpec(Section):
    """Paging through a result."""

    size: Text
    """The parameter that limits the rows."""
    key: ListOf[Text] = ()
    """The columns of ORDER BY that the cursor holds; without it the cursor holds an offset."""


class TextSpec(Section):
    """How the text block of a result is written; exactly one."""

    format: Annotated[Literal["json", "csv", "markdown"], OneOf(beside="{template: …}")] | None = (
        None
    )
    """A ready format."""
    template: TemplateText | None = None
    """Jinja2; sees `result`, the structured result."""


class ResultSpec(Section):
    """The shape of a result, its limits, its text."""

    shape: Word[Literal["rows", "row", "value", "column", "affected"]] | None = None
    """What a result is; `rows` unless said (`value` for HTTP and Python)."""
    max_rows: Integer | None = None
    """Rows at most."""
    max_bytes: Size | None = None
    """Bytes at most."""
    text: (
        Annotated[
            TextSpec, BeforeValidator(short("format"), json_schema_input_type=Text | TextSpec)
        ]
        | None
    ) = None
    """How the text block is written: `json` (default), `csv`, `markdown` or `{template: …}`."""
    json_columns: ListOf[Text] = Field(default=(), alias="json")
    """Text columns that hold JSON."""
    columns: Parameters | None = None
    """The output, declared."""
    schema_: WholeSchemaForm | None = Field(default=None, alias="schema")
    """The output as a whole JSON Schema."""
    decimals: Word[Literal["text", "number"]] = "text"
    """How decimals are written."""
    page: PageSpec | None = None
    """Paging."""


class ShowSpec(Section):
    """What a confirmation shows besides its text."""

    tool: Text
    """A read tool."""
    with_: Mapping[str, CallTree] = Field(default_factory=dict, alias="with")
    """Its arguments."""


class ConfirmSpec(Section):
    """Asks before the call."""

    text: TemplateText
    """The question."""
    show: ShowSpec | None = None
    """What a read tool returns is shown too."""
    fallback: Word[Literal["refuse", "allow"]] = "refuse"
    """For clients that cannot ask."""


class UiSpec(Section):
    """The view of a tool."""

    view: Text | None = None
    """A folder of `apps`."""
    table: Mapping[str, ValueTree] | None = None
    """A ready-made table."""
    chart: Mapping[str, ValueTree] | None = None
    """A ready-made chart."""
    form: Mapping[str, ValueTree] | None = None
    """A ready-made form."""
    detail: Mapping[str, ValueTree] | None = None
    """A ready-made detail page."""
    map: Mapping[str, ValueTree] | None = None
    """A ready-made map."""
    visibility: ListOf[Text] = ()
    """`model`, `app`."""
    data: Text | None = None
    """JMESPath: what the view gets."""
    invoking: Text | None = None
    """Shown while it runs."""
    invoked: Text | None = None
    """Shown when it has run."""


class ExpectSpec(Section):
    """What a test expects of a result; every key given must hold."""

    equals: ValueTree | None = None
    """The whole structured result."""
    contains: ValueTree | None = None
    """A part of it."""
    lacks: ValueTree | None = None
    """No such part."""
    count: Integer | None = None
    """The number of rows or elements."""
    text: Text | None = None
    """A piece of the text."""
    error: Text | None = None
    """A piece of the error's text."""


class ToolTestSpec(Section):
    """A test of a tool; what it writes is rolled back."""

    name: Text | None = None
    """Shown in the report."""
    caller: Text | None = None
    """A name of `callers`."""
    call: Mapping[str, ValueTree] = Field(default_factory=dict)
    """The arguments."""
    expect: ExpectSpec
    """What must come out."""


class ToolSpec(Section):
    """A tool; exactly one of `sql`, `http`, `python`, `steps`, `value` says what it runs."""

    title: Text | None = None
    """The name shown to people."""
    description: Text | None = None
    """What it does and when to use it; for the model."""
    icons: tuple[IconSpec, ...] = ()
    """Icons shown by clients."""
    tags: ListOf[Text] = ()
    """Words that `endpoints` select by."""
    input: Parameters | None = None
    """The parameters."""
    input_schema: WholeSchemaForm | None = None
    """A whole JSON Schema instead of `input`."""
    strict: Flag = True
    """Refuse unknown arguments; `false` drops them."""
    coerce: Flag = True
    """Accept a number or a boolean sent as text, where nothing is lost."""
    bind: Mapping[str, ExpressionText] | None = None
    """Hidden parameters by name; each value is an expression."""
    check: tuple[CheckSpec, ...] = ()
    """Rules that a schema cannot say."""
    sql: Sql | None = None
    """SQL: text, `{file: …}`, a list of statements, or `{parameter: name}`."""
    http: HttpSpec | None = None
    """A call of an HTTP API."""
    python: LocatedText | None = None
    """A Python callable, `package.module:name`."""
    steps: tuple[StepSpec, ...] | None = None
    """Other tools or inline bindings, one after the other."""
    value: CallTree | None = None
    """A tree of constants, `$name` references and templates."""
    select: LocatedText | None = None
    """For `steps`: JMESPath over the map of the `as` names."""
    transaction: Flag = False
    """For `steps`: all of them in one transaction of one database, kept whole or not at all."""
    database: Text | None = None
    """The database of `sql`; may be left out when there is one."""
    writes: Word[Writes] | None = None
    """`false`, `true` or `destructive`; without it SQL cannot write."""
    idempotent: Flag | None = None
    """Calling it twice does what calling it once does."""
    open_world: Flag | None = None
    """It reaches things outside the server; true for HTTP unless said."""
    result: ResultSpec | None = None
    """The shape of the result."""
    errors: Mapping[str, TemplateText] | None = None
    """Words for what went wrong, by kind or HTTP status; or `empty`."""
    timeout: Duration | None = None
    """How long a call may take; the work is stopped, not only the wait."""
    rates: ListOf[Text] | None = None
    """Calls per caller: `60/day`."""
    cache: Duration | None = None
    """How long a result may be reused; read tools only."""
    access: AccessSpec | None = None
    """Who may see and use it."""
    confirm: (
        Annotated[
            ConfirmSpec, BeforeValidator(short("text"), json_schema_input_type=Text | ConfirmSpec)
        ]
        | None
    ) = None
    """Asks before the call."""
    ask: ListOf[Text] | None = None
    """Parameters asked for when they are missing."""
    task: Word[Literal["auto", "always"]] | None = None
    """`auto`: as a task for clients that can follow one; `always`: in no other way."""
    ui: UiSpec | None = None
    """The view of its result."""
    examples: tuple[Mapping[str, ValueTree], ...] = ()
    """Arguments that are right; checked against the schema."""
    tests: tuple[ToolTestSpec, ...] = ()
    """Run by `mcp-run test`."""
