"""What Python functions may reach: narrow protocols that the other bindings provide.

Given to the binding when it is provisioned; the one place where this package says what it needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from runner.bindings.python.threads import Threads
from runner.catalog.call import CallContext


@dataclass(frozen=True, slots=True)
class Access:
    """On whose behalf a function reaches out, and what it may."""

    context: CallContext
    tool: str
    writes: bool
    """The tool may write; without it a database runs what it gets under read-only."""
    timeout_s: float
    """The whole call's limit."""


class DatabaseSource(Protocol):
    """A database of the file; cancelled, it stops the statement in the database."""

    async def query(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> list[dict[str, object]]:
        """JSON-safe rows, all of them.

        Raises:
            CallError: as for a SQL tool; more rows or bytes than the budgets allow.
        """

    async def query_one(
        self, sql: str, parameters: Mapping[str, object], access: Access
    ) -> dict[str, object] | None:
        """The first row, JSON-safe, or None.

        Raises:
            CallError: as for a SQL tool.
        """

    async def execute(self, sql: str, parameters: Mapping[str, object], access: Access) -> int:
        """How many rows were changed, -1 where the driver does not tell; committed.

        Raises:
            CallError: as for a SQL tool.
        """


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request below an API's URL."""

    method: str
    """Upper case."""
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    """Sent as JSON; None: no body."""


class HttpSource(Protocol):
    """An API of the file, with its credentials, retries and limits."""

    async def request(self, request: HttpRequest, access: Access) -> object:
        """The decoded body.

        Raises:
            CallError: as for an HTTP tool.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonServices:
    """Everything that a worker gives its Python tools."""

    threads: Threads
    error_id: Callable[[], str]
    """A new id for each unexpected failure."""
    databases: Mapping[str, DatabaseSource] = field(default_factory=dict)
    apis: Mapping[str, HttpSource] = field(default_factory=dict)
    vars: Mapping[str, object] = field(default_factory=dict)
    lifespan: object = None
    """What the file's `lifespan` yielded."""
