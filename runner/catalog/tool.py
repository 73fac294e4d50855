"""A tool as compiled: what is listed, what is checked, what is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.catalog.asking import AskedParameters
from runner.catalog.expressions import Bind, Check, Template, TreeTemplate
from runner.catalog.plans import Plan
from runner.catalog.schema import InputSchema, OutputSchema

TextFormat = Literal["json", "csv", "markdown"]
TaskUse = Literal["auto", "always"]
"""Whether a tool may run as a task, or runs in no other way."""


@dataclass(frozen=True, slots=True)
class Icon:
    """An icon; `src` is an https or data URI."""

    src: str
    mime_type: str | None = None
    sizes: Sequence[str] = ()
    theme: str | None = None


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """Hints derived from what the tool runs, never claimed by the file against it."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True)
class ResultText:
    """How the text block is written."""

    format: TextFormat = "json"
    template: Template | None = None
    """Takes the format's place where the structured result is an object; sees `result`."""


@dataclass(frozen=True, slots=True)
class Words:
    """What `errors:` says for one kind of failure: a text for the model, or an empty result."""

    template: Template | None
    """None means `empty`: the call succeeds with null (`row`, `value`), no rows or 0."""


@dataclass(frozen=True, slots=True)
class Show:
    """What a read tool returns, shown beside a question."""

    tool: str
    arguments: Mapping[str, TreeTemplate]


@dataclass(frozen=True, slots=True)
class Confirm:
    """A question that the user must accept before the tool runs."""

    text: Template
    show: Show | None = None
    allows_without: bool = False
    """A client that cannot ask may call nonetheless."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    title: str | None
    description: str | None
    icons: Sequence[Icon]
    tags: Sequence[str]
    input: InputSchema
    output: OutputSchema | None
    annotations: ToolAnnotations
    binds: Sequence[Bind]
    """Only those that the plan or the checks use."""
    checks: Sequence[Check]
    plan: Plan
    text: ResultText
    max_bytes: int
    """Of the encoded structured result."""
    errors: Mapping[str, Words]
    """By kind (`runner.errors.Kind`) or HTTP status as text."""
    timeout_s: float
    confirm: Confirm | None = None
    ask: AskedParameters | None = None
    task: TaskUse | None = None
    """None: it never runs as a task."""
    examples: Sequence[Mapping[str, object]] = field(default=())
    scope_names: frozenset[str] = frozenset()
    """Every parameter, hidden ones too: what its expressions may name."""
    needs_scope: bool = True
    """Something of it evaluates an expression, so that a call needs a `Scope`."""
