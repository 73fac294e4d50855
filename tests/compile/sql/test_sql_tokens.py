"""What is a parameter and what is the engine's own text, engine by engine."""

import pytest

from runner.catalog.sql import Bound, Chosen
from runner.compile.sql.lexer import Lexeme, LexicalError, tokens
from runner.compile.sql.parts import flat, written
from tests.compile.sql.sql_compiler import Compiler

ALL = ("sqlite", "postgresql", "duckdb", "mysql")
PG = ("postgresql", "duckdb")

# (engines, statement, what it binds in order)
CORPUS: list[tuple[tuple[str, ...], str, str]] = [
    (ALL, "SELECT 1", ""),
    (ALL, "SELECT :x", "x"),
    (ALL, "SELECT:x", "x"),
    (ALL, "SELECT :x,:y,:x", "x y x"),
    (ALL, "SELECT ':x', :y", "y"),
    (ALL, "SELECT 'it''s :x', :y", "y"),
    (ALL, "SELECT ''':x''', :y", "y"),
    (ALL, "SELECT '', :y, ':x'", "y"),
    (ALL, "SELECT '12:30:00', :y", "y"),
    (ALL, "SELECT TIME '12:x:00', :y", "y"),
    (ALL, "SELECT '--', :y -- ':x", "y"),
    (ALL, "SELECT '/*', :y, '*/ :x'", "y"),
    (ALL, "SELECT 1 -- :x\n, :y", "y"),
    (ALL, "SELECT 1 -- it's :x\n, :y", "y"),
    (ALL, "SELECT 1 -- ? :x ' -- \n, :y", "y"),
    (ALL, "SELECT 1 /* :x */, :y", "y"),
    (ALL, "SELECT 1 /* ' :x \" */, :y", "y"),
    (ALL, "SELECT 1 /* ? -- :x */, :y", "y"),
    (ALL, "SELECT 1 /**/, :y", "y"),
    (ALL, "SELECT 1 /*/ :x */, :y", "y"),
    (("sqlite", "mysql"), "SELECT 1 /*/*/, :y /* :x /*/", "y"),
    (PG, "SELECT 1 /*/*/ :x */ */, :y", "y"),
    (ALL, "SELECT 1 /****/, /***/ :y /* :x **/", "y"),
    (ALL, "SELECT/**/:y/**/", "y"),
    (ALL, "SELECT 1 /*+ hint(:x) */, :y", "y"),
    (ALL, "SELECT 5 % 2, :y", "y"),
    (ALL, "SELECT 1 WHERE 'a' LIKE '%x%' AND 1 = :y", "y"),
    (ALL, "SELECT '%Y-%m %s %(x)s', :y", "y"),
    (ALL, "SELECT '{x} {sort}', :y", "y"),
    (ALL, "SELECT '[[ :x ]]', :y", "y"),
    (ALL, "SELECT '$x $1 $ x', :y", "y"),
    (ALL, "SELECT '; DROP', :y", "y"),
    (ALL, "SELECT :y /* :x", "!unclosed-text"),
    (ALL, "SELECT ':x", "!unclosed-text"),
    (ALL, "SELECT 'a'':x", "!unclosed-text"),
    (ALL, "SELECT 1 WHERE 1 IN (:lo, :hi)", "lo hi"),
    (ALL, "SELECT :address.city", "address.city"),
    (ALL, "SELECT :any.a.b_c", "any.a.b_c"),
    (ALL, "SELECT 1 WHERE (:y IS NULL OR 1 = :y)", "y y"),
    (ALL, "SELECT -:y, - :y, +:y", "y y y"),
    (ALL, "SELECT 1=:y, 1<:y, 1>=:y, 1<>:y", "y y y y"),
    (ALL, "SELECT '%' || :x || '%'", "x"),
    (ALL, "SELECT :x||:x", "x x"),
    (ALL, "SELECT (:lo+:hi)*:y", "lo hi y"),
    (ALL, "SELECT f(:lo,:hi)", "lo hi"),
    (ALL, "SELECT CAST(:x AS char(3))", "x"),
    (ALL, "SELECT CASE WHEN :y=1 THEN :x ELSE ':x' END", "y x"),
    (ALL, "SELECT 1 AS größe, :y", "y"),
    (ALL, "SELECT '😀:x', :y", "y"),
    (ALL, "SELECT 1.5, .5, 1e3, :y", "y"),
    (ALL, "\ufeffSELECT :y", "y"),
    (ALL, "SELECT\r\n:y\r\n", "y"),
    (ALL, "SELECT 1 -- :x\r\n, :y", "y"),
    (ALL, "SELECT :y -- :x", "y"),
    (ALL, "SELECT :y;", "y"),
    (ALL, "SELECT :y; -- :x", "y"),
    (ALL, "SELECT : y", ""),
    (ALL, "SELECT 1 ORDER BY {sort}", "{sort}"),
    (ALL, "SELECT 1 [[ WHERE 1 = :y ]]", "y"),
    (ALL, "SELECT 1 [[ WHERE 1 = :y ]] [[ ORDER BY {order} ]]", "y {order}"),
    (ALL, "SELECT 1 [[ WHERE '[[' = :x ]]", "x"),
    (ALL, "SELECT 1 [[ WHERE 1 = :y -- ]]\n ]]", "y"),
    (ALL, "SELECT 1 [[\nWHERE 1 IN :ids\n]]\nLIMIT :limit", "ids limit"),
    (("sqlite", "mysql", *PG), 'SELECT ":x" , :y', "y"),
    (("sqlite", *PG), 'SELECT "a""b:x", :y', "y"),
    (("sqlite", *PG), "SELECT 'a\\', :y", "y"),
    (("sqlite", "mysql"), "SELECT `:x`, :y", "y"),
    (("sqlite", "mysql"), "SELECT `a``:x`, :y", "y"),
    (("sqlite",), "SELECT [:x], :y", "y"),
    (("sqlite",), "SELECT [a b:x] , [c'd], :y", "y"),
    (("sqlite",), "SELECT json_extract(a, '$.x:y') ->> '$.x', :y", "y"),
    (("sqlite",), "SELECT 1 /* a /* :x */, :y", "y"),
    (("sqlite",), "SELECT 1 -- c\r :x\n, :y", "y"),
    (("sqlite",), "SELECT x'3a78', :y", "y"),
    (("sqlite",), "SELECT ?, :y", "!foreign-placeholder"),
    (("sqlite",), "SELECT ?1, :y", "!foreign-placeholder"),
    (("sqlite",), "SELECT @x, :y", "!foreign-placeholder"),
    (("sqlite",), "SELECT $x, :y", "!foreign-placeholder"),
    (("mysql",), "SELECT 'a\\':x', :y", "y"),
    (("mysql",), 'SELECT "a\\":x", :y', "y"),
    (("mysql",), "SELECT 'a\\\\', :y", "y"),
    (("mysql",), "SELECT 1 # :x ' \n, :y", "y"),
    (("mysql",), "SELECT 1 --:y", "y"),
    (("mysql",), "SELECT 1 --\t:x\n, :y", "y"),
    (("mysql",), "SELECT 1 -- c\r :x\n, :y", "y"),
    (("mysql",), "SELECT @a := :y", "y"),
    (("mysql",), "SELECT @@x, @x, @'a:x', :y", "y"),
    (("mysql",), "SELECT N':x', _utf8':x', x'00', :y", "y"),
    (("mysql",), "SELECT a->'$.x', a->>'$:x', :y", "y"),
    (("mysql",), "SELECT 1 /* a /* :x */, :y", "y"),
    (("mysql",), "SELECT 1 /*! :x */, :y", "!executable-comment"),
    (("mysql",), "SELECT 1 /*!50000 + :x */", "!executable-comment"),
    (("mysql",), "SELECT 1 /*M! :x */", "!executable-comment"),
    (("mysql",), "SELECT ?", "!foreign-placeholder"),
    (PG, "SELECT :x::int, :y", "x y"),
    (PG, "SELECT (:x)::text, :y", "x y"),
    (PG, "SELECT a::int, :y", "y"),
    (PG, "SELECT a :: x, :y", "y"),
    (PG, "SELECT :x::numeric(10,2)::text", "x"),
    (PG, "SELECT a[1:2], :y", "y"),
    (PG, "SELECT a[ : 2 ], a[1: ], :y", "y"),
    (PG, "SELECT a[:lo : :hi]", "lo hi"),
    (PG, "SELECT a[1 : :hi]", "hi"),
    (PG, "SELECT a[1 : x], :y", "y"),
    (PG, "SELECT a[:lo]", "lo"),
    (PG, "SELECT a[:lo:hi]", "!ambiguous-colon"),
    (PG, "SELECT a[1:hi]", "!ambiguous-colon"),
    (PG, "SELECT a[n:hi]", "!ambiguous-colon"),
    (PG, "SELECT a[1:zz]", "!unknown-parameter"),
    (PG, "SELECT a[:zz]", "!unknown-parameter"),
    (PG, "SELECT a[[1]], :y", "y"),
    (PG, "SELECT ARRAY[[1,2],[3,:y]]", "y"),
    (PG, "SELECT ARRAY[ [1], [:y] ]", "y"),
    (PG, "SELECT E'a\\':x', :y", "y"),
    (PG, "SELECT e'\\\\', :y", "y"),
    (PG, "SELECT E'a'\n'b\\' :x', :y", "y"),
    (PG, "SELECT E'a' -- c'\n  'b\\' :x', :y", "y"),
    (PG, "SELECT $$ :x ' $$, :y", "y"),
    (PG, "SELECT $a$ :x $b$ $$ $a$, :y", "y"),
    (PG, "SELECT $a$ :x", "!unclosed-text"),
    (PG, "SELECT a$b$ , :y, c$b$", "y"),
    (PG, "SELECT 1 /* a /* :x */ :x */, :y", "y"),
    (PG, "SELECT 1 -- c\r, :y", "y"),
    (PG, "SELECT $1", "!foreign-placeholder"),
    (("postgresql",), "SELECT U&'\\0027 :x', U&\"d:x\", :y", "y"),
    (("postgresql",), "SELECT B'01', X'0f', N':x', :y", "y"),
    (("postgresql",), "SELECT a -> 'x', a ->> 'x', a #> '{x}', a #>> '{x:y}', :y", "y"),
    (("postgresql",), "SELECT a ? 'x', a ?| :x, a ?& b, a @> :y, a <@ b, a @? '$.x'", "x y"),
    (("postgresql",), "SELECT a @@ b, a || b, a !~ ':x', a ~* :x", "x"),
    (("postgresql",), "SELECT f(a := :y, b => :x)", "y x"),
    (("postgresql",), "SELECT date '2024-01-01' + interval '1:x', :y", "y"),
    (("postgresql",), "SELECT '{\"a\": 1}'::jsonb, '[1,2)'::int4range, :y", "y"),
    (("postgresql",), "SELECT 1 = ANY(:ids), array_length(:ids::int[], 1)", "ids ids"),
    (("duckdb",), "SELECT {'a': 1, 'b': :y}", "y"),
    (("duckdb",), "SELECT {a: 1, b: :y}", "y"),
    (("duckdb",), "SELECT list_transform([1], lambda v: v + :y)", "y"),
    (("duckdb",), "SELECT a[1:-1:2], a[:lo : :hi], :y", "lo hi y"),
    (("duckdb",), "SELECT MAP {'a:x': :y}", "y"),
    (("duckdb",), "FROM t SELECT v -> 1, :y", "y"),
    (("duckdb",), "SELECT $x", "!foreign-placeholder"),
    (("duckdb",), "SELECT ?", "!foreign-placeholder"),
    (ALL, "SELECT :zz", "!unknown-parameter"),
    (ALL, "SELECT :address.zz", "!unknown-parameter"),
    (ALL, "SELECT :x.y", "!no-members"),
    (ALL, "SELECT :steps.text", "!no-members"),
    (ALL, "SELECT :item", "!unknown-parameter"),
    (ALL, "SELECT {x}", "!not-a-choice"),
    (ALL, "SELECT {zz}", "!unknown-choice"),
    (ALL, "SELECT 1 ORDER BY {order}", "!choice-without-word"),
    (ALL, "SELECT (1", "!unbalanced-brackets"),
    (ALL, "SELECT 1)", "!unbalanced-brackets"),
    (PG, "SELECT (1]", "!unbalanced-brackets"),
    (ALL, "SELECT 1 [[ AND :x = 1", "!unclosed-mark"),
    (ALL, "SELECT 1 AND :x = 1 ]]", "!unbalanced-brackets"),
    (ALL, "SELECT 1 [[ AND (:x = 1 ]] )", "!unbalanced-brackets"),
    (ALL, "SELECT 1 [[ AND :x = 1 [[ AND :y = 1 ]] ]]", "!nested-marks"),
    (ALL, "SELECT 1 WHERE 1 IN :x", "!not-a-list"),
    (ALL, "SELECT 1 WHERE 1 IN (:lo, :ids)", "!mixed-list"),
    (ALL, "", "!empty-statement"),
    (ALL, "-- only :x", "!empty-statement"),
    (ALL, " ; ", "!empty-statement"),
]
CASES = [(dialect, text, want) for dialects, text, want in CORPUS for dialect in dialects]


