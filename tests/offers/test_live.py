"""What is served while it changes: reloads, and streams that tell of them."""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.app import Checked, catalog_of, check, serving_of, state_keys
from runner.catalog.catalog import Catalog
from runner.codec.json import encode
from runner.config.inputs import Changes
from runner.live import Live, Project, Protocols
from runner.transport.http import HttpApp
from tests.offers.whole import HEAD
from tests.requirements import requirement
from tests.wire.client import PREFIX, SERVER, modern_headers, modern_message
from tests.wire.http_client import LIMIT_S, Connection, Response, run
from tests.wire.recording import MODERN_SCHEMA
from tests.wire.recording import check as check_message

SUBSCRIPTION = f"{PREFIX}subscriptionId"
LISTEN = "subscriptions/listen"
NO_OBJECT = 'params.notifications must be an object, such as {"toolsListChanged": true}'
FILE = """include: [more/*.yaml]
tools:
  version: {description: Says it., value: one}
  code: {description: Runs., writes: false, python: "code:run"}
  keyed: {description: Keyed., value: "{{ vars.key }}"}
vars: {key: "${file:key.txt}"}
resources:
  page: {uri: "docs://page", file: page.txt}
  text: {uri: "docs://text", text: Hello.}
"""


class Bench:
    """A project in a folder, served by one process; changed by the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("mcp.yaml", HEAD + FILE)
        self.write("code.py", "def run() -> str:\n    return 'one'\n")
        self.write("page.txt", "one")
        self.write("key.txt", "one")
        self.apps: list[HttpApp] = []
        self.takes = 0
        """How often something else came to be served."""
        self._taken = asyncio.Event()
        checked = self.load()
        project = Project(self.load, checked.inputs, follows=True)
        self.catalog = catalog_of(checked)
        self.live = Live(project, state_keys(self.catalog), self.take)

    def load(self) -> Checked:
        return check(self.folder / "mcp.yaml", {}, connects=True)

    def take(self, catalog: Catalog, protocols: Protocols) -> None:
        serving = serving_of(catalog, protocols)
        self.takes += 1
        self._taken.set()
        if self.apps:
            self.apps[0].serving = serving
        else:
            self.apps.append(HttpApp(serving))

    def write(self, name: str, text: str) -> None:
        """Puts another file in the place of the old one, as editors do."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        new = path.with_name(f".{path.name}.new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    async def ask(self, method: str, params: dict[str, object] | None = None) -> dict[str, object]:
        """The result of a request."""
        message = modern_message(method, params)
        response = await run(self.apps[0], Connection([encode(message)]), modern_headers(message))
        [found] = response.messages
        check_message(found, MODERN_SCHEMA, method)
        result = found["result"]
        assert isinstance(result, dict)
        return result

    async def call(self, tool: str) -> object:
        """What a tool says."""
        result = await self.ask("tools/call", {"name": tool})
        content = result["content"]
        assert isinstance(content, list)
        return result.get("structuredContent", content[0]["text"])

    async def reloaded(self) -> None:
        """Returns when something else is served."""
        self._taken.clear()
        async with asyncio.timeout(LIMIT_S):
            await self._taken.wait()


class Stream:
    """An open `subscriptions/listen`."""

    def __init__(self, bench: Bench, id_: object = 7, **notifications: object) -> None:
        message = modern_message(LISTEN, {"notifications": notifications}, id_=id_)
        self.connection = Connection([encode(message)])
        asking = run(bench.apps[0], self.connection, modern_headers(message))
        self.task: asyncio.Task[Response] = asyncio.create_task(asking)

    @property
    def messages(self) -> list[dict[str, object]]:
        """What came so far, checked."""
        found = self.connection.response.messages
        for message in found:
            check_message(message, MODERN_SCHEMA, LISTEN)
        return found

    async def have(self, count: int) -> list[dict[str, object]]:
        """The messages once there are so many."""
        async with asyncio.timeout(LIMIT_S):
            while len(self.connection.response.messages) < count:
                self.connection.arrived.clear()
                await self.connection.arrived.wait()
        return self.messages


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def live(bench: Bench, work: Callable[[], object]) -> None:
    """Runs the work while the project is served and followed."""

    async def main() -> None:
        await bench.live.begin(bench.catalog)
        following = asyncio.create_task(bench.live.follow())
        try:
            await work()  # type: ignore[misc]  # awaitable
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            bench.live.listeners.end()
            await bench.live.end()

    asyncio.run(main())


