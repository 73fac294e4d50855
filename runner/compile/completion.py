"""`complete` of an argument or a variable → where its suggestions come from.

A query, a function or a folder becomes a hidden tool, so that every binding, budget and proof of
tools holds for it too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.catalog.completion import MAX_SUGGESTIONS, TYPED, Completion
from runner.catalog.plans import ListingPlan
from runner.catalog.tool import ResultText, Tool, ToolAnnotations
from runner.codec.paths import dotted
from runner.compile.expressions import Names, compile_expression
from runner.compile.inherited import WithBinds, merged_binds, with_defaults
from runner.compile.python.callables import examine, load
from runner.compile.schemas.input import compile_input
from runner.compile.site import Site
from runner.compile.surroundings import Surroundings
from runner.compile.tools import CompiledTool, compile_hidden
from runner.config.nodes import Scalar
from runner.config.spec.bindings import SqlForm, StatementSpec
from runner.config.spec.inputs import CompleteSpec, ParameterSpec
from runner.config.spec.tools import ResultSpec, ToolSpec
from runner.diagnostics import Faults

_COLUMN = ResultSpec.model_construct(
    shape="column", max_rows=MAX_SUGGESTIONS + 1, _fields_set={"shape", "max_rows"}
)
_PLAIN = ResultSpec.model_construct(_fields_set=set())
_READS = ToolAnnotations(read_only=True, destructive=False, idempotent=True, open_world=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is completed, and what stands around it."""

    name: str
    site: Site
    """Of its `complete`."""
    owner: WithBinds
    """The prompt or the resource."""
    others: Mapping[str, str] = field(default_factory=dict)
    """The type words of the other arguments, by name."""
    database: str | None = None
    """The owner's, where it has one."""

    @property
    def key(self) -> str:
        """How the hidden tool is named; no listed tool can have such a name."""
        return f"complete:{dotted(self.site.path[:-1])}"


@dataclass(frozen=True, slots=True)
class CompiledCompletion:
    """A source, and what proving it needs to know."""

    completion: Completion
    suggester: CompiledTool | None = None


def compile_completion(
    spec: CompleteSpec, asked: Asked, around: Surroundings
) -> CompiledCompletion | None:
    """The source of the suggestions; None after reporting why there is none."""
    if spec.values is not None:
        if not spec.values:
            asked.site.error("missing-field", "expected at least one value, found none")
            return None
        return CompiledCompletion(Completion(tuple(dict.fromkeys(spec.values))))
    compiled = _suggester(spec, asked, around)
    if compiled is None or not _gives_texts(compiled.tool, asked.site):
        return None
    return CompiledCompletion(Completion(suggester=asked.key), compiled)


def compile_listing(root: str, asked: Asked, around: Surroundings) -> CompiledCompletion | None:
    """The paths of the files below a folder."""
    budgets = around.budgets
    holder = ToolSpec.model_construct(input={TYPED: _parameter("string")}, _fields_set={"input"})
    schema = compile_input(holder, asked.site, schemas={}, input_elements=budgets.input_elements)
    if schema is None:
        return None
    tool = Tool(
        name=asked.key,
        title=None,
        description=None,
        icons=(),
        tags=(),
        input=schema,
        output=None,
        annotations=_READS,
        binds=(),
        checks=(),
        plan=ListingPlan(root, TYPED),
        text=ResultText(),
        max_bytes=budgets.response_body_bytes,
        errors={},
        timeout_s=budgets.timeout_s,
    )
    return CompiledCompletion(Completion(suggester=asked.key), CompiledTool(tool, ()))


def _suggester(spec: CompleteSpec, asked: Asked, around: Surroundings) -> CompiledTool | None:
    others = _taken(spec, asked, around)
    if others is None:
        return None
    binds = _binds(asked, others, around)
    if TYPED in asked.others or TYPED in binds:
        asked.site.error(
            "name-taken",
            f"'{TYPED}' is what was typed, and another argument or bound value has that name",
            hint="rename the other one",
        )
        return None
    inputs = {TYPED: _parameter("string")}
    inputs |= {f"{name}?": _parameter(word) for name, word in others.items()}
    database = spec.database or asked.database
    said = {"sql" if spec.python is None else "python", "input", "bind", "writes", "description"}
    written = ToolSpec.model_construct(
        sql=_form(spec),
        python=spec.python,
        input=inputs,
        bind=asked.owner.bind,
        database=database,
        writes="false",
        description=asked.key,
        _fields_set=said if database is None else said | {"database"},
    )
    merged = with_defaults(written, around.spec.defaults).model_copy(
        update={"bind": binds or None, "result": _PLAIN if spec.sql is None else _COLUMN}
    )
    return compile_hidden(asked.key, asked.site, written, merged, around)


def _form(spec: CompleteSpec) -> SqlForm | None:
    if spec.sql is None:
        return None
    return SqlForm.model_construct(statements=(StatementSpec.model_construct(run=spec.sql),))


def _parameter(word: str) -> ParameterSpec:
    return ParameterSpec.model_construct(type=word, _fields_set={"type"})


def _binds(asked: Asked, others: Mapping[str, str], around: Surroundings) -> Mapping[str, Scalar]:
    """The hidden values that can be had of `others` alone, before the argument is chosen."""
    names = Names(frozenset((*asked.others, asked.name)))
    # Faults of an expression are reported where its owner is compiled.
    quiet = Site(asked.site.document, Faults())
    found: dict[str, Scalar] = {}
    for name, scalar in (merged_binds(asked.owner, around.spec.defaults) or {}).items():
        value = compile_expression(scalar, quiet, names)
        if value is not None and not (value.names & names.parameters) - others.keys():
            found[name] = scalar
    return found


def _taken(spec: CompleteSpec, asked: Asked, around: Surroundings) -> Mapping[str, str] | None:
    """The other arguments that the source takes; a function need not take them."""
    if spec.python is None or around.loader is None:
        return asked.others
    found = load(spec.python, asked.site, around.loader)
    examined = None if found is None else examine(found, spec.python, asked.site)
    if examined is None:
        return None
    if examined.takes_whole:
        return asked.others
    return {name: word for name, word in asked.others.items() if name in examined.asked}


def _gives_texts(tool: Tool, site: Site) -> bool:
    """A function whose hint says that it gives something else than a list of texts is a fault."""
    listed = None if tool.output is None else tool.output.listed
    items = None if listed is None else listed.get("items", {})
    if listed is None or (
        listed.get("type") == "array"
        and isinstance(items, Mapping)
        and items.get("type", "string") == "string"
    ):
        return True
    site.error(
        "wrong-suggestions",
        "expected a function that gives a list of texts, and its hint says something else",
        hint="write -> list[str]",
    )
    return False
