"""A parameter is found where SQL has one, and nowhere else; right values come back.

Elsewhere a colon in a text, a percent sign, a question mark in a comment, a cast, a slice or a
dollar quote moved the parameters by one, or was taken for one.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, checked, source_of, tool

EVERYWHERE = {
    "colon in a text": ("'at :a, 12:30' || :a", "at :a, 12:30x"),
    "colon in a quoted name": ('":a:b" FROM (SELECT :a AS ":a:b") AS s', "x"),
    "doubled quote": ("'it''s :a ' || :a", "it's :a x"),
    "quote in a comment": ("/* it's ? :b -- */ :a", "x"),
    "line comment": (":a -- ? :b ' \" $1 %s\n", "x"),
    "comment at the end": (":a -- :b", "x"),
    "comment at the beginning": ("-- ' :b ?\n :a", "x"),
    "percent text": ("'100% %s %(a)s %Y' || :a", "100% %s %(a)s %Yx"),
    "percent in LIKE": ("CASE WHEN 'axb' LIKE '%x%' THEN :a END", "x"),
    "bound LIKE": ("CASE WHEN 'axb' LIKE '%' || :a || '%' THEN 'yes' END", "yes"),
    "escaped LIKE": (r"CASE WHEN '100%' LIKE '100\%' ESCAPE '\' THEN :a END", "x"),
    "backslash before the end": (r"'c:\' || :a || '\n'", "c:\\x\\n"),
    "twice": (":a || ':a' || :a", "x:ax"),
    "next to signs": ("(:a||'')", "x"),
    "unicode around": ("'é:ü' || :a || '→'", "é:üx→"),
    "word behind": (":a AS b", "x"),
}
NUMBERS = {
    "modulo": ("5 % :n", 1),
    "modulo of literals": ("5 % 2 + :n - :n", 1),
    "minus": ("7-:n", 3),
    "between": ("CASE WHEN 3 BETWEEN :n - 1 AND :n + 1 THEN 1 ELSE 0 END", 1),
    "bracket": ("(:n)", 4),
    "case": ("CASE :n WHEN 4 THEN 44 ELSE 0 END", 44),
}
POSTGRES = {
    "cast behind": (":a::text", "x"),
    "cast of a bracket": ("(:a)::text", "x"),
    "cast twice": (":n::text::int", 4),
    "cast of a text": ("'1:2'::text || :a", "1:2x"),
    "cast call": ("CAST(:n AS text)", "4"),
    "dollar quote": ("$$:b ' ? %s$$ || :a", ":b ' ? %sx"),
    "tagged dollar quote": ("$q$ $$ :b $q$ || :a", " $$ :b x"),
    "escape string": (r"E'\':b' || :a", "':bx"),
    "slice of numbers": ("(ARRAY['p','q','r'])[2:3] || ARRAY[:a]", ["q", "r", "x"]),
    "slice from a parameter": ("(ARRAY['p','q','r','s','t'])[:lo:3]", ["q", "r"]),
    "slice with spaces": ("(ARRAY['p','q','r','s','t'])[:lo : :hi]", ["q", "r"]),
    "slice of casts": ("(ARRAY['p','q','r','s','t'])[:lo::int : :hi::int]", ["q", "r"]),
    "open slice": ("(ARRAY['p','q','r'])[:hi :]", ["r"]),
    "subscript": ("(ARRAY['p','q','r'])[:lo]", "q"),
    "json arrow": ("""('{"x": 5}'::jsonb)->>:a""", "5"),
    "json question": ("""('{"x": 5}'::jsonb) ? :a""", True),
    "json any": ("""('{"x": 5}'::jsonb) ?| ARRAY[:a]""", True),
    "json path": ("""('{"x": 5}'::jsonb) #>> ARRAY[:a]""", "5"),
    "json path with a colon": (
        """jsonb_path_query_first('{"x": 5}', '$.x ? (@ > 1)') #>> '{}'""",
        "5",
    ),
    "named argument": ("make_interval(hours => :n)", "PT4H"),
    "old named argument": ("make_interval(hours := :n)", "PT4H"),
    "at time zone": (
        "'2026-01-01 12:00'::timestamp AT TIME ZONE :zone",
        "2026-01-01T10:00:00+00:00",
    ),
    "national text": ("N':b' || :a", ":bx"),
    "unicode text": ("U&'\\003a:b' || :a", "::bx"),
    "nested comment": ("/* /* :b */ ' */ :a", "x"),
    "any of a list": ("CASE WHEN :n = ANY(ARRAY[1, 4]) THEN :a END", "x"),
    "null test": ("CASE WHEN :gone IS NULL THEN :a END", "x"),
    "interval": ("(INTERVAL '1 day' * :n)", "P4D"),
    "regular expression": ("CASE WHEN 'a:b' ~ '^[[:alpha:]]:b$' THEN :a END", "x"),
}
DUCKDB = {
    "cast behind": (":a::text", "x"),
    "cast of a bracket": ("(:a)::text", "x"),
    "cast twice": (":n::text::int", 4),
    "cast call": ("CAST(:n AS text)", "4"),
    "dollar quote": ("$$:b ' ? %s$$ || :a", ":b ' ? %sx"),
    "tagged dollar quote": ("$q$ $$ :b $q$ || :a", " $$ :b x"),
    "escape string": (r"E'\':b' || :a", "':bx"),
    "backquoted name": ("`b:c` FROM (SELECT :a AS `b:c`)", "x"),
    "slice of numbers": ("['p','q','r'][2:3] || [:a]", ["q", "r", "x"]),
    "slice with spaces": ("['p','q','r','s','t'][:lo : :hi]", ["q", "r"]),
    "slice of casts": ("['p','q','r','s','t'][:lo::int : :hi::int]", ["q", "r"]),
    "slice with a step": ("['p','q','r','s'][1:-:2]", ["p", "r"]),
    "open slice": ("['p','q','r'][:hi :]", ["r"]),
    "subscript": ("['p','q','r'][:lo]", "q"),
    "slice of a text": ("'abcdef'[:lo : :hi]", "bc"),
    "struct": ("{'a': :n, b: :a}", {"a": 4, "b": "x"}),
    "struct without space": ("{'a::b':1}", {"a::b": 1}),
    "member of a struct": ("{'a': :a}.a", "x"),
    "map": ("MAP {'a:b': :n}", {"a:b": 4}),
    "alias before": ("c: :a", "x"),
    "lambda": ("list_transform([1, 2], lambda v: v + :n)", [5, 6]),
    "comprehension": ("[v + :n for v in [1, 2] if v > 1]", [6]),
    "json arrow": ("""('{"x": 5}'::JSON)->>:a""", "5"),
    "json path": ("""json_extract('{"x": {"y": 5}}', '$.' || :a || '.y')""", 5),
    "named argument": ("struct_pack(k := :n)", {"k": 4}),
    "date format": ("strftime('2026-03-29'::DATE, '%Y:%m') || :a", "2026:03x"),
    "printf": ("printf('%s %%', :a)", "x %"),
    "at time zone": (
        "'2026-01-01 12:00'::TIMESTAMP AT TIME ZONE :zone",
        "2026-01-01T10:00:00+00:00",
    ),
    "nested comment": ("/* /* :b */ ' */ :a", "x"),
    "any of a list": ("CASE WHEN :n = ANY([1, 4]) THEN :a END", "x"),
    "null test": ("CASE WHEN :gone IS NULL THEN :a END", "x"),
    "interval": ("(INTERVAL 1 DAY * :n)", "P4D"),
    "power and factorial": (":n ** 2 + 3!", 22),
    "position of a column": ("#1 FROM (SELECT :a AS y)", "x"),
}
SQLITE = {
    "bracketed name": ("[b:c] FROM (SELECT :a AS [b:c])", "x"),
    "backquoted name": ("`b:c` FROM (SELECT :a AS `b:c`)", "x"),
    "json arrow": ("""'{"x": 5}' ->> :a""", 5),
    "json path": ("""json_extract('{"x": {"y": 5}}', '$.' || :a || '.y')""", 5),
    "glob": ("CASE WHEN 'a:b' GLOB '*:?' THEN :a END", "x"),
    "date format": ("strftime('%Y:%m', '2026-03-29') || :a", "2026:03x"),
    "printf": ("printf('%s %%', :a)", "x %"),
    "blob": ("hex(x'3a61') || :a", "3A61x"),
    "null test": ("CASE WHEN :gone IS NULL THEN :a END", "x"),
}
MARIADB = {
    "colon in a quoted name": ("`:a:b` FROM (SELECT :a AS `:a:b`) AS s", "x"),
    "colon in a double-quoted text": ('"at :a, \\" it\'s" || :a', "at :a, \" it'sx"),
    "escaped LIKE": (r"CASE WHEN '100%' LIKE '100\%' ESCAPE '\\' THEN :a END", "x"),
    "backslash before the end": (r"'c:\\' || :a || '\\n'", "c:\\x\\n"),
    "escaped quote": (r"'it\'s :b ' || :a", "it's :b x"),
    "hash comment": (":a # it's :b ?\n", "x"),
    "dashes that are no comment": ("9--:n", 13),
    "doubled backquote": ("`a``:b` FROM (SELECT :a AS `a``:b`) AS s", "x"),
    "named charset": ("_utf8mb4':b' || :a", ":bx"),
    "national text": ("N':b' || :a", ":bx"),
    "system variable": ("@@session.time_zone || :a", "+00:00x"),
    "assigned variable": ("(@v := :n) + @v", 8),
    "json path": ("""json_value('{"x": {"y": 5}}', '$.' || :a || '.y')""", "5"),
    "json of a question": ("""json_extract('{"x?": 5}', '$."x?"') + :n""", 9.0),
    "date format": ("date_format('2026-03-29', '%Y:%m %%') || :a", "2026:03 %x"),
    "cast call": ("CAST(:n AS char)", "4"),
    "convert": ("CONVERT(:a USING latin1)", "x"),
    "interval": ("CAST('2026-01-01' + INTERVAL :n DAY AS char)", "2026-01-05"),
    "regular expression": ("CASE WHEN 'a:b' REGEXP '^[[:alpha:]]:b$' THEN :a END", "x"),
    "hexadecimal text": ("CAST(x'3a61' AS char) || :a", ":ax"),
    "null test": ("CASE WHEN :gone IS NULL THEN :a END", "x"),
    "null-safe equality": ("CASE WHEN :gone <=> NULL THEN :a END", "x"),
    "limit of a subquery": ("count(*) FROM (SELECT 1 FROM seq_1_to_9 LIMIT :lo, :n) AS s", 4),
}
BY_ENGINE = {"postgresql": POSTGRES, "sqlite": SQLITE, "duckdb": DUCKDB, "mariadb": MARIADB}
INPUT = {
    "a": "string", "n": "integer", "lo": "integer", "hi": "integer", "zone": "string",
    "gone?": "string",
}  # fmt: skip
SENT: Mapping[str, object] = {"a": "x", "n": 4, "lo": 2, "hi": 3, "zone": "Europe/Kyiv"}


