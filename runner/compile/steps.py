"""The `steps` binding of the file: tools and inline bindings one after the other.

Held against the specs of the tools that are called: their parameters, what they bind, whom they
call in turn. Each step sees the parameters and the results of the steps before it. That a step is
one thing, and its name an identifier, are rules of the file and hold already.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from runner.catalog.expressions import TreeTemplate
from runner.catalog.plans import HttpPlan, PythonPlan, Select, Step, StepsPlan, ValuePlan
from runner.catalog.sql import SqlPlan
from runner.compile.expressions import Names
from runner.compile.select import compile_select
from runner.compile.site import Site
from runner.compile.transactions import compile_transaction
from runner.compile.trees import compile_constant, compile_tree
from runner.config.spec.bindings import StepSpec
from runner.config.spec.tools import ToolSpec, Writes
from runner.diagnostics import did_you_mean

InlinePlan = SqlPlan | HttpPlan | PythonPlan | ValuePlan
CompileInline = Callable[[StepSpec, Site, Names], InlinePlan | None]
"""Compiles the `sql`, `http`, `python` or `value` of a step; None: a fault was reported."""


@dataclass(frozen=True, slots=True)
class Callee:
    """What a tool takes, as far as its spec tells."""

    known: frozenset[str] | None
    """The parameters that can be sent; None where only its code or a file says."""
    required: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    """Hidden ones, which cannot be sent."""


def compile_steps(
    tool: ToolSpec,
    site: Site,
    *,
    names: Names,
    tools: Mapping[str, ToolSpec],
    compile_inline: CompileInline,
) -> StepsPlan | None:
    """The plan of the steps of `tool`, whose place is `site`. None: a fault was reported.

    `tools` are all tools of the file by name, with their defaults merged in.
    """
    compiler = _Compiler(tool, site, tools, compile_inline)
    steps = compiler.steps(names)
    transaction = compile_transaction(tool, site, tools) if tool.transaction else None
    select: Select | None = None
    if tool.select is not None:
        select = compile_select(tool.select, site / "select")
        if select is None:
            return None
    is_whole = bool(steps) and (transaction is not None) == tool.transaction
    return StepsPlan(steps, select, transaction) if is_whole else None


def step_writes(tool: ToolSpec, tools: Mapping[str, ToolSpec]) -> Writes:
    """The most that the tools called by `tool` may do, through any number of steps.

    A tool with steps writes if one that it calls does; inline bindings are their plans' to tell.
    """
    found: set[str] = set()
    for called in _reachable(tool, tools):
        found.add(called.writes or "false")
    return "destructive" if "destructive" in found else "true" if "true" in found else "false"


def called_tools(tool: ToolSpec) -> tuple[str, ...]:
    """The names of the tools that `tool` calls itself, each once, in order."""
    return tuple(dict.fromkeys(step.tool for step in tool.steps or () if step.tool is not None))


def callee_of(spec: ToolSpec) -> Callee:
    """What can be sent to the tool of `spec`."""
    bound = frozenset(spec.bind or ())
    paging = frozenset({"cursor"} if spec.result and spec.result.page else ())
    if spec.input is not None:
        names = {key.removesuffix("?"): key for key in spec.input}
        required = frozenset(
            name
            for name, key in names.items()
            if not key.endswith("?") and not spec.input[key].has_default
        )
        return Callee(frozenset(names) - bound | paging, required - bound, bound)
    if spec.input_schema is not None:
        return _callee_of_schema(spec, bound)
    return Callee(None if spec.python is not None else paging, bound=bound)


def _callee_of_schema(spec: ToolSpec, bound: frozenset[str]) -> Callee:
    inline = spec.input_schema.inline if spec.input_schema else None
    schema = compile_constant(inline) if inline is not None else None
    if not isinstance(schema, dict):
        return Callee(None, bound=bound)
    required = schema.get("required")
    needed = frozenset(str(name) for name in required) if isinstance(required, list) else None
    properties = schema.get("properties")
    is_closed = schema.get("additionalProperties") is False and isinstance(properties, dict)
    known = frozenset(properties) - bound if is_closed and isinstance(properties, dict) else None
    return Callee(known, (needed or frozenset()) - bound, bound)


def _reachable(tool: ToolSpec, tools: Mapping[str, ToolSpec]) -> Iterator[ToolSpec]:
    pending, seen = list(called_tools(tool)), set[str]()
    while pending:
        name = pending.pop()
        if name not in seen and name in tools:
            seen.add(name)
            yield tools[name]
            pending += called_tools(tools[name])


@dataclass(frozen=True, slots=True)
class _Compiler:
    tool: ToolSpec
    site: Site
    tools: Mapping[str, ToolSpec]
    compile_inline: CompileInline

    def steps(self, names: Names) -> tuple[Step, ...]:
        """All of them in order, or none after a fault was reported."""
        compiled: list[Step] = []
        earlier: list[str] = []
        specs = self.tool.steps or ()
        for position, spec in enumerate(specs):
            place = self.site / "steps" / position
            later = frozenset(one.as_ for one in specs[position:])
            seen = replace(names.with_extra(earlier), later=later)
            is_named = self.is_free(spec.as_, place / "as", seen)
            step = self.step(spec, place, seen)
            if step is not None and is_named:
                compiled.append(step)
            earlier.append(spec.as_)
        if not specs:
            self.site.error("empty-steps", "expected at least one step")
        return tuple(compiled) if len(compiled) == len(specs) else ()

    def is_free(self, name: str, site: Site, names: Names) -> bool:
        if name in names.parameters | names.extra:
            site.error("name-taken", f"'{name}' is taken by a parameter or an earlier step")
            return False
        return True

    def step(self, spec: StepSpec, site: Site, names: Names) -> Step | None:
        if spec.tool is not None:
            return self._call(spec, spec.tool, site, names)
        plan = self.compile_inline(spec, site, names)
        return Step(spec.as_, None, {}, plan) if plan is not None else None

    def _call(self, spec: StepSpec, name: str, site: Site, names: Names) -> Step | None:
        called = self._callable(name, site)
        if called is None:
            return None
        arguments: dict[str, TreeTemplate] = {}
        for key, tree in spec.with_.items():
            compiled = compile_tree(tree, site / "with" / key, names)
            if compiled is not None:
                arguments[key] = compiled
        fits = self._fits(spec, name, callee_of(called), site)
        is_whole = fits and len(arguments) == len(spec.with_)
        return Step(spec.as_, name, arguments) if is_whole else None

    def _callable(self, name: str, site: Site) -> ToolSpec | None:
        """The tool of that name; None where it cannot be called from here."""
        called = self.tools.get(name)
        if called is None:
            if not site.may_have("tools", name):
                hint = did_you_mean(name, self.tools)
                (site / "tool").error("unknown-tool", f"there is no tool '{name}'", hint=hint)
            return None
        if called is self.tool or any(tool is self.tool for tool in _reachable(called, self.tools)):
            own = self.site.path[-1] if self.site.path else "this tool"
            message = f"'{own}' would call itself through '{name}'"
            (site / "tool").error("step-cycle", message)
            return None
        if called.confirm is not None and self.tool.confirm is None:
            (site / "tool").error(
                "asking-step",
                f"'{name}' asks before it runs, which it cannot do within a step",
                hint="give the tool with the steps a 'confirm' of its own",
            )
            return None
        return called

    def _fits(self, spec: StepSpec, name: str, callee: Callee, site: Site) -> bool:
        unknown = [
            key
            for key in spec.with_
            if key in callee.bound or (callee.known is not None and key not in callee.known)
        ]
        for key in unknown:
            is_bound = key in callee.bound
            (site / "with" / key).error_at_key(
                "unknown-argument",
                f"'{key}' is bound by '{name}' itself" if is_bound else
                f"'{name}' has no parameter '{key}'",
                hint=None if is_bound else did_you_mean(key, callee.known or ()),
            )  # fmt: skip
        missing = sorted(callee.required - set(spec.with_))
        if missing:
            listed = ", ".join(f"'{key}'" for key in missing)
            (site / "tool").error("missing-argument", f"'{name}' needs {listed} under 'with'")
        return not unknown and not missing
