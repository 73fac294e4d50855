"""Resources: listed, read from files, folders, SQL, HTTP-less Python and text, in both eras."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.offers.whole import Whole, faults, serve
from tests.requirements import requirement

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8="
)
FILE = """
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql, seed: seed.sql}}}
resources:
  style: {uri: "docs://style", file: docs/style.md, title: Style, description: How we write.}
  logo: {uri: "docs://logo", file: docs/logo.png}
  handbook: {uri: "book://{+path}", directory: docs}
  hello: {uri: "text://hello", text: "Hello {{ not }} $evaluated."}
  note:
    uri: "note://{id}"
    input: {id: integer}
    mime: text/markdown
    sql: SELECT text FROM notes WHERE id = :id
    result: {shape: value}
  notes: {uri: "notes://all", sql: SELECT id FROM notes ORDER BY id, result: {max_rows: 1}}
  table: {uri: "notes://table", sql: SELECT id FROM notes ORDER BY id, result: {text: csv}}
  icon:
    uri: "icon://{id}"
    mime: image/png
    sql: SELECT icon FROM notes WHERE id = :id
    result: {shape: value}
  shout: {uri: "shout://{word}", python: "code:shout"}
"""
CODE = """
from runner.catalog.content import ImageContent

def shout(word: str) -> str:
    if word == "boom":
        raise RuntimeError("secret of the house")
    return word.upper()
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("resources")
    docs = folder / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "style.md").write_text("# Style\n", encoding="utf-8")
    (docs / "logo.png").write_bytes(PNG)
    (docs / "deep/a b.txt").write_text("deep", encoding="utf-8")
    (docs / "latin.txt").write_bytes("Zürich".encode("latin-1"))
    (docs / ".secret").write_text("hidden", encoding="utf-8")
    (docs / "large.txt").write_bytes(b"x" * (1024 * 1024 + 1))
    (folder / "outside.txt").write_text("outside", encoding="utf-8")
    (docs / "leak.txt").symlink_to(folder / "outside.txt")
    (docs / "inside.md").symlink_to(docs / "style.md")
    os.mkfifo(docs / "pipe")
    (folder / "schema.sql").write_text(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, icon BLOB);", encoding="utf-8"
    )
    (folder / "seed.sql").write_text(
        f"INSERT INTO notes VALUES (1, 'One.', x'{PNG.hex()}'), (2, 'Two.', NULL);",
        encoding="utf-8",
    )
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    with serve(folder, FILE) as served:
        yield served


def contents(whole: Whole, uri: str) -> list[object]:
    found = whole.result("resources/read", {"uri": uri})["contents"]
    assert isinstance(found, list)
    return found


def refusal(whole: Whole, uri: str) -> dict[str, object]:
    return whole.error("resources/read", {"uri": uri})


def unknown(uri: str) -> dict[str, object]:
    return {"code": -32602, "message": "No such resource", "data": {"uri": uri}}


@requirement("P-077")
def test_exact_resources_are_listed_in_the_order_of_the_file(whole: Whole) -> None:
    result = whole.result("resources/list")
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "public")
    assert result["resources"] == [
        {
            "uri": "docs://style",
            "name": "style",
            "title": "Style",
            "description": "How we write.",
            "mimeType": "text/markdown",
        },
        {"uri": "docs://logo", "name": "logo", "mimeType": "image/png"},
        {"uri": "text://hello", "name": "hello", "mimeType": "text/plain"},
        {"uri": "notes://all", "name": "notes"},
        {"uri": "notes://table", "name": "table"},
    ]


@requirement("P-111")
def test_templates_have_a_list_of_their_own(whole: Whole) -> None:
    assert whole.result("resources/templates/list")["resourceTemplates"] == [
        {"uriTemplate": "book://{+path}", "name": "handbook"},
        {"uriTemplate": "note://{id}", "name": "note", "mimeType": "text/markdown"},
        {"uriTemplate": "icon://{id}", "name": "icon", "mimeType": "image/png"},
        {"uriTemplate": "shout://{word}", "name": "shout"},
    ]


