"""Each limit that the documentation promises holds for each kind of tool.

Elsewhere a page promised a cap on rows that the loader then forbade and the handler did not read,
so that there was none.
"""

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.faults.sql.served import Server, Source, checked, codes, serve, source_of

CODE = """
import asyncio
from threading import Event
from typing import Any
from runner import Context, Database

def large(n: int) -> list[str]:
    return ["x" * 10] * n

def words(n: int) -> str:
    return "x" * n

async def rows(n: int, db: Database) -> Any:
    return await db.query(SERIES, {"n": n})

async def first(n: int, db: Database) -> Any:
    return await db.query_one(SERIES, {"n": n})

async def slow(n: int) -> int:
    await asyncio.sleep(60)
    return n

def slow_thread(n: int, context: Context) -> int:
    while not context.cancelled:
        Event().wait(0.01)
    return n

async def slow_query(n: int, db: Database) -> Any:
    return await db.query(ENDLESS)

def count(items: list[int]) -> int:
    return len(items)
"""
SERIES = (
    "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < :n)"
    " SELECT i, 'xxxxxxxxxx' AS x FROM s"
)
ENDLESS = SERIES.replace(":n", "2000000000").replace("i, 'xxxxxxxxxx' AS x", "count(*) AS x")


class Upstream(BaseHTTPRequestHandler):
    """Gives as many items as it is asked for, or nothing until it is let go."""

    let_go = Event()

    def do_GET(self) -> None:
        """`/items/3` or `/slow`."""
        if self.path == "/slow":
            self.let_go.wait(30)
            self.close_connection = True
            return
        count = int(self.path.partition("?")[0].rpartition("/")[2])
        body = ("[" + ",".join(['"xxxxxxxxxx"'] * count) + "]").encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def upstream() -> Iterator[str]:
    """The URL of the API."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        server.daemon_threads = True
        Upstream.let_go.clear()
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        Upstream.let_go.set()
        server.shutdown()
        thread.join()


TOOLS = """
  rows: {D, I, sql: "SERIES", result: {shape: rows R}}
  column: {D, I, sql: "SELECT x FROM (SERIES) AS s", result: {shape: column R}}
  row: {D, I, sql: "SELECT substr(hex(zeroblob(:n * 5)), 1, :n * 10) AS x", result: {shape: row L}}
  query: {D, input: {text: string}, sql: {parameter: text}, result: {shape: rows R}}
  function: {D, python: "code:large", writes: false, result: {shape: value L}}
  text: {D, python: "code:words", writes: false, result: {shape: value L}}
  all_rows: {D, python: "code:rows", writes: false, result: {shape: value L}}
  first_row: {D, python: "code:first", writes: false, result: {shape: value L}}
  http: {D, I, http: {api: up, get: "/items/{n}"}, result: {shape: value L}}
  value: {D, input: {x: string}, value: {x: $x}, result: {shape: value L}}
  steps: {D, I, steps: [{tool: many, with: {n: $n}, as: a}], result: {shape: value L}}
  inline: {D, I, steps: [{http: {api: up, get: "/items/{n}"}, as: a}], result: {shape: value L}}
  select: {D, I, steps: [{sql: "SELECT x FROM (SERIES) AS s", as: a}], select: "a.rows[].x"}
  many: {D, python: "code:large", writes: false, result: {max_bytes: 1MiB}}
  count: {D, python: "code:count", writes: false}
  sum: {D, input: {items: "integer[]"}, sql: "SELECT count(*) AS n FROM json_each(:items)"}
  size: {D, input: {items: "integer[]"}, value: {x: $items}}
  pass: {D, input: {items: "integer[]"}, steps: [{tool: count, with: {items: $items}, as: a}]}
  fetch: {D, input: {items: "integer[]"}, http: {api: up, get: /items/1, query: {items: $items}}}
  late_sql: {D, sql: "ENDLESS" T}
  late_list: {D, sql: ["SELECT 1 AS a", "ENDLESS"] T}
  late_query: {D, input: {text: string}, sql: {parameter: text} T}
  late_async: {D, python: "code:slow", writes: false T}
  late_thread: {D, python: "code:slow_thread", writes: false T}
  late_inside: {D, python: "code:slow_query", writes: false T}
  late_http: {D, http: {api: up, get: /slow} T}
  late_steps: {D, steps: [{sql: "ENDLESS", as: a}] T}
  late_called: {D, steps: [{tool: late_async, with: {n: 1}, as: a}]}
"""


def tools(limits: str = "", time_limit: str = "") -> str:
    """The tools, with limits of their own or without; of rows where there are any."""
    of_rows = f"{limits}, max_rows: 5" if limits else ""
    text = TOOLS.replace(" R}", f"{of_rows}}}").replace(" L}", f"{limits}}}")
    text = text.replace(" T}", f"{time_limit}}}")
    text = text.replace("{D,", "{description: D.,").replace(" I,", " input: {n: integer},")
    return text.replace("SERIES", SERIES).replace("ENDLESS", ENDLESS)


OF_FILE = {"response_body": "1000B", "timeout": "300ms", "rows": 5, "input_elements": 10}


@pytest.fixture(params=["of the file", "of each tool"])
def server(request: pytest.FixtureRequest, tmp_path: Path, upstream: str) -> Iterator[Server]:
    """Every kind of tool, with limits that stand in the file's budgets or at each tool."""
    code = CODE.replace("SERIES", repr(SERIES)).replace("ENDLESS", repr(ENDLESS))
    (tmp_path / "code.py").write_text(code)
    apis = {"up": {"url": upstream, "allow_private": True, "retries": 0}}
    with source_of("sqlite", tmp_path) as source:
        if request.param == "of the file":
            text = source.file(tools(), apis=apis, budgets=OF_FILE)
        else:
            own = tools(", max_bytes: 1000B", ", timeout: 300ms")
            text = source.file(own, apis=apis, budgets={"rows": 5, "input_elements": 10})
        with serve(tmp_path, text) as server:
            yield server


