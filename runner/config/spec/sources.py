"""`databases` and `apis`: where tools get their data."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from runner.config.spec.leaves import (
    Duration,
    ExpressionText,
    Flag,
    Integer,
    Seconds,
    SecretText,
    SqlText,
    Text,
    Word,
)
from runner.config.spec.model import ListOf, Section


class CreateSection(Section):
    """Makes an embedded database that does not exist yet."""

    schema_: Text = Field(alias="schema")
    """Path of the SQL script that creates the tables."""
    seed: Text | None = None
    """Path of the SQL script that fills them."""


class PoolSection(Section):
    """The connections kept open."""

    size: Integer = 5
    """Connections at most."""
    wait: Duration = Seconds(2.0)
    """How long a call waits for one before it is told that the database is busy."""
    recycle: Duration = Seconds(1800.0)
    """Age at which a connection is replaced."""


class SessionSection(Section):
    """PostgreSQL: what is set for the transaction of each call."""

    role: Text | None = None
    """The role that the call's transaction takes."""
    settings: Mapping[str, ExpressionText] = Field(default_factory=dict)
    """Settings by name; each value is an expression, and a mapping becomes JSON."""


class DatabaseSpec(Section):
    """A database, by SQLAlchemy URL."""

    url: SecretText
    """`sqlite:///a.db`, `duckdb:///a.db` (in the file's folder), `postgresql://…`, `mysql://…`."""
    create: CreateSection | None = None
    """Only for an embedded database that does not exist yet."""
    pool: PoolSection = PoolSection()
    """The connections kept open."""
    session: SessionSection | None = None
    """PostgreSQL: role and settings of each call's transaction."""
    connect: ListOf[SqlText] = ()
    """Statements run once on each new connection."""
    external: ListOf[Text] = ()
    """DuckDB: files and folders that statements may read; relative to the file's folder."""
    startup: Word[Literal["required", "lazy"]] = "required"
    """`lazy` starts the server although the database is down."""


class BasicAuth(Section):
    """HTTP basic authentication."""

    username: SecretText
    """The user."""
    password: SecretText
    """The password."""


class HeaderAuth(Section):
    """A header that carries a key."""

    name: Text
    """The header's name."""
    value: SecretText
    """The header's value."""


class ClientCredentials(Section):
    """OAuth 2 client credentials; the token is fetched and renewed by the server."""

    token_url: Text
    """The token endpoint."""
    client_id: SecretText
    """The client."""
    client_secret: SecretText
    """Its secret."""
    scopes: ListOf[Text] = ()
    """The scopes asked for."""


class ApiAuth(Section):
    """How the server authenticates to the API; exactly one."""

    bearer: SecretText | None = None
    """A bearer token."""
    basic: BasicAuth | None = None
    """User and password."""
    header: HeaderAuth | None = None
    """A key in a header."""
    client_credentials: ClientCredentials | None = None
    """OAuth 2 client credentials."""
    forward: Word[Literal["caller"]] | None = None
    """`caller` sends the caller's own token; never done without this."""


class ApiTimeout(Section):
    """Time limits of one upstream exchange."""

    connect: Duration = Seconds(2.0)
    """Until the connection stands."""
    read: Duration = Seconds(10.0)
    """Between two pieces of the answer."""
    total: Duration = Seconds(15.0)
    """The whole exchange, redirects and retries included."""


class ApiSpec(Section):
    """An HTTP API that tools call."""

    url: Text
    """The base; every request stays below it."""
    auth: ApiAuth | None = None
    """How the server authenticates."""
    timeout: ApiTimeout = ApiTimeout()
    """Time limits."""
    headers: Mapping[str, SecretText] = Field(default_factory=dict)
    """Sent with every request."""
    retries: Integer = 2
    """Times that an idempotent request is repeated after a failure that may pass."""
    allow_private: Flag = False
    """Allow loopback, private and link-local addresses."""