REFUSED = {
    "two slices": ("(ARRAY['p'])[:lo:hi]", "ambiguous-colon", "':hi' stands directly behind ':lo'"),
    "slice to a name": (
        "(ARRAY['p'])[2:bye]",
        "unknown-parameter",
        "':bye' is no parameter of this tool",
    ),
    "single colon": (":a:text", "unknown-parameter", "':text' is no parameter of this tool"),
    "unknown type": (
        ":lo::hi",
        "sql-refused",
        "the engine refuses the statement near 'hi' (42704)",
    ),
    "member of a text": (":a.b", "no-members", "':a' is of type string and has no member 'b'"),
    "driver's number": (
        "$1",
        "foreign-placeholder",
        "expected ':name', found '$1', which nothing is bound to",
    ),
    "open text": ("'x :a", "unclosed-text", "expected ' for this text, found the end"),
    "open dollar quote": ("$$x :a", "unclosed-text", "expected '$$' for this text, found the end"),
    "open comment": ("/* x :a", "unclosed-text", "expected '*/' for this comment, found the end"),
    "choice without one": ("{a}", "not-a-choice", "'{a}' is text from 'choose', but 'a' has none"),
}


def of(source: Source) -> Mapping[str, tuple[str, object]]:
    """What the engine must understand."""
    return {**EVERYWHERE, **NUMBERS, **BY_ENGINE[source.engine]}