LARGE = {
    "row": "a row is larger than the limit of 1000 bytes",
    "function": "the result has 26001 bytes, more than the 1000 allowed; ask for less",
    "text": "the result has 2000 bytes, more than the 1000 allowed; ask for less",
    "http": "the API's answer is larger than 1000 bytes",
    "steps": "the result has 26007 bytes, more than the 1000 allowed; ask for less",
    "inline": "step 'a': the API's answer is larger than 1000 bytes",
}


@pytest.mark.parametrize("name", LARGE)
def test_result_over_the_bytes_is_refused(server: Server, name: str) -> None:
    assert not server.call(name, n=20).is_error
    assert server.refusal(name, n=2000) == LARGE[name]


def test_value_over_the_bytes_is_refused(server: Server) -> None:
    assert server.value("value", x="x" * 900) == {"x": "x" * 900}
    assert server.refusal("value", x="x" * 2000) == (
        "the result has 2008 bytes, more than the 1000 allowed; ask for less"
    )


@pytest.mark.parametrize("name", ["rows", "column", "select"])
def test_rows_over_the_number_are_cut_and_it_is_said(server: Server, name: str) -> None:
    whole, cut = server.call(name, n=5), server.call(name, n=6)

    assert len(whole.texts) == 1
    assert cut.texts[1].endswith(
        "Only the first 5 rows are shown; narrow the request to see others."
    )
    found = cut.rows if name == "rows" else cut.structured
    assert isinstance(found, list)
    assert len(found) == 5


def test_rows_of_a_client_are_cut_too(server: Server) -> None:
    answer = server.call("query", text=SERIES.replace(":n", "6"))

    assert len(answer.rows) == 5
    assert answer.texts[1] == "Only the first 5 rows are shown; narrow the request."


def test_function_never_gets_a_part_of_the_rows_without_knowing(server: Server) -> None:
    assert server.value("all_rows", n=5) == [{"i": n, "x": "x" * 10} for n in range(1, 6)]
    assert server.refusal("all_rows", n=6) == (
        "a query of the tool finds more rows than it may take; ask for less"
    )
    assert server.value("first_row", n=6) == {"i": 1, "x": "x" * 10}


@pytest.mark.parametrize("name", ["sum", "size", "count", "pass", "fetch"])
def test_arguments_over_the_number_of_values_are_refused(server: Server, name: str) -> None:
    assert not server.call(name, items=[1] * 9).is_error
    assert server.refusal(name, items=[1] * 10_000) == (
        "expected at most 10 values, nested ones counted, found more"
    )


LATE = {
    "late_sql": "the statement took longer than its time limit",
    "late_list": "the statement took longer than its time limit",
    "late_query": "the statement took longer than its time limit",
    "late_async": "the call took longer than 0.3 s and was stopped",
    "late_thread": "the call took longer than 0.3 s and was stopped",
    "late_inside": "the call took longer than 0.3 s and was stopped",
    "late_http": "the call took longer than 0.3 s and was stopped",
    "late_steps": "the call took longer than 0.3 s and was stopped",
    "late_called": "the call took longer than 0.3 s and was stopped",
}


@pytest.mark.parametrize("name", LATE)
def test_call_over_its_time_is_stopped(server: Server, name: str) -> None:
    """A step keeps the limit of the tool that it calls as well as its own."""
    sent: dict[str, object] = {"text": ENDLESS} if name == "late_query" else {}
    if name in ("late_async", "late_thread", "late_inside"):
        sent = {"n": 1}
    begin = time.monotonic()

    refusal = server.refusal(name, **sent)

    assert refusal.removeprefix("step 'a': ") == LATE[name]
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("name", ["rows", "function", "http", "value", "steps"])
def test_request_over_its_bytes_is_refused_unread(tmp_path: Path, upstream: str, name: str) -> None:
    (tmp_path / "code.py").write_text(CODE.replace("SERIES", "''").replace("ENDLESS", "''"))
    apis = {"up": {"url": upstream, "allow_private": True}}
    with source_of("sqlite", tmp_path) as source:
        text = source.file(tools(), apis=apis, budgets={"request_body": "2KiB"})
        with serve(tmp_path, text) as server:
            sent = {"name": name, "arguments": {"n": 1, "x": "x" * 2048}}
            response = server.run(server.respond("tools/call", sent))

    assert response.status == 413
    [message] = response.messages
    assert message["error"] == {"code": -32600, "message": "The body has at most 2048 bytes"}


@pytest.mark.parametrize(
    "field", ["max_rows: 5", "json: [a]", "decimals: number", "page: {size: n}"]
)
@pytest.mark.parametrize(
    "binding", ["value: 1", "steps: [{value: 1, as: a}]", 'python: "code:count", writes: false']
)
def test_limit_that_nothing_would_keep_is_refused(tmp_path: Path, field: str, binding: str) -> None:
    (tmp_path / "code.py").write_text(CODE.replace("SERIES", "''").replace("ENDLESS", "''"))
    source = Source("sqlite", "sqlite://", tmp_path)
    text = source.file(f"  t: {{description: T., {binding}, result: {{{field}}}}}\n")

    assert codes(checked(tmp_path, text, {})) == ["misplaced-field"]