def acknowledged(*, id_: object = 7, **granted: object) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": granted, "_meta": {SUBSCRIPTION: id_}},
    }


def told(method: str, *, id_: object = 7, **params: object) -> dict[str, object]:
    meta = {SUBSCRIPTION: id_}
    return {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": meta}}


@requirement("P-130", "P-131", "P-076")
def test_change_of_the_file_is_served_and_told(bench: Bench) -> None:
    async def work() -> None:
        stream = Stream(bench, toolsListChanged=True, promptsListChanged=True)
        assert await stream.have(1) == [acknowledged(toolsListChanged=True)]
        bench.write("mcp.yaml", HEAD + FILE.replace("value: one", "value: two"))
        await bench.reloaded()
        assert await bench.call("version") == "two"
        assert len(stream.messages) == 1, "the list is what it was"
        bench.write("mcp.yaml", HEAD + FILE.replace("Says it.", "Says it again."))
        assert (await stream.have(2))[1] == told("notifications/tools/list_changed")
        assert await bench.call("version") == "one"

    live(bench, work)


@pytest.mark.parametrize(
    ("name", "text", "tool"),
    [
        ("code.py", "def run() -> str:\n    return 'two'\n", "code"),
        ("more/a.yaml", "tools: {added: {description: A., value: two}}\n", "added"),
        ("key.txt", "two", "keyed"),
    ],
)
def test_change_of_what_the_file_names_is_served(
    bench: Bench, name: str, text: str, tool: str
) -> None:
    async def work() -> None:
        bench.write(name, text)
        await bench.reloaded()
        assert await bench.call(tool) == "two"

    live(bench, work)


def test_each_change_is_reloaded_once_however_it_is_made(bench: Bench) -> None:
    """Written in place, by another file in its place, made anew, by a link to another file."""
    path = bench.folder / "mcp.yaml"

    def text(value: str) -> str:
        return HEAD + FILE.replace("value: one", f"value: {value}")

    def make_anew() -> None:
        path.unlink()
        path.write_text(text("anew"), encoding="utf-8")

    def link() -> None:
        (bench.folder / "other.kept").write_text(text("linked"), encoding="utf-8")
        (bench.folder / "link").symlink_to(bench.folder / "other.kept")
        (bench.folder / "link").replace(path)

    async def work() -> None:
        served = ["one"]
        for change in (
            lambda: path.write_text(text("written"), encoding="utf-8"),
            lambda: bench.write("mcp.yaml", text("replaced")),
            make_anew,
            link,
            lambda: bench.write("code.py", "def run() -> str:\n    return 'two'\n"),
        ):
            change()
            await bench.reloaded()
            served.append(str(await bench.call("version")))
        assert served == ["one", "written", "replaced", "anew", "linked", "linked"]
        assert await bench.call("code") == "two"
        assert bench.takes == len(served)

    live(bench, work)


def test_folder_that_a_link_leads_to_is_swapped_as_a_whole(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        text = HEAD + f"tools: {{version: {{description: V., value: {name}}}}}\n"
        (folder / "mcp.yaml").write_text(text, encoding="utf-8")
    link = tmp_path / "current"
    link.symlink_to(tmp_path / "one")
    found = check(link / "mcp.yaml", {})
    changes = Changes(found.inputs)
    assert not changes.have_come()
    (tmp_path / "next").symlink_to(tmp_path / "two")
    (tmp_path / "next").rename(link)
    assert [changes.have_come() for _ in range(3)] == [False, True, False]


def test_change_that_comes_while_the_file_is_proven_is_seen_after_it(bench: Bench) -> None:
    found = bench.load()
    bench.write("mcp.yaml", HEAD + FILE.replace("value: one", "value: two"))
    changes = Changes(found.inputs)
    assert [changes.have_come() for _ in range(3)] == [False, True, False]


def test_file_that_is_touched_but_holds_the_same_is_no_change(bench: Bench) -> None:
    changes = Changes(bench.load().inputs)
    bench.write("mcp.yaml", HEAD + FILE)
    os.utime(bench.folder / "code.py", (1, 1))
    assert [changes.have_come() for _ in range(3)] == [False] * 3


def test_broken_change_is_not_served_and_its_mending_is(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    told = asyncio.Event()

    def note(record: logging.LogRecord) -> bool:
        if "is served on" in record.getMessage():
            told.set()
        return True

    caplog.handler.addFilter(note)

    async def work() -> None:
        bench.write("mcp.yaml", HEAD + "tools: {version: {description: V., valu: two}}\n")
        await told.wait()
        assert await bench.call("version") == "one"
        bench.write("mcp.yaml", HEAD + "tools: {version: {description: V., value: three}}\n")
        await bench.reloaded()
        assert await bench.call("version") == "three"

    live(bench, work)
    assert "mcp.yaml:3:36: unknown-field: tools.version has no field 'valu'" in caplog.text


@requirement("P-131", "P-132")
def test_resource_tells_who_listens_to_it_and_nobody_else(bench: Bench) -> None:
    async def work() -> None:
        uris = ["docs://page", "docs://text", "docs://nothing"]
        stream = Stream(bench, resourceSubscriptions=uris)
        other = Stream(bench, "other", resourcesListChanged=True)
        assert await stream.have(1) == [acknowledged(resourceSubscriptions=["docs://page"])]
        assert await other.have(1) == [acknowledged(id_="other", resourcesListChanged=True)]
        await bench.live.look_at_resources()
        bench.write("page.txt", "two")
        updated = told("notifications/resources/updated", uri="docs://page")
        assert (await stream.have(2))[1] == updated
        assert len(other.messages) == 1

    live(bench, work)


def test_stream_ends_with_a_result_when_the_server_stops(bench: Bench) -> None:
    async def work() -> None:
        stream = Stream(bench, toolsListChanged=True)
        await stream.have(1)
        bench.live.listeners.end()
        response = await stream.task
        assert response.headers["content-type"] == "text/event-stream"
        result = {"resultType": "complete", "_meta": {**SERVER_META, SUBSCRIPTION: 7}}
        assert stream.messages[1:] == [{"jsonrpc": "2.0", "id": 7, "result": result}]
        assert len(bench.live.listeners) == 0

    live(bench, work)


SERVER_META = {f"{PREFIX}serverInfo": {"name": "offers", "version": "1.0.0"}}
assert list(SERVER) == list(SERVER_META)


def test_stream_whose_client_leaves_is_told_nothing_more(bench: Bench) -> None:
    async def work() -> None:
        stream = Stream(bench, toolsListChanged=True)
        await stream.have(1)
        stream.connection.leaving.set()
        await stream.task
        assert len(bench.live.listeners) == 0
        assert len(stream.messages) == 1

    live(bench, work)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, NO_OBJECT),
        ({"notifications": []}, NO_OBJECT),
        (
            {"notifications": {"toolsListChanged": 1}},
            "params.notifications.toolsListChanged is true or false",
        ),
        (
            {"notifications": {"resourceSubscriptions": "x"}},
            "params.notifications.resourceSubscriptions is an array of URIs",
        ),
    ],
)
def test_wrong_requests_are_refused(bench: Bench, params: dict[str, object], message: str) -> None:
    async def work() -> None:
        request = modern_message(LISTEN, params)
        response = await run(bench.apps[0], Connection([encode(request)]), modern_headers(request))
        assert response.status == 400
        assert response.messages[0]["error"] == {"code": -32602, "message": message}

    live(bench, work)


