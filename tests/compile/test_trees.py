"""Trees: typed references, what is dropped, what stays a constant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.catalog.expressions import ABSENT, ExpressionError
from runner.compile.expressions import Names
from runner.compile.trees import compile_constant, compile_tree
from runner.config.nodes import Scalar
from runner.config.spec.leaves import Tree
from tests.compile.expressions.bench import START, Bench


def text(value: str, *, plain: bool = False) -> Scalar:
    return Scalar(value, START, plain=plain)


def build(tree: Tree, values: dict[str, object], *absent: str) -> object:
    """The built value of a tree that must compile."""
    bench = Bench()
    names = Names(frozenset(values) | frozenset(absent))
    compiled = compile_tree(tree, bench.site, names)
    assert compiled is not None, bench.messages()
    return compiled.build(bench.scope(values, *absent))


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (text("$days"), 3),
        (text("$address.city"), "Oslo"),
        (text("$rows.1.id"), 7),
        (text("$rows.0"), {"id": 5}),
        (text("$caller.user_id"), "u1"),
        (text("$caller.scopes"), ["a", "b"]),
        (text("$vars.region"), "eu"),
        (text("$$days"), "$days"),
        (text("$$5 off"), "$5 off"),
        (text("$${{ days }}"), "$3"),
        (text("$5.00"), "$5.00"),
        (text("{{ days }} days"), "3 days"),
        (text("days"), "days"),
        (text("{% if days %}"), "{% if days %}"),
        (text("5"), "5"),
        (text("5", plain=True), 5),
        (text("true", plain=True), True),
        (text("", plain=True), None),
    ],
    ids=lambda value: str(getattr(value, "text", value)),
)
def test_scalar_of_a_tree(scalar: Scalar, value: object) -> None:
    values = {"days": 3, "address": {"city": "Oslo"}, "rows": [{"id": 5}, {"id": 7}]}
    built = build(scalar, values)
    assert built == value
    assert type(built) is type(value)


def test_absent_references_drop_their_key_and_element() -> None:
    tree: Tree = {"a": text("$a"), "b": [text("$a"), text("$b")], "c": {"d": text("$a")}}
    assert build(tree, {"b": None}, "a") == {"b": [None], "c": {}}
    assert build(text("$a"), {}, "a") is ABSENT
    assert build(text("$a.b.c"), {}, "a") is ABSENT


def test_member_that_was_not_sent_is_absent_too() -> None:
    assert build({"street": text("$address.street")}, {"address": {"city": "Oslo"}}) == {}


@pytest.mark.parametrize("reference", ["$caller.claims.nothing", "$rows.9", "$none.x"])
def test_missing_item_is_an_error(reference: str) -> None:
    with pytest.raises(ExpressionError, match="is missing"):
        build(text(reference), {"rows": [], "none": None})


def test_text_of_the_environment_is_a_constant() -> None:
    """It is data: what looks like a reference or a template in it is neither."""
    for value in ("$days", "{{ days }}", "$$x"):
        assert build(Scalar(value, START, interpolated=True), {"days": 3}) == value


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ([text("$dayz")], "2: unknown-name: there is no 'dayz' here"),
        ({"a": text("$now")}, "2: unknown-name: there is no 'now' here"),
        (text("$caller.name"), "9: unknown-name: there is no 'name' in 'caller'"),
        (text("{{ dayz }}"), "4: unknown-name: there is no 'dayz' here"),
    ],
)
def test_unknown_name_in_a_tree_is_reported(bench: Bench, tree: Tree, told: str) -> None:
    assert compile_tree(tree, bench.site, Names(frozenset({"days"}))) is None
    assert bench.messages() == [told]


def test_reference_with_text_behind_it_is_warned_of(bench: Bench) -> None:
    assert compile_tree(text("$days/x"), bench.site, Names(frozenset({"days"}))) is not None
    assert [(one.code, one.severity, one.hint) for one in bench.reported] == [
        ("partial-reference", "warning", "write {{ days }}, or $$ for a dollar sign")
    ]


def test_built_containers_are_new_each_time(bench: Bench) -> None:
    compiled = compile_tree({"a": [text("x")]}, bench.site, Names(frozenset()))
    assert compiled is not None
    first, second = compiled.build({}), compiled.build({})
    assert first == second == {"a": ["x"]}
    assert first is not second


def test_constant_tree_holds_no_reference_and_follows_yaml() -> None:
    tree: Tree = {"a": [text("$x"), text("{{ x }}"), text("1", plain=True), text("1")]}
    assert compile_constant(tree) == {"a": ["$x", "{{ x }}", 1, "1"]}


@given(value=st.text())
def test_sent_text_comes_out_unchanged(value: str) -> None:
    tree: Tree = {"whole": text("$x"), "part": text("<{{ x }}>")}
    assert build(tree, {"x": value}) == {"whole": value, "part": f"<{value}>"}


@given(value=st.one_of(st.text(), st.text("$.{}x%'\" 0")))
def test_any_text_compiles_or_is_reported(value: str) -> None:
    bench = Bench()
    compiled = compile_tree(text(value), bench.site, Names(frozenset({"x"})))
    assert (compiled is None) == bench.faults.has_errors
