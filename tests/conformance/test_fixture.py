"""The fixture of the official suite is right by our own checks, and says what it is asked."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.app import check
from tests.offers.whole import Whole, serve_file

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("conformance") / "fixture"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py[co]", "test_*"))
    with serve_file(folder / "mcp.yaml") as served:
        yield served


def test_fixture_has_no_fault() -> None:
    assert check(FOLDER / "mcp.yaml", {}).diagnostics == ()


def test_schema_of_an_author_is_listed_untouched(whole: Whole) -> None:
    tools = whole.result("tools/list")["tools"]
    assert isinstance(tools, list)
    [schema] = [t["inputSchema"] for t in tools if t["name"] == "json_schema_2020_12_tool"]
    assert list(schema) == [
        "$schema", "type", "$defs", "properties", "allOf", "if", "then", "else",
        "additionalProperties",
    ]  # fmt: skip
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert schema["properties"]["address"] == {"$ref": "#/$defs/address"}


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("test_simple_text", ["text"]),
        ("test_image_content", ["image"]),
        ("test_audio_content", ["audio"]),
        ("test_embedded_resource", ["resource"]),
        ("test_multiple_content_types", ["text", "image", "resource"]),
    ],
)
def test_content_is_of_the_kinds_that_are_asked_for(
    whole: Whole, tool: str, kinds: list[str]
) -> None:
    content = whole.result("tools/call", {"name": tool})["content"]
    assert isinstance(content, list)
    assert [block["type"] for block in content] == kinds


def test_prompt_embeds_the_uri_that_the_client_sent(whole: Whole) -> None:
    arguments = {"resourceUri": "test://whatever"}
    params = {"name": "test_prompt_with_embedded_resource", "arguments": arguments}
    messages = whole.result("prompts/get", params)["messages"]
    assert isinstance(messages, list)
    assert messages[0]["content"]["resource"] == {
        "uri": "test://whatever",
        "mimeType": "text/plain",
        "text": "Embedded resource content.",
    }


def test_change_of_a_tool_is_written_to_the_file_that_the_fixture_includes(whole: Whole) -> None:
    for tool in ("test_trigger_tool_change", "test_trigger_prompt_change"):
        content = whole.result("tools/call", {"name": tool})["content"]
        assert content == [{"type": "text", "text": "changed"}]
