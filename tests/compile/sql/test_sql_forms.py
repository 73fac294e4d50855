"""The forms of `sql`: text, a file, and a parameter in which the client writes the statement."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from runner.catalog.expressions import Check
from runner.catalog.schema import Parameter
from runner.compile.site import Site
from runner.compile.sql.parts import written
from runner.compile.sql.plan import SqlSurroundings, compile_sql, sources, used_parameters
from runner.config.nodes import Document, Mapping_
from runner.config.spec.bindings import CheckSpec, SqlForm
from runner.config.spec.tools import ResultSpec
from runner.diagnostics import Faults, Position
from tests.compile.sql.sql_compiler import Compiler, scalar

PLACE = Position("mcp.yaml", 1, 1)
PARAMETERS: Mapping[str, Parameter] = {
    "query": Parameter("query", "string"),
    "maybe": Parameter("maybe", "string", required=False),
    "count": Parameter("count", "integer"),
    "owner": Parameter("owner", "", hidden=True),
}


def _no_checks(
    _specs: Sequence[CheckSpec], _site: Site, _names: frozenset[str]
) -> tuple[Check, ...]:
    return ()


def _site() -> Site:
    return Site(Document("mcp.yaml", Mapping_({}, PLACE)), Faults())


AROUND = SqlSurroundings("library", "sqlite", PARAMETERS, False, 1000, 1024**2, _no_checks)


def test_a_file_holds_one_statement_and_its_faults_stand_there() -> None:
    site = _site()
    text = replace(scalar("\ufeffSELECT :query,\n :nope"), position=Position("q.sql", 1, 1))
    form = SqlForm.model_validate({"file": scalar("q.sql")})
    assert compile_sql(form, site, replace(AROUND, file_text=text)) is None
    assert [(item.code, str(item.position)) for item in site.faults.sorted()] == [
        ("unknown-parameter", "q.sql:2:2")
    ]
    assert [item.scalar for item in sources(form, site, text)] == [text]


def test_a_client_may_write_the_statement() -> None:
    form = SqlForm.model_validate({"parameter": scalar("query")})
    plan = compile_sql(form, _site(), AROUND)
    assert plan is not None
    assert plan.read_client is not None
    assert (plan.client_parameter, plan.statements, plan.shape) == ("query", (), "rows")
    assert used_parameters(plan) == {"query"}
    assert written(plan.read_client("SELECT a[1:n];").parts) == "SELECT a[1:n]"


@pytest.mark.parametrize(
    ("name", "around", "message"),
    [
        ("quer", AROUND, "'quer' is no parameter that the client sends"),
        ("owner", AROUND, "'owner' is no parameter that the client sends"),
        ("count", AROUND, "expected a required string parameter, found 'count' of type integer"),
        ("maybe", AROUND, "expected a required string parameter, found 'maybe' of type string"),
        ("query", replace(AROUND, may_write=True),
         "a statement that the client writes only reads, but the tool says 'writes'"),
        ("query", replace(AROUND, result=ResultSpec.model_validate({"shape": scalar("affected")})),
         "'affected' needs a statement that writes"),
        ("query", replace(AROUND, result=ResultSpec.model_validate(
            {"page": {"size": scalar("count")}})),
         "a statement that the client writes has no pages"),
    ],
)  # fmt: skip
def test_a_client_writes_only_what_is_safe(
    name: str, around: SqlSurroundings, message: str
) -> None:
    site = _site()
    form = SqlForm.model_validate({"parameter": scalar(name)})
    assert compile_sql(form, site, around) is None
    assert [(item.code, item.message) for item in site.faults.sorted()] == [
        ("client-statement", message)
    ]


def test_the_documented_search_compiles() -> None:
    compiler = Compiler({
        "owner": Parameter("owner", "", hidden=True),
        "query": Parameter("query", "string"),
        "category_id": Parameter("category_id", "uuid", required=False),
        "sort": Parameter("sort", "string", choose={"newest": "created_at DESC", "title": "title"}),
        "limit": Parameter("limit", "integer"),
    })  # fmt: skip
    text = (
        "SELECT id, title, substr(text, 1, 80) AS snippet FROM prompts\n"
        "WHERE owner_id = :owner AND text LIKE '%' || :query || '%'\n"
        "  [[ AND category_id = :category_id ]]\n"
        "ORDER BY {sort} LIMIT :limit\n"
    )
    plan = compiler(text).plan
    assert plan is not None
    assert written(plan.statements[0].parts) == text
    assert used_parameters(plan) == set(compiler.parameters)