def test_client_that_reads_no_streams_is_refused(bench: Bench) -> None:
    async def work() -> None:
        request = modern_message(LISTEN, {"notifications": {}})
        headers = {**modern_headers(request), "Accept": "application/json"}
        response = await run(bench.apps[0], Connection([encode(request)]), headers)
        assert response.status == 406

    live(bench, work)


def test_a_caller_has_so_many_streams_and_no_more(bench: Bench) -> None:
    async def work() -> None:
        streams = [Stream(bench, number) for number in range(32)]
        for stream in streams:
            await stream.have(1)
        refused = Stream(bench, "late")
        response = await refused.task
        assert response.status == 429
        assert response.messages[0]["error"] == {
            "code": -32603,
            "message": "A caller has at most 32 streams; end one of them",
        }

    live(bench, work)


def test_capabilities_say_that_changes_are_told(bench: Bench) -> None:
    async def work() -> None:
        found = await bench.ask("server/discover")
        assert found["capabilities"] == {
            "tools": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
        }

    live(bench, work)


def test_keys_that_are_changed_hold_from_the_reload_on(bench: Bench) -> None:
    """A key that is taken out of the file is good for nothing any more."""
    first, second = ("the first of the keys", "the second of the keys")

    async def serve(*keys: str) -> None:
        listed = ", ".join(keys)
        bench.write("mcp.yaml", f"{HEAD}serve: {{page_size: 1, state_keys: [{listed}]}}\n{FILE}")
        await bench.reloaded()

    async def is_good(cursor: object) -> bool:
        message = modern_message("tools/list", {"cursor": cursor})
        response = await run(bench.apps[0], Connection([encode(message)]), modern_headers(message))
        return response.status == 200

    async def work() -> None:
        begun = (await bench.ask("tools/list"))["nextCursor"]
        await serve(first)
        older = (await bench.ask("tools/list"))["nextCursor"]
        assert not await is_good(begun)
        await serve(second, first)
        newer = (await bench.ask("tools/list"))["nextCursor"]
        assert [await is_good(older), await is_good(newer)] == [True, True]
        await serve(second)
        assert [await is_good(older), await is_good(newer)] == [False, True]

    bench.write("mcp.yaml", f"{HEAD}serve: {{page_size: 1}}\n{FILE}")
    bench.catalog = catalog_of(bench.load())
    live(bench, work)


