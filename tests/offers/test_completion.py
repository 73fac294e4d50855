"""Completion of prompts' arguments and of URIs' variables, from every source, in both eras."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bindings.sql.lab import postgres_schema
from tests.offers.whole import Tree, Whole, faults, serve
from tests.wire.client import opening_params

FILE = """
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql}}}
callers: {ann: {user_id: ann}}
auth: {anonymous: {caller: ann}}
defaults: {bind: {owner: caller.user_id}}
resources:
  style: {uri: "docs://style", text: Short.}
  book: {uri: "book://{+path}", directory: docs}
  fixed: {uri: "fixed://{+path}", directory: docs,
    input: {path: {type: string, complete: [a.md, b.md]}}}
  city:
    uri: "city://{country}/{city}"
    input:
      country: {type: integer, complete: {sql: "SELECT id FROM countries WHERE owner = :owner"}}
      city: {type: string, complete: {sql: "SELECT name FROM cities WHERE owner = :owner
        [[ AND country = :country ]] AND name LIKE :value || '%' ORDER BY name"}}
    sql: SELECT name FROM cities WHERE country = :country AND name = :city AND owner = :owner
    result: {shape: value}
prompts:
  write:
    arguments:
      tone: {complete: [Plain, plainly, formal, plain, PLAIN]}
      word?: {complete: {python: "code:words"}}
      other?: {complete: {python: "code:others"}}
      whole?: {complete: {python: "code:wholly"}}
      number?: {complete: {python: "code:numbers"}}
      bad?: {complete: {python: "code:bad"}}
      boom?: {complete: {python: "code:boom"}}
      asks?: {complete: {python: "code:asks"}}
      free?: {}
      many?: {complete: {sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        WHERE i < 500) SELECT i FROM n WHERE :owner = 'ann' AND i < 1000 LIMIT 500"}}
      exact?: {complete: {sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        WHERE i < 100) SELECT i FROM n WHERE :owner = 'ann'"}}
      odd?: {complete: {sql: "SELECT x FROM (SELECT 1.5 AS x UNION ALL SELECT NULL
        UNION ALL SELECT 'a' UNION ALL SELECT 'a') WHERE :owner = 'ann'"}}
      shout?: {complete: {sql: "SELECT :loud || :value WHERE :owner IS NOT NULL"}}
    bind: {loud: "(free or 'none') | upper"}
    template: "{{ tone }}{{ word }}{{ other }}{{ whole }}{{ number }}{{ bad }}{{ boom }}{{ asks }}\\
      {{ free }}{{ many }}{{ exact }}{{ odd }}{{ shout }}"
"""
SCHEMA = """
CREATE TABLE countries (id INTEGER PRIMARY KEY, owner TEXT);
CREATE TABLE cities (country INTEGER, name TEXT, owner TEXT);
INSERT INTO countries VALUES (1, 'ann'), (2, 'ann'), (3, 'bo');
INSERT INTO cities VALUES (1, 'Bern', 'ann'), (1, 'Basel', 'ann'), (2, 'Berlin', 'ann'),
  (1, 'Biel', 'bo');
"""
CODE = """
from runner import Context

async def words(value: str) -> list[str]:
    return [value + "!", value + "?"]

def others(value: str, tone: str | None = None) -> list[str]:
    return [f"{tone}:{value}"]

def wholly(value: str, **rest: str) -> list[str]:
    return [f"{name}={text}" for name, text in sorted(rest.items())]

def numbers(value: str):
    return [str(number) for number in range(150)]

def bad(value: str):
    return {"a": 1}

def boom(value: str) -> list[str]:
    raise RuntimeError("secret of the house")

async def asks(context: Context, value: str) -> list[str]:
    await context.elicit("Who?", {"name": {"type": "string"}})
    return []
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("completion")
    docs = folder / "docs"
    (docs / "deep/deeper").mkdir(parents=True)
    (docs / ".git").mkdir()
    for name in ("Read.md", "readme.md", "deep/a.md", "deep/deeper/b.md", ".env", ".git/config"):
        (docs / name).write_text("x", encoding="utf-8")
    (folder / "outside.md").write_text("x", encoding="utf-8")
    (docs / "leak.md").symlink_to(folder / "outside.md")
    (docs / "link.md").symlink_to(docs / "readme.md")
    (docs / "loop").symlink_to(docs)
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    with serve(folder, FILE) as served:
        yield served


def asked(ref: Tree, name: str, value: str, **chosen: str) -> Tree:
    context = {"context": {"arguments": chosen}} if chosen else {}
    return {"ref": ref, "argument": {"name": name, "value": value}, **context}


def prompt(name: str, value: str, **chosen: str) -> Tree:
    return asked({"type": "ref/prompt", "name": "write"}, name, value, **chosen)


def resource(uri: str, name: str, value: str, **chosen: str) -> Tree:
    return asked({"type": "ref/resource", "uri": uri}, name, value, **chosen)


def completion(whole: Whole, params: Tree) -> object:
    return whole.result("completion/complete", params)["completion"]


def refusal(whole: Whole, params: Tree) -> Tree:
    return whole.error("completion/complete", params)


def exactly(*values: str) -> Tree:
    return {"values": list(values), "total": len(values), "hasMore": False}


CITY = "city://{country}/{city}"


def test_result_has_no_members_of_caches(whole: Whole) -> None:
    result = whole.result("completion/complete", prompt("tone", "f"))
    result.pop("_meta")
    assert result == {"resultType": "complete", "completion": exactly("formal")}


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ["Plain", "plainly", "formal", "plain", "PLAIN"]),
        ("plain", ["plain", "plainly", "Plain", "PLAIN"]),
        ("PL", ["PLAIN", "Plain", "plainly", "plain"]),
        ("lain", []),
    ],
)
def test_listed_values_begin_with_what_was_typed_the_best_match_first(
    whole: Whole, typed: str, values: list[str]
) -> None:
    assert completion(whole, prompt("tone", typed)) == exactly(*values)


def test_query_is_scoped_to_the_caller_and_to_what_is_chosen(whole: Whole) -> None:
    assert completion(whole, resource(CITY, "city", "B")) == exactly("Basel", "Berlin", "Bern")
    found = completion(whole, resource(CITY, "city", "B", country="1"))
    assert found == exactly("Basel", "Bern")
    assert completion(whole, resource(CITY, "country", "")) == exactly("1", "2")


def test_uri_stands_for_its_template(whole: Whole) -> None:
    assert completion(whole, resource("city://1/Bern", "city", "Ber")) == exactly("Berlin", "Bern")


def test_values_of_a_query_become_texts_each_once(whole: Whole) -> None:
    assert completion(whole, prompt("odd", "")) == exactly("1.5", "a")


def test_query_of_many_rows_gives_a_hundred_and_says_that_there_are_more(whole: Whole) -> None:
    hundred = [str(number) for number in range(1, 101)]
    assert completion(whole, prompt("many", "")) == {"values": hundred, "hasMore": True}
    assert completion(whole, prompt("exact", "")) == exactly(*hundred)


def test_bound_value_sees_the_arguments_that_are_chosen(whole: Whole) -> None:
    assert completion(whole, prompt("shout", "!")) == exactly("NONE!")
    assert completion(whole, prompt("shout", "!", free="x")) == exactly("X!")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("word", ["a!", "a?"]),
        ("other", ["plain:a"]),
        ("whole", ["loud=NONE", "owner=ann", "tone=plain"]),
    ],
)
def test_function_gets_what_was_typed_and_the_arguments_that_it_takes(
    whole: Whole, name: str, values: list[str]
) -> None:
    assert completion(whole, prompt(name, "a", tone="plain", nothing="x")) == exactly(*values)


