"""Tools made by hand for the tests of a call: each test says what differs."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from runner.catalog.call import Call, CallContext, Outcome
from runner.catalog.expressions import Expression, Scope, Template, TreeTemplate
from runner.catalog.plans import ValuePlan
from runner.catalog.schema import InputSchema, OutputSchema
from runner.catalog.tool import ResultText, Tool, ToolAnnotations

CONTEXT = CallContext(datetime(2026, 7, 28, 12, 0, tzinfo=UTC))

TOOL = Tool(
    name="probe",
    title=None,
    description="A probe.",
    icons=(),
    tags=(),
    input=InputSchema({"type": "object"}, dict),
    output=None,
    annotations=ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    ),
    binds=(),
    checks=(),
    plan=ValuePlan(TreeTemplate(frozenset(), lambda _scope: None)),
    text=ResultText(),
    max_bytes=1000,
    errors={},
    timeout_s=5.0,
)


def tool(**changes: object) -> Tool:
    """The probe with `changes`."""
    return replace(TOOL, **changes)  # type: ignore[arg-type]  # a test names fields of Tool


def declared(is_valid: bool) -> OutputSchema:
    """A declared output schema that admits everything or nothing."""
    return OutputSchema({"type": "object"}, lambda _value: is_valid, is_declared=True)


def reading(name: str) -> Expression:
    """The expression that is a name."""
    return Expression(name, frozenset({name}), lambda scope: scope[name])


def saying(text: str, *names: str) -> Template:
    """The template that puts the values of `names` into the braces of `text`."""

    def render(scope: Scope) -> str:
        return text.format(*(scope[name] for name in names))

    return Template(text, frozenset(names), render)


class Answering:
    """A binding that returns an outcome, or raises; it keeps the last call."""

    keeps_time: ClassVar[bool] = False

    def __init__(self, answer: Outcome | BaseException) -> None:
        self._answer = answer
        self.call: Call | None = None

    async def invoke(self, call: Call) -> Outcome:
        """The answer it was made with."""
        self.call = call
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer
