"""Values that a query allows, while the server runs: listed, told, completed, offered in forms."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from runner.app import catalog_of
from runner.codec.json import encode
from tests.offers.test_live import Bench, Stream, live
from tests.offers.whole import HEAD
from tests.wire.client import PREFIX, modern_headers, modern_message
from tests.wire.http_client import Connection, run
from tests.wire.recording import MODERN_SCHEMA
from tests.wire.recording import check as check_message

ASKS: Mapping[str, object] = {f"{PREFIX}clientCapabilities": {"elicitation": {"form": {}}}}
FILE = """databases: {shop: {url: "sqlite:///shop.db"}}
tools:
  find:
    description: Finds one.
    input: {kind: {type: string, enum_from: {sql: SELECT name FROM kinds, refresh: 1ms}}}
    sql: SELECT name FROM kinds WHERE name = :kind
    result: {shape: value}
  asked:
    description: Asks for one.
    ask: kind
    input: {kind: {type: string, enum_from: {sql: SELECT name FROM kinds}}}
    value: $kind
  report:
    description: Finds one by a step.
    input: {wanted: string}
    steps: [{tool: find, with: {kind: $wanted}, as: found}]
resources:
  kind:
    uri: "kinds://{kind}"
    input: {kind: {type: string, enum_from: {sql: SELECT name FROM kinds ORDER BY name}}}
    sql: SELECT name FROM kinds WHERE name = :kind
    result: {shape: value}
"""


def write(folder: Path, *statements: str) -> None:
    """Changes the database beside the server."""
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    write(tmp_path, "CREATE TABLE kinds (name TEXT)", "INSERT INTO kinds VALUES ('jute')")
    bench = Bench(tmp_path)
    bench.write("mcp.yaml", HEAD + FILE)
    bench.catalog = catalog_of(bench.load())
    return bench


async def listed(bench: Bench) -> object:
    """The values that the list of tools names."""
    result = await bench.ask("tools/list")
    assert isinstance(result["tools"], list)
    return result["tools"][0]["inputSchema"]["properties"]["kind"]["enum"]


def test_new_value_is_listed_and_who_listens_is_told(bench: Bench) -> None:
    async def work() -> None:
        stream = Stream(bench, toolsListChanged=True)
        await stream.have(1)
        assert await listed(bench) == ["jute"]
        write(bench.folder, "INSERT INTO kinds VALUES ('wool')")
        told = await stream.have(2)
        assert told[1]["method"] == "notifications/tools/list_changed"
        assert await listed(bench) == ["jute", "wool"]

    live(bench, work)


def test_values_that_stay_the_same_change_nothing(bench: Bench) -> None:
    """However often they are read."""

    async def work() -> None:
        await bench.ask("tools/call", {"name": "find", "arguments": {"kind": "jute"}})
        served = bench.apps[0].serving
        bench.live.follow_allowed()
        await bench.ask("tools/call", {"name": "find", "arguments": {"kind": "jute"}})
        bench.live.follow_allowed()
        assert bench.apps[0].serving is served

    live(bench, work)


def test_step_and_resource_are_held_to_the_values_too(bench: Bench) -> None:
    async def work() -> None:
        good = await bench.ask("tools/call", {"name": "report", "arguments": {"wanted": "jute"}})
        assert good["structuredContent"] == {"found": "jute"}
        bad = await bench.ask("tools/call", {"name": "report", "arguments": {"wanted": "silk"}})
        assert bad["isError"] is True
        read = await bench.ask("resources/read", {"uri": "kinds://jute"})
        assert read["contents"] == [
            {"uri": "kinds://jute", "mimeType": "text/plain", "text": "jute"}
        ]

    live(bench, work)


def test_variable_is_completed_from_its_values(bench: Bench) -> None:
    write(bench.folder, "INSERT INTO kinds VALUES ('wool'), ('worsted'), ('Wood')")

    async def work() -> None:
        result = await bench.ask(
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "kinds://{kind}"},
                "argument": {"name": "kind", "value": "wo"},
            },
        )
        assert result["completion"] == {
            "values": ["wool", "worsted", "Wood"],
            "total": 3,
            "hasMore": False,
        }

    live(bench, work)


def test_form_offers_the_values(bench: Bench) -> None:
    asked = bench.catalog.tools["asked"].ask
    assert asked is not None
    assert asked.properties == {"kind": {"type": "string"}}

    async def work() -> None:
        message = modern_message("tools/call", {"name": "asked"}, meta=ASKS)
        response = await run(bench.apps[0], Connection([encode(message)]), modern_headers(message))
        [answer] = response.messages
        check_message(answer, MODERN_SCHEMA, "tools/call")
        [question] = answer["result"]["inputRequests"].values()  # type: ignore[index]  # an object
        assert question["params"]["requestedSchema"] == {
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": ["jute"]}},
            "required": ["kind"],
        }

    live(bench, work)


def test_reload_reads_the_values_anew(bench: Bench) -> None:
    async def work() -> None:
        bench.write("mcp.yaml", HEAD + FILE.replace("refresh: 1ms", "refresh: 1h"))
        await bench.reloaded()
        write(bench.folder, "INSERT INTO kinds VALUES ('wool')")
        assert await listed(bench) == ["jute"]
        bench.write("mcp.yaml", HEAD + FILE.replace("refresh: 1ms", "refresh: 2h"))
        await bench.reloaded()
        assert await listed(bench) == ["jute", "wool"]

    live(bench, work)