def _shown(part: str | Bound | Chosen) -> str:
    if isinstance(part, Bound):
        return ".".join(part.path)
    return "{" + part.parameter + "}" if isinstance(part, Chosen) else ""


@pytest.mark.parametrize(("dialect", "text", "want"), CASES)
def test_a_statement_binds_what_its_engine_reads_as_a_parameter(
    dialect: str, text: str, want: str, compile_text: Compiler
) -> None:
    result = compile_text(text, dialect=dialect)
    if want.startswith("!"):
        assert (result.plan, result.codes) == (None, [want[1:]])
        return
    assert result.plan is not None, result.found
    parts = result.plan.statements[0].parts
    assert " ".join(filter(None, map(_shown, flat(parts)))) == want
    sent, _, _rest = text.removeprefix("\ufeff").partition(";") if ":y;" in text else (text, "", "")
    assert written(parts) == sent.removeprefix("\ufeff")


@pytest.mark.parametrize(("dialect", "text", "want"), CASES)
def test_tokens_rejoin_to_the_text(dialect: str, text: str, want: str) -> None:
    if want in ("!unclosed-text", "!executable-comment"):
        with pytest.raises(LexicalError):
            tokens(text, dialect)
    else:
        assert "".join(token.text for token in tokens(text, dialect)) == text


