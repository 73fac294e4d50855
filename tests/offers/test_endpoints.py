"""Several endpoints in one process: each with what it chooses, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.app import catalog_of, check
from tests.offers.whole import HEAD, Whole, faults, serve
from tests.wire.client import opening_params

FILE = """
serve: {path: /unused, page_size: 1, state_keys: [a-key-of-this-test-alone]}
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql}}}
tools:
  search_books: {description: Searches., tags: [public], sql: SELECT id FROM books, database: main}
  search_loans: {description: Loans., sql: SELECT id FROM books, database: main}
  add_book:
    description: Adds.
    tags: [public]
    writes: true
    database: main
    input: {id: integer}
    sql: "INSERT INTO books VALUES (:id)"
  double:
    description: Searches twice.
    tags: [public]
    steps: [{tool: search_loans, as: a}, {tool: search_books, as: b}]
    select: "[length(a.rows), length(b.rows)]"
resources:
  style: {uri: "docs://style", text: Briefly., tags: public}
  house: {uri: "docs://house", text: Closed at noon.}
  book: {uri: "book://{id}", sql: SELECT id FROM books WHERE id = :id, database: main, tags: public}
endpoints:
  all: {path: /mcp, tools: ["*"], resources: ["*"]}
  finder:
    path: /mcp/finder/
    title: Finder
    instructions: Only look.
    tools: [double, search_*, add_book]
    resources: [style, house, "b*"]
    tags: [public]
    writes: false
  texts: {path: /, resources: [house]}