def test_total_of_a_function_is_known(whole: Whole) -> None:
    values = [str(number) for number in range(100)]
    found = completion(whole, prompt("number", ""))
    assert found == {"values": values, "total": 150, "hasMore": True}


@pytest.mark.parametrize("name", ["bad", "boom", "asks"])
def test_failure_of_a_source_is_told_in_neutral_words(
    whole: Whole, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    message = "The suggestions cannot be had at this time"
    assert refusal(whole, prompt(name, "")) == {"code": -32603, "message": message}
    assert any("completion of write failed" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ["Read.md", "link.md", "readme.md", "deep/a.md", "deep/deeper/b.md"]),
        ("read", ["readme.md", "Read.md"]),
        ("deep", ["deep/a.md", "deep/deeper/b.md"]),
        ("deep/d", ["deep/deeper/b.md"]),
        (".", []),
        ("../", []),
        ("leak", []),
    ],
)
def test_path_of_a_folder_is_completed_from_what_can_be_read(
    whole: Whole, typed: str, values: list[str]
) -> None:
    assert completion(whole, resource("book://{+path}", "path", typed)) == exactly(*values)


def test_own_source_of_a_folder_takes_the_place_of_its_files(whole: Whole) -> None:
    assert completion(whole, resource("fixed://{+path}", "path", "")) == exactly("a.md", "b.md")


