"""Tasks over the wire: handles, what becomes of them, who may ask for them."""

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from runner.catalog.caller import ANONYMOUS
from runner.codec.json import encode
from runner.protocol.exchange import Exchange, Session
from runner.protocol.jsonrpc import joined
from runner.tasks.store import MAX_OPEN
from tests.requirements import requirement
from tests.tasks.served import ACKNOWLEDGED, META, TASKS, Bench, Worker, serve, text_of, tree
from tests.wire.client import legacy_message, modern_headers, modern_message, opening_params
from tests.wire.http_client import LIMIT_S, Connection, run

CODE = """
import asyncio
from pathlib import Path

from runner import Context, Form, Roots, ToolError

FORM = Form("Which?", {"type": "object", "properties": {"name": {"type": "string"}},
            "required": ["name"]})


def greet(name: str) -> str:
    return f"Hello, {name}!"


async def wait(folder: str) -> str:
    Path(folder, "began").touch()
    try:
        await asyncio.Event().wait()
    finally:
        Path(folder, "stopped").touch()
    return "never"


def fail() -> str:
    raise ToolError("Not today.")


async def roots(context: Context) -> str:
    return str(len(await context.roots()))


async def sure(context: Context) -> str:
    first = await context.elicit("Sure?", {"yes": {"type": "boolean"}}, key="sure")
    second = await context.elicit("Really?", {"yes": {"type": "boolean"}}, key="sure")
    return f"{first.content['yes']} {second.content['yes']}"


async def two(context: Context) -> str:
    replies = await context.ask({"a": FORM, "b": FORM})
    return ", ".join(str(reply["content"]["name"]) for reply in replies.values())


def large() -> list[str]:
    return ["x" * 1000]
"""
FILE = """
databases: {main: {url: "sqlite:///main.db", create: {schema: schema.sql}}}
budgets: {response_body: 64MiB, rows: 200000}
tasks: {ttl: 1h, poll: 2s}
tools:
  plain: {description: Greets., input: {name: string}, writes: false, python: "code:greet"}
  greet:
    {description: Greets., input: {name: string}, writes: false, task: auto, python: "code:greet"}
  always: {description: Answers., value: {n: 1}, task: always}
  wait: {description: Waits., input: {folder: string}, writes: false, task: auto,
         timeout: 1m, python: "code:wait"}
  fail: {description: Fails., writes: false, task: auto, python: "code:fail"}
  roots: {description: Asks., writes: false, task: auto, python: "code:roots"}
  sure: {description: Asks., writes: false, task: auto, python: "code:sure"}
  two: {description: Asks., writes: false, task: auto, python: "code:two"}
  asked: {description: Asks., input: {name: string}, ask: [name], task: auto,
          confirm: "Greet {{ name }}?", value: {hello: $name}}
  ruled: {description: Refuses., check: [{that: "false", else: Never.}], value: 1, task: always}
  huge:
    description: Very much.
    task: auto
    result: {max_bytes: 64MiB, max_rows: 200000}
    sql: >-
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      SELECT i, printf('%0300d', i) AS t FROM n
  large: {description: Much., writes: false, task: auto, result: {max_bytes: 100B},
          python: "code:large"}
endpoints:
  all: {path: /mcp, tools: ["*"]}
  some: {path: /some, tools: [greet]}
  none: {path: /none, tools: [plain]}
"""
UNKNOWN = (
    400,
    {"code": -32602, "message": "No task of yours has this id; it may have expired"},
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    (folder / "schema.sql").write_text("CREATE TABLE empty (n INTEGER);", encoding="utf-8")
    with serve(folder, FILE) as bench:
        yield bench


@pytest.fixture
def worker(bench: Bench) -> Worker:
    return bench.workers[0]


def capability(name: str) -> dict[str, object]:
    return {
        "code": -32021,
        "message": f"{name} needs the extension {TASKS}, which the client has not declared",
        "data": {"requiredCapabilities": {"extensions": {TASKS: {}}}},
    }


@requirement("P-160", "P-161", "P-162")
def test_call_answers_with_a_handle_that_can_be_asked_for_at_once(
    bench: Bench, worker: Worker
) -> None:
    async def work() -> tuple[dict[str, object], dict[str, object]]:
        handle = await worker.call("greet", name="Ada")
        return handle, await worker.until(str(handle["taskId"]), "completed")

    handle, done = bench.run(work())
    times = {name: handle.pop(name) for name in ("taskId", "createdAt", "lastUpdatedAt")}
    assert handle == {
        "resultType": "task",
        "status": "working",
        "ttlMs": 3_600_000,
        "pollIntervalMs": 2000,
        "_meta": META,
    }
    assert re.fullmatch(r"[\w-]{32}", str(times["taskId"]))
    assert datetime.fromisoformat(str(times["createdAt"])).utcoffset() is not None
    result = {"resultType": "complete", "content": [{"type": "text", "text": "Hello, Ada!"}]}
    assert done == {
        **handle,
        "taskId": times["taskId"],
        "createdAt": times["createdAt"],
        "lastUpdatedAt": done["lastUpdatedAt"],
        "resultType": "complete",
        "status": "completed",
        "result": {**result, "_meta": META},
    }


@requirement("P-160")
def test_client_without_the_extension_gets_the_result(bench: Bench, worker: Worker) -> None:
    found = bench.run(worker.asked_with({}).call("greet", name="Ada"))
    assert found["content"] == [{"type": "text", "text": "Hello, Ada!"}]


@requirement("P-160", "P-029")
def test_tool_that_is_always_a_task_needs_the_extension(bench: Bench, worker: Worker) -> None:
    found = bench.run(worker.asked_with({}).error("tools/call", {"name": "always"}))
    assert found == (400, capability("'always'"))


@requirement("P-160")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_methods_of_tasks_need_the_extension(bench: Bench, worker: Worker, method: str) -> None:
    params = {"taskId": "x", "inputResponses": {}}
    assert bench.run(worker.asked_with({}).error(method, params)) == (400, capability(method))


@requirement("P-160")
@pytest.mark.parametrize(
    ("tool", "text"),
    [("greet", "Hello, Ada!"), ("always", None)],
)
def test_older_clients_never_get_tasks(
    bench: Bench, worker: Worker, tool: str, text: str | None
) -> None:
    message = legacy_message("tools/call", {"name": tool, "arguments": {"name": "Ada"}})
    headers = {"MCP-Protocol-Version": "2025-11-25"}
    response = bench.run(run(worker.app, Connection([encode(message)]), headers))
    [found] = response.messages
    if text is not None:
        assert tree(found["result"])["content"] == [{"type": "text", "text": text}]
    else:
        told = "'always' runs as a task, which this client cannot follow"
        assert found["error"] == {"code": -32603, "message": told}
    assert response.status == 200


LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", ""]


@requirement("P-160", "P-163", "P-174")
@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize(
    "method", ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result"]
)
def test_methods_of_tasks_are_unknown_to_older_clients(
    bench: Bench, worker: Worker, method: str, version: str
) -> None:
    message = legacy_message(method, {"taskId": "x", "inputResponses": {}})
    headers = {"MCP-Protocol-Version": version or None}
    response = bench.run(run(worker.app, Connection([encode(message)]), headers))
    [found] = response.messages
    told = f"No method is named '{method}'"
    assert (response.status, found["error"]) == (200, {"code": -32601, "message": told})


@requirement("P-160")
@pytest.mark.parametrize("version", LEGACY[:-1])
def test_older_client_over_stdio_never_gets_a_task(
    bench: Bench, worker: Worker, version: str
) -> None:
    """Not even one that declares the extension, and asks for a task as its version knows it."""
    protocol = worker.served.protocols["/mcp"]
    exchange = Exchange(ANONYMOUS, session=Session(lambda _message: None))

    def answered(method: str, params: dict[str, object]) -> dict[str, object]:
        answer = bench.run(protocol.answer(encode(legacy_message(method, params)), exchange))
        assert answer.body is not None
        return tree(json.loads(joined(answer.body))["result"])

    declared = {"extensions": {TASKS: {}}, "tasks": {"requests": {"tools": {"call": {}}}}}
    opening = answered("initialize", {**opening_params(version), "capabilities": declared})
    listed = answered("tools/list", {})["tools"]
    arguments: dict[str, object] = {"name": "Ada"}
    called = answered("tools/call", {"name": "greet", "arguments": arguments, "task": {"ttl": 1}})

    assert opening["capabilities"] == {"tools": {}}
    assert isinstance(listed, list)
    assert [tool for tool in listed if "execution" in tool] == []
    assert called == {"content": [{"type": "text", "text": "Hello, Ada!"}]}


@requirement("P-075")
@pytest.mark.parametrize(
    ("path", "extensions"), [("/mcp", {TASKS: {}}), ("/some", {TASKS: {}}), ("/none", None)]
)
def test_extension_is_advertised_where_a_tool_has_it(
    bench: Bench, worker: Worker, path: str, extensions: object
) -> None:
    found = bench.run(worker.at(path).result("server/discover"))
    assert tree(found["capabilities"]).get("extensions") == extensions


def test_methods_of_tasks_are_unknown_where_no_tool_has_them(bench: Bench, worker: Worker) -> None:
    status, error = bench.run(worker.at("/none").error("tasks/get", {"taskId": "x"}))
    assert (status, error["code"]) == (404, -32601)


@requirement("P-163")
@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
def test_removed_methods_are_unknown(bench: Bench, worker: Worker, method: str) -> None:
    status, error = bench.run(worker.error(method, {"taskId": "x"}))
    assert (status, error["code"]) == (404, -32601)


@requirement("P-163")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_unknown_task_is_a_protocol_error(bench: Bench, worker: Worker, method: str) -> None:
    params = {"taskId": "nobody's", "inputResponses": {}}
    assert bench.run(worker.error(method, params)) == UNKNOWN


@requirement("P-162")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_foreign_task_is_like_an_unknown_one(bench: Bench, worker: Worker, method: str) -> None:
    async def work() -> tuple[int, dict[str, object]]:
        task = await worker.seen_by("ada").begin("greet", name="Ada")
        found = await worker.seen_by("eve").error(method, {"taskId": task, "inputResponses": {}})
        assert (await worker.seen_by("ada").until(task, "completed"))["taskId"] == task
        return found

    assert bench.run(work()) == UNKNOWN


def test_task_is_unknown_at_another_endpoint(bench: Bench, worker: Worker) -> None:
    async def work() -> tuple[int, dict[str, object]]:
        task = await worker.begin("greet", name="Ada")
        return await worker.at("/some").error("tasks/get", {"taskId": task})

    assert bench.run(work()) == UNKNOWN


@requirement("P-165")
@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
@pytest.mark.parametrize(
    ("name", "fault"), [(None, "is missing"), ("other", "disagrees with the body")]
)
def test_header_names_the_task(
    bench: Bench, worker: Worker, method: str, name: str | None, fault: str
) -> None:
    message = modern_message(method, {"taskId": "x", "inputResponses": {}})
    headers = {**modern_headers(message), "Mcp-Name": name}
    response = bench.run(run(worker.app, Connection([encode(message)]), headers))
    [found] = response.messages
    assert (response.status, found["error"]) == (
        400,
        {"code": -32020, "message": f"The header Mcp-Name {fault}"},
    )


@requirement("P-164")
@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("fail", "Not today."),
        ("huge", "The result is larger than the 16777216 bytes that a task keeps."),
        ("large", "the result has 1004 bytes, more than the 100 allowed; ask for less"),
    ],
)
def test_tool_that_fails_completes_its_task(
    bench: Bench, worker: Worker, tool: str, text: str
) -> None:
    async def work() -> dict[str, object]:
        return await worker.until(await worker.begin(tool), "completed", "failed")

    done = bench.run(work())
    assert (done["status"], done["result"]) == (
        "completed",
        {
            "resultType": "complete",
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "_meta": META,
        },
    )


