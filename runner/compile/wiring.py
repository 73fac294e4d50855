"""The wiring of steps: whatever one reads of those before it, held against what they give.

Comes after proving, which tells what SQL gives. What nobody declared or proved is not judged, nor
is a text that may be converted: only what can never fit is a fault.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from runner.catalog.plans import StepsPlan
from runner.catalog.schema import OutputSchema
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool
from runner.compile.inline import check_http, check_sql
from runner.compile.known import Known, mapping_of
from runner.compile.references import WORDS
from runner.compile.schemas.reading import Form, Forms, Misread, forms_of, read
from runner.compile.site import Site
from runner.compile.sql.source import Source
from runner.config.nodes import Scalar
from runner.config.spec.bindings import StepSpec
from runner.config.spec.leaves import Tree
from runner.config.spec.tools import ToolSpec

Derive = Callable[[Tool, SqlPlan], OutputSchema | None]
"""What a proven SQL plan gives."""
Statements = Sequence[Sequence[Source]]
"""The statements of the inline SQL of a tool's steps, as written, by step."""


@dataclass(slots=True)
class Wiring:
    """Checks the steps of a file's tools."""

    tools: Mapping[str, Tool]
    """Proven."""
    specs: Mapping[str, ToolSpec]
    """As written, with defaults."""
    site: Site
    """The place of all tools."""
    derive: Derive
    statements: Mapping[str, Statements]
    """By tool; of those with inline SQL."""
    _results: dict[str, Forms] = field(default_factory=dict)

    def check(self) -> None:
        """Reports every reference of a step that leads nowhere or never fits."""
        for name, tool in self.tools.items():
            if isinstance(tool.plan, StepsPlan):
                self._check_steps(name, tool, tool.plan)

    def _check_steps(self, name: str, tool: Tool, plan: StepsPlan) -> None:
        steps: dict[str, Forms] = {}
        known = Known(_parameters(tool), steps)
        texts = iter(self.statements.get(name, ()))
        for at, (spec, step) in enumerate(
            zip(self.specs[name].steps or (), plan.steps, strict=True)
        ):
            place = self.site / name / "steps" / at
            if step.tool is not None and step.tool in self.tools:
                called = _Called(step.tool, self.tools[step.tool], self.specs[step.tool].coerce)
                for key, tree in spec.with_.items():
                    called.check(key, tree, place / "with" / key, known)
            if spec.value is not None:
                known.tree(spec.value, place / "value")
            if spec.http is not None:
                check_http(spec.http, place / "http", known)
            if spec.sql is not None and isinstance(step.inline, SqlPlan):
                check_sql(spec.sql, step.inline, next(texts), known)
            steps[spec.as_] = self._given(spec, step.inline, tool, known)

    def _given(self, spec: StepSpec, inline: object, tool: Tool, known: Known) -> Forms:
        """What a step gives."""
        if spec.tool is not None:
            return self._result(spec.tool)
        if isinstance(inline, SqlPlan):
            output = self.derive(tool, inline)
            return () if output is None else forms_of(output.listed, output.listed)
        return () if spec.value is None else known.tree(spec.value, None)

    def _result(self, name: str) -> Forms:
        """What a tool gives; no tool calls itself, so that this ends."""
        tool, spec = self.tools.get(name), self.specs[name]
        if tool is None:
            return ()
        if name not in self._results:
            self._results[name] = self._result_of(tool, spec)
        return self._results[name]

    def _result_of(self, tool: Tool, spec: ToolSpec) -> Forms:
        if tool.output is not None:
            return forms_of(tool.output.listed, tool.output.listed)
        steps: dict[str, Forms] = {}
        known = Known(_parameters(tool), steps)
        if spec.value is not None:
            return known.tree(spec.value, None)
        if not isinstance(tool.plan, StepsPlan) or tool.plan.select is not None:
            return ()
        for one, step in zip(spec.steps or (), tool.plan.steps, strict=True):
            steps[one.as_] = self._given(one, step.inline, tool, known)
        return (mapping_of(steps),)


@dataclass(frozen=True, slots=True)
class _Called:
    name: str
    tool: Tool
    coerces: bool

    def check(self, key: str, tree: Tree, site: Site, known: Known) -> None:
        """Reports what the argument `key` refers to in vain, or what it can never take."""
        listed = self.tool.input.listed
        properties = listed.get("properties")
        schema = properties.get(key) if isinstance(properties, Mapping) else None
        taken = forms_of(schema, listed)
        given = known.tree(tree, site)
        if not given or not taken or any(self._fits(one, to) for one in given for to in taken):
            return
        found = f"'{tree.text}'" if isinstance(tree, Scalar) else "what is written here"
        inner = _items_that_fit(tree, given, lambda one: any(self._fits(one, to) for to in taken))
        site.error(
            "wrong-argument",
            f"'{key}' of '{self.name}' takes {_listed(taken)}, and {found} is {_listed(given)}",
            hint=inner,
        )

    def _fits(self, given: Form, taken: Form) -> bool:
        numbers = ("integer", "number")
        if given.type == taken.type or (given.type in numbers and taken.type in numbers):
            return True
        return self.coerces and given.type == "string" and "format" not in given.schema


def _items_that_fit(tree: Tree, given: Forms, fits: Callable[[Form], bool]) -> str | None:
    """A hint at the first item, where a list stands for one value."""
    if not isinstance(tree, Scalar) or any(form.type != "array" for form in given):
        return None
    items = read(given, ["0"])
    if isinstance(items, Misread) or not items or not any(map(fits, items)):
        return None
    return f"write {tree.text}.0 for the first item"


def _parameters(tool: Tool) -> dict[str, Forms]:
    listed = tool.input.listed
    properties = listed.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    return {str(name): forms_of(schema, listed) for name, schema in known.items()}


def _listed(forms: Forms) -> str:
    words = [
        f"a text ({form.schema['format']})"
        if form.type == "string" and "format" in form.schema
        else WORDS.get(form.type, form.type)
        for form in forms
    ]
    return " or ".join(dict.fromkeys(words))
