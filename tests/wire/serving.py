"""Catalogs and protocols made by hand; a fake `call_tool` goes in where production's does."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from runner.catalog.call import CallContext
from runner.catalog.caller import ANONYMOUS
from runner.catalog.catalog import Budgets, Catalog, Endpoint, Identities, Identity, Listen
from runner.catalog.completion import Completion, Suggestions
from runner.catalog.content import TextContent
from runner.catalog.expressions import TreeTemplate
from runner.catalog.plans import ValuePlan
from runner.catalog.prompt import Prompt, PromptMessage
from runner.catalog.resource import Contents, Resource, ResourceIndex
from runner.catalog.result import CallResult
from runner.catalog.schema import HeaderParameter, InputSchema, JsonSchema, OutputSchema
from runner.catalog.tasks import Tasks
from runner.catalog.tool import ResultText, Tool, ToolAnnotations
from runner.codec.json import encode
from runner.codec.seal import Seal
from runner.errors import BindingError, Kind
from runner.protocol.backend import Backend, CallTool, ReadResource
from runner.protocol.edition import DEFAULTS, Settings
from runner.protocol.listeners import Listeners
from runner.protocol.server import Protocol

NOW = datetime(2026, 8, 3, 9, tzinfo=UTC)
STATE_KEY = b"a key of the tests' own"
IDENTITY = Identity("bern-shop", "1.2.0")
LISTEN = Listen(
    host="127.0.0.1",
    port=8000,
    public_url=None,
    allowed_origins=(),
    allowed_hosts=(),
    trusted_proxies=(),
    workers=1,
    engine="uvicorn",
    tls=None,
    drain_s=1.0,
    legacy=True,
)
ECHO_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {"text": {"type": "string"}},
}
_NOTHING = ValuePlan(TreeTemplate(frozenset(), lambda _scope: None))


def a_tool(
    name: str = "echo",
    schema: JsonSchema = ECHO_SCHEMA,
    *,
    output: JsonSchema | None = None,
    headers: tuple[HeaderParameter, ...] = (),
) -> Tool:
    """A tool that only reads; what it does is `call_tool`'s."""
    return Tool(
        name=name,
        title=None,
        description="Says it again.",
        icons=(),
        tags=(),
        input=InputSchema(schema, dict, headers=headers),
        output=None if output is None else OutputSchema(output, lambda _: True, is_declared=True),
        annotations=ToolAnnotations(
            read_only=True, destructive=False, idempotent=True, open_world=False
        ),
        binds=(),
        checks=(),
        plan=_NOTHING,
        text=ResultText(),
        max_bytes=1024**2,
        errors={},
        timeout_s=30.0,
    )


def a_catalog(*tools: Tool, listen: Listen = LISTEN, identity: Identity = IDENTITY) -> Catalog:
    """A catalog of one endpoint."""
    named = {tool.name: tool for tool in tools}
    return Catalog(
        folder="/",
        identity=identity,
        endpoints=(Endpoint("/mcp", named, "Start with echo."),),
        tools=named,
        databases={},
        apis={},
        budgets=Budgets(1024, 1024, 10_000, 1000, 30.0, 64),
        listen=listen,
        identities=Identities(anonymous=ANONYMOUS, stdio=ANONYMOUS),
        vars={},
        digest="",
    )


async def echo(_tool: Tool, arguments: Mapping[str, object], _context: CallContext) -> CallResult:
    """Gives the arguments back as structured content."""
    structured = encode(dict(arguments))
    return CallResult((TextContent(structured.decode()),), structured)


async def no_resource(
    _resource: Resource, _uri: str, _variables: Mapping[str, str], _context: CallContext
) -> Sequence[Contents]:
    """There is none."""
    raise BindingError(Kind.MISSING, "there is no such resource")


async def no_prompt(
    _prompt: Prompt, _sent: Mapping[str, str], _resources: ResourceIndex, _context: CallContext
) -> Sequence[PromptMessage]:
    """One without messages."""
    return []


async def no_suggestions(
    _source: Completion, _typed: str, _chosen: Mapping[str, str], _context: CallContext
) -> Suggestions:
    """There are none."""
    return Suggestions((), 0, has_more=False)


def always(result: CallResult) -> CallTool:
    """A `call_tool` that gives `result`."""

    async def call(_tool: Tool, _arguments: object, _context: CallContext) -> CallResult:
        return result

    return call


def a_protocol(
    catalog: Catalog | None = None,
    call_tool: CallTool = echo,
    *,
    read_resource: ReadResource = no_resource,
    keys: Sequence[bytes] = (STATE_KEY,),
    now: datetime = NOW,
    settings: Settings = DEFAULTS,
    legacy: bool = True,
    listeners: Listeners | None = None,
    tasks: Tasks | None = None,
) -> Protocol:
    """The protocol of the catalog's one endpoint."""
    found = a_catalog(a_tool()) if catalog is None else catalog
    found = replace(found, listen=replace(found.listen, legacy=legacy))
    return Protocol(
        found.endpoints[0],
        found,
        Backend(
            call_tool=call_tool,
            read_resource=read_resource,
            get_prompt=no_prompt,
            complete=no_suggestions,
            clock=lambda: now,
            error_id=lambda: "e-1",
            seal=Seal(keys),
        ),
        settings=settings,
        listeners=listeners,
        tasks=tasks,
    )
