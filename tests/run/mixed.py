"""What many clients do at once: pages, rounds, reports, reads, streams, tasks; each request anew.

Every request goes over a connection of its own, so that any worker may take it, and everything
that comes back is held against the schema.
"""

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.run.processes import LIMIT_S, MODERN, appears, within_limit
from tests.wire.client import PREFIX, modern_headers, modern_message
from tests.wire.http_client import BROWSERLESS
from tests.wire.recording import check_exchange, sent_over_http

Tree = dict[str, object]
CAPABLE: Final[Tree] = {f"{PREFIX}clientCapabilities": {"elicitation": {}}}
TASKS: Final = "io.modelcontextprotocol/tasks"
FOLLOWING: Final[Tree] = {
    f"{PREFIX}clientCapabilities": {"elicitation": {}, "extensions": {TASKS: {}}}
}
TOOLS: Final = [
    "add", "ask_all", "ask_later", "ask_name", "ask_twice", "echo", "hang", "headed", "later",
    "numbers", "process", "report",
]  # fmt: skip


class Client:
    """Asks one server, and counts what it asked."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.requests = 0

    def result(self, method: str, params: Tree | None = None, **meta: object) -> Tree:
        """The result of a request that must succeed."""
        return self.messages(method, params, **meta)[-1]

    def messages(self, method: str, params: Tree | None = None, **meta: object) -> list[Tree]:
        """The parameters of each notification, then the result."""
        message = modern_message(method, params, meta={**CAPABLE, **meta})
        with self._asked(message) as response:
            is_stream = response.headers["content-type"] == "text/event-stream"
            lines = response.read().split(b"\n")
        data = [line.removeprefix(b"data: ") for line in lines if line.startswith(b"data: ")]
        found = [json.loads(line) for line in (data if is_stream else lines)]
        check_exchange(sent_over_http(json.dumps(message).encode(), MODERN), found)
        assert "result" in found[-1], found[-1]
        return [item["params"] if "method" in item else item["result"] for item in found]

    @contextmanager
    def listening(self, **notifications: object) -> Iterator[http.client.HTTPResponse]:
        """A stream that is open."""
        params: Tree = {"notifications": notifications}
        with self._asked(modern_message("subscriptions/listen", params)) as response:
            yield response

    @contextmanager
    def _asked(self, message: Tree) -> Iterator[http.client.HTTPResponse]:
        pairs = {**BROWSERLESS, **modern_headers(message)}
        headers = {name: value for name, value in pairs.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LIMIT_S)
        self.requests += 1
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            yield connection.getresponse()
        finally:
            connection.close()


def next_message(stream: http.client.HTTPResponse) -> Tree:
    """The next message of a stream."""
    while line := stream.readline():
        if line.startswith(b"data: "):
            found: Tree = json.loads(line.removeprefix(b"data: "))
            return found
    raise AssertionError("the stream has ended")


def lists(client: Client) -> None:
    """A list, page by page."""
    names: list[object] = []
    cursor: object = None
    while True:
        page = client.result("tools/list", {} if cursor is None else {"cursor": cursor})
        tools = page["tools"]
        assert isinstance(tools, list)
        names += [tool["name"] for tool in tools]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert sorted(map(str, names)) == TOOLS


def rows(client: Client) -> None:
    """The rows of a tool, page by page."""
    numbers: list[object] = []
    arguments: Tree = {"limit": 2}
    while True:
        result = client.result("tools/call", {"name": "numbers", "arguments": arguments})
        content = result["structuredContent"]
        assert isinstance(content, dict)
        numbers += [row["n"] for row in content["rows"]]
        if "next" not in content:
            break
        arguments = {"limit": 2, "cursor": content["next"]}
    assert numbers == [1, 2, 3, 4, 5]


def rounds(client: Client) -> None:
    """A call that asks twice."""
    params: Tree = {"name": "ask_twice"}
    for key, content in (("name", {"name": "Ann"}), ("colour", {"colour": "red"})):
        asked = client.result("tools/call", params)
        assert isinstance(asked["inputRequests"], dict)
        assert [*asked["inputRequests"]] == [key]
        answers = {key: {"action": "accept", "content": content}}
        state = asked["requestState"]
        params = {"name": "ask_twice", "inputResponses": answers, "requestState": state}
    assert text_of(client.result("tools/call", params)) == "Ann: red"


def reports(client: Client) -> None:
    """A call that says how far it is."""
    *told, result = client.messages("tools/call", {"name": "report"}, progressToken="p")
    assert [item["progress"] for item in told] == [1, 2, 3]
    assert text_of(result) == "done"


def reads(client: Client) -> None:
    """A resource and a prompt."""
    for uri, text in (("docs://page", "A page.\n"), ("city://2/none", "two")):
        contents = client.result("resources/read", {"uri": uri})["contents"]
        assert isinstance(contents, list)
        assert [item["text"] for item in contents] == [text]
    params: Tree = {"name": "write", "arguments": {"tone": "plain"}}
    messages = client.result("prompts/get", params)["messages"]
    assert isinstance(messages, list)
    assert messages[0]["content"]["text"].startswith("plain")


def listens(client: Client) -> None:
    """A stream that is acknowledged, and left."""
    with client.listening(toolsListChanged=True) as stream:
        told = next_message(stream)
    assert told["method"] == "notifications/subscriptions/acknowledged"


def ends_tasks(client: Client) -> None:
    """A task that ends by itself."""
    task = begun(client, "later", {"name": "Ann"})
    assert text_of(becomes(client, task, "completed", "result")) == "Hello, Ann!"


def answers_tasks(client: Client) -> None:
    """A task that asks while it runs."""
    task = begun(client, "ask_later", {})
    [key] = becomes(client, task, "input_required", "inputRequests")
    answers = {key: {"action": "accept", "content": {"name": "Bob"}}}
    client.result("tasks/update", {"taskId": task, "inputResponses": answers}, **FOLLOWING)
    assert text_of(becomes(client, task, "completed", "result")) == "Hello, Bob!"


def cancels_tasks(client: Client) -> None:
    """A task that runs, wherever that is, until it is cancelled."""
    with TemporaryDirectory() as folder:
        task = begun(client, "hang", {"folder": folder})
        appears(Path(folder, "began"))
        client.result("tasks/cancel", {"taskId": task}, **FOLLOWING)
        assert found(client, task)["status"] == "cancelled"
        appears(Path(folder, "ended"))
        assert found(client, task)["status"] == "cancelled"


def begun(client: Client, tool: str, arguments: Tree) -> str:
    """The id of a task that has begun, which every worker knows at once."""
    params: Tree = {"name": tool, "arguments": arguments}
    handle = client.result("tools/call", params, **FOLLOWING)
    assert (handle["resultType"], handle["status"]) == ("task", "working")
    task = str(handle["taskId"])
    assert found(client, task)["createdAt"] == handle["createdAt"]
    return task


def found(client: Client, task: str) -> Tree:
    """The task as it stands."""
    return client.result("tasks/get", {"taskId": task}, **FOLLOWING)


def becomes(client: Client, task: str, status: str, member: str) -> Tree:
    """The member that a task has once its status is this."""
    within_limit(lambda: found(client, task)["status"] == status)
    state = found(client, task)[member]
    assert isinstance(state, dict)
    return state


def text_of(result: Mapping[str, object]) -> object:
    """The text of a result's first block."""
    content = result["content"]
    assert isinstance(content, list)
    return content[0]["text"]


FLOWS: Final[tuple[Callable[[Client], None], ...]] = (
    *(lists, rows, rounds, reports, reads, listens),
    *(ends_tasks, answers_tasks, cancels_tasks),
)
"""What one client does. Whatever has a state between requests belongs here: it must not matter
which worker takes the next of them."""
