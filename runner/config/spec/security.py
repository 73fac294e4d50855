"""`auth`, `callers`, `audit`: who calls, who may, what is recorded."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runner.config.spec.leaves import (
    Duration,
    ExpressionText,
    Flag,
    Seconds,
    Text,
    ValueTree,
    Word,
)
from runner.config.spec.model import ListOf, Section, short


class CallerSpec(Section):
    """A named identity for tests, `--as`, stdio and a demo."""

    user_id: Text
    """Who it is."""
    email: Text | None = None
    """The address."""
    client_id: Text | None = None
    """The client."""
    scopes: ListOf[Text] = ()
    """What it may."""
    claims: Mapping[str, ValueTree] = Field(default_factory=dict)
    """Claims, as a token would carry them."""


class IssuerSpec(Section):
    """An authorization server whose tokens are accepted."""

    issuer: Text
    """Equals `iss`; https except on localhost."""
    audiences: ListOf[Text] = ()
    """Accepted audiences; the resource unless said."""
    jwks_uri: Text | None = None
    """Skips discovery."""
    introspection: Mapping[str, Text] | None = None
    """Opaque tokens: endpoint and credentials."""
    caller: Mapping[str, ExpressionText] = Field(default_factory=dict)
    """How a caller is made of the claims."""
    required_scopes: ListOf[Text] = ()
    """Scopes that every token needs."""
    algorithms: ListOf[Text] = ()
    """Accepted signature algorithms."""
    clock_tolerance: Duration = Seconds(30.0)
    """At most 300 s."""
    accept_resource_claim: Flag = False
    """Accept the `resource` claim in place of `aud`."""
    require_client_claim: Flag = False
    """Refuse tokens without a client."""


class TokensSection(Section):
    """Tokens minted by `mcp-run token`."""

    store: Text
    """Path of the store, or a name of `databases`."""


class AnonymousSection(Section):
    """Callers without a token."""

    caller: Text | None = None
    """A name of `callers`: everyone is this, on loopback."""
    public: Flag = False
    """Allow it beyond loopback."""


class StdioSection(Section):
    """The identity over stdio."""

    caller: Text
    """A name of `callers`."""


class ClientsSection(Section):
    """OAuth clients."""

    approval: Word[Literal["required", "none"]] = "none"
    """A new client waits until it is approved."""


class AuthSection(Section):
    """Who may call; without it everyone is anonymous and everything is open."""

    issuers: tuple[IssuerSpec, ...] = ()
    """Authorization servers."""
    resource: Text | None = None
    """The canonical URL of this server."""
    metadata_path: Text | None = None
    """Where the protected resource metadata answers."""
    metadata_url: Text | None = None
    """Metadata served elsewhere."""
    tokens: TokensSection | None = None
    """Local tokens."""
    anonymous: AnonymousSection | None = None
    """Callers without a token."""
    stdio: StdioSection | None = None
    """The identity over stdio."""
    clients: ClientsSection | None = None
    """Approval of clients."""


class AuditSection(Section):
    """The audit trail."""

    to: Word[Literal["jsonl", "database", "stdout", "off"]]
    """Where events go."""
    path: Text | None = None
    """The file, for jsonl."""
    database: Text | None = None
    """A name of `databases`."""


Audit = Annotated[
    AuditSection, BeforeValidator(short("to"), json_schema_input_type=Text | AuditSection)
]