def test_each_answer_of_two_hundred_reloads_belongs_to_one_version(tmp_path: Path) -> None:
    """Two tools, changed together, never disagree within one answer of both."""
    bench = Bench(tmp_path)
    versions = 200

    def text(number: int) -> str:
        return HEAD + (
            "tools:\n"
            f"  a: {{description: A {number}., value: {number}}}\n"
            f"  b: {{description: B {number}., value: {number}}}\n"
            "  both: {description: Both., steps: [{tool: a, as: a}, {tool: b, as: b}]}\n"
        )

    catalogs = []
    for number in range(versions + 1):
        bench.write("mcp.yaml", text(number))
        catalogs.append(catalog_of(bench.load()))

    async def work() -> None:
        is_over = False
        seen: list[tuple[object, object]] = []

        async def load() -> None:
            while not is_over:
                await asyncio.sleep(0)
                result = await bench.ask("tools/call", {"name": "both"})
                both = result["structuredContent"]
                assert isinstance(both, dict)
                seen.append((both["a"], both["b"]))
                listed = (await bench.ask("tools/list"))["tools"]
                assert isinstance(listed, list)
                words = {tool["description"].split()[1] for tool in listed[:2]}
                assert len(words) == 1

        await bench.live.begin(catalogs[0])
        loading = [asyncio.create_task(load()) for _ in range(4)]
        for catalog in catalogs[1:]:
            await bench.live.begin(catalog)
        is_over = True
        await asyncio.gather(*loading)
        assert [pair for pair in seen if pair[0] != pair[1]] == []
        assert len({pair[0] for pair in seen}) > versions / 4

    async def main() -> None:
        await work()
        await bench.live.end()

    asyncio.run(main())