@requirement("P-164")
def test_protocol_error_fails_the_task(bench: Bench, worker: Worker) -> None:
    async def work() -> dict[str, object]:
        return await worker.until(await worker.begin("roots"), "completed", "failed")

    done = bench.run(work())
    message = "the call has to ask, for which the client would have to declare roots"
    assert (done["status"], done["statusMessage"], done["error"]) == (
        "failed",
        message,
        {"code": -32021, "message": message, "data": {"requiredCapabilities": {"roots": {}}}},
    )
    assert "result" not in done


def test_call_that_breaks_a_rule_is_refused_without_a_task(bench: Bench, worker: Worker) -> None:
    found = bench.run(worker.call("ruled"))
    assert found == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "Never."}],
        "isError": True,
        "_meta": META,
    }


def test_what_the_file_asks_is_asked_before_there_is_a_task(bench: Bench, worker: Worker) -> None:
    async def rounds(state: object, **replies: object) -> dict[str, object]:
        params = {"name": "asked", "arguments": {}, "requestState": state}
        return await worker.result("tools/call", {**params, "inputResponses": replies})

    async def work() -> dict[str, object]:
        first = await worker.call("asked")
        assert list(tree(first["inputRequests"])) == ["values"]
        name = {"action": "accept", "content": {"name": "Ada"}}
        second = await rounds(first["requestState"], values=name)
        assert list(tree(second["inputRequests"])) == ["confirm"]
        handle = await rounds(second["requestState"], confirm={"action": "accept", "content": {}})
        assert (handle["resultType"], "requestState" in handle) == ("task", False)
        return await worker.until(str(handle["taskId"]), "completed")

    assert tree(bench.run(work())["result"])["structuredContent"] == {"hello": "Ada"}


