"""Whatever an API answers has a defined result, and a limit that ends it.

Guards against an empty body of a JSON type that fails, against a failure's words that reach the
model, against an array style that is ignored, and against time limits that nobody can see.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.bindings.http.upstream import http
from tests.cli.command import here
from tests.faults.io.product import served, write
from tests.faults.io.upstream_product import api, upstream

GET = "tools: {one: {description: x, http: {api: up, get: /x}}}\n"


def plain(status: str, **headers: str) -> bytes:
    """An answer without body and without a length."""
    lines = [f"HTTP/1.1 {status}", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


EMPTY = {
    "204": plain("204 No Content"),
    "204 of a JSON type": plain("204 No Content", Content_Type="application/json"),
    "205": http("205 Reset Content", Content_Type="application/json"),
    "304": plain("304 Not Modified"),
    "200 of a JSON type": http("200 OK", Content_Type="application/json"),
    "200 without a type": http("200 OK"),
    "200 of text": http("200 OK", Content_Type="text/plain"),
    "201": http("201 Created", Content_Type="application/json"),
}


@pytest.mark.parametrize("case", EMPTY)
@pytest.mark.parametrize("more", ["", ", select: a.b", ", response: json", ", response: text"])
def test_answer_without_body_is_null(tmp_path: Path, case: str, more: str) -> None:
    body = f"tools: {{one: {{description: x, http: {{api: up, get: /x{more}}}}}}}\n"
    with upstream(EMPTY[case]) as up, served(tmp_path, api(up.url) + body) as product:
        result = product.call("one")
    assert (result.get("isError"), result["structuredContent"]) == (None, None)
    assert result["content"] == [{"type": "text", "text": "null"}]


def test_head_has_no_body_whatever_it_announces(tmp_path: Path) -> None:
    body = "tools: {one: {description: x, http: {api: up, head: /x}}}\n"
    answer = plain("200 OK", Content_Length="100", Content_Type="application/json")
    with upstream(answer) as up, served(tmp_path, api(up.url) + body) as product:
        assert product.value("one") is None
        assert product.value("one") is None
    assert up.lines == ["HEAD /x HTTP/1.1"] * 2


STATUSES = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict",
    422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error",
    502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip


@pytest.mark.parametrize("status", STATUSES)
def test_failure_is_a_tool_error_with_its_status_and_none_of_its_words(
    tmp_path: Path, status: int
) -> None:
    answer = http(f"{status} Whatever", b'{"sql": "hunter2"}', Content_Type="application/json")
    with upstream(answer) as up, served(tmp_path, api(up.url) + GET) as product:
        said = product.refusal("one")
    assert said.startswith(f"the API answered with status {status} (")
    assert "hunter2" not in said
    assert "Whatever" not in said


def test_words_of_the_author_see_the_failure_cleaned_and_capped(tmp_path: Path) -> None:
    body = (
        "tools:\n  one:\n    description: x\n    http: {api: up, get: /x}\n"
        "    errors: {500: 'It said {{ response }}', 404: empty, 422: '{{ response.detail }}'}\n"
    )
    long = http("500 X", b"a\x00\x1b[31mb" + b"c" * 100_000, Content_Type="text/plain")
    json_ = http("422 X", b'{"detail": "no such city"}', Content_Type="application/json")
    with (
        upstream(long, http("404 X", b"gone"), json_) as up,
        served(tmp_path, api(up.url) + body) as product,
    ):
        said = product.refusal("one")
        empty = product.call("one")
        detail = product.refusal("one")
    assert said.startswith("It said a[31mbccc")
    assert len(said) < 5000
    assert (empty.get("isError"), empty["structuredContent"]) == (None, None)
    assert detail == "no such city"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (http("200 OK", b"{", Content_Type="application/json"), "the API's answer is no JSON"),
        (http("200 OK", b"\xff", Content_Type="application/json"), "the API's answer is no JSON"),
        (http("200 OK", b"NaN", Content_Type="application/json"), "the API's answer is no JSON"),
        (http("200 OK", b"[" * 99, Content_Type="application/json"), "the API's answer is no JSON"),
        (http("200 OK", b"x" * 2_000_000), "the API's answer is larger than 1048576 bytes"),
        (http("200 OK", b"x", Content_Encoding="br"),
         "the API's answer has an encoding that was not asked for"),
        (http("200 OK", b"x", Content_Encoding="gzip"), "the API's answer cannot be decompressed"),
        (b"nonsense\r\n\r\n", "the connection to the API broke"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n", "the connection to the API broke"),
        (http("302 Found", Location="/x"), "the API redirects without end"),
        (http("300 Multiple Choices"), "the API answered with status 300 (Multiple Choices), "
         "a redirect that is not followed"),
    ],
)  # fmt: skip
def test_answer_that_cannot_be_used_is_told_in_our_words(
    tmp_path: Path, answer: bytes, said: str
) -> None:
    with upstream(answer) as up, served(tmp_path, api(up.url) + GET) as product:
        assert product.refusal("one") == said
        assert product.refusal("one") == said


def test_api_that_is_not_there_is_told_without_its_address(tmp_path: Path) -> None:
    with served(tmp_path, api("http://127.0.0.1:1/secret") + GET) as product:
        assert product.refusal("one") == "the API cannot be reached"


STYLES = [
    ("repeat", "[a b, c]", "v=a%20b&v=c"),
    ("comma", "[a b, c]", "v=a%20b,c"),
    ("brackets", "[a b, c]", "v%5B%5D=a%20b&v%5B%5D=c"),
    ("repeat", "[]", ""),
    ("comma", "[]", ""),
    ("brackets", "[]", ""),
    ("repeat", "[a]", "v=a"),
    ("comma", "['x,y', z]", "v=x%2Cy,z"),
    ("repeat", "['x&y=z', '#', '+', '']", "v=x%26y%3Dz&v=%23&v=%2B&v="),
    ("brackets", "{k: 1, l: [x, y]}", "v%5Bk%5D=1&v%5Bl%5D%5B%5D=x&v%5Bl%5D%5B%5D=y"),
    ("repeat", "[true, 1.50, null]", None),
    ("repeat", "{k: 1}", None),
    ("comma", "{k: 1}", None),
    ("repeat", "[[1]]", None),
]


@pytest.mark.parametrize(("style", "value", "query"), STYLES)
@pytest.mark.parametrize("place", ["query", "form"])
def test_lists_are_written_in_the_style_of_the_file(
    tmp_path: Path, style: str, value: str, query: str | None, place: str
) -> None:
    method = "get" if place == "query" else "post"
    tool = (
        f"tools: {{one: {{description: x, writes: false, "
        f"http: {{api: up, {method}: /x, {place}: {{v: {value}}}, arrays: {style}}}}}}}\n"
    )
    with upstream(http("200 OK", b"1")) as up, served(tmp_path, api(up.url) + tool) as product:
        if query is None:
            assert product.refusal("one").startswith("v: expected one value")
            return
        assert product.value("one") == 1
    if place == "query":
        assert up.last == ("/x" if query == "" else f"/x?{query}")
    else:
        assert up.last_body.decode() == query


def test_limits_of_connecting_reading_and_the_whole_are_each_their_own(tmp_path: Path) -> None:
    """The read limit is between two pieces, so that a slow drip meets the total alone."""

    async def silent(_request: bytes, _writer: asyncio.StreamWriter) -> None:
        return

    async def dripping(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            writer.write(b"x")
            await writer.drain()
            await _moment()

    def said(url: str, connect: str, read: str, total: str) -> str:
        timeout = f"{{connect: {connect}, read: {read}, total: {total}}}"
        with served(tmp_path, api(url, timeout=timeout) + GET) as product:
            return product.refusal("one")

    with upstream(handler=silent) as up:
        assert said(up.url, "5s", "200ms", "5s") == "the API sent nothing for 0.2 s"
        assert said(up.url, "5s", "5s", "200ms") == "the API did not finish within 0.2 s"
    with upstream(handler=dripping) as up:
        assert said(up.url, "5s", "2s", "500ms") == "the API did not finish within 0.5 s"


async def _moment() -> None:
    loop = asyncio.get_running_loop()
    gate = loop.create_future()
    loop.call_later(0.05, gate.set_result, None)
    await gate


def test_time_of_the_tool_ends_the_request(tmp_path: Path) -> None:
    async def silent(_request: bytes, _writer: asyncio.StreamWriter) -> None:
        return

    tool = "tools: {one: {description: x, timeout: 200ms, http: {api: up, get: /x}}}\n"
    with upstream(handler=silent) as up, served(tmp_path, api(up.url) + tool) as product:
        said = product.refusal("one")
    assert said == "the call took longer than 0.2 s and was stopped"


def test_limits_that_hold_are_shown_whether_written_or_not(tmp_path: Path) -> None:
    """A limit that nobody wrote is the one that surprises."""

    def shown(tool: str, **fields: str) -> tuple[Mapping[str, object], Mapping[str, object]]:
        write(
            tmp_path, f"apis: {{up: {{url: 'https://api.example.com'{_written(fields)}}}}}\n{tool}"
        )
        ended = here("explain", "one", "--format", "json", folder=tmp_path)
        assert ended.status == 0, ended.err
        found = json.loads(ended.out)
        return found["budgets"], found["http"]["budgets"]

    mine = "tools: {one: {description: x, timeout: 3s, http: {api: up, get: /x, retries: 1}}}\n"
    call = {"timeout": "30s", "result_bytes": 1048576, "concurrency": 64}
    exchange = {"connect": "2s", "read": "10s", "total": "15s", "retries": 2, "bytes": 1048576}

    assert shown(GET) == (call, exchange)
    assert shown(mine, timeout="{connect: 1s, total: 4s}") == (
        {**call, "timeout": "3s"},
        {**exchange, "connect": "1s", "total": "4s", "retries": 1},
    )


def _written(fields: Mapping[str, str]) -> str:
    return "".join(f", {name}: {value}" for name, value in fields.items())
