"""Steps: what is held against the tools that are called."""

from collections.abc import Mapping

import pytest

from runner.catalog.plans import Plan, StepsPlan, StepsTransaction, ValuePlan
from runner.compile.expressions import Names
from runner.compile.site import Site
from runner.compile.steps import InlinePlan, called_tools, compile_steps, step_writes
from runner.compile.value import compile_value
from runner.config.nodes import Scalar
from runner.config.spec.bindings import StepSpec
from runner.config.spec.tools import ToolSpec
from tests.compile.expressions.bench import START, Bench


def located(value: object) -> object:
    """Plain Python data as nodes of the file."""
    match value:
        case dict():
            return {key: located(item) for key, item in value.items()}
        case list():
            return [located(item) for item in value]
        case str():
            return Scalar(value, START)
        case bool():
            return Scalar(str(value).lower(), START, plain=True)
        case _:
            return Scalar(str(value), START, plain=True)


def tool(**fields: object) -> ToolSpec:
    return ToolSpec.model_validate(located(fields))


def inline(spec: StepSpec, site: Site, names: Names) -> InlinePlan | None:
    assert spec.value is not None
    return compile_value(spec.value, site / "value", names)


TOOLS = {
    "get_customer": tool(input={"id": "integer"}, bind={"owner": "caller.user_id"}, sql="SELECT 1"),
    "list_orders": tool(
        input={"customer": "integer", "limit": {"type": "integer", "default": 5}, "since?": "date"},
        sql="SELECT 1",
    ),
    "remove": tool(input={"id": "integer"}, sql="DELETE FROM t", writes="destructive"),
    "clean": tool(steps=[{"tool": "remove", "with": {"id": 1}, "as": "removed"}]),
}


def compiled(bench: Bench, spec: ToolSpec, tools: Mapping[str, ToolSpec] = TOOLS) -> Plan | None:
    names = Names(frozenset({"customer_id"}))
    return compile_steps(
        spec, bench.site / "report", names=names, tools=tools, compile_inline=inline
    )


def test_steps_of_the_documentation_compile(bench: Bench) -> None:
    spec = tool(
        steps=[
            {"tool": "get_customer", "with": {"id": "$customer_id"}, "as": "customer"},
            {"tool": "list_orders", "with": {"customer": "$customer.id"}, "as": "orders"},
            {"value": {"name": "{{ customer.name }}"}, "as": "words"},
        ],
        select="{who: words.name, orders: orders}",
    )
    plan = compiled(bench, spec)
    assert isinstance(plan, StepsPlan), bench.messages()
    assert [(step.name, step.tool, list(step.arguments)) for step in plan.steps] == [
        ("customer", "get_customer", ["id"]),
        ("orders", "list_orders", ["customer"]),
        ("words", None, []),
    ]
    assert isinstance(plan.steps[2].inline, ValuePlan)
    assert plan.select is not None
    assert plan.select({"words": {"name": "A"}, "orders": []}) == {"who": "A", "orders": []}


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({"tool": "get_custmer", "as": "a"}, "unknown-tool: there is no tool 'get_custmer'"),
        ({"tool": "get_customer", "as": "a"},
         "missing-argument: 'get_customer' needs 'id' under 'with'"),
        ({"tool": "list_orders", "with": {"customer": 1, "limt": 2}, "as": "a"},
         "unknown-argument: 'list_orders' has no parameter 'limt'"),
        ({"tool": "get_customer", "with": {"id": 1, "owner": "x"}, "as": "a"},
         "unknown-argument: 'owner' is bound by 'get_customer' itself"),
        ({"tool": "get_customer", "with": {"id": "$later.id"}, "as": "a"},
         "unknown-name: there is no 'later' here"),
        ({"value": "x", "as": "customer_id"},
         "name-taken: 'customer_id' is taken by a parameter or an earlier step"),
    ],
)  # fmt: skip
def test_step_that_does_not_fit_is_reported(
    bench: Bench, step: dict[str, object], told: str
) -> None:
    spec = tool(steps=[step, {"value": "y", "as": "later"}])
    assert compiled(bench, spec) is None
    assert [f"{one.code}: {one.message}" for one in bench.reported] == [told]


def test_name_of_an_earlier_step_is_taken(bench: Bench) -> None:
    spec = tool(steps=[{"value": "x", "as": "a"}, {"value": "$a", "as": "a"}])
    assert compiled(bench, spec) is None
    assert bench.messages() == ["1: name-taken: 'a' is taken by a parameter or an earlier step"]


def test_tools_that_call_each_other_are_refused(bench: Bench) -> None:
    one = tool(steps=[{"tool": "two", "as": "a"}])
    two = tool(steps=[{"tool": "one", "as": "a"}])
    assert compiled(bench, one, {"one": one, "two": two}) is None
    assert bench.messages() == ["1: step-cycle: 'report' would call itself through 'two'"]


def test_no_step_at_all_is_reported(bench: Bench) -> None:
    assert compiled(bench, tool(steps=[])) is None
    assert bench.messages() == ["1: empty-steps: expected at least one step"]


def test_schema_written_whole_tells_its_parameters(bench: Bench) -> None:
    schema = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    callee = tool(input_schema=schema, value="x")
    spec = tool(steps=[{"tool": "callee", "with": {"b": 1}, "as": "out"}])
    assert compiled(bench, spec, {"callee": callee}) is None
    assert bench.messages() == [
        "1: missing-argument: 'callee' needs 'a' under 'with'",
        "1: unknown-argument: 'callee' has no parameter 'b'",
    ]


@pytest.mark.parametrize(
    ("steps", "writes"),
    [
        ([{"tool": "get", "as": "a"}, {"value": 1, "as": "b"}], False),
        ([{"tool": "get", "as": "a"}, {"tool": "put", "as": "b"}], True),
        ([{"tool": "put", "as": "b"}, {"tool": "words", "as": "c"}], True),
    ],
    ids=["reads", "writes", "value"],
)
def test_transaction_writes_when_one_of_its_statements_may(
    bench: Bench, steps: list[object], writes: bool
) -> None:
    tools = {
        "get": tool(sql="SELECT 1", database="a"),
        "put": tool(sql="DELETE FROM t", database="a", writes="true"),
        "words": tool(value="x"),
    }
    plan = compiled(bench, tool(steps=steps, transaction=True, writes="true"), tools)
    assert isinstance(plan, StepsPlan), bench.messages()
    assert plan.transaction == StepsTransaction("a", writes)


def test_tool_writes_when_one_that_it_calls_does() -> None:
    outer = tool(steps=[{"tool": "clean", "as": "a"}, {"tool": "get_customer", "as": "b"}])
    assert called_tools(outer) == ("clean", "get_customer")
    assert step_writes(outer, TOOLS) == "destructive"
    assert step_writes(tool(steps=[{"tool": "get_customer", "as": "b"}]), TOOLS) == "false"