def test_folder_without_end_is_looked_at_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(150):
        (tmp_path / f"docs/{number:03}.md").write_text("x", encoding="utf-8")
    for number in range(10_000):
        (tmp_path / f"docs/.{number}").touch()
    with serve(tmp_path, 'resources: {b: {uri: "b://{+path}", directory: docs}}\n') as whole:
        found = completion(whole, resource("b://{+path}", "path", "zzz"))
        assert found == {"values": [], "hasMore": True}


def test_hundred_files_are_not_all(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    names = [f"{number:03}.md" for number in range(101)]
    for name in names:
        (tmp_path / "docs" / name).write_text("x", encoding="utf-8")
    with serve(tmp_path, 'resources: {b: {uri: "b://{+path}", directory: docs}}\n') as whole:
        found = completion(whole, resource("b://{+path}", "path", ""))
        assert found == {"values": names[:100], "hasMore": True}


def test_argument_without_a_source_has_no_suggestions(whole: Whole) -> None:
    assert completion(whole, prompt("free", "a")) == exactly()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (prompt("nothing", ""), "There is no argument 'nothing' to complete"),
        (prompt("loud", ""), "There is no argument 'loud' to complete"),
        (resource("docs://style", "x", ""), "There is no argument 'x' to complete"),
        (resource("no://thing", "x", ""), "No resource has the URI 'no://thing'"),
        (
            asked({"type": "ref/prompt", "name": "nothing"}, "x", ""),
            "No prompt is named 'nothing'",
        ),
        (
            asked({"type": "ref/tool", "name": "x"}, "x", ""),
            "params.ref is {type: ref/prompt, name} or {type: ref/resource, uri}",
        ),
        (
            {"argument": {"name": "x", "value": ""}},
            "params.ref is {type: ref/prompt, name} or {type: ref/resource, uri}",
        ),
        (
            {"ref": {"type": "ref/prompt", "name": "write"}, "argument": {"name": "tone"}},
            "params.argument is an object with a name and a value, both texts",
        ),
        ({**prompt("tone", ""), "context": 1}, "params.context is an object"),
        (
            {**prompt("tone", ""), "context": {"arguments": {"word": 1}}},
            "params.context.arguments.'word' is a string",
        ),
        (
            resource(CITY, "city", "B", country="one"),
            "params.context.arguments: country: expected an integer, found 'one'",
        ),
    ],
)
def test_request_that_does_not_fit_is_an_error_of_the_protocol(
    whole: Whole, params: Tree, message: str
) -> None:
    assert refusal(whole, params) == {"code": -32602, "message": message}


def test_capability_is_advertised_where_an_argument_has_a_source(
    whole: Whole, tmp_path: Path
) -> None:
    capabilities = whole.result("server/discover")["capabilities"]
    assert capabilities == {"resources": {}, "prompts": {}, "completions": {}, "logging": {}}
    with serve(tmp_path, 'prompts: {p: {template: "{{ a }}", arguments: {a: {}}}}\n') as other:
        assert other.result("server/discover")["capabilities"] == {"prompts": {}}
        params = asked({"type": "ref/prompt", "name": "p"}, "a", "")
        assert refusal(other, params)["code"] == -32601


@pytest.mark.parametrize(
    ("version", "is_told", "values"),
    [
        ("2025-11-25", True, ["Basel", "Bern"]),
        ("2025-06-18", True, ["Basel", "Bern"]),
        ("2025-03-26", True, ["Basel", "Berlin", "Bern"]),
        ("2024-11-05", False, ["Basel", "Berlin", "Bern"]),
    ],
)
def test_legacy_clients_complete_as_their_version_knows_it(
    whole: Whole, version: str, is_told: bool, values: list[str]
) -> None:
    opening = whole.legacy("initialize", opening_params(version))
    result = opening["result"]
    assert isinstance(result, dict)
    assert ("completions" in result["capabilities"]) is is_told
    params = resource(CITY, "city", "B", country="1")
    message = whole.legacy("completion/complete", params, version=version)
    assert message["result"] == {"completion": exactly(*values)}


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with postgres_schema() as url:
        yield url


