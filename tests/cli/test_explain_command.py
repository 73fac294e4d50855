"""`mcp-run explain`: what a call would do, without doing it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ended, here

Shown = dict[str, Any]
"""JSON as the command writes it."""


def explained(folder: Path, *arguments: str) -> Shown:
    """The explanation as JSON."""
    ended = here("explain", *arguments, "--format", "json", folder=folder)
    assert (ended.status, ended.err) == (0, ""), ended
    shown: Shown = json.loads(ended.out)
    return shown


def test_a_query_is_shown_as_it_would_be_sent(folder: Path) -> None:
    shown = explained(folder, "find", "title=rug", "ids:=[1, 2, 3]", "sort=title")
    assert shown["sql"] == {
        "database": "shop",
        "engine": "sqlite",
        "transaction": "read-only",
        "statements": [
            {
                "runs": "once",
                "text": "SELECT id, title FROM items WHERE owner = ?\n"
                "   AND title = ?   AND id IN (?, ?, ?, ?) \nORDER BY title LIMIT ?",
                "binds": [
                    {"at": "?", "name": ":owner", "from": "caller.user_id", "value": "ada"},
                    {"at": "?", "name": ":title", "type": "string", "value": "rug"},
                    *(
                        {
                            "at": "?",
                            "name": ":ids",
                            "type": "integer",
                            "element": element,
                            "value": value,
                        }
                        for element, value in enumerate((1, 2, 3, 3))
                    ),
                    {
                        "at": "?",
                        "name": ":limit",
                        "type": "integer",
                        "value": 11,
                        "note": "one more than is shown",
                    },
                ],
                "optional": ["[[ title ]] there", "[[ ids ]] there"],
                "chosen": {"sort": {"title": "title"}},
                "gives": "the result",
            }
        ],
        "result": "rows",
        "budgets": {"rows": 1000, "bytes": 1048576, "pool_wait": "2s", "pool_size": 5},
    }


def test_caller_arguments_defaults_and_limits_are_shown(folder: Path) -> None:
    shown = explained(folder, "find", "--as", "sam")
    assert shown["caller"] == {"user_id": "sam", "authenticated": True, "scopes": []}
    assert shown["arguments"] == {"sort": "newest", "limit": 10}
    assert shown["defaults"] == ["sort", "limit"]
    assert shown["hidden"] == {"owner": {"value": "sam", "from": "caller.user_id"}}
    assert shown["budgets"] == {"timeout": "30s", "result_bytes": 1048576, "concurrency": 64}


def test_each_statement_of_a_transaction_says_whether_it_runs(folder: Path) -> None:
    shown = explained(folder, "add", "title=shade", 'labels:=["a", "b"]')
    statements = shown["sql"]["statements"]
    assert [statement["runs"] for statement in statements] == [
        "once",
        "once for each of 2 in 'labels'; the first is shown",
        "not at all, since 'note' was not sent",
        "once",
    ]
    assert shown["sql"]["transaction"] == "writing"
    assert statements[1]["binds"] == [
        {"at": "?", "name": ":made.id", "from": "the row 'made'"},
        {"at": "?", "name": ":item", "type": "string", "value": "a"},
    ]


def test_a_request_is_shown_with_its_credentials_masked(folder: Path) -> None:
    shown = explained(folder, "forecast", "city=Zürich/1", "days=3")
    assert shown["http"] == {
        "api": "weather",
        "method": "GET",
        "url": "https://api.example.com/v1/forecast/Z%C3%BCrich%2F1?days=3",
        "headers": {
            "user-agent": "mcp-run",
            "accept": "application/json, */*;q=0.5",
            "x-key": "***",
            "accept-encoding": "gzip, deflate",
            "x-note": "a",
            "authorization": "Bearer ***",
        },
        "budgets": {
            "connect": "1s",
            "read": "2s",
            "total": "3s",
            "retries": 2,
            "bytes": 1048576,
        },
    }
    posted = explained(folder, "report", "city=Bern")["http"]
    assert (posted["method"], posted["body"]) == ("POST", {"city": "Bern", "kind": "Bern!"})


def test_no_secret_is_shown_in_any_format(folder: Path) -> None:
    for form in ("text", "json"):
        ended = here("explain", "forecast", "city=x", "-v", "--format", form, folder=folder)
        assert "hunter2" not in ended.out + ended.err


def test_a_callable_is_shown_with_its_arguments(folder: Path) -> None:
    assert explained(folder, "greet", "name=Bo")["python"] == {
        "callable": "code:greet",
        "runs": "in a thread",
        "arguments": {"name": "Bo"},
        "injected": {"shop": "database shop"},
    }


def test_steps_are_shown_in_order_with_what_depends_on_earlier_ones(folder: Path) -> None:
    steps = explained(folder, "both", "name=Bo")["steps"]
    greeting, found, told = steps
    assert (greeting["as"], greeting["python"]["arguments"]) == ("greeting", {"name": "Bo"})
    assert found == {
        "as": "found",
        "tool": "find",
        "effect": "reads",
        "arguments": {"title": {"depends on": ["greeting"]}},
    }
    assert told == {"as": "told", "value": {"depends on": ["greeting"]}}


TOGETHER = """\
mcp: 1
server: {name: together, version: 1.0.0}
databases: {main: {url: "sqlite://", create: {schema: schema.sql}}}
tools:
  add: {description: Adds., writes: true, input: {n: integer}, sql: INSERT INTO t VALUES (:n)}
  both:
    description: Adds two.
    input: {n: integer}
    transaction: true
    timeout: 3s
    steps:
      - {tool: add, with: {n: $n}, as: one}
      - {sql: SELECT count(*) AS n FROM t, as: two}
