"""The wiring of steps: each `$name.path` held against what its step is known to give.

Comes after proving, which tells what SQL gives. What nobody declared or proved is not judged, nor
is a text that may be converted: only what can never fit is a fault.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from runner.catalog.plans import StepsPlan
from runner.catalog.schema import OutputSchema
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Tool
from runner.compile.schemas.reading import Form, Forms, Misread, forms_of, read
from runner.compile.site import Site
from runner.compile.trees import reference_of
from runner.config.nodes import Scalar
from runner.config.spec.bindings import StepSpec
from runner.config.spec.leaves import Tree
from runner.config.spec.tools import ToolSpec
from runner.diagnostics import did_you_mean

Derive = Callable[[Tool, SqlPlan], OutputSchema | None]
"""What a proven SQL plan gives."""
Sources = Mapping[str, Forms]
"""What each name gives; a name that is not here is not judged."""

_NOTHING: Final[Mapping[str, object]] = {}
_WORDS: Final = {
    "object": "a mapping", "array": "a list", "string": "a text", "integer": "an integer",
    "number": "a number", "boolean": "true or false",
}  # fmt: skip


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
    _results: dict[str, Forms] = field(default_factory=dict)

    def check(self) -> None:
        """Reports every reference of a step that leads nowhere or never fits."""
        for name, tool in self.tools.items():
            if isinstance(tool.plan, StepsPlan):
                self._check_steps(name, tool, tool.plan)

    def _check_steps(self, name: str, tool: Tool, plan: StepsPlan) -> None:
        sources = _parameters(tool)
        for at, (spec, step) in enumerate(
            zip(self.specs[name].steps or (), plan.steps, strict=True)
        ):
            place = self.site / name / "steps" / at
            if step.tool is not None and step.tool in self.tools:
                called = _Called(step.tool, self.tools[step.tool], self.specs[step.tool].coerce)
                for key, tree in spec.with_.items():
                    called.check(key, tree, place / "with" / key, sources)
            if spec.value is not None:
                _forms(spec.value, place / "value", sources)
            sources[spec.as_] = self._given(spec, step.inline, tool, sources)

    def _given(self, spec: StepSpec, inline: object, tool: Tool, sources: Sources) -> Forms:
        """What a step gives."""
        if spec.tool is not None:
            return self._result(spec.tool)
        if isinstance(inline, SqlPlan):
            output = self.derive(tool, inline)
            return () if output is None else forms_of(output.listed, output.listed)
        return () if spec.value is None else _forms(spec.value, None, sources)

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
        sources = _parameters(tool)
        if spec.value is not None:
            return _forms(spec.value, None, sources)
        if not isinstance(tool.plan, StepsPlan) or tool.plan.select is not None:
            return ()
        given: dict[str, object] = {}
        for one, step in zip(spec.steps or (), tool.plan.steps, strict=True):
            given[one.as_] = sources[one.as_] = self._given(one, step.inline, tool, sources)
        return (_mapping(given),)


@dataclass(frozen=True, slots=True)
class _Called:
    name: str
    tool: Tool
    coerces: bool

    def check(self, key: str, tree: Tree, site: Site, sources: Sources) -> None:
        """Reports what the argument `key` refers to in vain, or what it can never take."""
        listed = self.tool.input.listed
        properties = listed.get("properties")
        schema = properties.get(key) if isinstance(properties, Mapping) else None
        taken = forms_of(schema, listed)
        given = _forms(tree, site, sources)
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


def _mapping(items: Mapping[str, object]) -> Form:
    return Form({"type": "object", "properties": items, "additionalProperties": False}, _NOTHING)


def _forms(tree: Tree, site: Site | None, sources: Sources) -> Forms:
    """What a tree gives; faults of its references are reported if there is a place for them."""
    match tree:
        case Scalar():
            return _of_scalar(tree, site, sources)
        case list():
            for at, item in enumerate(tree):
                _forms(item, site and site / at, sources)
            return (Form({"type": "array"}, _NOTHING),)
        case _:
            items = {key: _forms(item, site and site / key, sources) for key, item in tree.items()}
            return (_mapping(items),)


def _of_scalar(scalar: Scalar, site: Site | None, sources: Sources) -> Forms:
    reference = reference_of(scalar)
    if reference is None:
        kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
        kind = kinds.get(type(scalar.value))
        return () if kind is None else (Form({"type": kind}, _NOTHING),)
    name, keys = reference
    found = read(sources.get(name, ()), keys)
    if not isinstance(found, Misread):
        return found
    if site is not None:
        _report(scalar, site, (name, *keys), found)
    return ()


def _report(scalar: Scalar, site: Site, path: tuple[str, ...], fault: Misread) -> None:
    owner, key = path[: fault.depth + 1], path[fault.depth + 1]
    shown, rest = ".".join(owner), ".".join(path[fault.depth + 1 :])
    at = scalar.at(len(shown) + 2)  # behind the dollar sign and the dot
    if fault.owner.type == "object":
        rows = read((fault.owner,), ["rows", "0", *path[fault.depth + 1 :]])
        is_of_row = "rows" in fault.fields and not isinstance(rows, Misread)
        site.error(
            "unknown-name",
            f"there is no '{key}' in '{shown}'",
            details=(f"known here: {', '.join(fault.fields) or 'nothing'}",),
            hint=f"write ${shown}.rows.0.{rest} for the first row"
            if is_of_row
            else did_you_mean(key, fault.fields),
            at=at,
        )
        return
    is_list = fault.owner.type == "array"
    site.error(
        "no-fields",
        f"'{shown}' is {_WORDS.get(fault.owner.type, fault.owner.type)}; it has no '{key}'",
        hint=f"write ${shown}.0.{rest} for the first item" if is_list else None,
        at=at,
    )


def _listed(forms: Forms) -> str:
    words = [
        f"a text ({form.schema['format']})"
        if form.type == "string" and "format" in form.schema
        else _WORDS.get(form.type, form.type)
        for form in forms
    ]
    return " or ".join(dict.fromkeys(words))