def test_capability_is_advertised(whole: Whole) -> None:
    capabilities: dict[str, object] = {"resources": {}, "completions": {}}
    assert whole.result("server/discover")["capabilities"] == capabilities


@requirement("P-113")
@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("docs://style", {"mimeType": "text/markdown", "text": "# Style\n"}),
        ("docs://logo", {"mimeType": "image/png", "blob": base64.b64encode(PNG).decode()}),
        ("text://hello", {"mimeType": "text/plain", "text": "Hello {{ not }} $evaluated."}),
        ("book://style.md", {"mimeType": "text/markdown", "text": "# Style\n"}),
        ("book://inside.md", {"mimeType": "text/markdown", "text": "# Style\n"}),
        ("book://deep/a%20b.txt", {"mimeType": "text/plain", "text": "deep"}),
        ("book://latin.txt", {"mimeType": "text/plain", "blob": "WvxyaWNo"}),
        ("note://1", {"mimeType": "text/markdown", "text": "One."}),
        ("icon://1", {"mimeType": "image/png", "blob": base64.b64encode(PNG).decode()}),
        ("shout://zürich".replace("ü", "%C3%BC"), {"mimeType": "text/plain", "text": "ZÜRICH"}),
        ("shout://a%2Fb", {"mimeType": "text/plain", "text": "A/B"}),
        ("shout://a%252Fb", {"mimeType": "text/plain", "text": "A%2FB"}),
        (
            "notes://table",
            {"mimeType": "text/csv", "text": "id\r\n1\r\n2\r\n"},
        ),
    ],
)
def test_each_kind_is_read(whole: Whole, uri: str, found: dict[str, object]) -> None:
    assert contents(whole, uri) == [{"uri": uri, **found}]


def test_rows_that_were_cut_say_so(whole: Whole) -> None:
    rows = '{"rows":[{"id":1}],"truncated":true}'
    note = "Only the first 1 rows are shown; narrow the request to see others."
    assert contents(whole, "notes://all") == [
        {"uri": "notes://all", "mimeType": "application/json", "text": rows},
        {"uri": "notes://all", "mimeType": "text/plain", "text": note},
    ]


@requirement("P-072")
def test_what_is_read_is_not_kept(whole: Whole) -> None:
    result = whole.result("resources/read", {"uri": "docs://style"})
    assert (result["ttlMs"], result["cacheScope"]) == (0, "public")


@requirement("P-110", "P-112")
@pytest.mark.parametrize(
    "uri",
    [
        "docs://nothing",
        "docs://style/",
        "DOCS://style",
        "note://3",
        "note://one",
        "note://",
        "note://1/2",
        "book://../outside.txt",
        "book://%2e%2e/outside.txt",
        "book://deep/../../outside.txt",
        "book:///etc/passwd",
        "book://deep//a%20b.txt",
        "book://deep%5Ca.txt",
        "book://leak.txt",
        "book://.secret",
        "book://deep",
        "book://pipe",
        "book://style.md%00",
        "book://style.md?x",
        "book://%zz",
        "shout://%ff",
        "shout://a b",
        'shout://"a"',
        "book://style.md<",
        "",
    ],
)
def test_what_does_not_exist_is_unknown_and_says_nothing_else(whole: Whole, uri: str) -> None:
    assert refusal(whole, uri) == unknown(uri)


def test_file_over_the_budget_is_refused(whole: Whole) -> None:
    message = "the resource is larger than the limit of 1048576 bytes"
    assert refusal(whole, "book://large.txt") == {"code": -32603, "message": message}


def test_failure_of_a_function_is_redacted(whole: Whole) -> None:
    error = refusal(whole, "shout://boom")
    assert error["code"] == -32603
    assert "secret" not in str(error)


