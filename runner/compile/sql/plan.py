"""`sql` of a tool, compiled: `SqlForm` → `SqlPlan`, with every fault reported."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from runner.catalog.expressions import Check
from runner.catalog.schema import Parameter
from runner.catalog.sources import KEEP_READ_ONLY
from runner.catalog.sql import Page, ResultColumns, Shape, SqlPlan, Statement
from runner.compile.site import Site
from runner.compile.sql.client import read_client
from runner.compile.sql.names import Names
from runner.compile.sql.paging import compile_page, page_parameters
from runner.compile.sql.parts import roots
from runner.compile.sql.source import Source
from runner.compile.sql.statement import Compiled, compile_statement
from runner.config.nodes import Scalar
from runner.config.nodes import Sequence as NodeSequence
from runner.config.spec.bindings import CheckSpec, SqlForm, StatementSpec
from runner.config.spec.tools import ResultSpec
from runner.diagnostics import did_you_mean

ChecksCompiler = Callable[[Sequence[CheckSpec], Site, frozenset[str]], Sequence[Check]]
"""Compiles a statement's checks, given their place and the names that they see besides the tool's
(`rows`, `item`, `index`, the `as` names); what is wrong is reported and left out."""


@dataclass(frozen=True, slots=True)
class SqlSurroundings:
    """What a tool's SQL is compiled against."""

    database: str
    dialect: str
    """SQLAlchemy's name of the backend."""
    parameters: Mapping[str, Parameter]
    """All of the tool's, hidden ones included; without the page's `cursor`."""
    may_write: bool
    max_rows: int
    max_bytes: int
    compile_checks: ChecksCompiler
    result: ResultSpec | None = None
    result_site: Site | None = None
    """The tool's `result`; needed where `result` is given."""
    columns: ResultColumns = field(default_factory=ResultColumns)
    file_text: Scalar | None = None
    """The content of `sql.file`."""


def compile_sql(form: SqlForm, site: Site, around: SqlSurroundings) -> SqlPlan | None:
    """The plan of a tool's `sql`, which stands at `site`; None after a report."""
    if form.parameter is not None:
        return _client_plan(form.parameter, site / "parameter", around)
    compiled = _statements(form, site, around)
    if None in compiled or not compiled:
        _page(None, around, site)
        return None
    statements = [item for item in compiled if item is not None]
    sites = [source.site for source in sources(form, site, around.file_text)]
    shape = _shape([item.statement for item in statements], around, site)
    result = _result([item.statement for item in statements], shape, sites)
    page = _page(statements[result] if result is not None else None, around, site)
    return SqlPlan(
        around.database,
        around.dialect,
        tuple(item.statement for item in statements),
        result,
        shape,
        around.may_write,
        around.max_rows,
        around.max_bytes,
        {**around.parameters, **page_parameters(around.result)},
        around.columns,
        page,
        uses_scope=any(item.statement.checks for item in statements),
    )


def sources(form: SqlForm, site: Site, file_text: Scalar | None = None) -> tuple[Source, ...]:
    """Where each statement of `form` stands, in order; none for a client's statement."""
    if file_text is not None:
        return (Source(file_text, site),)
    is_list = isinstance(site.document.find(site.path), NodeSequence)
    return tuple(
        Source(item.run, site / place if is_list else site)
        for place, item in enumerate(form.statements or ())
    )


def _client_plan(name: str, site: Site, around: SqlSurroundings) -> SqlPlan | None:
    shape = _declared_shape(around) or "rows"
    fault = _engine_fault(around) or _client_fault(name, around, shape)
    if fault is not None:
        site.error(
            "client-statement",
            fault,
            hint=None if name in around.parameters else did_you_mean(name, around.parameters),
        )
        return None
    return SqlPlan(
        around.database,
        around.dialect,
        (),
        None,
        shape,
        False,
        around.max_rows,
        around.max_bytes,
        around.parameters,
        around.columns,
        client_parameter=name,
        read_client=partial(read_client, dialect=around.dialect),
    )


def _engine_fault(around: SqlSurroundings) -> str | None:
    if around.dialect in KEEP_READ_ONLY:
        return None
    return f"{around.dialect} is not known to keep a client's statement from writing"


def _client_fault(name: str, around: SqlSurroundings, shape: Shape) -> str | None:
    """Why the client cannot write the statement in this parameter or for this tool."""
    parameter = around.parameters.get(name)
    if parameter is None or parameter.hidden:
        return f"'{name}' is no parameter that the client sends"
    if parameter.type != "string" or parameter.is_list or not parameter.required:
        return f"expected a required string parameter, found '{name}' of type {parameter.type}"
    if around.may_write:
        return "a statement that the client writes only reads, but the tool says 'writes'"
    if around.result is not None and around.result.page is not None:
        return "a statement that the client writes has no pages"
    return "'affected' needs a statement that writes" if shape == "affected" else None


def _declared_shape(around: SqlSurroundings) -> Shape | None:
    return around.result.shape if around.result is not None else None


def _page(compiled: Compiled | None, around: SqlSurroundings, site: Site) -> Page | None:
    return compile_page(
        around.result,
        compiled,
        parameters=around.parameters,
        site=(around.result_site or site) / "page",
    )


def _statements(form: SqlForm, site: Site, around: SqlSurroundings) -> list[Compiled | None]:
    specs = form.statements
    if around.file_text is not None:
        specs = (StatementSpec.model_construct(run=around.file_text),)
    if not specs:
        site.error("empty-statement", "expected a SQL statement, found none")
        return []
    found: list[Compiled | None] = []
    earlier: dict[str, bool] = {}
    for spec, source in zip(specs, sources(form, site, around.file_text), strict=True):
        compiled = _statement(spec, source, earlier, around)
        found.append(compiled)
        if spec.as_ is not None:
            earlier[spec.as_] = compiled is None or compiled.statement.returns_rows
    return found