"""
BOOKS = "CREATE TABLE books (id INTEGER PRIMARY KEY); INSERT INTO books VALUES (1), (2);"
TOOLS = "tools: {search_a: {description: A., tags: [x], value: 1}}\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("endpoints")
    (folder / "schema.sql").write_text(BOOKS, encoding="utf-8")
    with serve(folder, FILE) as served:
        yield served


def listed(whole: Whole, path: str, method: str = "tools/list", member: str = "tools") -> list[str]:
    """The names of a whole list, walked page by page."""
    names: list[str] = []
    params: dict[str, object] = {}
    while True:
        found = whole.result(method, params, path=path)
        entries = found[member]
        assert isinstance(entries, list)
        names += [entry["name"] for entry in entries]
        if "nextCursor" not in found:
            return names
        params = {"cursor": found["nextCursor"]}


def test_endpoint_offers_what_it_chooses_in_the_order_of_the_file(whole: Whole) -> None:
    everything = ["search_books", "search_loans", "add_book", "double"]
    assert listed(whole, "/mcp") == everything
    assert listed(whole, "/mcp/finder") == ["search_books", "double"]
    assert listed(whole, "/mcp", "resources/list", "resources") == ["style", "house"]
    assert listed(whole, "/mcp/finder", "resources/list", "resources") == ["style"]
    templates = ("resources/templates/list", "resourceTemplates")
    assert listed(whole, "/mcp/finder", *templates) == ["book"]
    assert listed(whole, "/", "resources/list", "resources") == ["house"]


@pytest.mark.parametrize("name", ["search_loans", "add_book"])
def test_tool_that_is_not_chosen_is_unknown(whole: Whole, name: str) -> None:
    error = whole.error("tools/call", {"name": name}, path="/mcp/finder")
    assert error == {"code": -32602, "message": f"No tool is named '{name}'"}


def test_resource_that_is_not_chosen_is_unknown(whole: Whole) -> None:
    uri = {"uri": "docs://house"}
    assert whole.result("resources/read", uri, path="/")["contents"] == [
        {"uri": "docs://house", "mimeType": "text/plain", "text": "Closed at noon."}
    ]
    error = whole.error("resources/read", uri, path="/mcp/finder")
    assert error == {"code": -32602, "message": "No such resource", "data": uri}


def test_step_calls_a_tool_that_its_endpoint_does_not_offer(whole: Whole) -> None:
    result = whole.result("tools/call", {"name": "double"}, path="/mcp/finder")
    assert result["structuredContent"] == [2, 2]


def test_endpoint_advertises_its_own_title_instructions_and_capabilities(whole: Whole) -> None:
    server = "io.modelcontextprotocol/serverInfo"
    finder = whole.result("server/discover", path="/mcp/finder")
    assert finder["_meta"] == {server: {"name": "offers", "version": "1.0.0", "title": "Finder"}}
    assert finder["instructions"] == "Only look."
    assert finder["capabilities"] == {"tools": {}, "resources": {}}
    texts = whole.result("server/discover", path="/")
    assert texts["_meta"] == {server: {"name": "offers", "version": "1.0.0"}}
    assert "instructions" not in texts
    assert texts["capabilities"] == {"resources": {}}
    assert whole.error("tools/list", path="/")["code"] == -32601


def test_results_carry_the_title_of_the_endpoint(whole: Whole) -> None:
    meta = whole.result("tools/list", path="/mcp/finder")["_meta"]
    assert meta == {
        "io.modelcontextprotocol/serverInfo": {
            "name": "offers",
            "version": "1.0.0",
            "title": "Finder",
        }
    }


def test_initialize_is_answered_for_the_endpoint(whole: Whole) -> None:
    answer = whole.legacy("initialize", opening_params("2025-06-18"), path="/mcp/finder")
    assert answer["result"] == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "offers", "version": "1.0.0", "title": "Finder"},
        "instructions": "Only look.",
    }


def test_cursor_of_another_endpoint_is_refused(whole: Whole) -> None:
    """Their lists differ, although the first pages of these two are the same."""
    cursor = whole.result("tools/list", path="/mcp")["nextCursor"]
    error = whole.error("tools/list", {"cursor": cursor}, path="/mcp/finder")
    assert error["code"] == -32602


@pytest.mark.parametrize(
    ("path", "prefix", "status"),
    [
        ("/mcp/", "", 200),
        ("/mcp/finder", "", 200),
        ("/gateway/mcp/finder/", "/gateway", 200),
        ("/gateway", "/gateway", 200),
        ("/mcp/other", "", 404),
        ("/unused", "", 404),
    ],
)
def test_each_path_is_served_below_any_prefix_with_and_without_a_slash(
    whole: Whole, path: str, prefix: str, status: int
) -> None:
    assert whole.status("ping", path=path, root_path=prefix) == status


def test_every_tool_of_the_file_stays_in_the_catalog(tmp_path: Path) -> None:
    text = TOOLS.replace("}}\n", "}, b: {description: B., value: 2}}\n")
    text += "endpoints: {one: {path: /one, tools: [b]}}\n"
    (tmp_path / "mcp.yaml").write_text(HEAD + text, encoding="utf-8")
    catalog = catalog_of(check(tmp_path / "mcp.yaml", {}))
    assert list(catalog.tools) == ["search_a", "b"]
    [endpoint] = catalog.endpoints
    assert (endpoint.name, endpoint.path, list(endpoint.tools)) == ("one", "/one", ["b"])


@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        ("{}", ["4:12 nothing-offered"]),
        ("{e: {path: /e, tools: [serch_a]}}", ["4:35 no-match"]),
        ("{e: {path: /e, tools: serch_a}}", ["4:34 no-match"]),
        ("{e: {path: /e, tools: ['*'], tags: [y]}}", ["4:48 no-match"]),
        ("{e: {path: /e, resources: ['*']}}", ["4:13 nothing-offered"]),
        ("{e: {path: /e, tools: ['*'], resources: ['*']}}", []),
    ],
    ids=["none", "no name", "one text", "no tag", "nothing there", "everything there is"],
)
def test_fault_of_a_selection_is_told_at_its_place(
    tmp_path: Path, endpoints: str, expected: list[str]
) -> None:
    assert faults(tmp_path, f"{TOOLS}endpoints: {endpoints}\n") == expected


def test_tool_with_a_fault_of_its_own_is_no_fault_of_the_endpoint(tmp_path: Path) -> None:
    text = "tools: {a: {description: A., tags: [x], nonsense: 1}}\n"
    text += "endpoints: {e: {path: /e, tools: [a], tags: [x]}}\n"
    assert {fault.split()[1] for fault in faults(tmp_path, text)} == {
        "missing-field",
        "unknown-field",
    }


def test_section_that_cannot_be_read_hides_no_match(tmp_path: Path) -> None:
    text = "endpoints: {e: {path: /e, tools: [a, b*]}}\ntools: {{\n"
    assert "no-match" not in {fault.split()[1] for fault in faults(tmp_path, text)}
