"""A value of the file is what its place says, and nothing written twice is dropped.

Guards against readers of YAML that keep the last of two equal keys, make a boolean of the country
NO, an octal number of a leading zero, a float of a git hash, and that read what came from the
environment as YAML again.
"""

from pathlib import Path

import pytest

from tests.faults.io.product import database, faults_of, served, told

TOOL = "{description: x, value: 1}"
SQLITE = 'databases: {lab: {url: "sqlite:///lab.db", create: {schema: lab.sql}}}\n'


@pytest.mark.parametrize(
    ("body", "files", "message"),
    [
        (
            f"tools:\n  a: {TOOL}\n  b: {TOOL}\n  a: {TOOL}\n",
            {},
            "mcp.yaml:6:3: duplicate-key: 'a' is given twice: first on line 4, again on line 6",
        ),
        (
            f"tools: {{a: {TOOL}}}\ntools: {{b: {TOOL}}}\n",
            {},
            "mcp.yaml:4:1: duplicate-key: 'tools' is given twice: first on line 3, again on line 4",
        ),
        (
            f"tools: {{a: {TOOL}}}\ninclude: [more/*.yaml]\n",
            {"more/x.yaml": f"tools:\n  b: {TOOL}\n  a: {TOOL}\n"},
            "more/x.yaml:3:3: duplicate-key: "
            "'a' is given twice: first on mcp.yaml:3:9, again on line 3",
        ),
        (
            "include: [more/*.yaml]\n",
            {
                "more/x.yaml": f"tools: {{a: {TOOL}}}\n",
                "more/y.yaml": f"\ntools:\n  a: {TOOL}\n",
            },
            "more/y.yaml:3:3: duplicate-key: "
            "'a' is given twice: first on more/x.yaml:1:9, again on line 3",
        ),
        (
            "vars: {x: 1}\ninclude: [more.yaml]\n",
            {"more.yaml": "server: {name: other}\n"},
            "more.yaml:1:10: duplicate-key: "
            "'name' is given twice: first on mcp.yaml:2:10, again on line 1",
        ),
        (
            "tools: {a: {description: x, value: 1, input: {q: string, q: integer}}}\n",
            {},
            "mcp.yaml:3:58: duplicate-key: 'q' is given twice: first on line 3, again on line 3",
        ),
    ],
    ids=["tool", "section", "include", "two-includes", "field-of-include", "parameter"],
)
def test_what_is_given_twice_is_told_with_both_places(
    tmp_path: Path, body: str, files: dict[str, str], message: str
) -> None:
    assert told(faults_of(tmp_path, body, files)) == [message]


def test_words_of_other_yaml_versions_stay_text_and_are_told(tmp_path: Path) -> None:
    """A reader of the file with another library would see other values."""
    body = (
        "tools: {t: {description: x, input: {v: {type: string, "
        "enum: [NO, SE, ON, off, 0123, 08989, 1e3, 12:30:00, 2024-01-01, 1_000]}}, value: $v}}\n"
    )
    words = ["NO", "SE", "ON", "off", "0123", "08989", "1e3", "12:30:00", "2024-01-01", "1_000"]

    found = faults_of(tmp_path, body)

    assert [(item.code, item.severity) for item in found] == [("ambiguous-text", "warning")] * 9
    with served(tmp_path, body) as product:
        schema = product.tools()["t"]["inputSchema"]["properties"]["v"]  # type: ignore[index]
        assert schema == {"type": "string", "enum": words}
        assert [product.value("t", v=word) for word in words] == words


@pytest.mark.parametrize("word", ["0123", "08989", "1e3", "12:30:00", "2024-01-01", "1_000"])
def test_number_of_other_yaml_versions_is_refused_where_a_number_is_meant(
    tmp_path: Path, word: str
) -> None:
    [found] = told(faults_of(tmp_path, f"serve: {{port: {word}}}\ntools: {{t: {TOOL}}}\n"))
    assert found == f"mcp.yaml:3:15: wrong-type: expected an integer, found '{word}'"


@pytest.mark.parametrize("word", ["no", "No", "yes", "on", "OFF", "y", "0", "TRUE_"])
def test_only_true_and_false_are_booleans(tmp_path: Path, word: str) -> None:
    body = f"tools: {{t: {{description: x, value: 1, strict: {word}}}}}\n"
    shown = word if word == "0" else f"'{word}'"
    [found] = told(faults_of(tmp_path, body))
    assert found == f"mcp.yaml:3:47: wrong-type: expected true or false, found {shown}"


def test_plain_numbers_of_other_versions_are_texts_in_a_tree(tmp_path: Path) -> None:
    body = "tools: {t: {description: x, value: {a: [0123, 1e3, no, 1_000, 12:30:00, 7, 1.50]}}}\n"
    with served(tmp_path, body) as product:
        assert product.value("t") == {"a": ["0123", "1e3", "no", "1_000", "12:30:00", 7, 1.5]}


@pytest.mark.parametrize(
    "text", ["0757192", "123456789012", "1e10", "true", "null", "no", "{a: 1}", "- x", "a: b", "#"]
)
def test_text_from_the_environment_is_never_read_again(tmp_path: Path, text: str) -> None:
    body = (
        "vars:\n  quoted: '${HASH}'\n  plain: ${HASH}\n"
        "tools: {t: {description: '${HASH}', value: ['{{ vars.quoted }}', '{{ vars.plain }}']}}\n"
    )
    with served(tmp_path, body, HASH=text) as product:
        assert product.value("t") == [text, text]
        assert product.tools()["t"]["description"] == text


def test_value_from_the_environment_has_the_type_of_its_field(tmp_path: Path) -> None:
    body = f"budgets:\n  rows: '${{ROWS}}'\n  timeout: ${{TIME}}\ntools: {{t: {TOOL}}}\n"
    with served(tmp_path, body, ROWS="70", TIME="2m") as product:
        assert (product.catalog.budgets.rows, product.catalog.budgets.timeout_s) == (70, 120.0)

    [found] = faults_of(tmp_path, body, ROWS="0757192", TIME="2m")

    message = "expected an integer, found another text, which a reference brought in"
    assert (found.code, found.message) == ("wrong-type", message)


def test_every_missing_variable_is_told_at_its_place_in_one_run(tmp_path: Path) -> None:
    """A comment asks for nothing, and a default is no demand."""
    body = (
        "vars: {a: '${ONE}', b: '${TWO}', c: '${SIX:-6}'}\n"
        "# '${THREE}' is not needed\n"
        'databases: {d: {url: "postgresql://${USER_}:${FOUR}@127.0.0.1/x"}}\n'
        "include: [more.yaml]\n"
    )
    files = {"more.yaml": "callers: {x: {user_id: '${FIVE}'}}\n"}

    found = told(faults_of(tmp_path, body, files))

    words = "missing-variable: the environment has no variable"
    assert found == [
        f"mcp.yaml:3:12: {words} 'ONE'",
        f"mcp.yaml:3:25: {words} 'TWO'",
        f"mcp.yaml:5:36: {words} 'USER_'",
        f"mcp.yaml:5:45: {words} 'FOUR'",
        f"more.yaml:1:25: {words} 'FIVE'",
    ]


@pytest.mark.parametrize("place", ["inline", "file"])
def test_statement_asks_the_environment_for_nothing(tmp_path: Path, place: str) -> None:
    """Wherever the SQL stands, and whatever the variable holds, nothing is put into it."""
    text = "SELECT '${A}' AS a"
    written = f'"{text}"' if place == "inline" else "{file: q.sql}"
    body = f"{SQLITE}tools: {{t: {{description: x, sql: {written}}}}}\n"

    [found] = told(faults_of(tmp_path, body, {"lab.sql": "", "q.sql": text}, A="1"))

    at = "mcp.yaml:4:43" if place == "inline" else "q.sql:1:9"
    assert found == f"{at}: interpolation-refused: ${{…}} is not replaced inside SQL"


def test_signs_of_money_in_a_statement_are_its_own(tmp_path: Path) -> None:
    """`$1`, `$A` and `$$` in texts are texts; `$1` outside of one is bound by nobody."""
    sql = "SELECT '$1' AS a, '$A' AS b, 'x$$' AS c, :v AS d"
    tool = f'{{description: x, input: {{v: string}}, sql: "{sql}", result: {{shape: row}}}}'
    body = f"tools: {{t: {tool}}}\n"
    for engine in ("sqlite", "postgresql"):
        with (
            database(engine, "SELECT 1") as (section, files),
            served(tmp_path / engine, section + body, files, A="no") as product,
        ):
            expected = {"a": "$1", "b": "$A", "c": "x$$", "d": "${A} $1"}
            assert product.value("t", v="${A} $1") == expected

    body = f'{SQLITE}tools: {{t: {{description: x, sql: "SELECT $1"}}}}\n'
    [found] = told(faults_of(tmp_path, body, {"lab.sql": ""}))
    assert "foreign-placeholder: expected ':name', found '$1'" in found


def test_escaped_reference_is_the_characters(tmp_path: Path) -> None:
    body = "vars: {a: 'a $${HOME} b'}\ntools: {t: {description: '$${X}', value: '{{ vars.a }}'}}\n"
    with served(tmp_path, body) as product:
        assert product.value("t") == "a ${HOME} b"
        assert product.tools()["t"]["description"] == "${X}"


def test_statement_of_a_function_may_hold_any_sign(tmp_path: Path) -> None:
    """SQL in Python is the author's program: no file of ours puts anything into it."""
    code = (
        "from runner import Database\n\n"
        "async def ask(db: Database) -> list[dict[str, str]]:\n"
        '    """Asks."""\n'
        "    return await db.query(\"SELECT '${A}' AS a\")\n"
    )
    body = f"{SQLITE}tools: {{t: {{writes: false, python: 'tools.ask:ask'}}}}\n"
    with served(tmp_path, body, {"lab.sql": "", "tools/ask.py": code}) as product:
        assert product.value("t") == [{"a": "${A}"}]
