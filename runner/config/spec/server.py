"""`server`, `serve`, `budgets`, `telemetry`: who the server is and how it listens."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runner.config.spec.leaves import (
    Duration,
    Flag,
    Integer,
    Seconds,
    SecretText,
    Size,
    Text,
    Word,
)
from runner.config.spec.model import ListOf, Section, short


class FileText(Section):
    """A text, or the file that holds it."""

    text: Text | None = None
    """The text itself."""
    file: Text | None = None
    """A path relative to the root file's folder."""


TextOrFile = Annotated[
    FileText, BeforeValidator(short("text"), json_schema_input_type=Text | FileText)
]


class IconSpec(Section):
    """An icon shown by clients."""

    src: Text
    """An https or data URI."""
    mime_type: Text | None = Field(default=None, alias="mimeType")
    """`image/png` or `image/jpeg` are shown everywhere."""
    sizes: ListOf[Text] = ()
    """`48x48`, or `any`."""
    theme: Word[Literal["light", "dark"]] | None = None
    """The background it is made for."""


class ServerSection(Section):
    """What clients are told about the server."""

    name: Text
    """A short identifier."""
    version: Text
    """The version of what is served, not of mcp-run."""
    title: Text | None = None
    """The name shown to people."""
    description: Text | None = None
    """One sentence on what it is for."""
    website: Text | None = None
    """Where people read more."""
    icons: tuple[IconSpec, ...] = ()
    """Icons shown by clients."""
    instructions: TextOrFile | None = None
    """Advice for the model on how to use the server."""


class TlsSection(Section):
    """Certificate and key; the server then speaks HTTP/2 as well."""

    certificate: Text
    """Path of the PEM certificate chain."""
    key: Text
    """Path of the PEM private key."""


class ServeSection(Section):
    """How the server listens over HTTP."""

    host: Text = "127.0.0.1"
    """The address to bind; anything but loopback needs `allowed_hosts`."""
    port: Integer = 8000
    """The port to bind; 0 takes a free one."""
    path: Text = "/mcp"
    """The path of the MCP endpoint."""
    public_url: Text | None = None
    """The endpoint's address as clients see it behind a proxy."""
    allowed_origins: ListOf[Text] = ()
    """Browser origins that may call, or `any`."""
    allowed_hosts: ListOf[Text] = ()
    """Host names that the server answers to, or `any`."""
    trusted_proxies: ListOf[Text] = ()
    """Networks whose `X-Forwarded-*` headers count."""
    workers: Integer = 1
    """Processes that answer."""
    engine: Word[Literal["auto", "uvicorn", "hypercorn"]] = "auto"
    """The HTTP server; `auto` takes hypercorn where TLS is configured."""
    tls: TlsSection | None = None
    """Serve https."""
    drain: Duration = Seconds(10.0)
    """How long running calls may take to end after a stop signal."""
    legacy: Flag = True
    """Serve clients of the initialize era too."""
    state_keys: tuple[SecretText, ...] = ()
    """Keys that seal cursors and request state, newest first; replicas need the same ones."""
    page_size: Integer = 100
    """Entries of a list that a client gets at one time, 1 to 1000."""
    log_notifications: Word[
        Literal[
            "off",
            "debug",
            "info",
            "notice",
            "warning",
            "error",
            "critical",
            "alert",
            "emergency",
        ]
    ] = "off"
    """The lowest level of a call's log messages that older clients get unasked."""


class BudgetsSection(Section):
    """Limits of every call; each has a safe default."""

    request_body: Size = 1024**2
    """Bytes of a request."""
    response_body: Size = 1024**2
    """Bytes of a result."""
    input_elements: Integer = 10_000
    """Values in one call's arguments, nested ones counted."""
    rows: Integer = 1000
    """Rows of a result."""
    timeout: Duration = Seconds(30.0)
    """How long a call may take."""
    concurrency: Integer = 64
    """Calls that run at one time in a worker."""


class TasksSection(Section):
    """Where tasks are kept, and how long."""

    store: SecretText | None = None
    """SQLite or, for replicas, PostgreSQL; `sqlite:///data/tasks.db` unless said."""
    ttl: Duration = Seconds(3600.0)
    """How long a task is kept, from its creation."""
    poll: Duration = Seconds(1.0)
    """How often clients are told to ask."""
    resume: Flag = False
    """What a worker ran that is gone, another one runs again; PostgreSQL only."""


class TelemetrySection(Section):
    """Traces and metrics."""

    otlp: SecretText | None = None
    """Address of an OpenTelemetry collector."""
    metrics_port: Integer | None = None
    """Port of a Prometheus page on loopback."""
