"""Whatever comes in gets a clear answer, and nothing is lost by it.

After each bad request the same good call is answered as before, and what a tool that writes has
written is what good calls wrote: no half of a transaction, no row of a refused call.
"""

import asyncio
import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from runner.transport.http import HttpApp
from tests.bindings.http.upstream import http
from tests.engines import ENGINES
from tests.faults.io.product import Message, Product, database, served
from tests.faults.io.upstream_product import api, upstream
from tests.wire.client import modern_headers, modern_message
from tests.wire.http_client import LIMIT_S, Connection, run

BODY = """
budgets: {request_body: 64KiB, input_elements: 500}
include: [more.yaml]
tools:
  add:
    description: Adds notes, all or none.
    writes: true
    database: lab
    input:
      texts: {type: "string[]", maxItems: 100}
      last?: "integer|null"
    sql:
      - {each: texts, run: "INSERT INTO notes (text) VALUES (:item)"}
      - run: INSERT INTO notes (text, n) SELECT 'last', :last WHERE :last > 0
        if_sent: last
        check: [{that: rows == 1, else: "{{ last }} is not more than 0."}]
      - SELECT count(*) AS n FROM notes
    result: {shape: value}
  count:
    description: Counts the notes.
    database: lab
    sql: SELECT count(*) AS n FROM notes
    result: {shape: value}
  slow:
    description: Writes, and then never ends.
    writes: true
    database: lab
    sql:
      - INSERT INTO notes (text) VALUES ('never')
      - WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS n FROM c
  ask: {description: x, http: {api: up, get: /x}}
"""
DDL = "CREATE TABLE notes (text varchar(50) NOT NULL CHECK (length(text) < 20), n integer)"
GOOD = modern_message("tools/call", {"name": "count", "arguments": {}})


@pytest.fixture(scope="module", params=ENGINES)
def notes(request: pytest.FixtureRequest, folder: Path) -> Iterator[Product]:
    """Notes on an engine, and an API that fails."""
    failing = http("503 Service Unavailable", b"no")
    with upstream(failing) as up, database(request.param, DDL) as (section, files):
        every = {**files, "more.yaml": api(up.url)}
        body = BODY[: BODY.index("  slow:")] + BODY[BODY.index("  ask:") :]
        with served(folder / request.param, section + body, every) as product:
            assert product.value("add", texts=["one", "two"], last=3) == 3
            yield product


def still_three(product: Product) -> None:
    """Everything is as it was."""
    assert product.value("count") == 3


def headers_of(message: Message) -> dict[str, str | None]:
    """The headers of a modern call."""
    return modern_headers(message)


RAW: Mapping[str, tuple[bytes, int, int]] = {
    "nothing": (b"", 400, -32700),
    "no JSON": (b"{", 400, -32700),
    "text": (b"hello", 400, -32700),
    "broken UTF-8": (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', 400, -32700),
    "half a character": (b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}', 400, -32700),
    "overlong UTF-8": (b'{"a": "\xc0\xaf"}', 400, -32700),
    "UTF-16": ('{"jsonrpc": "2.0"}'.encode("utf-16"), 400, -32700),
    "deep list": (b"[" * 30_000, 400, -32700),
    "deep whole list": (b"[" * 30_000 + b"]" * 30_000, 400, -32700),
    "deep object": (b'{"a":' * 9_000 + b"1" + b"}" * 9_000, 400, -32700),
    "NaN": (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', 400, -32700),
    "huge number": (b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}', 400, -32700),
    "number": (b"7", 400, -32600),
    "empty list": (b"[]", 400, -32600),
    "no method": (b'{"jsonrpc": "2.0", "id": 1}', 400, -32600),
    "another version": (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', 400, -32600),
    "list as an id": (b'{"jsonrpc": "2.0", "id": [], "method": "ping"}', 400, -32600),
    "large": (b" " * 70_000, 413, -32600),
}


@pytest.mark.parametrize("case", RAW)
def test_body_that_is_no_request_is_refused_with_its_code(notes: Product, case: str) -> None:
    body, status, code = RAW[case]

    response = notes.post(body, headers_of(GOOD))

    [answer] = response.messages
    assert isinstance(answer["error"], dict)
    assert (response.status, answer["error"]["code"]) == (status, code)
    still_three(notes)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"name": "cuont"}, -32602),
        ({"name": "COUNT"}, -32602),
        ({"name": ""}, -32602),
        ({"name": "count\x00"}, -32602),
        ({"name": "x" * 10_000}, -32602),
        ({"name": None}, -32602),
        ({"name": ["count"]}, -32602),
        ({}, -32602),
        ({"name": "count", "arguments": "{}"}, -32602),
        ({"name": "count", "arguments": [1]}, -32602),
        ({"name": "count", "arguments": 0}, -32602),
    ],
    ids=str,
)
def test_call_that_names_no_tool_is_a_protocol_error(
    notes: Product, params: Message, code: int
) -> None:
    message = modern_message("tools/call", params)
    name = params.get("name")
    headers = {**modern_headers(message), "Mcp-Name": name if isinstance(name, str) else None}
    encoded = json.dumps(message).encode()
    if isinstance(name, str) and ("\x00" in name or not name):
        headers["Mcp-Name"] = f"=?base64?{_base64(name)}?="

    [answer] = notes.post(encoded, headers).messages

    assert isinstance(answer["error"], dict)
    assert answer["error"]["code"] == code
    assert len(json.dumps(answer)) < 1000
    still_three(notes)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


