"""The whole file compiled: `ServerSpec` → `Catalog`, with every fault reported.

Pure: texts and the loader of the project's code come in; nothing is opened, dialled or run.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.catalog.catalog import Catalog
from runner.catalog.plans import HttpPlan, Plan, StepsPlan
from runner.catalog.resource import Resource
from runner.catalog.sources import Api, Database
from runner.catalog.tool import Tool
from runner.compile.allowed import CompiledSource, hold_to_sources
from runner.compile.databases import compile_database, warn_of_logins
from runner.compile.duckdb import with_writers
from runner.compile.endpoints import Offered, compile_endpoints
from runner.compile.http.apis import compile_api
from runner.compile.inherited import with_defaults
from runner.compile.prompts import PromptSurroundings, compile_prompts
from runner.compile.python.callables import Loader
from runner.compile.python.plan import compile_lifespan
from runner.compile.resources import compile_resources
from runner.compile.server import (
    compile_budgets,
    compile_identities,
    compile_identity,
    compile_listen,
)
from runner.compile.site import Site
from runner.compile.surroundings import Surroundings
from runner.compile.tasks import compile_tasks
from runner.compile.tools import CompiledTool, ToolCompiler
from runner.compile.trees import compile_constant
from runner.config.nodes import Document, Scalar
from runner.config.spec.root import ServerSpec
from runner.config.spec.server import FileText
from runner.config.spec.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Material:
    """What the file brought with it, already read."""

    folder: str
    """Absolute path of the root file's folder."""
    texts: Mapping[str, Scalar]
    """Text files that the file names, by path as written."""
    schemas: Mapping[str, Document]
    """Schema files likewise."""
    loader: Loader | None
    """Imports the project's callables; None: they are not imported."""
    digest: str
    """Of everything that was read."""
    data: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are sent as they are, by path as written."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A catalog, and what proving it needs to know."""

    catalog: Catalog
    """Complete only if no error was reported; faulty parts are left out."""
    tools: Mapping[str, CompiledTool]
    """Everything that is run, by name."""
    specs: Mapping[str, ToolSpec]
    """All tools of the file as written, with defaults."""
    site: Site
    """The place of the whole file."""


def compile_catalog(spec: ServerSpec, root: Site, material: Material) -> Compiled:
    """Everything that `spec` serves; `root` is the place of the whole file."""
    budgets = compile_budgets(spec.budgets, root / "budgets")
    databases = _databases(spec, root / "databases", material)
    apis = _apis(spec, root / "apis")
    around = Surroundings(
        spec=spec,
        tools={name: with_defaults(tool, spec.defaults) for name, tool in spec.tools.items()},
        budgets=budgets,
        databases=databases,
        apis=apis,
        texts=material.texts,
        schemas=material.schemas,
        loader=material.loader,
    )
    tools, sources = _tools(around, root / "tools")
    listed = {name: item.tool for name, item in tools.items()}
    resources = compile_resources(around, root / "resources", folder=material.folder)
    served = {name: item.resource for name, item in resources.items()}
    prompts = compile_prompts(PromptSurroundings(around, material.data, served), root / "prompts")
    found = [item.suggesters for item in resources.values()]
    found += [item.suggesters for item in prompts.values()]
    suggesters = {item.tool.name: item for items in found for item in items}
    sources += [source for item in resources.values() for source in item.sources]
    allowed_sources = {source.name: source.source for source in sources}
    suggesting = {name: item.tool for name, item in suggesters.items()}
    offered = {name: item.prompt for name, item in prompts.items()}
    run = [*listed.values(), *(r.tool for r in served.values()), *suggesting.values()]
    run += [source.tool for source in allowed_sources.values()]
    plans = [tool.plan for tool in run]
    databases = with_writers(databases, plans, spec.serve.workers, root / "databases")
    warn_of_logins(databases, plans, root / "databases")
    catalog = Catalog(
        folder=material.folder,
        identity=compile_identity(spec.server, root / "server"),
        endpoints=compile_endpoints(
            spec,
            root,
            Offered(listed, served, offered),
            instructions=_instructions(spec, material),
        ),
        tools=listed,
        resources=served,
        prompts=offered,
        suggesters=suggesting,
        sources=allowed_sources,
        databases=databases,
        apis={**apis, **_own_apis(plans)},
        budgets=budgets,
        listen=compile_listen(spec.serve, root / "serve", folder=material.folder),
        identities=compile_identities(spec, root),
        vars={name: compile_constant(value) for name, value in spec.vars.items()},
        digest=material.digest,
        tasks=compile_tasks(spec, root, listed.values(), folder=material.folder),
        lifespan=_lifespan(spec, root / "lifespan", material.loader),
    )
    provable = {item.compiled.tool.name: item.compiled for item in resources.values()}
    provable |= {source.name: source.compiled for source in sources}
    return Compiled(catalog, {**tools, **provable, **suggesters}, around.tools, root)