def test_every_parameter_knows_where_it_stands(compile_text: Compiler) -> None:
    text = "\ufeffSELECT ':x', :y [[ , :x ]]"
    result = compile_text(text)
    assert result.plan is not None
    bound = [part for part in flat(result.plan.statements[0].parts) if isinstance(part, Bound)]
    assert [text[part.offset :][:2] for part in bound] == [":y", ":x"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT 1,\n  :zz", ("unknown-parameter", 2, 3)),
        ("SELECT 1,\n  'open", ("unclosed-text", 2, 3)),
        ("SELECT 1,\n  (2", ("unbalanced-brackets", 2, 3)),
        ("SELECT 1\n[[ AND :y = 1", ("unclosed-mark", 2, 1)),
        ("SELECT 1;\nSELECT 2", ("several-statements", 2, 1)),
        ("\ufeffDELETE FROM t", ("writes-in-read-tool", 1, 2)),
    ],
)
def test_a_fault_is_reported_at_its_character(
    text: str, place: tuple[str, int, int], compile_text: Compiler
) -> None:
    assert compile_text(text).places == [place]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("SELECT (1 [[ AND :y = 1 ]])", 25, "expected white space on both sides of ']]'"),
        ("WITH a AS (SELECT 1 [[ AND 2 = :y ]])\nSELECT * FROM a", 35, "expected white space"),
        ("SELECT 1 WHERE 1 = 1 [[AND 2 = :y ]]", 22, "expected white space on both sides of '[['"),
        ("SELECT 1 [[ , 2 ]]", 10, "expected a parameter between '[[' and ']]'"),
        ("SELECT 1 WHERE (1 [[ AND 2 = :y )", 19, "expected ']]' for '[[', found the end"),
    ],
)
def test_a_mark_that_is_not_set_off_is_named(
    text: str, column: int, message: str, dialect: str, compile_text: Compiler
) -> None:
    """It was taken for SQL, and the fault was found elsewhere: a query seemed to write."""
    (fault,) = compile_text(text, dialect=dialect).found
    assert (fault.code, fault.position.column) == ("unclosed-mark", column)
    assert fault.message.startswith(message)


