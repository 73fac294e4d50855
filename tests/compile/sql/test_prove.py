"""Statements proven on an engine: every shape, with the engine's faults in the author's text."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from runner.catalog.proving import Description, Refusal, RefusalKind
from runner.catalog.schema import Parameter
from runner.catalog.sql import Bound, Column, ResultColumns, SqlPlan
from runner.compile.sql.parts import flat
from runner.compile.sql.prove import prove_sql
from runner.compile.sql.shapes import ShapeChoice, lay_out, shape_choices
from runner.compile.sql.source import Source
from runner.compile.sql.syntax import warn_of_syntax
from runner.config.spec.tools import ResultSpec
from tests.compile.sql.sql_compiler import PARAMETERS, Compiler, Result, scalar

SCHEMA = "CREATE TABLE t (id INTEGER, a TEXT, created_at TEXT, title TEXT)"


@dataclass
class Sqlite:
    """SQLite itself, asked through the seam; keeps what it was asked."""

    asked: list[str] = field(default_factory=list)
    casts: bool = False

    def describe(self, texts: Sequence[str], parameters: Sequence[Bound]) -> Description | Refusal:
        sql = "?".join(texts)
        self.asked.append(sql)
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.execute(SCHEMA)
        try:
            cursor = database.execute(sql, [1] * len(parameters))
        except sqlite3.OperationalError as error:
            name = re.search(r'(?:table|column): (\w+)|near "(\w+)"', str(error))
            word = (name[1] or name[2]) if name else None
            offset = "".join(texts).find(word) if word else None
            return Refusal(_kind(str(error)), word, offset)
        finally:
            database.close()
        columns = [Column(item[0]) for item in cursor.description or ()]
        casts = {at: "TEXT" for at, _ in enumerate(parameters)} if self.casts else {}
        return Description(columns, casts)


def _kind(words: str) -> RefusalKind:
    if "near" in words:
        return "syntax"
    return "unknown-table" if "table" in words else "unknown-column"


def _prove(result: Result, *texts: str, engine: Sqlite | None = None) -> SqlPlan:
    assert result.plan is not None, result.found
    sources = [Source(scalar(text), result.site) for text in texts]
    return prove_sql(
        result.plan, engine or Sqlite(), sources=sources, result_site=result.site / "result"
    )


def _found(result: Result) -> list[tuple[str, str, int, int]]:
    return [
        (item.code, item.message, item.position.line, item.position.column)
        for item in result.faults
    ]


def test_the_columns_of_the_result_are_described(compile_text: Compiler) -> None:
    text = "SELECT id, a AS b FROM t WHERE id = :y"
    result = compile_text(text)
    assert _prove(result, text).described == (Column("id"), Column("b"))
    assert result.faults == ()


def test_every_shape_is_asked(compile_text: Compiler) -> None:
    engine = Sqlite()
    text = "SELECT id FROM t WHERE 1 [[ AND a = :y ]] ORDER BY {sort}"
    _prove(compile_text(text), text, engine=engine)
    assert engine.asked == [
        "SELECT id FROM t WHERE 1  ORDER BY created_at DESC",
        "SELECT id FROM t WHERE 1  ORDER BY title",
        "SELECT id FROM t WHERE 1  AND a = ?  ORDER BY created_at DESC",
        "SELECT id FROM t WHERE 1  AND a = ?  ORDER BY title",
    ]


def test_one_parameter_decides_all_its_marks(compile_text: Compiler) -> None:
    engine = Sqlite()
    text = "SELECT id FROM t WHERE 1 [[ AND a = :y ]] [[ AND id = :y ]]"
    _prove(compile_text(text), text, engine=engine)
    assert engine.asked == [
        "SELECT id FROM t WHERE 1  ",
        "SELECT id FROM t WHERE 1  AND a = ?   AND id = ? ",
    ]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("SELECT 1\nFROM nowhere", ("the database has no table 'nowhere'", 2, 6)),
        ("SELECT id FROM t\nWHERE :x = 1 AND nope = :y",
         ("no table of the statement has a column 'nope'", 2, 18)),
        ("SELECT id FROM t WHERE 1\n[[ AND :y = 1 ]]\n[[ AND nope IN :ids ]]",
         ("no table of the statement has a column 'nope'", 3, 8)),
        ("\ufeffSELECT id FRM t",
         ("the engine cannot read the statement near 't'", 1, 7)),
    ],
)  # fmt: skip
def test_what_the_engine_refuses_is_placed_in_the_authors_text(
    text: str, want: tuple[str, int, int], compile_text: Compiler
) -> None:
    result = compile_text(text)
    assert _prove(result, text).described is None
    code, message, line, _column = _found(result)[0]
    assert (code, message, line) == ("sql-refused", *want[:2])
    assert len(_found(result)) == 1


def test_a_refusal_points_at_the_character(compile_text: Compiler) -> None:
    text = "SELECT id FROM t WHERE :x = 1 [[ AND :y = 2 ]] AND nope = 3"
    result = compile_text(text)
    _prove(result, text)
    assert [item.position.column for item in result.faults] == [text.index("nope") + 1]


def test_casts_are_kept_on_what_is_bound(compile_text: Compiler) -> None:
    text = "SELECT id FROM t WHERE :x IS NULL [[ AND a = :y ]] LIMIT :limit"
    plan = _prove(compile_text(text), text, engine=Sqlite(casts=True))
    bound = [part for part in flat(plan.statements[0].parts) if isinstance(part, Bound)]
    assert [part.cast for part in bound] == ["TEXT", "TEXT", "TEXT"]
    assert plan.statements[0].limit == bound[-1]


@pytest.mark.parametrize(
    ("text", "shape", "want"),
    [
        ("SELECT id, a AS id FROM t", "rows", "2 columns are named 'id'"),
        ("SELECT id, a FROM t", "value", "expected one column for 'value', found 2: id, a"),
        ("SELECT id, a FROM t", "column", "expected one column for 'column', found 2: id, a"),
    ],
)
def test_columns_that_do_not_fit_the_result_are_refused(
    text: str, shape: str, want: str, compile_text: Compiler
) -> None:
    result = compile_text(text, result=ResultSpec.model_validate({"shape": scalar(shape)}))
    _prove(result, text)
    assert [item.message for item in result.faults] == [want]


def test_declared_columns_are_looked_for(compile_text: Compiler) -> None:
    text = "SELECT id, title FROM t"
    result = compile_text(text)
    assert result.plan is not None
    columns = ResultColumns(frozenset({"titel"}), {"id": Parameter("id", "integer")})
    declared = replace(result, plan=replace(result.plan, columns=columns))
    _prove(declared, text)
    assert [(item.code, item.hint) for item in result.faults] == [
        ("unknown-column", "did you mean 'title'?")
    ]


def test_a_column_of_an_earlier_row_is_looked_for(compile_text: Compiler) -> None:
    first, second = "SELECT id FROM t", "SELECT a FROM t WHERE id = :made.idd"
    result = compile_text({"run": first, "as": scalar("made")}, second)
    _prove(result, first, second)
    assert [(item.code, item.hint) for item in result.faults] == [
        ("unknown-column", "did you mean 'id'?")
    ]


def test_shapes_with_other_columns_have_no_description() -> None:
    text = "SELECT {sort} FROM t"
    compiler = Compiler({"sort": Parameter("sort", "string", choose={"i": "id", "a": "a"})})
    assert _prove(compiler(text), text).described is None


def test_the_engines_word_on_writing_wins(compile_text: Compiler) -> None:
    class Strict(Sqlite):
        def describe(
            self, texts: Sequence[str], parameters: Sequence[Bound]
        ) -> Description | Refusal:
            return Description([Column("id")], writes=True)

    text = "SELECT fn()"
    result = compile_text(text)
    _prove(result, text, engine=Strict())
    assert [item.code for item in result.faults] == ["writes-in-read-tool"]


def test_of_many_shapes_a_selection_is_taken() -> None:
    names = [f"p{number}" for number in range(8)]
    parameters = {name: Parameter(name, "string", required=False) for name in names}
    text = "SELECT 1 WHERE 1 " + " ".join(f"[[ AND 1 = :{name} ]]" for name in names)
    plan = Compiler(parameters)(text).plan
    assert plan is not None
    sizes = [len(item.present) for item in shape_choices(plan.statements[0], parameters)]
    assert sorted(sizes) == [0, *[1] * 8, *[7] * 8, 8]


def test_a_list_behind_in_is_laid_out_in_brackets(compile_text: Compiler) -> None:
    plan = compile_text("SELECT 1 WHERE 1 IN :ids AND 2 IN (:ids)").plan
    assert plan is not None
    laid = lay_out(plan.statements[0], ShapeChoice(frozenset()), PARAMETERS)
    assert "?".join(laid.texts) == "SELECT 1 WHERE 1 IN (?) AND 2 IN (?)"


def test_sqlglots_faults_are_warnings_with_a_place(compile_text: Compiler) -> None:
    text = "SELECT id FROM t\nWHERE :x = = 2"
    result = compile_text(text)
    assert result.plan is not None
    warn_of_syntax(result.plan, (Source(scalar(text), result.site),))
    assert [(item.code, item.severity, item.position.line) for item in result.faults] == [
        ("sql-syntax", "warning", 2)
    ]


@pytest.mark.parametrize("text", ["SELECT :x IS NULL [[ AND a IN :ids ]] LIMIT :limit", "SHOW x"])
def test_right_syntax_has_no_warning(text: str, compile_text: Compiler) -> None:
    result = compile_text(text, dialect="postgresql")
    assert result.plan is not None
    warn_of_syntax(result.plan, (Source(scalar(text), result.site),))
    assert result.faults == ()


def test_the_cursor_gets_the_types_of_its_columns() -> None:
    class Typed(Sqlite):
        def describe(
            self, texts: Sequence[str], parameters: Sequence[Bound]
        ) -> Description | Refusal:
            return Description([Column("id", "uuid")])

    text = "SELECT id FROM t WHERE 1 = 1 [[ AND id > :cursor.id ]] ORDER BY id LIMIT :limit"
    page = {"page": {"size": scalar("limit"), "key": [scalar("id")]}}
    plan = _prove(Compiler()(text, result=ResultSpec.model_validate(page)), text, engine=Typed())
    bound = [part for part in flat(plan.statements[0].parts) if isinstance(part, Bound)]
    assert [(part.path, part.type) for part in bound] == [
        (("cursor", "id"), "uuid"),
        (("limit",), "integer"),
    ]