def test_parameter_is_bound_where_it_stands(served: Serve, source: Source) -> None:
    cases = list(of(source).values())
    tools = [
        tool(f"t{n}", f"SELECT {text}", input=INPUT, result={"shape": "value"})
        for n, (text, _) in enumerate(cases)
    ]

    server = served("".join(tools))

    found = {text: server.value(f"t{n}", **SENT) for n, (text, _) in enumerate(cases)}
    assert found == dict(cases)


def test_parameter_is_bound_wherever_a_statement_stands(served: Serve, source: Source) -> None:
    """In an optional part, in a statement that runs once an element, behind a named row."""
    source.execute("CREATE TABLE t (n integer, x text)")
    nasty = "'%s ? :b '' -- ' || "
    statements = [
        "DELETE FROM t /* ? :b ' */",
        {"each": "items", "run": f"INSERT INTO t (n, x) VALUES (:index, {nasty}:item) -- :b"},
        {"run": f"SELECT {nasty}:a AS x", "as": "first"},
        "INSERT INTO t (n, x) VALUES (9, :first.x)",
        f"SELECT x FROM t WHERE 1 = 1 [[ AND x LIKE {nasty}:a || '%' /* ' ]] :b */ ]] ORDER BY n",
    ]
    server = served(
        tool(
            "all",
            statements,
            input={"a?": "string", "items": "string[]"},
            writes=True,
            result={"shape": "column"},
        )
    )

    assert server.value("all", a="x", items=["y", "xz"]) == ["%s ? :b ' -- xz", "%s ? :b ' -- x"]