def test_postgresql_compares_a_typed_variable(tmp_path: Path, postgres_url: str) -> None:
    text = f"""
databases: {{main: {{url: "{postgres_url}"}}}}
resources:
  r:
    uri: "n://{{low}}/{{high}}"
    input:
      low: integer
      high:
        type: integer
        complete: {{sql: "SELECT n FROM generate_series(1, 12) AS n
          WHERE (:low::integer IS NULL OR n > :low) AND n::text LIKE :value || '%' ORDER BY n"}}
    sql: SELECT :low + :high AS n
    result: {{shape: value}}
"""
    with serve(tmp_path, text) as whole:
        uri = "n://{low}/{high}"
        assert completion(whole, resource(uri, "high", "1")) == exactly("1", "10", "11", "12")
        assert completion(whole, resource(uri, "high", "1", low="10")) == exactly("11", "12")


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ("{complete: []}", ["6:31 missing-field"]),
        ("{complete: {}}", ["6:21 missing-field"]),
        ("{complete: {values: [a], sql: SELECT 1}}", ["6:45 conflicting-fields"]),
        ("{complete: {values: [a], database: d}}", ["6:45 misplaced-field"]),
        ("{complete: {sql: SELEC 1}}", ["6:37 writes-in-read-tool"]),
        ("{complete: {sql: SELECT nothing FROM t}}", ["6:44 sql-refused"]),
        ("{complete: {sql: SELECT id FROM t WHERE id = :valu}}", ["6:65 unknown-parameter"]),
        ("{complete: {sql: DELETE FROM t}}", ["6:37 writes-in-read-tool"]),
        ('{complete: {sql: "SELECT id, id AS b FROM t"}}', ["6:38 result-shape"]),
        ("{complete: {python: 'code:nothing'}}", ["6:40 unknown-callable"]),
        ("{complete: {python: 'code:silent'}}", ["6:21 parameter-not-taken"]),
        ("{complete: {python: 'code:hungry'}}", ["6:40 parameter-not-given"]),
        ("{complete: {python: 'code:number'}}", ["6:31 wrong-suggestions"]),
    ],
)
def test_faults_are_told_at_their_place(tmp_path: Path, argument: str, found: list[str]) -> None:
    (tmp_path / "s.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY);", encoding="utf-8")
    (tmp_path / "code.py").write_text(
        "def silent() -> list[str]:\n    return []\n"
        "def hungry(value: str, more: str) -> list[str]:\n    return []\n"
        "def number(value: str) -> int:\n    return 1\n",
        encoding="utf-8",
    )
    text = (
        'databases: {d: {url: "sqlite:///d.db", create: {schema: s.sql}}}\n'
        f'prompts:\n  p:\n    arguments: {{a: {argument}}}\n    template: "{{{{ a }}}}"\n'
    )
    assert faults(tmp_path, text) == found


def test_name_of_what_was_typed_is_taken(tmp_path: Path) -> None:
    text = (
        'databases: {d: {url: "sqlite://"}}\n'
        'prompts: {p: {template: "{{ a }}{{ value }}", arguments: {value: {}, '
        'a: {complete: {sql: "SELECT :value"}}}}}\n'
    )
    assert [fault.split()[1] for fault in faults(tmp_path, text)] == ["name-taken"]


def test_suggestions_that_are_not_scoped_are_told(tmp_path: Path) -> None:
    text = (
        'databases: {d: {url: "sqlite://"}}\ndefaults: {bind: {owner: caller.user_id}}\n'
        'prompts: {p: {template: "{{ a }}", arguments: {a: {complete: {sql: "SELECT :value"}}}}}\n'
    )
    assert [fault.split()[1] for fault in faults(tmp_path, text)] == ["unused-default-bind"]


def test_argument_of_a_tool_has_no_completion(tmp_path: Path) -> None:
    text = "tools: {t: {description: T., value: 1, input: {a: {type: string, complete: [x]}}}}\n"
    assert faults(tmp_path, text) == ["3:66 not-available"]
