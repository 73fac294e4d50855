"""What a tool runs, one plan a binding kind; `runner.bindings.provision` has the live side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.catalog.expressions import Template, TreeTemplate
from runner.catalog.sources import Api
from runner.catalog.sql import SqlPlan

Select = Callable[[object], object]
"""A compiled JMESPath: takes a JSON value, gives one."""


@dataclass(frozen=True, slots=True)
class ValuePlan:
    """A tree made of constants, references and templates."""

    tree: TreeTemplate


@dataclass(frozen=True, slots=True)
class Segment:
    """A `{name}` of a path: one encoded segment."""

    parameter: str


@dataclass(frozen=True, slots=True)
class Paginate:
    """How the pages of an API are fetched; exactly one of `by_link`, `next`, `page` is set."""

    by_link: bool = False
    next: Select | None = None
    cursor: str | None = None
    """The query parameter for what `next` finds; without it `next` finds a URL below the base."""
    page: str | None = None
    items: Select | None = None
    max_pages: int = 10


@dataclass(frozen=True, slots=True)
class HttpPlan:
    """One request of an API, made of the call's values."""

    api: str
    """A name of the catalog's `apis`; a tool with a whole `url` has one of its own there."""
    method: str
    """Upper case."""
    path: Sequence[str | Segment]
    query: Mapping[str, TreeTemplate] = field(default_factory=dict)
    headers: Mapping[str, TreeTemplate] = field(default_factory=dict)
    body: TreeTemplate | None = None
    form: Mapping[str, TreeTemplate] | None = None
    text: Template | None = None
    select: Select | None = None
    response: Literal["json", "text", "bytes"] | None = None
    arrays: Literal["repeat", "comma", "brackets"] = "repeat"
    paginate: Paginate | None = None
    retries: int | None = None
    max_bytes: int = 1024**2
    own_api: Api | None = None
    """The API of a whole `url`, to be kept in the catalog's `apis` under the name `api`."""


@dataclass(frozen=True, slots=True)
class PythonPlan:
    """A callable: which one, how it is called, what it returns."""

    reference: str
    """`package.module:name`, as written."""
    function: Callable[..., object]
    """The callable itself, loaded by the loader that compile was given."""
    is_async: bool
    injected: Mapping[str, str]
    """Parameter name → what is put there: `context`, `database`, `http`, `progress`, `caller`."""
    builders: Mapping[str, Callable[[object], object]]
    """Parameter name → how its checked value becomes what the hint says (a model, a date …)."""
    returns: Callable[[object], object] | None = None
    """How a returned value becomes JSON-safe (pydantic models, dataclasses); None: as it is."""
    takes_arguments_whole: bool = False
    """Has `**kwargs`: gets every argument."""
    accepts: frozenset[str] = frozenset()
    """The parameters that it names, injected ones left out; other arguments are not passed."""
    sources: Mapping[str, str | None] = field(default_factory=dict)
    """Injected parameter → the database or API it means; None: the tool's or the only one."""
    database: str | None = None
    """The tool's database, which `Context.database()` gives without a name."""
    writes: bool = False
    """The tool may write: `writes: true` or `destructive`."""
    text_is_structured: bool = False
    """An output schema is listed, so that a returned `str` is a value and no text block."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a named tool, or an inline binding with the scope as its arguments."""

    name: str
    """The `as` name."""
    tool: str | None
    arguments: Mapping[str, TreeTemplate]
    inline: "SqlPlan | HttpPlan | PythonPlan | ValuePlan | None" = None


@dataclass(frozen=True, slots=True)
class StepsTransaction:
    """That all steps run in one transaction: those with SQL, and values between them."""

    database: str
    writes: bool
    """A step of it may write."""


@dataclass(frozen=True, slots=True)
class StepsPlan:
    """Steps one after the other; the result is the map of the `as` names, or `select` of it."""

    steps: Sequence[Step]
    select: Select | None = None
    transaction: StepsTransaction | None = None
    """None: each step keeps what it did."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file, read when it is asked for."""

    path: str
    """Absolute."""
    mime: str


@dataclass(frozen=True, slots=True)
class DirectoryPlan:
    """The files below a folder, read when they are asked for."""

    root: str
    """Absolute."""
    parameter: str
    """Holds the path of the file below the folder."""
    mime: str | None
    """Of all of them; None: by the name of each."""


@dataclass(frozen=True, slots=True)
class ListingPlan:
    """The paths of the files below a folder that begin with what was typed."""

    root: str
    """Absolute."""
    parameter: str
    """Holds what was typed."""


ToolPlan = SqlPlan | HttpPlan | PythonPlan | ValuePlan | StepsPlan
"""What a tool of the file runs."""
Plan = ToolPlan | FilePlan | DirectoryPlan | ListingPlan


def own_plans(plan: Plan) -> Sequence[Plan]:
    """What a plan runs itself: the plan, or those of its steps that name no tool."""
    if isinstance(plan, StepsPlan):
        return [step.inline for step in plan.steps if step.inline is not None]
    return [plan]
