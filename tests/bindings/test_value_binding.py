"""The `value` binding, from the file's tree to the outcome."""

import asyncio
from decimal import Decimal

from runner.bindings.value import ValueBinding
from runner.catalog.call import Call, Outcome
from runner.compile.expressions import Names
from runner.compile.value import compile_value
from runner.config.nodes import Scalar
from runner.config.spec.leaves import Tree
from tests.compile.expressions.bench import CONTEXT, START, Bench


def test_value_is_a_json_safe_tree() -> None:
    bench = Bench()
    arguments: dict[str, object] = {"price": Decimal("0.10"), "n": 2**60}
    tree: Tree = {
        key: Scalar(text, START)
        for key, text in {"price": "$price", "n": "$n", "who": "{{ caller.user_id }}"}.items()
    }
    plan = compile_value(tree, bench.site, Names(frozenset(arguments)))
    assert plan is not None
    call = Call("t", arguments, CONTEXT, bench.scope(arguments), 1.0)
    outcome = asyncio.run(ValueBinding(plan).invoke(call))
    assert outcome == Outcome({"price": "0.10", "n": "1152921504606846976", "who": "u1"})


def test_absent_root_is_null() -> None:
    bench = Bench()
    plan = compile_value(Scalar("$a", START), bench.site, Names(frozenset({"a"})))
    assert plan is not None
    call = Call("t", {}, CONTEXT, bench.scope({}, "a"), 1.0)
    assert asyncio.run(ValueBinding(plan).invoke(call)) == Outcome(None)
