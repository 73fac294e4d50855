"""One tool of the file → one frozen `Tool`: its parts, compiled by their modules, meet here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from runner.catalog.expressions import Bind, Check
from runner.catalog.plans import HttpPlan, PythonPlan, ToolPlan
from runner.catalog.schema import InputSchema, OutputSchema, Parameter
from runner.catalog.sql import SqlPlan
from runner.catalog.tool import Confirm, ResultText, Tool, Words
from runner.compile.addresses import ENGINES
from runner.compile.annotations import annotations_of, writes_of
from runner.compile.asking import compile_ask, compile_confirm, names_shown, without_required
from runner.compile.bindings import BindingCompiler, Provable
from runner.compile.examples import check_examples
from runner.compile.expressions import Names, compile_checks, compile_expression, compile_template
from runner.compile.inherited import is_dropped
from runner.compile.python.plan import PythonCompiled
from runner.compile.schemas.input import compile_input, input_from_schema
from runner.compile.schemas.output import Form, declared_output, output_of_hints
from runner.compile.server import compile_icons
from runner.compile.site import Site
from runner.compile.sql.paging import CURSOR
from runner.compile.sql.plan import report_unused
from runner.compile.steps import step_writes
from runner.compile.surroundings import Surroundings
from runner.compile.usage import names_of
from runner.compile.words import compile_words, may_be_null
from runner.config.spec.inputs import ParameterSpec
from runner.config.spec.tools import ToolSpec

_CURSOR_DESCRIPTION = (
    "Where the last page ended: the `next` of its result. The first page has none."
)


@dataclass(frozen=True, slots=True)
class CompiledTool:
    """A tool, and what proving it needs to know."""

    tool: Tool
    provables: Sequence[Provable]
    """Its SQL plans: its own, or those of its inline steps, in order."""


class ToolCompiler:
    """Compiles one tool."""

    def __init__(self, name: str, site: Site, around: Surroundings) -> None:
        self._name = name
        self._site = site
        self._around = around
        self._spec = _with_cursor(around.tools[name])
        self._bindings = BindingCompiler(self._spec, site, around)

    def compile(self) -> CompiledTool | None:
        """The tool; None where something keeps it from being served (all reported)."""
        code, schema = self._code_and_input()
        if schema is None or (code is None and self._spec.python is not None):
            return None
        parameters = {**schema.parameters, **self._hidden(schema)}
        names = Names(frozenset(parameters))
        binds = self._binds(schema)
        checks = compile_checks(self._spec.check, self._site / "check", names)
        plan = code.plan if code is not None else self._bindings.plan(parameters, names)
        if plan is None:
            return None
        confirm = compile_confirm(self._spec.confirm, self._site, names, self._around.tools)
        used = names_of(plan, names.parameters).union(
            *(check.that.names | check.otherwise.names for check in checks), names_shown(confirm)
        )
        kept = tuple(bind for bind in binds if bind.name in used)
        self._report_unused(plan, used.union(*(bind.value.names for bind in kept)))
        tool = self._tool(schema, plan, code, names=names, binds=kept, checks=tuple(checks))
        return CompiledTool(self._asking(tool, confirm), tuple(self._bindings.provables))

    def _asking(self, tool: Tool, confirm: Confirm | None) -> Tool:
        """The tool with what it asks; what the user may be asked for, the model need not send."""
        ask = compile_ask(self._spec, self._site, tool.input)
        listed = tool.input.listed if ask is None else without_required(tool.input.listed, ask)
        return replace(
            tool,
            input=replace(tool.input, listed=listed),
            confirm=confirm,
            ask=ask,
            task=self._spec.task,
            needs_scope=tool.needs_scope or confirm is not None,
        )

    def _code_and_input(self) -> tuple[PythonCompiled | None, InputSchema | None]:
        spec = self._spec
        if spec.python is None or spec.input is not None or spec.input_schema is not None:
            schema = self._written_input()
            parameters = None if schema is None else schema.parameters
            return self._bindings.python(parameters), schema
        code = self._bindings.python(None)
        if code is None or code.listed is None:
            return code, None
        schema = input_from_schema(
            code.listed,
            self._site,
            strict=spec.strict,
            coerce=spec.coerce,
            input_elements=self._around.budgets.input_elements,
        )
        return code, schema

    def _written_input(self) -> InputSchema | None:
        return compile_input(
            self._spec,
            self._site,
            schemas=self._around.schemas,
            input_elements=self._around.budgets.input_elements,
        )

    def _hidden(self, schema: InputSchema) -> Mapping[str, Parameter]:
        """The parameters that `bind` adds; one that the client could send as well is a fault."""
        for name in self._spec.bind or {}:
            if name in schema.parameters:
                (self._site / "bind" / name).error_at_key(
                    "name-taken",
                    f"'{name}' is bound and in 'input' too; a bound parameter is never sent",
                    hint="remove it from one of the two",
                )
        return {
            name: Parameter(name, "", required=False, hidden=True) for name in self._spec.bind or {}
        }

    def _binds(self, schema: InputSchema) -> list[Bind]:
        names = Names(frozenset(schema.parameters))
        own = self._around.spec.tools[self._name].bind or {}
        binds: list[Bind] = []
        for name, scalar in (self._spec.bind or {}).items():
            site = self._site if name in own else Site(self._site.document, self._site.faults)
            site = site / "bind" / name if name in own else site / "defaults" / "bind" / name
            value = compile_expression(scalar, site, names)
            if value is not None:
                binds.append(Bind(name, value))
        return binds

    def _report_unused(self, plan: ToolPlan, used: frozenset[str]) -> None:
        if not isinstance(plan, SqlPlan):
            return
        report_unused(plan, self._site, used_elsewhere=used)
        defaults = self._around.spec.defaults.bind or {}
        written = self._around.spec.tools[self._name]
        meant = any(is_dropped(name, written, self._around.spec.defaults) for name in defaults)
        if defaults and not meant and not used & defaults.keys():
            listed = ", ".join(f":{name}" for name in defaults)
            self._site.warning(
                "unused-default-bind",
                f"the SQL of '{self._name}' uses none of {listed}",
                details=("rows of every caller may be read",),
                hint=f"use it, or say bind: {{{next(iter(defaults))}: null}} if that is meant",
                at=self._site.document.position(self._site.path, key=True),
            )

    def _tool(
        self,
        schema: InputSchema,
        plan: ToolPlan,
        code: PythonCompiled | None,
        *,
        names: Names,
        binds: tuple[Bind, ...],
        checks: tuple[Check, ...],
    ) -> Tool:
        spec, site, budgets = self._spec, self._site, self._around.budgets
        method = plan.method if isinstance(plan, HttpPlan) else None
        called = step_writes(spec, self._around.tools)
        writes = writes_of(spec, site, method=method, called=called)
        words = compile_words(
            spec.errors or {},
            site / "errors",
            names,
            is_sql=isinstance(plan, SqlPlan),
            is_http=isinstance(plan, HttpPlan),
        )
        description = spec.description or (code.description if code is not None else None)
        if not description:
            site.warning(
                "no-description",
                f"'{self._name}' has no description",
                details=("the model chooses a tool by it",),
                hint="say what it does and when to use it",
                at=site.document.position(site.path, key=True),
            )
        result = spec.result
        return Tool(
            name=self._name,
            title=spec.title,
            description=description,
            icons=compile_icons(spec.icons, site / "icons"),
            tags=spec.tags,
            input=schema,
            output=self._output(plan, code, words),
            annotations=annotations_of(spec, writes, method=method),
            binds=binds,
            checks=checks,
            plan=plan,
            text=self._text(names),
            max_bytes=(result and result.max_bytes) or budgets.response_body_bytes,
            errors=words,
            timeout_s=budgets.timeout_s if spec.timeout is None else spec.timeout,
            examples=check_examples(spec, site, schema),
            scope_names=names.parameters,
            needs_scope=_needs_scope(plan, binds, checks, has_words=bool(words))
            or self._text_is_template,
        )

    @property
    def _text_is_template(self) -> bool:
        result = self._spec.result
        return result is not None and result.text is not None and result.text.template is not None

    def _text(self, names: Names) -> ResultText:
        result = self._spec.result
        if result is None or result.text is None:
            return ResultText()
        if result.text.template is not None:
            seen = names.with_extra(("result",))
            site = self._site / "result" / "text" / "template"
            return ResultText(template=compile_template(result.text.template, site, seen))
        return ResultText(result.text.format or "json")

    def _output(
        self, plan: ToolPlan, code: PythonCompiled | None, words: Mapping[str, Words]
    ) -> OutputSchema | None:
        """The output that the file or the code declares; a derived one comes with the proof."""
        spec = self._spec
        if spec.result is not None:
            form = Form(
                plan.shape if isinstance(plan, SqlPlan) else spec.result.shape or "value",
                paged=spec.result.page is not None,
                may_be_null=may_be_null(words) or not _raises_missing(plan),
                is_counted=not isinstance(plan, SqlPlan) or plan.dialect in ENGINES,
            )
            site = self._site / "result"
            declared = declared_output(spec.result, form, site, self._around.schemas)
            if declared is not None:
                return declared
        if code is None or code.output is None:
            return None
        return output_of_hints(code.output)


def compile_hidden(
    key: str, site: Site, written: ToolSpec, merged: ToolSpec, around: Surroundings
) -> CompiledTool | None:
    """A tool that is run and never listed; `merged` is `written` with the defaults that hold."""
    spec = around.spec.model_copy(update={"tools": {key: written}})
    return ToolCompiler(key, site, replace(around, spec=spec, tools={key: merged})).compile()


def _with_cursor(spec: ToolSpec) -> ToolSpec:
    """A paged tool takes the sealed cursor too; the name is reserved, so that no author has it."""
    if spec.result is None or spec.result.page is None or spec.input is None:
        return spec
    cursor = ParameterSpec.model_construct(
        type="string", description=_CURSOR_DESCRIPTION, _fields_set={"type", "description"}
    )
    return spec.model_copy(update={"input": {**spec.input, f"{CURSOR.name}?": cursor}})


def _raises_missing(plan: ToolPlan) -> bool:
    """The statement is the author's own; what a client wrote may find nothing."""
    return isinstance(plan, SqlPlan) and plan.client_parameter is None


def _needs_scope(
    plan: ToolPlan, binds: Sequence[Bind], checks: Sequence[Check], *, has_words: bool
) -> bool:
    if binds or checks or has_words:
        return True
    match plan:
        case SqlPlan():
            return plan.uses_scope
        case PythonPlan():
            return False
        case _:
            return True