def test_uri_is_needed_and_a_string(whole: Whole) -> None:
    message = "params.uri is a string: the URI of a resource"
    assert whole.error("resources/read", {"uri": 1}) == {"code": -32602, "message": message}


@requirement("P-175")
def test_legacy_clients_read_the_same_without_the_modern_members(whole: Whole) -> None:
    message = whole.legacy("resources/read", {"uri": "note://1"})
    assert message["result"] == {
        "contents": [{"uri": "note://1", "mimeType": "text/markdown", "text": "One."}]
    }
    assert set(_result(whole.legacy("resources/list"))) == {"resources"}
    assert set(_result(whole.legacy("resources/templates/list"))) == {"resourceTemplates"}


@requirement("P-176")
def test_legacy_clients_have_a_code_of_their_own_for_the_unknown(whole: Whole) -> None:
    message = whole.legacy("resources/read", {"uri": "note://9"})
    assert message["error"] == {**unknown("note://9"), "code": -32002}


def _result(message: dict[str, object]) -> dict[str, object]:
    result = message["result"]
    assert isinstance(result, dict)
    return result


@requirement("P-075")
def test_server_without_resources_has_no_such_methods(tmp_path: Path) -> None:
    with serve(tmp_path, "tools: {t: {description: T., value: 1}}\n") as whole:
        assert whole.result("server/discover")["capabilities"] == {"tools": {}}
        for method in ("resources/list", "resources/templates/list"):
            assert whole.error(method)["code"] == -32601
        assert whole.error("resources/read", {"uri": "x:y"})["code"] == -32601


@pytest.mark.parametrize(
    ("resource", "fault"),
    [
        ("{uri: docs, text: x}", "4:12 bad-uri"),
        ('{uri: "a b:c", text: x}', "4:12 bad-uri"),
        ('{uri: "a:%z", text: x}', "4:12 bad-uri"),
        ('{uri: "ui://x", text: x}', "4:12 taken-scheme"),
        ('{uri: "skill://x", text: x}', "4:12 taken-scheme"),
        ('{uri: "a:{b", text: x}', "4:12 bad-uri-template"),
        ('{uri: "a:{?b}", python: "c:d"}', "4:12 bad-uri-template"),
        ('{uri: "a:{b}{c}", python: "c:d"}', "4:12 bad-uri-template"),
        ('{uri: "a:{b}/{b}", python: "c:d"}', "4:12 bad-uri-template"),
        ('{uri: "a:{+b}/{+c}", python: "c:d"}', "4:12 bad-uri-template"),
        ('{uri: "a:{b}", text: x}', "4:12 no-variables"),
        ('{uri: "a:{b}", directory: .}', "4:12 no-path"),
        ('{uri: "a:b", directory: .}', "4:12 no-path"),
        ('{uri: "a:b", file: nothing.md}', "4:25 missing-file"),
        ('{uri: "a:b", text: x, file: y}', "4:28 conflicting-fields"),
        ('{uri: "a:b"}', "4:3 missing-field"),
        ('{uri: "a:{b}", input: {c: string}, value: 1}', "4:41 unknown-field"),
    ],
)
def test_faults_are_told_at_their_place(tmp_path: Path, resource: str, fault: str) -> None:
    assert fault in faults(tmp_path, f"resources:\n  r: {resource}\n")


def test_two_resources_of_one_uri_are_refused(tmp_path: Path) -> None:
    text = 'resources:\n  a: {uri: "x:y", text: 1}\n  b: {uri: "x:y", text: 2}\n'
    assert faults(tmp_path, text) == ["5:12 same-uri"]


def test_input_of_a_name_that_the_uri_lacks_is_refused(tmp_path: Path) -> None:
    resource = '{uri: "x:{y}", input: {z: string}, sql: SELECT :y AS y}'
    text = f'databases: {{d: {{url: "sqlite://"}}}}\nresources:\n  a: {resource}\n'
    assert faults(tmp_path, text) == ["5:29 unknown-variable"]
