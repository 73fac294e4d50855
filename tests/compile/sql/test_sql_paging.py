"""LIMIT and pages: what limits the rows, and that key, order and cursor agree."""

import pytest

from runner.catalog.sql import Bound, Page
from runner.compile.sql.paging import CURSOR, page_parameters
from runner.config.spec.tools import ResultSpec
from tests.compile.sql.sql_compiler import Compiler, scalar

KEYED = (
    "SELECT id, at FROM t WHERE 1 = 1 [[ AND (at, id) < (:cursor.at, :cursor.id) ]] "
    "ORDER BY t.at DESC, id DESC LIMIT :limit"
)


def _page(*key: str, size: str = "limit") -> ResultSpec:
    return ResultSpec.model_validate(
        {"page": {"size": scalar(size), "key": [scalar(name) for name in key]}}
    )


@pytest.mark.parametrize(
    ("dialect", "tail", "limit"),
    [
        ("sqlite", "LIMIT :limit", "limit"),
        ("sqlite", "LIMIT 10", 10),
        ("sqlite", "limit 10 offset 5", 10),
        ("sqlite", "LIMIT :limit OFFSET :lo", "limit"),
        ("sqlite", "LIMIT :lo, :limit", "limit"),
        ("mysql", "LIMIT 5, 10", 10),
        ("postgresql", "OFFSET 5 LIMIT :limit", "limit"),
        ("postgresql", "LIMIT :limit::bigint", "limit"),
        ("postgresql", "LIMIT (:limit)", "limit"),
        ("postgresql", "FETCH FIRST (:limit) ROWS ONLY", "limit"),
        ("postgresql", "OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY", 10),
        ("postgresql", "LIMIT ALL", None),
        ("postgresql", "LIMIT :limit + 1", None),
        ("duckdb", "LIMIT 10%", None),
        ("sqlite", "[[ LIMIT :limit ]]", "limit"),
        ("sqlite", "LIMIT :limit -- LIMIT 5", "limit"),
        ("sqlite", "WHERE a IN (SELECT 1 LIMIT 5)", None),
        ("sqlite", "", None),
    ],
)
def test_the_last_limit_counts(
    dialect: str, tail: str, limit: str | int | None, compile_text: Compiler
) -> None:
    plan = compile_text(f"SELECT a FROM t {tail}", dialect=dialect).plan
    assert plan is not None
    found = plan.statements[0].limit
    assert (found.path[0] if isinstance(found, Bound) else found) == limit
    assert not isinstance(found, Bound) or found.is_limit


@pytest.mark.parametrize(
    ("dialect", "word"),
    [("sqlite", "EXPLAIN"), ("postgresql", "EXPLAIN (ANALYZE)"), ("mysql", "ANALYZE")],
)
def test_a_limit_of_an_explained_query_is_none_of_the_plan(
    dialect: str, word: str, compile_text: Compiler
) -> None:
    plan = compile_text(f"{word} SELECT 1 LIMIT 1", dialect=dialect).plan

    assert plan is not None
    assert plan.statements[0].limit is None


def test_a_limit_is_an_integer(compile_text: Compiler) -> None:
    assert compile_text("SELECT 1 LIMIT :x").codes == ["limit-type"]


def test_a_page_with_a_key_is_compiled(compile_text: Compiler) -> None:
    result = compile_text(KEYED, result=_page("at", "id"))
    assert result.plan is not None
    assert (result.codes, result.plan.page) == ([], Page("limit", ("at", "id")))
    assert result.plan.parameters["cursor"] == CURSOR


def test_a_page_without_a_key_counts_by_offset(compile_text: Compiler) -> None:
    text = "SELECT 1 ORDER BY {sort} LIMIT :limit OFFSET :offset"
    plan = compile_text(text, result=_page()).plan
    assert plan is not None
    assert plan.page == Page("limit", ())


@pytest.mark.parametrize(
    ("text", "key", "codes"),
    [
        (KEYED, ("id", "at"), ["page-order"]),
        (KEYED, ("at",), ["page-cursor"]),
        (KEYED.replace("(at, id) < (:cursor.at, :cursor.id)", "at < :cursor.at"), ("at", "id"),
         ["page-cursor"]),
        (KEYED.replace("LIMIT :limit", "LIMIT 5"), ("at", "id"), ["page-size"]),
        (KEYED.replace("t.at DESC", "lower(at)"), ("at", "id"), ["page-order"]),
        (KEYED.replace("ORDER BY t.at DESC, id DESC", ""), ("at", "id"), ["page-order"]),
        ("SELECT 1 LIMIT :limit", (), ["page-offset"]),
        ("SELECT 1 LIMIT :limit OFFSET :cursor.id", (), ["unknown-parameter"]),
    ],
)  # fmt: skip
def test_a_page_that_disagrees_with_its_statement_is_reported(
    text: str, key: tuple[str, ...], codes: list[str], compile_text: Compiler
) -> None:
    assert compile_text(text, result=_page(*key)).codes == codes


def test_the_size_is_a_parameter(compile_text: Compiler) -> None:
    found = compile_text(KEYED, result=_page("at", "id", size="limt")).found
    assert [(item.code, item.hint) for item in found] == [
        ("unknown-parameter", "did you mean 'limit'?")
    ]


def test_only_rows_have_pages(compile_text: Compiler) -> None:
    spec = ResultSpec.model_validate({"shape": scalar("row"), "page": {"size": scalar("limit"),
                                      "key": [scalar("at"), scalar("id")]}})  # fmt: skip
    assert compile_text(KEYED, result=spec).codes == ["page-shape"]


def test_paging_adds_the_cursor_to_the_input() -> None:
    assert page_parameters(_page("id")) == {"cursor": CURSOR}
    assert page_parameters(ResultSpec()) == page_parameters(None) == {}


@pytest.mark.parametrize(
    ("order", "key", "condition"),
    [
        ("id", ("id",), "[[ AND id > :cursor.id ]]"),
        ("id DESC", ("id",), "[[ AND id < :cursor.id ]]"),
        ("at, id", ("at", "id"), "[[ AND (at, id) > (:cursor.at, :cursor.id) ]]"),
    ],
)
def test_the_missing_condition_is_written_out_in_the_direction_of_the_order(
    compile_text: Compiler, order: str, key: tuple[str, ...], condition: str
) -> None:
    """A copied hint that goes the other way would skip or repeat rows without a word."""
    text = f"SELECT id, at FROM t ORDER BY {order} LIMIT :limit"
    [fault] = compile_text(text, result=_page(*key)).found
    assert (fault.code, fault.hint) == ("page-cursor", f"write '{condition}'")
