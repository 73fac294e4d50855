"""A server over standard input and output whose file changes: what its one client is told."""

import json
import os
import queue
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.run.processes import COMMAND, LIMIT_S, Answer, appears, within_limit
from tests.run.test_reload_processes import slow_start
from tests.wire.client import PREFIX, legacy_message, modern_message, opening_params
from tests.wire.recording import Conversation

__all__ = ["slow_start"]

HEAD = "mcp: 1\nserver: {name: reload, version: 1.0.0}\n"
TOOL = "tools: {{version: {{description: 'Says {0}.', value: '{0}'}}}}\n"
SUBSCRIPTION = f"{PREFIX}subscriptionId"


class Client:
    """The far end of a server's pipes."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self._log = log
        self._conversation = Conversation()
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def end(self) -> None:
        """Stops the server, gently or else by force, and closes the pipes."""
        self.process.terminate()
        try:
            self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._reading.join(LIMIT_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def send(self, message: Answer) -> None:
        """Sends a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(self._conversation.send(message).decode())
        self.process.stdin.flush()

    def receive(self) -> Answer:
        """The next message."""
        return self._conversation.receive(self._lines.get(timeout=LIMIT_S))

    def says(self, words: str) -> None:
        """Returns once the server has said so on standard error."""
        within_limit(lambda: words in self._log.read_text(encoding="utf-8"))

    def call(self, message: Answer) -> object:
        """What the answer to a call says."""
        self.send(message)
        result = self.receive()["result"]
        assert isinstance(result, dict)
        found: object = json.loads(result["content"][0]["text"])
        return found


@contextmanager
def serving(file: Path, *options: str) -> Iterator[Client]:
    """A client of a server of the file."""
    log = file.with_name("log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [COMMAND, "serve", "--stdio", "-f", str(file), *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
    client = Client(process, log)
    try:
        yield client
    finally:
        client.end()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mcp.yaml"
    write(path, HEAD + TOOL.format("one"))
    return path


def write(path: Path, text: str) -> None:
    """Puts another file in the place of the old one, as editors do."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


CALL = modern_message("tools/call", {"name": "version", "arguments": {}}, id_="c")


def told(method: str, **params: object) -> Answer:
    """A message of the stream."""
    return {
        "jsonrpc": "2.0",
        "method": method,
        "params": {**params, "_meta": {SUBSCRIPTION: 50}},
    }


@pytest.mark.parametrize("how", ["end of input", "signal"])
def test_change_is_served_and_told_until_the_end(file: Path, how: str) -> None:
    wanted = {"notifications": {"toolsListChanged": True}}
    with serving(file, "--reload") as client:
        client.send(modern_message("subscriptions/listen", wanted, id_=50))
        acknowledged = told("notifications/subscriptions/acknowledged", **wanted)
        assert client.receive() == acknowledged
        assert client.call(CALL) == "one"
        write(file, HEAD + TOOL.format("two"))
        assert client.receive() == told("notifications/tools/list_changed")
        assert client.call(CALL) == "two"
        write(file, HEAD + "tools: {version: {description: V., valu: 3}}\n")
        client.says("the version before it is served on")
        assert client.call(CALL) == "two"
        if how == "signal":
            client.process.terminate()
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        result = client.receive()
        assert (result["id"], "error" in result) == (50, False)
        params = {"requestId": 50, "reason": "the server ends the stream"}
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert client.receive() == cancelled
        assert client.process.wait(LIMIT_S) == 0


def test_hangup_reloads_a_server_that_tells_of_no_changes(file: Path) -> None:
    with serving(file) as client:
        client.send(modern_message("server/discover", id_="d"))
        found = client.receive()["result"]
        assert isinstance(found, dict)
        assert found["capabilities"] == {"tools": {}}
        write(file, HEAD + TOOL.format("two"))
        os.kill(client.process.pid, signal.SIGHUP)
        within_limit(lambda: client.call(CALL) == "two")


def test_hangup_that_comes_before_the_first_call_is_not_lost(slow_start: Path) -> None:
    began, may_go = slow_start.with_name("began"), slow_start.with_name("go")
    with serving(slow_start) as client:
        appears(began)
        write(slow_start, HEAD + TOOL.format("two"))
        os.kill(client.process.pid, signal.SIGHUP)
        may_go.touch()
        within_limit(lambda: client.call(CALL) == "two")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_a_server_that_still_opens_what_it_needs(
    slow_start: Path, number: signal.Signals
) -> None:
    with serving(slow_start) as client:
        appears(slow_start.with_name("began"))
        client.process.send_signal(number)
        assert client.process.wait(5) == 0


def test_older_client_is_told_of_lists_and_of_its_resources(file: Path) -> None:
    page = file.with_name("page.txt")
    write(page, "one")
    resource = "resources: {page: {uri: 'docs://page', file: page.txt}}\n"
    write(file, HEAD + TOOL.format("one") + resource)
    with serving(file, "--reload") as client:
        client.send(legacy_message("initialize", opening_params("2025-06-18"), id_=1))
        client.receive()
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.send(legacy_message("resources/subscribe", {"uri": "docs://page"}, id_=2))
        assert client.receive() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        write(file, HEAD + TOOL.format("two") + resource)
        changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        assert client.receive() == changed
        write(page, "two, longer")
        assert client.receive() == {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": {"uri": "docs://page"},
        }
        params = {"name": "version", "arguments": {}}
        assert client.call(legacy_message("tools/call", params, id_=3)) == "two"


def test_new_allowed_value_is_told_without_a_reload(file: Path) -> None:
    """It is no change of the file."""
    path = file.with_name("shop.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE kinds (name TEXT)")
    values = "{type: string, enum_from: {sql: SELECT name FROM kinds, refresh: 10ms}}"
    tool = f"tools: {{find: {{description: F., input: {{kind: {values}}}, value: $kind}}}}\n"
    write(file, HEAD + f"databases: {{shop: {{url: 'sqlite:///{path}'}}}}\n" + tool)
    wanted = {"notifications": {"toolsListChanged": True}}
    with serving(file) as client:
        client.send(modern_message("subscriptions/listen", wanted, id_=50))
        assert client.receive() == told("notifications/subscriptions/acknowledged", **wanted)
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("INSERT INTO kinds VALUES ('wool')")
        assert client.receive() == told("notifications/tools/list_changed")