@requirement("P-122")
def test_what_a_function_asks_is_asked_of_the_task(bench: Bench, worker: Worker) -> None:
    async def work() -> dict[str, object]:
        task = await worker.begin("sure")
        keys = []
        for answer in (True, False):
            asked = tree((await worker.until(task, "input_required"))["inputRequests"])
            keys += list(asked)
            reply = {"action": "accept", "content": {"yes": answer}}
            assert await worker.update(task, **{keys[-1]: reply}) == ACKNOWLEDGED
            assert await worker.update(task, **{keys[-1]: reply}) == ACKNOWLEDGED
        assert len(set(keys)) == 2, "a key is never used for another question"
        return await worker.until(task, "completed")

    assert text_of(bench.run(work())) == "True False"


def test_answers_may_come_one_by_one(bench: Bench, worker: Worker) -> None:
    def named(name: object) -> dict[str, object]:
        return {"action": "accept", "content": {"name": name}}

    async def work() -> dict[str, object]:
        task = await worker.begin("two")
        first, second = tree((await worker.until(task, "input_required"))["inputRequests"])
        await worker.update(task, **{first: named("Ada"), "other": named("Eve")})
        left = await worker.get(task)
        assert (left["status"], list(tree(left["inputRequests"]))) == ("input_required", [second])
        sent = {first: named("Eve"), second: named(7)}
        _, error = await worker.error("tasks/update", {"taskId": task, "inputResponses": sent})
        message = f"The reply to '{second}' is no answer to what was asked"
        assert error == {"code": -32602, "message": message}
        assert (await worker.get(task))["status"] == "input_required"
        await worker.update(task, **{second: named("Bo")})
        return await worker.until(task, "completed")

    assert text_of(bench.run(work())) == "Ada, Bo"


