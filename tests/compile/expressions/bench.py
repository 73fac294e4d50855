"""Compiling one text in a small world, and what it was told."""

from collections.abc import Mapping
from datetime import UTC, datetime

from runner.catalog.call import CallContext, RequestFacts
from runner.catalog.caller import Caller
from runner.catalog.expressions import Scope
from runner.compile.expressions import Names, compile_expression, compile_template
from runner.compile.site import Site
from runner.config.nodes import Document, Mapping_, Scalar
from runner.diagnostics import Diagnostic, Faults, Position
from runner.invocation.scope import CallScope

START = Position("mcp.yaml", 1, 1)
CONTEXT = CallContext(
    now=datetime(2026, 7, 28, 9, 30, tzinfo=UTC),
    caller=Caller("u1", scopes=frozenset({"b", "a"}), claims={"plan": "pro"}),
    request=RequestFacts(id=7, tool="search"),
)


class Bench:
    """Compiles texts over the parameters of `values`; keeps what was reported."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.site = Site(Document("mcp.yaml", Mapping_({}, START)), self.faults)

    @property
    def reported(self) -> tuple[Diagnostic, ...]:
        """Every diagnostic so far."""
        return self.faults.sorted()

    def messages(self) -> list[str]:
        """Every diagnostic as `column: code: message`."""
        return [f"{one.position.column}: {one.code}: {one.message}" for one in self.reported]

    def scope(self, values: Mapping[str, object], *absent: str) -> Scope:
        """The scope of a call with these arguments."""
        names = frozenset(values) | frozenset(absent)
        return CallScope(dict(values), names, context=CONTEXT, variables={"region": "eu"})

    def evaluate(
        self, text: str, values: Mapping[str, object] | None = None, *absent: str
    ) -> object:
        """The value of the expression `text`, which must compile."""
        names = Names(frozenset(values or {}) | frozenset(absent))
        compiled = compile_expression(Scalar(text, START), self.site, names)
        assert compiled is not None, self.messages()
        return compiled.evaluate(self.scope(values or {}, *absent))

    def render(self, text: str, values: Mapping[str, object] | None = None) -> str:
        """The text of the template `text`, which must compile."""
        compiled = compile_template(Scalar(text, START), self.site, Names(frozenset(values or {})))
        assert compiled is not None, self.messages()
        return compiled.render(self.scope(values or {}))

    def refuse(self, text: str, *names: str, template: bool = False) -> list[str]:
        """What is reported of a text that must not compile."""
        compile_one = compile_template if template else compile_expression
        assert compile_one(Scalar(text, START), self.site, Names(frozenset(names))) is None
        return self.messages()
