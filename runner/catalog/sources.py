"""Databases and APIs as compiled: where bindings get their data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from runner.catalog.expressions import Expression
from runner.secret import Secret

KEEP_READ_ONLY: Final = frozenset({"sqlite", "postgresql", "duckdb", "mysql", "mariadb"})
"""Dialects whose engines keep a reading connection from writing, whatever its statement says."""


@dataclass(frozen=True, slots=True)
class Create:
    """The scripts that make an embedded database that does not exist yet; their texts."""

    schema: str
    seed: str | None


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """PostgreSQL: what is set for the transaction of each call, and for nothing longer."""

    role: str | None = None
    settings: Mapping[str, Expression] = field(default_factory=dict)
    """By name; a value that is no text becomes JSON."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database; `url` is SQLAlchemy's, with relative paths made absolute."""

    name: str
    url: Secret
    dialect: str
    """SQLAlchemy's name of the backend: `sqlite`, `postgresql` …"""
    create: Create | None = None
    pool_size: int = 5
    pool_wait_s: float = 2.0
    pool_recycle_s: float = 1800.0
    connect: Sequence[str] = ()
    """Statements run once on each new connection."""
    is_lazy: bool = False
    session: SessionSettings | None = None
    external: Sequence[str] = ()
    """DuckDB: files and folders that statements may read; absolute."""
    folder: str = ""
    """DuckDB: where the relative paths in statements begin; absolute."""
    counts: bool = True
    """The driver tells how many rows a statement changed."""
    is_written: bool = True
    """Some tool of the file may write to it."""


@dataclass(frozen=True, slots=True)
class ApiAuth:
    """How the server authenticates to an API; exactly one is given."""

    bearer: Secret | None = None
    basic: tuple[Secret, Secret] | None = None
    header: tuple[str, Secret] | None = None
    client_credentials: "ClientCredentials | None" = None
    forwards_caller: bool = False


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """OAuth 2 client credentials."""

    token_url: str
    client_id: Secret
    client_secret: Secret
    scopes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Api:
    """An HTTP API; every request stays below `url`."""

    name: str
    url: str
    auth: ApiAuth | None = None
    connect_timeout_s: float = 2.0
    read_timeout_s: float = 10.0
    total_timeout_s: float = 15.0
    headers: Mapping[str, Secret] = field(default_factory=dict)
    retries: int = 2
    allow_private: bool = False