"""


def test_steps_in_one_transaction_say_which_it_is(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(TOGETHER, encoding="utf-8")
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (n INTEGER)", encoding="utf-8")
    shown = explained(tmp_path, "both", "n=1")
    one, two = shown["steps"]

    assert shown["transaction"] == {"kind": "writing", "database": "main"}
    assert shown["budgets"]["timeout"] == "3s"
    assert [step["sql"]["transaction"] for step in (one, two)] == ["that of the steps"] * 2
    assert one["budgets"] == {"result_bytes": 1048576, "concurrency": 64}


def test_a_value_is_shown(folder: Path) -> None:
    assert explained(folder, "words")["value"] == ":smile: [bold]x[/bold]"


def test_text_is_an_outline(folder: Path) -> None:
    ended = here("explain", "words", folder=folder)
    assert ended == Ended(
        0,
        "tool: words\n"
        'caller: user_id="ada"  authenticated=true  scopes=["shop"]\n'
        "effect: reads\n"
        "budgets: timeout=30s  result_bytes=1048576  concurrency=64\n"
        'value: ":smile: [bold]x[/bold]"\n',
        "",
    )


BOUND = """\
mcp: 1
server: {name: bound, version: 1.0.0}
databases: {main: {url: "ADDRESS"}}
tools:
  t:
    description: Binds.
    input: {tags: "string[]", place: string, more: object, many: "object[]", n: integer}
    sql: "SELECT :tags AS a, :place AS b, :more AS c, :many AS d, :n AS e"