def test_statement_of_a_function_is_read_the_same(served: Serve, source: Source) -> None:
    (source.folder / "code.py").write_text(
        "from runner import Database\n"
        "async def find(a: str, db: Database) -> list[dict[str, str]]:\n"
        "    return await db.query(\"SELECT '%s ? :b ' || :a AS x -- ' ?\", {'a': a})\n"
    )
    server = served('  find: {description: Finds., python: "code:find", writes: false}\n')

    assert server.value("find", a="x") == [{"x": "%s ? :b x"}]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_what_cannot_be_bound_is_refused_at_its_place(tmp_path: Path, case: str) -> None:
    text, code, message = REFUSED[case]
    with source_of("postgresql", tmp_path) as source:
        written = source.file(tool("probe", f"SELECT {text}", input=INPUT))
        found = checked(source.folder, written, {})

    [fault] = [item for item in found.diagnostics if item.severity == "error"]
    assert (fault.code, fault.message) == (code, message)
    line = written.splitlines()[fault.position.line - 1]
    assert line.index("SELECT ") < fault.position.column <= line.index("input")


@pytest.mark.parametrize("opening", ["/* it's */ ", "-- it's\n", "\ufeff", "\n\t ", "/*:a*/--\n"])
def test_what_stands_before_the_first_word_changes_no_verdict(source: Source, opening: str) -> None:
    source.execute("CREATE TABLE t (a integer)")
    files = {
        "read": "SELECT 1 AS a",
        "write": "DELETE FROM t",
        "with": "WITH x AS (SELECT 1) DELETE FROM t",
    }
    for name, text in files.items():
        (source.folder / f"{name}.sql").write_text(opening + text, "utf-8")
    tools = [tool(name, {"file": f"{name}.sql"}) for name in files]

    found = checked(source.folder, source.file("".join(tools)), {})

    errors = [item for item in found.diagnostics if item.severity == "error"]
    assert [item.code for item in errors] == ["writes-in-read-tool"] * 2
    assert {item.position.path for item in errors} == {"write.sql", "with.sql"}
