"""The whole of what is served, frozen: endpoints, tools, sources, budgets, how to listen.

A request takes the catalog once, at its start; a reload makes a new one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from runner.catalog.allowed_source import AllowedSource
from runner.catalog.caller import Caller
from runner.catalog.plans import PythonPlan, own_plans
from runner.catalog.prompt import Prompt
from runner.catalog.resource import Resource
from runner.catalog.sources import Api, Database
from runner.catalog.tool import Icon, Tool
from runner.secret import Secret


@dataclass(frozen=True, slots=True)
class Identity:
    """What clients are told about the server (`Implementation` of the specification)."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website: str | None = None
    icons: Sequence[Icon] = ()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address and what it offers, in the order of the file."""

    path: str
    tools: Mapping[str, Tool]
    instructions: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    name: str = ""
    """In the file; empty where the file has no `endpoints`."""
    title: str | None = None
    """Stands in the place of the server's."""

    @property
    def completes(self) -> bool:
        """Some argument has suggestions."""
        arguments = (item for prompt in self.prompts.values() for item in prompt.arguments)
        return any(item.complete is not None for item in arguments) or any(
            resource.complete for resource in self.resources.values()
        )


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits of every call; sizes in bytes."""

    request_body_bytes: int
    response_body_bytes: int
    input_elements: int
    rows: int
    timeout_s: float
    concurrency: int


@dataclass(frozen=True, slots=True)
class Tls:
    """Paths of the PEM certificate chain and key."""

    certificate: str
    key: str


ALIVE: Final = "/healthz"
READY: Final = "/readyz"
"""Paths at which a process tells orchestrators how it stands; no endpoint has one of them."""


@dataclass(frozen=True, slots=True)
class Listen:
    """How the server listens over HTTP."""

    host: str
    port: int
    public_url: str | None
    allowed_origins: Sequence[str]
    allowed_hosts: Sequence[str]
    trusted_proxies: Sequence[str]
    workers: int
    engine: str
    """`uvicorn` or `hypercorn`; `auto` is resolved at compile."""
    tls: Tls | None
    drain_s: float
    legacy: bool
    state_keys: Sequence[Secret] = field(default=(), repr=False)
    page_size: int = 100
    """Entries of a list that a client gets at one time."""
    log_level: str | None = None
    """The lowest that legacy clients get unasked; None: they get no log messages unasked."""


@dataclass(frozen=True, slots=True)
class Identities:
    """Who is who where no token says it."""

    callers: Mapping[str, Caller] = field(default_factory=dict)
    anonymous: Caller | None = None
    """Everyone over HTTP; None where `auth` refuses callers without a token."""
    stdio: Caller | None = None


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """Where tasks are kept, and how long."""

    store: Secret
    """SQLAlchemy's address of the database, with its path made absolute."""
    dialect: str
    """SQLAlchemy's name of the backend: `sqlite` or `postgresql`."""
    ttl_s: float
    """How long a task is kept, from its creation."""
    poll_s: float
    """How often clients are told to ask."""
    resumes: bool = False
    """What a worker that is gone ran, and what may be repeated, another one runs again."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that one `mcp.yaml` serves."""

    folder: str
    """Absolute path of the root file's folder, against which every relative path stands."""
    identity: Identity
    endpoints: Sequence[Endpoint]
    tools: Mapping[str, Tool]
    """All tools of all endpoints, by name, in the order of the file."""
    databases: Mapping[str, Database]
    apis: Mapping[str, Api]
    budgets: Budgets
    listen: Listen
    identities: Identities
    vars: Mapping[str, object]
    digest: str
    """Of the configuration: changes when what is served changes."""
    resources: Mapping[str, Resource] = field(default_factory=dict)
    """All resources of all endpoints, by name, in the order of the file."""
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    """All prompts of all endpoints, by name, in the order of the file."""
    suggesters: Mapping[str, Tool] = field(default_factory=dict)
    """What is run to complete an argument, by name."""
    sources: Mapping[str, AllowedSource] = field(default_factory=dict)
    """Where allowed values come from, by name."""
    tasks: TaskSettings | None = None
    """None: no tool runs as a task."""
    lifespan: Callable[[], object] | None = None
    """Makes the async context manager that is open while a worker serves."""

    @property
    def runnable(self) -> Mapping[str, Tool]:
        """Everything that is run, by a name that is unique: tools, readers, suggesters, sources."""
        readers = {item.tool.name: item.tool for item in self.resources.values()}
        sources = {name: source.tool for name, source in self.sources.items()}
        return {**self.tools, **readers, **self.suggesters, **sources}

    @property
    def logs(self) -> bool:
        """Some function is given a `Context`, by which it can log to the client."""
        plans = (plan for tool in self.runnable.values() for plan in own_plans(tool.plan))
        return any(
            "context" in plan.injected.values() for plan in plans if isinstance(plan, PythonPlan)
        )