"""
SENT = {"tags": ["a", "c"], "place": "home, a=1", "more": {"a": 1}, "many": [{}], "n": 7}


@pytest.mark.parametrize(
    ("address", "tags", "shown"),
    [
        ("sqlite:///a.db", '["a","c"]', r'"[\"a\",\"c\"]"'),
        ("mysql://h/d", '["a","c"]', r'"[\"a\",\"c\"]"'),
        ("shillelagh://", '["a","c"]', r'"[\"a\",\"c\"]"'),
        ("duckdb:///a.duckdb", ["a", "c"], '["a","c"]'),
        ("postgresql://h/d", ["a", "c"], '["a","c"]'),
    ],
    ids=["sqlite", "mysql", "another dialect", "duckdb", "postgresql"],
)
def test_what_is_bound_is_shown_as_json_in_every_format(
    tmp_path: Path, address: str, tags: object, shown: str
) -> None:
    """A list is an array, or the text of its JSON, as the engine gets it; a text is quoted."""
    (tmp_path / "mcp.yaml").write_text(BOUND.replace("ADDRESS", address), encoding="utf-8")
    sent = ("t", "--json", json.dumps(SENT))
    (statement,) = explained(tmp_path, *sent)["sql"]["statements"]
    values = [bind["value"] for bind in statement["binds"]]
    assert values == [tags, "home, a=1", '{"a":1}', "[{}]", 7]
    lines = here("explain", *sent, folder=tmp_path).out.splitlines()
    at = lines.index("      binds:")
    assert [line.split("  ")[-1] for line in lines[at + 1 : at + 6]] == [
        f"value={shown}",
        'value="home, a=1"',
        r'value="{\"a\":1}"',
        'value="[{}]"',
        "value=7",
    ]


def test_rules_stand_each_on_a_line(folder: Path) -> None:
    lines = here("explain", "add", "title=shade", folder=folder).out.splitlines()
    at = lines.index("checks:")
    assert lines[at + 1] == "  title|length > 2"


def test_text_shows_the_statement(folder: Path) -> None:
    lines = here("explain", "find", folder=folder).out.splitlines()
    at = lines.index("      text:")
    assert lines[at + 1 : at + 3] == [
        "        SELECT id, title FROM items WHERE owner = ?",
        "        ORDER BY id DESC LIMIT ?",
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("add", "title=x"), 1, "“x” is too short"),
        (("find", "limit=ten"), 1, "limit: expected an integer, found 'ten'"),
        (("fnd",), 2, "did you mean 'find'?"),
    ],
    ids=["rule", "argument", "tool"],
)
def test_a_call_that_would_not_run_says_why(
    folder: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    ended = here("explain", *arguments, folder=folder)
    assert (ended.status, ended.out) == (status, "")
    assert message in ended.err


def test_quiet_tells_only_what_keeps_the_call_from_running(folder: Path) -> None:
    assert here("explain", "find", "-q", folder=folder) == Ended(0, "", "")
    assert here("explain", "find", "-q", "limit=ten", folder=folder).status == 1


def test_postgresql_placeholders_are_numbered_and_nothing_is_opened(folder: Path) -> None:
    path = folder / "mcp.yaml"
    text = path.read_text(encoding="utf-8").replace(
        'shop: {url: "sqlite:///data/shop.db", create: {schema: schema.sql, seed: seed.sql}}',
        'shop: {url: "postgresql://u:hunter2@127.0.0.1:1/none"}',
    )
    path.write_text(text, encoding="utf-8")
    (statement,) = explained(folder, "find", "title=rug")["sql"]["statements"]
    assert " ".join(statement["text"].split()) == (
        "SELECT id, title FROM items WHERE owner = $1 AND title = $2 ORDER BY id DESC LIMIT $3"
    )


ASKING = """mcp: 1
server: {name: asking, version: 1.0.0}
databases: {shop: {url: "sqlite:///shop.db"}}
tools:
  get: {description: G., input: {id: integer}, value: $id}
  drop:
    description: D.
    ask: [id]
    input:
      id: integer
      kind?: {type: string, enum_from: {sql: SELECT name FROM kinds}}
    confirm: {text: "Drop {{ id }}?", show: {tool: get, with: {id: $id}}}
    value: $id
  both: {description: B., confirm: Both?, steps: [{tool: drop, with: {id: 1}, as: one}]}
"""


def test_what_is_asked_first_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(ASKING, "utf-8")
    shown = explained(tmp_path, "drop", "id=3", "kind=any")
    assert shown["confirm"] == {"question": "Drop 3?", "shows": "get"}
    assert shown["not checked here"] == {"enum_from": ["kind"]}
    steps = explained(tmp_path, "both")
    assert steps["confirm"] == {"question": "Both?"}
    assert "confirm" not in steps["steps"][0], "within steps nobody is asked"


def test_value_that_the_user_gives_first_keeps_the_rest_unknown(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(ASKING, "utf-8")
    told = "the user is asked for id first, where the client can ask; give a value to see the rest"
    assert here("explain", "drop", folder=tmp_path) == Ended(1, "", told + "\n")
