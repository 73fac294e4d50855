"""A list of statements: one transaction, loops, conditions, names for later ones."""

import pytest

from runner.catalog.schema import Parameter
from runner.catalog.sql import Bound
from runner.compile.sql.parts import flat
from runner.compile.sql.plan import report_unused, used_parameters
from runner.config.spec.tools import ResultSpec
from tests.compile.sql.sql_compiler import Compiler, scalar

INSERT = "INSERT INTO t (a) VALUES (:x)"
RETURNING = "INSERT INTO t (a) VALUES (:x) RETURNING id"


def _shape(name: str) -> ResultSpec:
    return ResultSpec.model_validate({"shape": scalar(name)})


def test_the_last_statement_with_rows_gives_the_result(compile_text: Compiler) -> None:
    plan = compile_text(INSERT, "SELECT 1", INSERT, may_write=True).plan
    assert plan is not None
    assert (plan.result, plan.shape) == (1, "rows")


def test_without_rows_the_result_is_what_was_affected(compile_text: Compiler) -> None:
    plan = compile_text(INSERT, may_write=True).plan
    assert plan is not None
    assert (plan.result, plan.shape) == (None, "affected")


@pytest.mark.parametrize("shape", ["rows", "row", "value", "column"])
def test_a_shape_of_rows_needs_a_statement_with_rows(shape: str, compile_text: Compiler) -> None:
    assert compile_text(INSERT, may_write=True, result=_shape(shape)).codes == ["result-shape"]


def test_affected_needs_a_statement_that_writes(compile_text: Compiler) -> None:
    result = compile_text("SELECT 1", may_write=True, result=_shape("affected"))
    assert result.codes == ["result-shape"]


def test_an_element_and_its_place_bind_in_each(compile_text: Compiler) -> None:
    run = "INSERT INTO s VALUES (:x, :index, :item.text)"
    plan = compile_text({"run": run, "each": scalar("steps")}, may_write=True).plan
    assert plan is not None
    bound = [part for part in flat(plan.statements[0].parts) if isinstance(part, Bound)]
    assert [(part.path, part.type) for part in bound] == [
        (("x",), "string"),
        (("index",), "integer"),
        (("item", "text"), "string"),
    ]


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("DELETE FROM s WHERE a = :item.txt", "unknown-parameter"),
        ("DELETE FROM s WHERE a = :item.text.x", "no-members"),
        ("DELETE FROM s WHERE a = :index.x", "no-members"),
    ],
)
def test_a_wrong_path_of_an_element_is_reported(
    run: str, code: str, compile_text: Compiler
) -> None:
    assert compile_text({"run": run, "each": scalar("steps")}, may_write=True).codes == [code]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("each", "x", "not-a-list"),
        ("each", "stpes", "unknown-parameter"),
        ("if_sent", "x", "always-sent"),
        ("if_sent", "yy", "unknown-parameter"),
        ("as", "x", "name-taken"),
    ],
)
def test_a_wrong_key_of_a_statement_is_reported(
    key: str, value: str, code: str, compile_text: Compiler
) -> None:
    assert compile_text({"run": INSERT, key: scalar(value)}, may_write=True).codes == [code]


def test_if_sent_takes_an_optional_parameter(compile_text: Compiler) -> None:
    plan = compile_text({"run": INSERT, "if_sent": scalar("y")}, may_write=True).plan
    assert plan is not None
    assert plan.statements[0].if_sent == "y"


@pytest.mark.parametrize(("key", "value"), [("each", "steps"), ("if_sent", "y")])
def test_the_result_may_not_be_conditional(key: str, value: str, compile_text: Compiler) -> None:
    found = compile_text(INSERT, {"run": RETURNING, key: scalar(value)}, may_write=True)
    assert found.codes == ["conditional-result"]


def test_a_named_row_binds_in_later_statements_only(compile_text: Compiler) -> None:
    named = {"run": RETURNING, "as": scalar("created")}
    later = "SELECT id FROM t WHERE id = :created.id"
    assert compile_text(named, later, may_write=True).codes == []
    assert compile_text(later, named, may_write=True).codes == ["unknown-parameter"]


def test_a_named_row_needs_a_statement_with_rows(compile_text: Compiler) -> None:
    named = {"run": INSERT, "as": scalar("created")}
    found = compile_text(named, "SELECT :created.id", may_write=True)
    assert [(item.code, item.hint) for item in found.found] == [
        ("as-without-rows", "add RETURNING")
    ]


def test_a_row_is_bound_by_column(compile_text: Compiler) -> None:
    named = {"run": RETURNING, "as": scalar("created")}
    found = compile_text(named, "SELECT :created", may_write=True).found
    assert [item.hint for item in found] == ["write ':created.column'"]


def test_a_check_sees_rows_and_names(compile_text: Compiler) -> None:
    check = {"that": scalar("rows == 1"), "else": scalar("None")}
    plan = compile_text({"run": INSERT, "check": [check]}, may_write=True).plan
    assert plan is not None
    assert (plan.uses_scope, plan.statements[0].checks[0].that.names) == (True, frozenset({"rows"}))


def test_every_statement_is_checked_not_only_the_first(compile_text: Compiler) -> None:
    found = compile_text("SELECT :a1", "SELECT :b1", "DROP TABLE t").codes
    assert sorted(found) == ["unknown-parameter", "unknown-parameter", "writes-in-read-tool"]


def test_used_parameters_are_all_that_a_plan_names(compile_text: Compiler) -> None:
    check = {"that": scalar("lo == 1"), "else": scalar("None")}
    plan = compile_text(
        {"run": "INSERT INTO t VALUES (:item.text)", "each": scalar("steps"), "check": [check]},
        {"run": INSERT, "if_sent": scalar("y")},
        "SELECT :owner [[ , :address.city ]] ORDER BY {sort}",
        may_write=True,
    ).plan
    assert plan is not None
    assert used_parameters(plan) == {"steps", "lo", "x", "y", "owner", "address", "sort"}


def test_a_parameter_used_nowhere_is_a_warning() -> None:
    compiler = Compiler({"x": Parameter("x", "string"), "y": Parameter("y", "string")})
    result = compiler("SELECT :x", declared=("x", "y"))
    assert result.plan is not None
    report_unused(result.plan, result.site)
    assert [(item.code, item.message, item.severity) for item in result.faults] == [
        ("unused-parameter", "'y' is used nowhere in this tool", "warning")
    ]