def test_brackets_that_can_be_an_array_are_sql(compile_text: Compiler) -> None:
    for text in ("SELECT ARRAY [[ :x ], [ :x ]]", "SELECT (ARRAY [[ :x ]])", "SELECT ARRAY[[1]]"):
        assert compile_text(text, dialect="postgresql").found == ()


def test_an_undeclared_name_behind_a_bracket_hints_at_a_slice(
    compile_text: Compiler,
) -> None:
    found = compile_text("SELECT a[:n]", dialect="postgresql").found
    assert [item.hint for item in found] == ["for a slice write '1 : n'"]


def test_a_misspelt_parameter_gets_a_suggestion(compile_text: Compiler) -> None:
    found = compile_text("SELECT :limt").found
    assert [item.hint for item in found] == ["did you mean 'limit'?"]


@pytest.mark.parametrize(
    ("text", "expands", "in_brackets"),
    [
        ("SELECT 1 WHERE 1 IN :ids", True, False),
        ("SELECT 1 WHERE 1 NOT IN :ids", True, False),
        ("SELECT 1 WHERE 1 IN (:ids)", True, True),
        ("SELECT 1 WHERE 1 in ( /* c */ :ids )", True, True),
        ("SELECT 1 WHERE 1 = ANY(:ids)", False, False),
        ("SELECT 1 WHERE 1 IN (SELECT value FROM json_each(:ids))", False, False),
        ("SELECT :ids", False, False),
    ],
)
def test_a_list_expands_only_behind_in(
    text: str, expands: bool, in_brackets: bool, compile_text: Compiler
) -> None:
    plan = compile_text(text).plan
    assert plan is not None
    bound = next(part for part in flat(plan.statements[0].parts) if isinstance(part, Bound))
    assert (bound.is_list, bound.expands, bound.in_brackets) == (True, expands, in_brackets)


def test_marks_are_sql_in_a_statement_that_a_client_writes() -> None:
    kinds = {token.kind for token in tokens("SELECT 1 [[ x ]]", "postgresql", has_marks=False)}
    assert Lexeme.OPEN not in kinds