def _statement(
    spec: StatementSpec, source: Source, earlier: Mapping[str, bool], around: SqlSurroundings
) -> Compiled | None:
    item = _each(spec, source.site, around.parameters)
    _check_if_sent(spec, source.site, around.parameters)
    _check_as(spec, source.site, {*around.parameters, *earlier})
    page = around.result.page if around.result is not None else None
    names = Names(
        around.parameters, item, dict(earlier), tuple(page.key) if page is not None else None
    )
    compiled = compile_statement(source, names, dialect=around.dialect, may_write=around.may_write)
    checks = _checks(spec, source.site, earlier, around.compile_checks)
    if compiled is None:
        return None
    statement = replace(
        compiled.statement,
        each=spec.each,
        if_sent=spec.if_sent,
        as_name=spec.as_,
        checks=tuple(checks),
    )
    return replace(compiled, statement=statement)


def _each(spec: StatementSpec, site: Site, parameters: Mapping[str, Parameter]) -> Parameter | None:
    if spec.each is None:
        return None
    parameter = _known(spec.each, site / "each", parameters)
    if parameter is None:
        return Parameter(spec.each, "")
    if not parameter.is_list and not (parameter.hidden and parameter.type == ""):
        (site / "each").error(
            "not-a-list", f"expected a list parameter, found '{spec.each}' of type {parameter.type}"
        )
    return replace(parameter, is_list=False)


def _check_if_sent(spec: StatementSpec, site: Site, parameters: Mapping[str, Parameter]) -> None:
    if spec.if_sent is None:
        return
    parameter = _known(spec.if_sent, site / "if_sent", parameters)
    if parameter is not None and parameter.required and not parameter.hidden:
        (site / "if_sent").error(
            "always-sent",
            f"expected an optional parameter, but '{spec.if_sent}' always has a value",
            hint=f"'{spec.if_sent}?' makes it optional, without a default",
        )


def _known(name: str, site: Site, parameters: Mapping[str, Parameter]) -> Parameter | None:
    if name not in parameters:
        site.error(
            "unknown-parameter",
            f"'{name}' is no parameter of this tool",
            hint=did_you_mean(name, parameters),
        )
    return parameters.get(name)


def _check_as(spec: StatementSpec, site: Site, taken: set[str]) -> None:
    if spec.as_ in taken:
        (site / "as").error("name-taken", f"'{spec.as_}' is already a parameter or another row")


def _checks(
    spec: StatementSpec, site: Site, earlier: Mapping[str, bool], compile_checks: ChecksCompiler
) -> Sequence[Check]:
    seen = {"rows", *earlier}
    if spec.as_ is not None:
        seen.add(spec.as_)
    if spec.each is not None:
        seen |= {"item", "index"}
    return compile_checks(spec.check, site / "check", frozenset(seen)) if spec.check else ()


def _shape(statements: Sequence[Statement], around: SqlSurroundings, site: Site) -> Shape:
    """The declared shape; without one, `rows` where a statement returns any, else `affected`."""
    returns = any(item.returns_rows for item in statements)
    shape: Shape = _declared_shape(around) or ("rows" if returns else "affected")
    at = around.result_site / "shape" if around.result_site is not None else site
    if shape == "affected" and not any(item.writes for item in statements):
        at.error("result-shape", "'affected' needs a statement that writes, found only queries")
    elif shape != "affected" and not returns:
        at.error(
            "result-shape",
            f"'{shape}' needs a statement that returns rows, found none",
            hint="add RETURNING or a query, or say 'shape: affected'",
        )
    return shape


def _result(statements: Sequence[Statement], shape: Shape, sites: Sequence[Site]) -> int | None:
    if shape == "affected":
        return None
    place = max((at for at, item in enumerate(statements) if item.returns_rows), default=None)
    if place is None:
        return None
    conditions = {"each": statements[place].each, "if_sent": statements[place].if_sent}
    for word, name in conditions.items():
        if name is not None:
            (sites[place] / word).error(
                "conditional-result",
                f"the statement that gives the result cannot have '{word}'",
                hint="let a query behind it give the result, or say 'shape: affected'",
            )
    return place


def used_parameters(plan: SqlPlan) -> frozenset[str]:
    """The parameters that the plan uses: bound, chosen, looped over, asked for, or in a check."""
    used: set[str] = set()
    for statement in plan.statements:
        used |= roots(statement)
        used |= {name for name in (statement.each, statement.if_sent) if name is not None}
        for check in statement.checks:
            used |= check.that.names | check.otherwise.names
    if plan.page is not None:
        used |= {plan.page.size, "cursor"}
    if plan.client_parameter is not None:
        used.add(plan.client_parameter)
    return frozenset(used & set(plan.parameters))


def report_unused(
    plan: SqlPlan, site: Site, *, used_elsewhere: frozenset[str] = frozenset()
) -> None:
    """Warns of each parameter that neither the statements nor `used_elsewhere` name.

    `site` is the tool's own; binds of `defaults` are for their caller to judge.
    """
    unused = set(plan.parameters) - used_parameters(plan) - used_elsewhere
    for name in sorted(unused):
        for path in (("bind", name), ("input", name), ("input", f"{name}?")):
            if site.document.find((*site.path, *path)) is not None:
                (site / path[0] / path[1]).warning(
                    "unused-parameter", f"'{name}' is used nowhere in this tool"
                )
