"""One tool of the file becomes one tool of the catalog: what its parts decide together."""

import pytest

from runner.catalog.tool import ResultText, ToolAnnotations
from tests.compile.whole import by_name, compiled, faults, served, the_tool
from tests.requirements import requirement

DATABASE = "databases: {d: {url: 'sqlite://'}}\n"


def hints(text: str) -> tuple[bool, bool, bool, bool]:
    """Whether a tool reads, destroys, may be repeated, reaches the open world."""
    found: ToolAnnotations = the_tool(text).annotations
    return found.read_only, found.destructive, found.idempotent, found.open_world


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value: 1", (True, False, True, False)),
        ("http: {url: 'https://a.example', get: /}", (True, False, True, True)),
        ("http: {url: 'https://a.example', head: /}", (True, False, True, True)),
        ("http: {url: 'https://a.example', post: /}, writes: true", (False, False, False, True)),
        ("http: {url: 'https://a.example', put: /}, writes: true", (False, False, True, True)),
        ("http: {url: 'https://a.example', delete: /}, writes: destructive",
         (False, True, True, True)),
        ("http: {url: 'https://a.example', post: /}, writes: false", (True, False, True, True)),
        ("value: 1, open_world: true", (True, False, True, True)),
        ("http: {url: 'https://a.example', post: /}, writes: true, idempotent: true",
         (False, False, True, True)),
    ],
)  # fmt: skip
@requirement("P-215")
def test_hints_are_derived_from_what_the_tool_runs(
    text: str, expected: tuple[bool, bool, bool, bool]
) -> None:
    assert hints(text) == expected


def test_binding_that_can_do_anything_must_say_whether_it_writes() -> None:
    text = "tools: {t: {description: A probe., http: {url: 'https://a.example', post: /}}}\n"
    assert faults(text) == ["1:9 writes-needed: expected 'writes', since POST can do anything"]


def test_tool_with_a_step_that_writes_writes_itself() -> None:
    text = DATABASE + (
        "tools:\n"
        "  w: {description: Writes., writes: destructive, sql: DELETE FROM x}\n"
        "  t: {description: Steps., steps: [{tool: w, as: done}]}\n"
        "  u: {description: Steps., writes: false, steps: [{tool: w, as: done}]}\n"
    )
    catalog, found = compiled(text)
    assert catalog.tools["t"].annotations.destructive
    assert [item.code for item in found] == ["writes-in-read-tool"]


def test_defaults_are_merged_key_by_key() -> None:
    tools = served(
        DATABASE
        + "defaults: {timeout: 5s, bind: {owner: caller.user_id}, tags: [all]}\n"
        + "tools:\n"
        "  a: {description: A., sql: 'SELECT :owner AS o'}\n"
        "  b: {description: B., sql: 'SELECT :owner AS o', timeout: 1s, bind: {owner: 7}}\n"
        "  c: {description: C., sql: SELECT 1 AS o, bind: {owner: null}, tags: [own]}\n"
    ).tools
    assert [tool.timeout_s for tool in tools.values()] == [5.0, 1.0, 5.0]
    assert [list(tool.tags) for tool in tools.values()] == [["all"], ["all"], ["own"]]
    assert [[bind.value.source for bind in tool.binds] for tool in tools.values()] == [
        ["caller.user_id"], ["7"], [],
    ]  # fmt: skip


def test_sql_that_uses_no_default_bind_is_a_warning() -> None:
    text = DATABASE + (
        "defaults: {bind: {owner: caller.user_id}}\n"
        "tools:\n"
        "  a: {description: A., sql: SELECT 1 AS o}\n"
    )
    catalog, [warning] = compiled(text)
    assert list(catalog.tools) == ["a"]
    assert (warning.code, warning.severity) == ("unused-default-bind", "warning")


def test_bind_that_is_not_used_is_not_evaluated() -> None:
    tool = the_tool("value: {a: $b}, bind: {b: caller.user_id, c: uuid()}")
    assert [bind.name for bind in tool.binds] == ["b"]


def test_bind_of_an_input_parameter_is_refused() -> None:
    text = "tools: {t: {description: A., value: $a, input: {a: string}, bind: {a: now()}}}\n"
    assert faults(text) == [
        "1:68 name-taken: 'a' is bound and in 'input' too; a bound parameter is never sent"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "json"), (", result: {text: csv}", "csv"), (", result: {text: markdown}", "markdown")],
)
def test_text_of_a_result_has_the_format_that_is_said(text: str, expected: str) -> None:
    found: ResultText = the_tool(f"value: 1{text}").text
    assert (found.format, found.template) == (expected, None)


def test_template_of_a_result_sees_the_result() -> None:
    found = the_tool('value: {a: 1}, result: {text: {template: "a is {{ result.a }}"}}').text
    assert found.template is not None
    assert found.template.render({"result": {"a": 7}}) == "a is 7"


def test_paged_tool_takes_the_cursor_that_the_server_gave() -> None:
    tool = served(
        DATABASE
        + "tools:\n"
        + "  t:\n"
        + "    description: A.\n"
        + "    input: {limit: {type: integer, default: 2}}\n"
        + "    sql: SELECT a FROM x WHERE 1 = 1 [[ AND a > :cursor.a ]] ORDER BY a LIMIT :limit\n"
        + "    result: {page: {size: limit, key: [a]}}\n"
    ).tools["t"]
    assert list(tool.input.parameters) == ["limit", "cursor"]
    assert tool.input.check({"cursor": "abc"}) == {"limit": 2, "cursor": "abc"}


def test_example_that_does_not_fit_is_reported_at_its_field() -> None:
    text = (
        "tools: {t: {description: A., value: $a, input: {a: integer},"
        " examples: [{a: 1}, {a: ten}, {b: 1}]}}\n"
    )
    assert faults(text) == [
        "1:85 bad-example: 'a': expected an integer, found 'ten'",
        "1:91 bad-example: 'a': required, but missing",
        "1:95 bad-example: 'b': unknown argument, expected 'a'",
    ]


def test_tool_without_description_is_a_warning() -> None:
    assert faults("tools: {t: {value: 1}}\n") == ["1:9 no-description: 't' has no description"]


@pytest.mark.parametrize(
    ("databases", "expected"),
    [
        ("", "expected a database for the SQL, and the file has none"),
        ("databases: {a: {url: 'sqlite://'}, b: {url: 'sqlite://'}}\n",
         "expected 'database', since the file has several: a, b"),
    ],
)  # fmt: skip
def test_sql_without_a_clear_database_is_refused(databases: str, expected: str) -> None:
    found = faults(databases + "tools: {t: {description: A., sql: SELECT 1 AS a}}\n")
    assert [item.split(": ", 1)[1] for item in found] == [expected]


def test_words_for_a_failure_that_cannot_happen_are_refused() -> None:
    text = DATABASE + (
        "tools: {t: {description: A., sql: SELECT 1 AS a, errors: {unqiue: x, '404': y}}}\n"
    )
    assert [item.split(" ", 1)[1] for item in faults(text)] == [
        "unknown-kind: no failure of this tool is named 'unqiue'",
        "unknown-kind: no failure of this tool is named '404'",
    ]


def test_tools_are_listed_in_the_order_of_the_file() -> None:
    text = "tools: {b: {description: B., value: 1}, a: {description: A., value: 2}}\n"
    assert list(by_name(served(text))) == ["b", "a"]
