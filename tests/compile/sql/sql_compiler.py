"""Compiles SQL as a tool of a file would have it; what is found comes with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.catalog.expressions import Check, Expression, Template
from runner.catalog.schema import Parameter
from runner.catalog.sql import SqlPlan
from runner.compile.site import Site
from runner.compile.sql.plan import SqlSurroundings, compile_sql
from runner.config.nodes import Document, Entry, Mapping_, Node, Scalar
from runner.config.nodes import Sequence as NodeSequence
from runner.config.spec.bindings import CheckSpec, SqlForm, StatementSpec
from runner.config.spec.tools import ResultSpec
from runner.diagnostics import Diagnostic, Faults, Position

PARAMETERS: Mapping[str, Parameter] = {
    "x": Parameter("x", "string"),
    "y": Parameter("y", "integer", required=False),
    "lo": Parameter("lo", "integer"),
    "hi": Parameter("hi", "integer"),
    "ids": Parameter("ids", "integer", is_list=True, required=False),
    "steps": Parameter(
        "steps", "object", is_list=True, fields={"text": Parameter("text", "string")}
    ),
    "address": Parameter("address", "object", fields={"city": Parameter("city", "string")}),
    "any": Parameter("any", "object"),
    "limit": Parameter("limit", "integer"),
    "sort": Parameter("sort", "string", choose={"new": "created_at DESC", "title": "title"}),
    "order": Parameter("order", "string", required=False, choose={"a": "a", "b": "b"}),
    "owner": Parameter("owner", "", hidden=True, required=False),
}


@dataclass
class Result:
    """What came out: the plan, and what was reported."""

    plan: SqlPlan | None
    found: tuple[Diagnostic, ...]
    site: Site

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """What is reported by now."""
        return self.site.faults.sorted()

    @property
    def codes(self) -> list[str]:
        """The codes, in the order of the file."""
        return [item.code for item in self.found]

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Code, line and column of each."""
        return [(item.code, item.position.line, item.position.column) for item in self.found]


def scalar(text: str, line: int = 1) -> Scalar:
    lines, offset = [], 0
    for number, content in enumerate(text.splitlines(keepends=True)):
        lines.append((offset, line + number, 1))
        offset += len(content)
    return Scalar(text, Position("mcp.yaml", line, 1), lines=tuple(lines))


def _mapping(entries: Mapping[str, Node]) -> Mapping_:
    place = Position("mcp.yaml", 1, 1)
    return Mapping_({key: Entry(scalar(key), value) for key, value in entries.items()}, place)


def _checks(specs: Sequence[CheckSpec], _site: Site, names: frozenset[str]) -> tuple[Check, ...]:
    return tuple(_check(spec, names) for spec in specs)


def _check(spec: CheckSpec, names: frozenset[str]) -> Check:
    source = spec.that.text
    seen = frozenset(word for word in source.split() if word in names or word in PARAMETERS)
    return Check(
        Expression(source, seen, lambda _scope: True),
        Template(spec.otherwise.text, frozenset(), lambda _scope: spec.otherwise.text),
    )


@dataclass
class Compiler:
    """Compiles statements, each a text or `run` with its other keys."""

    parameters: Mapping[str, Parameter] = field(default_factory=lambda: PARAMETERS)

    def __call__(
        self,
        *statements: str | Mapping[str, object],
        dialect: str = "sqlite",
        may_write: bool = False,
        result: ResultSpec | None = None,
        declared: tuple[str, ...] = (),
    ) -> Result:
        written = [{"run": item} if isinstance(item, str) else item for item in statements]
        texts = [scalar(str(item["run"])) for item in written]
        specs = [{**item, "run": text} for item, text in zip(written, texts, strict=True)]
        nodes = tuple(_mapping({"run": text}) for text in texts)
        sql: Node = NodeSequence(nodes, Position("mcp.yaml", 1, 1))
        declarations = _mapping({name: scalar("string") for name in declared})
        tool = _mapping({"input": declarations, "sql": sql if len(nodes) > 1 else nodes[0]})
        faults = Faults()
        site = Site(Document("mcp.yaml", tool), faults)
        form = SqlForm(statements=tuple(StatementSpec.model_validate(spec) for spec in specs))
        plan = compile_sql(
            form,
            site / "sql",
            SqlSurroundings(
                "library", dialect, self.parameters, may_write, 1000, 1024**2, _checks,
                result, site / "result",
            ),
        )  # fmt: skip
        return Result(plan, faults.sorted(), site)