WRONG: list[tuple[Message, str]] = [
    ({}, "texts: required, but missing"),
    ({"texts": None}, "texts: required, but missing"),
    ({"texts": "a"}, "texts: expected a list, found 'a'"),
    ({"texts": {"a": 1}}, "texts: expected a list, found an object"),
    ({"texts": ["ok", 7]}, "texts[1]: expected text, found 7"),
    ({"texts": ["ok"], "last": "x"}, "last: expected an integer or null, found 'x'"),
    ({"texts": ["ok"], "last": 1.5}, "last: expected an integer or null, found 1.5"),
    ({"texts": ["ok"], "more": 1}, "more: unknown argument, expected 'texts' or 'last'"),
    ({"texts": ["a"] * 101}, "texts: expected at most 100 elements, found 101 elements"),
    ({"texts": ["a"] * 600}, "expected at most 500 values, nested ones counted, found more"),
    ({"texts": [[[[]]]]}, "texts[0]: expected text, found a list"),
    ({"texts": ["ok", "much too long for a note"]}, "a rule of the database"),
    ({"texts": ["one"], "last": -1}, "-1 is not more than 0."),
    ({"texts": ["one"], "last": 10**40}, "last"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_arguments_that_do_not_fit_write_nothing(
    notes: Product, arguments: Message, words: str
) -> None:
    """Neither those that the schema refuses nor those that the database does."""
    said = notes.refusal("add", **arguments)
    assert words in said or (words == "a rule of the database" and said.startswith("the rule"))
    still_three(notes)


def test_arguments_that_are_nested_beyond_reason_are_refused(notes: Product) -> None:
    deep = "[" * 200 + "]" * 200
    message = json.dumps(modern_message("tools/call", {"name": "add", "arguments": {"texts": 0}}))
    body = message.replace('{"texts": 0}', f'{{"texts": {deep}}}').encode()
    headers = {**headers_of(GOOD), "Mcp-Name": "add"}

    [answer] = notes.post(body, headers).messages

    result = answer["result"]
    assert isinstance(result, dict)
    assert result["content"][0]["text"] == "expected at most 100 levels of nesting, found more"
    still_three(notes)


def test_upstream_that_fails_is_a_tool_error(notes: Product) -> None:
    assert notes.refusal("ask") == "the API answered with status 503 (Service Unavailable)"
    still_three(notes)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_other_methods_of_http_are_refused(notes: Product, method: str) -> None:
    response = notes.post(b"", headers_of(GOOD), method=method)
    assert (response.status, response.headers["allow"]) == (405, "POST")
    still_three(notes)


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Content-Type", "text/plain", 415),
        ("Content-Type", None, 415),
        ("Accept", "text/html", 406),
        ("MCP-Protocol-Version", "1999-01-01", 400),
        ("Content-Length", "999999999", 413),
    ],
)
def test_headers_that_promise_something_else_are_refused(
    notes: Product, header: str, value: str | None, status: int
) -> None:
    response = notes.post(json.dumps(GOOD).encode(), {**headers_of(GOOD), header: value})
    assert response.status == status
    assert response.messages[0]["error"]
    still_three(notes)


def test_body_in_pieces_is_refused_at_the_piece_that_is_too_much(notes: Product) -> None:
    connection = Connection([b" " * 40_000] * 50)

    async def work(app: HttpApp) -> int:
        return (await run(app, connection, headers_of(GOOD))).status

    assert notes.in_loop(work) == 413
    assert connection._sent == 2
    still_three(notes)


@pytest.mark.parametrize("engine", ENGINES)
def test_client_that_leaves_takes_its_transaction_with_it(tmp_path: Path, engine: str) -> None:
    """Its call is stopped, what it wrote is undone, and the connection serves the next."""
    message = modern_message("tools/call", {"name": "slow", "arguments": {}})
    with database(engine, DDL) as (section, files):
        every = {**files, "more.yaml": api("http://127.0.0.1:1")}
        with served(tmp_path, section + BODY, every) as product:

            async def work(app: HttpApp) -> int:
                connection = Connection([json.dumps(message).encode()])
                asking = asyncio.create_task(run(app, connection, modern_headers(message)))
                async with asyncio.timeout(LIMIT_S):
                    await asyncio.wait({asking}, timeout=0.5)
                connection.leaving.set()
                return (await asking).status

            assert product.in_loop(work) == 0  # nothing was answered
            assert product.value("count") == 0
            assert product.value("add", texts=["after"]) == 1
