"""What a tool runs, compiled: `sql`, `http`, `python`, `steps` or `value` → its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.catalog.expressions import Check
from runner.catalog.plans import HttpPlan, ToolPlan
from runner.catalog.schema import Parameter
from runner.catalog.sources import Database
from runner.catalog.sql import ResultColumns, SqlPlan
from runner.compile.expressions import Names, compile_checks
from runner.compile.http.plan import compile_http
from runner.compile.python.plan import PythonCompiled, PythonUse, compile_python
from runner.compile.schemas.parameters import Grammar, compile_members
from runner.compile.site import Site
from runner.compile.sql.plan import SqlSurroundings, compile_sql, sources
from runner.compile.sql.source import Source
from runner.compile.steps import InlinePlan, compile_steps
from runner.compile.surroundings import Surroundings
from runner.compile.value import compile_value
from runner.compile.words import EMPTY
from runner.config.nodes import Scalar
from runner.config.spec.bindings import CheckSpec, HttpSpec, SqlForm, StepSpec
from runner.config.spec.tools import ResultSpec, ToolSpec
from runner.diagnostics import Faults, did_you_mean
from runner.errors import Kind


@dataclass(frozen=True, slots=True)
class Provable:
    """A SQL plan that an engine can prove, and the places of its parts."""

    plan: SqlPlan
    sources: tuple[Source, ...]
    result_site: Site


class BindingCompiler:
    """Compiles the binding of one tool; `provables` gathers the SQL in it."""

    def __init__(self, spec: ToolSpec, site: Site, around: Surroundings) -> None:
        self._spec = spec
        self._site = site
        self._around = around
        self.provables: list[Provable] = []

    @property
    def _may_write(self) -> bool:
        return self._spec.writes not in (None, "false")

    @property
    def _max_bytes(self) -> int:
        result = self._spec.result
        own = None if result is None else result.max_bytes
        return self._around.budgets.response_body_bytes if own is None else own

    def python(self, parameters: Mapping[str, Parameter] | None) -> PythonCompiled | None:
        """The callable; `parameters` are those that the file gives, None where it gives none."""
        if self._spec.python is None:
            return None
        return self._python(self._spec.python, self._site, parameters, self._spec.bind or {})

    def plan(self, parameters: Mapping[str, Parameter], names: Names) -> ToolPlan | None:
        """The plan of any other binding; None after a report."""
        spec, site = self._spec, self._site
        if spec.sql is not None:
            return self._sql(spec.sql, site, parameters, spec.result)
        if spec.http is not None:
            return self._http(spec.http, site / "http", names)
        if spec.steps is not None:
            return compile_steps(
                spec,
                site,
                names=names,
                tools=self._around.tools,
                compile_inline=self._inline_of(parameters),
            )
        if spec.value is not None:
            return compile_value(spec.value, site / "value", names)
        return None

    def _inline_of(self, parameters: Mapping[str, Parameter]) -> "_InlineCompiler":
        return _InlineCompiler(self, parameters)

    def inline(
        self, step: StepSpec, site: Site, names: Names, parameters: Mapping[str, Parameter]
    ) -> InlinePlan | None:
        """The plan of a step's own binding; earlier steps' results are parameters of it."""
        results = {
            name: Parameter(name, "", required=False, hidden=True)
            for name in names.extra | names.parameters
        }
        known = {**results, **parameters}
        if step.sql is not None:
            return self._sql(step.sql, site, known, None, database=step.database)
        if step.http is not None:
            return self._http(step.http, site / "http", names)
        if step.python is not None:
            compiled = self._python(step.python, site, known, ())
            return None if compiled is None else compiled.plan
        return compile_value(step.value, site / "value", names) if step.value is not None else None

    def _sql(
        self,
        form: SqlForm,
        site: Site,
        parameters: Mapping[str, Parameter],
        result: ResultSpec | None,
        *,
        database: str | None = None,
    ) -> SqlPlan | None:
        found = self._database(database or self._spec.database, site)
        columns = self._columns(result, site / "result")
        if found is None:
            return None
        names = frozenset(parameters)

        def checks(specs: Sequence[CheckSpec], at: Site, extra: frozenset[str]) -> Sequence[Check]:
            return compile_checks(specs, at, Names(names, extra))

        around = SqlSurroundings(
            found.name,
            found.dialect,
            parameters,
            may_write=self._may_write,
            max_rows=self._max_rows(result),
            max_bytes=self._max_bytes,
            compile_checks=checks,
            result=result,
            result_site=site / "result",
            columns=columns,
            file_text=self._text(form),
        )
        plan = compile_sql(form, site / "sql", around)
        if plan is not None:
            places = sources(form, site / "sql", around.file_text)
            self.provables.append(Provable(plan, places, site / "result"))
            if not found.counts:
                self._check_counts(plan, places)
        return plan

    def _check_counts(self, plan: SqlPlan, places: Sequence[Source]) -> None:
        """Reports what reads how many rows were changed: the driver does not tell that."""
        what = f"the driver of {plan.dialect} does not tell how many rows were changed"
        hint = "ask with a query beside it, or let it return rows"
        for statement, place in zip(plan.statements, places, strict=True):
            if not statement.returns_rows and any("rows" in one.names for one in statement.checks):
                (place.site / "check").error(
                    "uncounted", f"'rows' has no value here: {what}", hint=hint
                )
        if plan.shape == "affected" and self._raises_missing():
            (self._site / "errors" / "missing").error(
                "uncounted", f"'missing' is never known here: {what}", hint=hint
            )

    def _raises_missing(self) -> bool:
        written = (self._spec.errors or {}).get(Kind.MISSING)
        return written is not None and written.text != EMPTY

    def _text(self, form: SqlForm) -> Scalar | None:
        return None if form.file is None else self._around.texts.get(form.file)

    def _max_rows(self, result: ResultSpec | None) -> int:
        own = None if result is None else result.max_rows
        return self._around.budgets.rows if own is None else own

    def _columns(self, result: ResultSpec | None, site: Site) -> ResultColumns:
        if result is None:
            return ResultColumns()
        members = None
        if result.columns is not None:
            # Its faults are reported where the output schema is made of it.
            quiet = Site(site.document, Faults(), site.path)
            members = compile_members(result.columns, quiet / "columns", Grammar(is_output=True))
        return ResultColumns(
            frozenset(result.json_columns),
            {} if members is None else members.parameters,
            result.decimals,
        )

    def _database(self, name: str | None, site: Site) -> Database | None:
        known = site.entries("databases")
        if name is None and len(known) == 1:
            name = known[0]
        if name is None and not site.document.may_hold("databases", ""):
            (site / "sql").error_at_key(
                "missing-field",
                "expected 'database', since the file has several: " + ", ".join(known)
                if known
                else "expected a database for the SQL, and the file has none",
                hint="name one of 'databases:'" if known else "declare it under 'databases:'",
            )
        if name is None:
            return None
        if not site.may_have("databases", name):
            (site / "database").error(
                "unknown-database",
                f"no database is named '{name}'",
                details=(f"known databases: {', '.join(known) or 'none'}",),
                hint=did_you_mean(name, known),
            )
        # A database with faults of its own is missing here; they are reported at its place.
        return self._around.databases.get(name)

    def _http(self, spec: HttpSpec, site: Site, names: Names) -> HttpPlan | None:
        return compile_http(
            spec, site, names=names, apis=self._around.apis, max_bytes=self._max_bytes
        )

    def _python(
        self,
        reference: Scalar,
        site: Site,
        parameters: Mapping[str, Parameter] | None,
        binds: Mapping[str, object] | tuple[()],
    ) -> PythonCompiled | None:
        result = self._spec.result
        declares = result is not None and (result.schema_ is not None or result.columns is not None)
        use = PythonUse(
            parameters=parameters,
            binds=tuple(binds),
            writes=self._may_write,
            declares_output=declares,
            database=self._spec.database or self._around.spec.defaults.database,
            databases=site.entries("databases"),
            apis=site.entries("apis"),
        )
        return compile_python(reference, site, use, loader=self._around.loader)


class _InlineCompiler:
    """Compiles the inline bindings of one tool's steps."""

    def __init__(self, compiler: BindingCompiler, parameters: Mapping[str, Parameter]) -> None:
        self._compiler = compiler
        self._parameters = parameters

    def __call__(self, step: StepSpec, site: Site, names: Names) -> InlinePlan | None:
        return self._compiler.inline(step, site, names, self._parameters)
