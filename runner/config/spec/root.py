"""The whole file: `ServerSpec` mirrors `mcp.yaml` key by key."""

from collections.abc import Mapping

from pydantic import Field

from runner.config.spec.leaves import (
    Duration,
    ExpressionText,
    Integer,
    LocatedText,
    SecretText,
    Text,
    ValueTree,
)
from runner.config.spec.model import ListOf, Section
from runner.config.spec.offers import (
    AppsSection,
    EndpointSpec,
    PromptSpec,
    ResourceSpec,
    SkillsSection,
)
from runner.config.spec.security import Audit, AuthSection, CallerSpec
from runner.config.spec.server import (
    BudgetsSection,
    ServerSection,
    ServeSection,
    TasksSection,
    TelemetrySection,
)
from runner.config.spec.sources import ApiSpec, DatabaseSpec
from runner.config.spec.tools import AccessSpec, ResultSpec, ToolSpec


class DefaultsSection(Section):
    """Merged, key by key, into every tool, resource and prompt that does not say otherwise."""

    bind: Mapping[str, ExpressionText] | None = None
    """Hidden parameters."""
    database: Text | None = None
    """The database of `sql`."""
    timeout: Duration | None = None
    """How long a call may take."""
    result: ResultSpec | None = None
    """The shape of results."""
    access: AccessSpec | None = None
    """Who may use it."""
    rates: ListOf[Text] | None = None
    """Calls per caller."""
    cache: Duration | None = None
    """How long a result may be reused."""
    tags: ListOf[Text] = ()
    """Words that `endpoints` select by."""


class ServerSpec(Section):
    """One `mcp.yaml`, as written: includes merged, variables filled in, nothing resolved."""

    mcp: Integer
    """The version of this format: 1."""
    server: ServerSection
    """What clients are told about the server."""
    serve: ServeSection = ServeSection()
    """How it listens."""
    databases: Mapping[str, DatabaseSpec] = Field(default_factory=dict)
    """Databases by name."""
    apis: Mapping[str, ApiSpec] = Field(default_factory=dict)
    """HTTP APIs by name."""
    budgets: BudgetsSection = BudgetsSection()
    """Limits of every call."""
    rates: ListOf[Text] = ()
    """Calls per caller: `30/minute`."""
    rate_store: SecretText | None = None
    """`memory`, or a Redis URL for replicas."""
    vars: Mapping[str, ValueTree] = Field(default_factory=dict)
    """Constants, seen as `vars.name` in expressions and templates."""
    callers: Mapping[str, CallerSpec] = Field(default_factory=dict)
    """Named identities."""
    defaults: DefaultsSection = DefaultsSection()
    """Merged into every tool, resource and prompt."""
    tools: Mapping[str, ToolSpec] = Field(default_factory=dict)
    """Tools by name."""
    resources: Mapping[str, ResourceSpec] = Field(default_factory=dict)
    """Resources by name."""
    prompts: Mapping[str, PromptSpec] = Field(default_factory=dict)
    """Prompts by name."""
    skills: SkillsSection | None = None
    """Skills."""
    apps: AppsSection | None = None
    """Views."""
    auth: AuthSection | None = None
    """Who may call."""
    tasks: TasksSection = TasksSection()
    """Where tasks are kept, and how long."""
    audit: Audit | None = None
    """The audit trail."""
    telemetry: TelemetrySection | None = None
    """Traces and metrics."""
    context: LocatedText | None = None
    """A callable that gives the application's own facts, once a request."""
    lifespan: LocatedText | None = None
    """An async context manager, once a worker."""
    endpoints: Mapping[str, EndpointSpec] = Field(default_factory=dict)
    """Exactly these addresses; without it one, at `serve.path`, with everything."""
    include: ListOf[Text] = ()
    """Globs of files merged into this one."""