def _tools(
    around: Surroundings, site: Site
) -> tuple[dict[str, CompiledTool], list[CompiledSource]]:
    """The tools by name, in the order of the file, and where their allowed values come from."""
    tools: dict[str, CompiledTool] = {}
    sources: list[CompiledSource] = []
    for name, spec in around.tools.items():
        compiled = ToolCompiler(name, site / name, around).compile()
        if compiled is not None:
            inputs, place = spec.input or {}, site / name / "input"
            tools[name], found = hold_to_sources(compiled, inputs, place, spec.database, around)
            sources += found.values()
    return tools, sources


def with_tools(compiled: Compiled, tools: Mapping[str, Tool]) -> Catalog:
    """The catalog with `tools` in the place of those of the same names."""
    catalog = compiled.catalog

    def proven(item: Resource) -> Resource:
        return replace(item, tool=tools.get(item.tool.name, item.tool))

    resources = {name: proven(item) for name, item in catalog.resources.items()}
    listed = {name: tools.get(name, tool) for name, tool in catalog.tools.items()}
    endpoints = tuple(
        replace(
            endpoint,
            tools={name: listed[name] for name in endpoint.tools},
            resources={name: resources[name] for name in endpoint.resources},
        )
        for endpoint in catalog.endpoints
    )
    return replace(
        catalog,
        endpoints=endpoints,
        tools=listed,
        resources=resources,
        suggesters={name: tools.get(name, tool) for name, tool in catalog.suggesters.items()},
        sources={
            name: replace(source, tool=tools.get(name, source.tool))
            for name, source in catalog.sources.items()
        },
    )


def digest_of(texts: Mapping[str, str]) -> str:
    """A digest of named texts that changes when any of them does."""
    found = hashlib.sha256()
    for name, text in sorted(texts.items()):
        for part in (name, text):
            data = part.encode()
            found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


def _databases(spec: ServerSpec, site: Site, material: Material) -> Mapping[str, Database]:
    found = {
        name: compile_database(
            name, database, site / name, folder=material.folder, texts=material.texts
        )
        for name, database in spec.databases.items()
    }
    return {name: database for name, database in found.items() if database is not None}


def _apis(spec: ServerSpec, site: Site) -> Mapping[str, Api]:
    found = {name: compile_api(name, api, site / name) for name, api in spec.apis.items()}
    return {name: api for name, api in found.items() if api is not None}


def _own_apis(plans: Sequence[Plan]) -> Mapping[str, Api]:
    """The APIs of tools, and of steps, that give a whole `url`."""
    inline = [step.inline for plan in plans if isinstance(plan, StepsPlan) for step in plan.steps]
    return {
        plan.own_api.name: plan.own_api
        for plan in (*plans, *inline)
        if isinstance(plan, HttpPlan) and plan.own_api is not None
    }


def _instructions(spec: ServerSpec, material: Material) -> str | None:
    written: FileText | None = spec.server.instructions
    if written is None:
        return None
    if written.file is None:
        return written.text
    found = material.texts.get(written.file)
    return None if found is None else found.text


def _lifespan(spec: ServerSpec, site: Site, loader: Loader | None) -> Callable[[], object] | None:
    return None if spec.lifespan is None else compile_lifespan(spec.lifespan, site, loader=loader)
