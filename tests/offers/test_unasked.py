"""What an older client over stdio is told unasked, while what is served changes."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from runner.app import Checked, catalog_of, check, state_keys
from runner.catalog.caller import ANONYMOUS
from runner.catalog.catalog import Catalog
from runner.live import Live, Project, Protocols
from runner.transport.stdio import Stdio
from tests.offers.test_stdio_questions import Client
from tests.offers.whole import HEAD
from tests.requirements import requirement
from tests.wire.client import legacy_message, modern_message, opening_params
from tests.wire.http_client import LIMIT_S

Message = dict[str, object]
TOOLS = "tools: {{version: {{description: 'Says {0}.', value: {0}}}}}\n"
RESOURCES = """resources:
  page: {uri: "docs://page", file: page.txt}
  text: {uri: "docs://text", text: Hello.}
"""
INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TOOLS_CHANGED: Message = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Bench(Client):
    """The older client of a project in a folder, which the test changes."""

    def __init__(self, folder: Path, *, follows: bool = True) -> None:
        super().__init__()
        self.folder = folder
        self.write("mcp.yaml", HEAD + TOOLS.format("one") + RESOURCES)
        self.write("page.txt", "one")
        checked = self.load()
        project = Project(self.load, checked.inputs, follows=follows)
        self.live = Live(project, state_keys(catalog_of(checked)), self.take, keeps_session=True)
        self.stdio: Stdio | None = None

    def load(self) -> Checked:
        """The project as it is now."""
        return check(self.folder / "mcp.yaml", {}, connects=True)

    def take(self, _catalog: Catalog, protocols: Protocols) -> None:
        """Serves something else."""
        [protocol] = protocols.values()
        if self.stdio is None:
            self.stdio = Stdio(
                protocol, ANONYMOUS, reader=self, writer=self, max_line_bytes=4096, drain_s=LIMIT_S
            )
        else:
            self.stdio.take(protocol, ANONYMOUS, max_line_bytes=4096)

    def write(self, name: str, text: str) -> None:
        """Puts another file in the place of the old one."""
        (self.folder / ".new").write_text(text, encoding="utf-8")
        (self.folder / ".new").replace(self.folder / name)

    async def reload(self, text: str) -> None:
        """Serves the file with other tools and resources."""
        self.write("mcp.yaml", HEAD + text)
        await self.live.begin(catalog_of(await asyncio.to_thread(self.load)))

    async def ask(self, method: str, params: Message | None = None) -> Message:
        """The answer to a request, which comes before anything else."""
        self.send(legacy_message(method, params, id_=method))
        answer = await self.receive()
        assert answer["id"] == method
        return answer

    async def begin(self) -> object:
        """Initializes, and is ready; the capabilities of the server."""
        result = (await self.ask("initialize", opening_params("2025-06-18")))["result"]
        assert isinstance(result, dict)
        self.send(INITIALIZED)
        await self.ask("ping")
        return result["capabilities"]


Talk = Callable[[Bench], Coroutine[object, object, None]]


def talk(bench: Bench, work: Talk) -> None:
    """Runs a conversation."""

    async def main() -> None:
        await bench.live.begin(catalog_of(await asyncio.to_thread(bench.load)))
        assert bench.stdio is not None
        serving = asyncio.create_task(bench.stdio.serve(asyncio.Event()))
        try:
            await work(bench)
        finally:
            bench.end()
            async with asyncio.timeout(LIMIT_S):
                await serving
            await bench.live.end()

    asyncio.run(main())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@requirement("P-171")
def test_changes_are_claimed_where_they_can_be_told(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        assert await client.begin() == {
            "tools": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "logging": {},
        }

    talk(bench, work)


def test_server_that_follows_no_changes_claims_none(tmp_path: Path) -> None:
    async def work(client: Bench) -> None:
        assert await client.begin() == {"tools": {}, "resources": {}, "logging": {}}
        answer = await client.ask("resources/subscribe", {"uri": "docs://page"})
        message = "No method is named 'resources/subscribe'"
        assert answer["error"] == {"code": -32601, "message": message}
        await client.reload(TOOLS.format("two") + RESOURCES)
        assert "result" in await client.ask("ping")

    talk(Bench(tmp_path, follows=False), work)


def test_list_that_changed_is_told_once_the_client_is_ready(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        await client.ask("initialize", opening_params("2025-06-18"))
        await client.reload(TOOLS.format("two") + RESOURCES)
        assert "result" in await client.ask("ping"), "nothing was told before it was ready"
        client.send(INITIALIZED)
        await client.ask("ping")
        await client.reload(TOOLS.format("three") + RESOURCES)
        assert await client.receive() == TOOLS_CHANGED
        await client.reload(TOOLS.format("three") + RESOURCES)
        assert "result" in await client.ask("ping"), "the lists are what they were"

    talk(bench, work)


def test_client_that_begins_again_is_told_once(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        await client.begin()
        await client.begin()
        await client.reload(TOOLS.format("two") + RESOURCES)
        assert await client.receive() == TOOLS_CHANGED
        assert "result" in await client.ask("ping")

    talk(bench, work)


def test_what_the_client_settled_outlives_a_reload(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        await client.begin()
        await client.ask("resources/subscribe", {"uri": "docs://page"})
        await client.reload(
            TOOLS.format("one")
            + RESOURCES
            + "prompts: {hi: {description: Greets., template: Hi.}}\n"
        )
        assert "result" in await client.ask("prompts/list"), "the version is known"
        await client.live.look_at_resources()
        client.write("page.txt", "two, longer")
        await client.live.look_at_resources()
        assert (await client.receive())["method"] == "notifications/resources/updated"

    talk(bench, work)


def test_subscribed_resource_is_told_until_it_is_unsubscribed(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        await client.begin()
        assert (await client.ask("resources/subscribe", {"uri": "docs://page"}))["result"] == {}
        await client.live.look_at_resources()
        client.write("page.txt", "two, longer")
        await client.live.look_at_resources()
        assert await client.receive() == {
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": {"uri": "docs://page"},
        }
        assert (await client.ask("resources/unsubscribe", {"uri": "docs://page"}))["result"] == {}
        client.write("page.txt", "three, longer still")
        await client.live.look_at_resources()
        assert "result" in await client.ask("ping")

    talk(bench, work)


def test_end_of_one_subscription_leaves_the_others(bench: Bench) -> None:
    other = "  other: {uri: 'docs://other', file: other.txt}\n"
    bench.write("mcp.yaml", HEAD + TOOLS.format("one") + RESOURCES + other)
    bench.write("other.txt", "one")

    async def work(client: Bench) -> None:
        await client.begin()
        for uri in ("docs://page", "docs://other"):
            await client.ask("resources/subscribe", {"uri": uri})
        await client.live.look_at_resources()
        await client.ask("resources/unsubscribe", {"uri": "docs://page"})
        for name in ("page.txt", "other.txt"):
            client.write(name, "two, longer")
        await client.live.look_at_resources()
        assert (await client.receive())["params"] == {"uri": "docs://other"}
        assert "result" in await client.ask("ping")

    talk(bench, work)


def test_subscription_that_comes_after_a_look_is_looked_at_too(bench: Bench) -> None:
    """The files of all streams are known between two looks; another subscription is no stream."""

    async def work(client: Bench) -> None:
        await client.begin()
        await client.live.look_at_resources()
        await client.ask("resources/subscribe", {"uri": "docs://page"})
        await client.live.look_at_resources()
        client.write("page.txt", "two, longer")
        await client.live.look_at_resources()
        assert (await client.receive())["method"] == "notifications/resources/updated"

    talk(bench, work)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        (
            {"uri": "docs://nothing"},
            {"code": -32002, "message": "No such resource", "data": {"uri": "docs://nothing"}},
        ),
        (
            {"uri": "docs://text"},
            {
                "code": -32602,
                "message": "Changes of this resource are not seen: it is no file",
            },
        ),
        (
            {},
            {"code": -32602, "message": "params.uri is a string: the URI of a resource"},
        ),
    ],
    ids=["unknown", "no file", "no URI"],
)
def test_subscription_that_could_tell_nothing_is_refused(
    bench: Bench, params: Message, error: Message
) -> None:
    async def work(client: Bench) -> None:
        await client.begin()
        assert (await client.ask("resources/subscribe", params))["error"] == error

    talk(bench, work)


def test_number_of_subscriptions_is_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.protocol.unasked.MAX_URIS", 1)
    bench.write("mcp.yaml", HEAD + RESOURCES + "  other: {uri: 'docs://other', file: page.txt}\n")

    async def work(client: Bench) -> None:
        await client.begin()
        for uri in ("docs://page", "docs://page"):
            assert "result" in await client.ask("resources/subscribe", {"uri": uri})
        answer = await client.ask("resources/subscribe", {"uri": "docs://other"})
        message = "At most 1 resources can be subscribed to"
        assert answer["error"] == {"code": -32602, "message": message}

    talk(bench, work)


def test_modern_client_has_no_use_of_these_methods(bench: Bench) -> None:
    async def work(client: Bench) -> None:
        client.send(modern_message("resources/subscribe", {"uri": "docs://page"}))
        message = "No method is named 'resources/subscribe'"
        assert (await client.receive())["error"] == {"code": -32601, "message": message}

    talk(bench, work)