@pytest.mark.parametrize("sent", [None, [], {"a": 1}], ids=["none", "list", "number"])
def test_answers_are_an_object_of_objects(bench: Bench, worker: Worker, sent: object) -> None:
    async def work() -> tuple[int, dict[str, object]]:
        task = await worker.begin("two")
        return await worker.error("tasks/update", {"taskId": task, "inputResponses": sent})

    found = bench.run(work())
    assert found == (
        400,
        {"code": -32602, "message": "params.inputResponses is an object of objects"},
    )


def test_cancelling_stops_the_work(bench: Bench, worker: Worker, tmp_path: Path) -> None:
    async def work() -> dict[str, object]:
        task = await worker.begin("wait", folder=str(tmp_path))
        async with asyncio.timeout(LIMIT_S):
            while not (tmp_path / "began").exists():
                await asyncio.to_thread(lambda: None)
        assert await worker.result("tasks/cancel", {"taskId": task}) == ACKNOWLEDGED
        assert await worker.result("tasks/cancel", {"taskId": task}) == ACKNOWLEDGED
        async with asyncio.timeout(LIMIT_S):
            while not (tmp_path / "stopped").exists():
                await asyncio.to_thread(lambda: None)
        return await worker.get(task)

    found = bench.run(work())
    assert found["status"] == "cancelled"
    assert not found.keys() & {"result", "error", "inputRequests"}


def test_task_that_waits_for_answers_can_be_cancelled(bench: Bench, worker: Worker) -> None:
    async def work() -> dict[str, object]:
        task = await worker.begin("two")
        key = next(iter(tree((await worker.until(task, "input_required"))["inputRequests"])))
        await worker.result("tasks/cancel", {"taskId": task})
        await worker.update(task, **{key: {"action": "accept", "content": {"name": "Ada"}}})
        return await worker.get(task)

    assert bench.run(work())["status"] == "cancelled"


def test_caller_with_too_many_tasks_is_told_so(bench: Bench, worker: Worker) -> None:
    async def work() -> tuple[dict[str, object], dict[str, object]]:
        zoe = worker.seen_by("zoe")
        for _ in range(MAX_OPEN):
            await zoe.begin("two")
        return await zoe.call("two"), await worker.seen_by("yan").call("two")

    refused, other = bench.run(work())
    told = "You have 100 tasks that have not ended; wait for one, or cancel one."
    assert refused == {
        "resultType": "complete",
        "content": [{"type": "text", "text": told}],
        "isError": True,
        "_meta": META,
    }
    assert other["resultType"] == "task"
