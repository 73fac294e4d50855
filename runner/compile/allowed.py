"""`enum_from` of a parameter → its values' hidden query, and how arguments are held to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from runner.arguments.allowed import allowed, allowed_source
from runner.catalog.allowed import MAX_ALLOWED, Allowed
from runner.catalog.allowed_source import AllowedSource
from runner.codec.paths import dotted
from runner.compile.inherited import with_defaults
from runner.compile.site import Site
from runner.compile.surroundings import Surroundings
from runner.compile.tools import CompiledTool, compile_hidden
from runner.config.spec.bindings import SqlForm, StatementSpec
from runner.config.spec.inputs import EnumFromSpec, ParameterSpec
from runner.config.spec.tools import ResultSpec, ToolSpec

_COLUMN = ResultSpec.model_construct(
    shape="column", max_rows=MAX_ALLOWED + 1, _fields_set={"shape", "max_rows"}
)


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """A source, and what proving it needs to know."""

    source: AllowedSource
    compiled: CompiledTool

    @property
    def name(self) -> str:
        """In the catalog."""
        return self.compiled.tool.name


def source_key(site: Site) -> str:
    """The name of the source of the parameter at `site`; no listed tool can have such a name."""
    return f"allowed:{dotted(site.path)}"


def hold_to_sources(
    compiled: CompiledTool,
    inputs: Mapping[str, ParameterSpec],
    site: Site,
    database: str | None,
    around: Surroundings,
) -> tuple[CompiledTool, Mapping[str, CompiledSource]]:
    """The tool whose arguments are held to what queries give, and the sources by parameter.

    `site` is the place of `inputs`, `database` their owner's.
    """
    tool, sources = compiled.tool, dict[str, CompiledSource]()
    found: dict[str, Allowed] = {}
    for key, spec in inputs.items():
        if spec.enum_from is None:
            continue
        query = _query(spec.enum_from, site / key, database, around)
        if query is None:
            continue
        parameter = tool.input.parameters[key.removesuffix("?")]
        name, word = query.tool.name, parameter.type
        source = allowed_source(query.tool, word, refresh_s=spec.enum_from.refresh)
        sources[parameter.name] = CompiledSource(source, query)
        found[parameter.name] = allowed(parameter.name, name, word, is_list=parameter.is_list)
    if found:
        tool = replace(tool, input=replace(tool.input, allowed=found))
    return replace(compiled, tool=tool), sources


def _query(
    spec: EnumFromSpec, site: Site, database: str | None, around: Surroundings
) -> CompiledTool | None:
    if spec.refresh <= 0:
        (site / "enum_from" / "refresh").error("out-of-range", "expected more than 0")
        return None
    key, named = source_key(site), spec.database or database
    said = {"sql", "input", "writes", "description"}
    written = ToolSpec.model_construct(
        sql=SqlForm.model_construct(statements=(StatementSpec.model_construct(run=spec.sql),)),
        input={},
        database=named,
        writes="false",
        description=key,
        _fields_set=said if named is None else said | {"database"},
    )
    # The values are the same for every caller: nothing of `bind` belongs to the query.
    unbound = around.spec.model_copy(
        update={"defaults": around.spec.defaults.model_copy(update={"bind": None})}
    )
    merged = with_defaults(written, unbound.defaults).model_copy(update={"result": _COLUMN})
    return compile_hidden(key, site / "enum_from", written, merged, replace(around, spec=unbound))
