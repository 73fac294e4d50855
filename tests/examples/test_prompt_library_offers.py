"""The prompt library: prompts as resources, and a prompt about one of them."""

import sqlite3

import pytest
from mcp import MCPError
from mcp.types import (
    EmbeddedResource,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from tests.examples.entries import ARTICLE, COLD_EMAIL, NO_ENTRY, SAMS_EMAIL
from tests.examples.talking import Talk

TEMPLATE = ResourceTemplateReference(uri="prompt://{id}")
IMPROVE = PromptReference(name="improve_prompt")


def text_of(database: sqlite3.Connection, entry: str) -> str:
    row = database.execute("SELECT text FROM prompts WHERE id = ?", [entry]).fetchone()
    return str(row[0])


def test_prompt_is_read_by_its_id(demo: Talk, database: sqlite3.Connection) -> None:
    text = text_of(database, COLD_EMAIL)
    uri = f"prompt://{COLD_EMAIL}"
    assert demo.read(uri) == [TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]


@pytest.mark.parametrize("entry", [SAMS_EMAIL, ARTICLE, NO_ENTRY, "nothing"])
def test_what_is_not_ones_own_or_has_no_text_is_unknown(demo: Talk, entry: str) -> None:
    with pytest.raises(MCPError, match="No such resource"):
        demo.read(f"prompt://{entry}")


def test_improving_embeds_the_prompt_and_says_the_goal(
    demo: Talk, database: sqlite3.Connection
) -> None:
    first, second = demo.prompt("improve_prompt", id=COLD_EMAIL, goal="shorter")
    assert isinstance(first.content, EmbeddedResource)
    assert isinstance(first.content.resource, TextResourceContents)
    assert first.content.resource.text == text_of(database, COLD_EMAIL)
    assert isinstance(second.content, TextContent)
    assert second.content.text.startswith("Improve the prompt above; make it shorter.")


@pytest.mark.parametrize("entry", [SAMS_EMAIL, "../x"])
def test_prompts_of_others_cannot_be_improved(demo: Talk, entry: str) -> None:
    with pytest.raises(MCPError, match="No such resource"):
        demo.prompt("improve_prompt", id=entry)


@pytest.mark.parametrize("ref", [TEMPLATE, IMPROVE], ids=["resource", "prompt"])
def test_id_is_found_by_its_beginning_and_by_the_title(
    demo: Talk, ref: PromptReference | ResourceTemplateReference
) -> None:
    assert demo.suggested(ref, "id", COLD_EMAIL[:6]) == [COLD_EMAIL]
    assert demo.suggested(ref, "id", "cold EMAIL") == [COLD_EMAIL]
    assert demo.suggested(ref, "id", SAMS_EMAIL) == []


def test_goals_are_suggested(demo: Talk) -> None:
    assert demo.suggested(IMPROVE, "goal", "s") == ["shorter"]


def test_each_user_is_suggested_their_own(sam: Talk) -> None:
    assert sam.suggested(TEMPLATE, "id", SAMS_EMAIL) == [SAMS_EMAIL]
    assert sam.suggested(TEMPLATE, "id", COLD_EMAIL) == []
