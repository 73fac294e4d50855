"""The prompt library: its tools as they are listed, and those that read."""

import sqlite3

import pytest

from tests.examples.entries import (
    ARTICLE,
    CODE,
    COLD_EMAIL,
    EMAIL,
    FOLLOW_UP,
    INCIDENT_WRITER,
    NEWSLETTER,
    NO_ENTRY,
    TESTING,
    WRITING,
    found,
    ids_of,
)
from tests.examples.talking import Talk, texts

TOOLS = {
    "list_categories": "",
    "search_prompts": "query* category_id subcategory_id visibility content_type limit",
    "list_my_prompts": "query category_id subcategory_id labels visibility content_type "
    "include_text limit offset",
    "get_prompt": "id*",
    "get_prompts": "ids*",
    "get_prompt_chain": "id*",
    "list_my_skills": "query category_id subcategory_id labels visibility include_text "
    "limit offset",
    "get_skill": "id*",
    "create_prompt": "title* content_type text steps skill_description when_to_use category_id* "
    "subcategory_id model* visibility labels",
    "update_prompt": "id* title content_type text steps skill_description when_to_use "
    "category_id subcategory_id model visibility labels",
    "set_prompt_chain": "prompt_id* steps*",
    "delete_prompt": "id*",
}
WRITING_TOOLS = {
    "create_prompt": (False, False),
    "update_prompt": (False, True),
    "set_prompt_chain": (False, True),
    "delete_prompt": (True, False),
}
"""Whether it destroys, whether it may be repeated."""
A_UUID = "a UUID such as 3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f"


def test_the_twelve_tools_take_what_they_promise(demo: Talk) -> None:
    listed = {}
    for name, tool in demo.tools().items():
        required = tool.input_schema.get("required", [])
        marked = (key + "*" * (key in required) for key in tool.input_schema["properties"])
        listed[name] = " ".join(marked)
    assert listed == TOOLS


def test_annotations_say_which_tools_write_and_which_destroy(demo: Talk) -> None:
    for name, tool in demo.tools().items():
        hints = tool.annotations
        assert hints is not None
        assert hints.open_world_hint is False
        assert hints.read_only_hint is (name not in WRITING_TOOLS)
        if name in WRITING_TOOLS:
            assert (hints.destructive_hint, hints.idempotent_hint) == WRITING_TOOLS[name]


def test_every_tool_lists_a_title_a_description_and_an_object_as_output(demo: Talk) -> None:
    for tool in demo.tools().values():
        assert tool.title
        assert tool.description
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        for parameter in tool.input_schema["properties"].values():
            assert parameter["description"]


def test_categories_are_a_tree_with_own_subcategories_last(demo: Talk) -> None:
    rows = demo.rows("list_categories")
    assert [row["name"] for row in rows] == [
        "Writing", "Code", "Analysis", "Marketing", "Learning", "Operations",
    ]  # fmt: skip
    assert rows[0] == {
        "id": WRITING,
        "name": "Writing",
        "description": "Texts for people: mails, posts, pages.",
        "subcategories": [
            {"id": EMAIL, "name": "Email", "own": False},
            {"id": "d9e46026-7f92-5b67-bad3-fed5332b3026", "name": "Blog posts", "own": False},
            {"id": "5ca72a8c-3fa5-53de-94c4-edee3007a7bc", "name": "Social media", "own": False},
            {"id": NEWSLETTER, "name": "Newsletter", "own": True},
        ],
    }


def test_search_gives_ids_and_the_piece_that_matched(demo: Talk) -> None:
    assert demo.give("search_prompts", query="cold email") == {
        "rows": [
            {
                "id": COLD_EMAIL,
                "title": "Cold email to a first customer",
                "content_type": "single",
                "visibility": "published",
                "category": "Writing",
                "snippet": "Write a **cold** **email** to {{name}}, {{role}} at {{company}}. "
                "One sentence on what they did lately … ",
            }
        ],
        "truncated": False,
    }


def test_search_ranks_titles_before_texts(demo: Talk) -> None:
    titles = [row["title"] for row in demo.rows("search_prompts", query="review")]
    assert titles == ["SQL reviewer", "Review a pull request", "Incident writer"]


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({"content_type": "skill"}, ["SQL reviewer", "Incident writer"]),
        ({"visibility": "published"}, ["Review a pull request", "Incident writer"]),
        ({"category_id": CODE}, ["Review a pull request"]),
        ({"subcategory_id": TESTING}, []),
        ({"category_id": CODE, "content_type": "skill"}, []),
    ],
)
def test_search_is_narrowed_by_each_filter(
    demo: Talk, filters: dict[str, str], titles: list[str]
) -> None:
    rows = demo.rows("search_prompts", query="review", **filters)
    assert [row["title"] for row in rows] == titles


@pytest.mark.parametrize(
    "query",
    ["AND OR (", '"', "title:cold", "cold NOT email*^", "überall", "'; DROP TABLE prompts; --"],
)
def test_search_takes_words_and_no_query_language(demo: Talk, query: str) -> None:
    assert demo.give("search_prompts", query=query) == {"rows": [], "truncated": False}


def test_search_says_whether_there_are_more_hits(demo: Talk) -> None:
    every = demo.give("search_prompts", query="write", limit=50)
    rows = every["rows"]
    assert isinstance(rows, list)
    count = len(rows)
    assert demo.give("search_prompts", query="write", limit=count) == every
    fewer = demo.give("search_prompts", query="write", limit=count - 1)
    assert (every["truncated"], fewer) == (False, {"rows": rows[:-1], "truncated": True})


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "query: required, but missing"),
        ({"query": ""}, "query: expected at least 1 character, found 0 characters"),
        ({"query": "x", "limit": 0}, "limit: expected at least 1, found 0"),
        ({"query": "x", "limit": 51}, "limit: expected at most 50, found 51"),
        ({"query": "x", "category_id": "no"}, f"category_id: expected {A_UUID}, found 'no'"),
        (
            {"query": "x", "visibility": "public"},
            "visibility: expected 'private' or 'published', found 'public'",
        ),
        (
            {"query": "x", "owner": "sam"},
            "owner: unknown argument, expected 'query', 'category_id', 'subcategory_id', "
            "'visibility', 'content_type' or 'limit'",
        ),
    ],
)
def test_search_refuses_what_it_does_not_take(
    demo: Talk, arguments: dict[str, object], told: str
) -> None:
    assert demo.refusal("search_prompts", **arguments) == told


@pytest.mark.parametrize(
    ("tool", "kinds"), [("list_my_prompts", "<> 'skill'"), ("list_my_skills", "= 'skill'")]
)
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_pages_by_offset_give_each_entry_once_in_order(
    demo: Talk, database: sqlite3.Connection, tool: str, kinds: str, size: int
) -> None:
    seen: list[object] = []
    goes_on = True
    while goes_on:
        page = demo.give(tool, limit=size, offset=len(seen))
        assert isinstance(page["rows"], list)
        seen += ids_of(page["rows"])
        goes_on = page["truncated"] is True
    assert seen == found(database, f"content_type {kinds}")
    assert demo.give(tool, offset=len(seen)) == {"rows": [], "truncated": False}


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        ({"query": "EMAIL"}, "title LIKE '%email%'"),
        ({"query": "%"}, "0"),
        ({"query": "_"}, "0"),
        ({"category_id": WRITING}, f"category_id = '{WRITING}'"),
        ({"subcategory_id": EMAIL}, f"subcategory_id = '{EMAIL}'"),
        (
            {"labels": ["email"]},
            "id IN (SELECT prompt_id FROM labels WHERE label = 'email')",
        ),
        (
            {"labels": ["email", "sql", "none"]},
            "id IN (SELECT prompt_id FROM labels WHERE label IN ('email', 'sql'))",
        ),
        ({"labels": ["none"]}, "0"),
        ({"visibility": "published"}, "visibility = 'published'"),
        ({"visibility": "private", "query": "a"}, "visibility = 'private' AND title LIKE '%a%'"),
    ],
)
@pytest.mark.parametrize(
    ("tool", "kinds"), [("list_my_prompts", "<> 'skill'"), ("list_my_skills", "= 'skill'")]
)
def test_listing_is_narrowed_by_each_filter(
    demo: Talk,
    database: sqlite3.Connection,
    *,
    tool: str,
    kinds: str,
    arguments: dict[str, object],
    condition: str,
) -> None:
    rows = demo.rows(tool, limit=100, **arguments)
    assert ids_of(rows) == found(database, f"content_type {kinds} AND {condition}")


@pytest.mark.parametrize("kind", ["single", "chain"])
def test_prompts_are_listed_by_kind(demo: Talk, database: sqlite3.Connection, kind: str) -> None:
    rows = demo.rows("list_my_prompts", content_type=kind, limit=100)
    assert ids_of(rows) == found(database, f"content_type = '{kind}'")


def test_listed_entry_has_its_text_only_on_request(demo: Talk) -> None:
    narrow = {"query": "Follow-up"}
    text = demo.give("get_prompt", id=FOLLOW_UP)["text"]
    entry = {
        "id": FOLLOW_UP,
        "title": "Follow-up after no answer",
        "content_type": "single",
        "visibility": "private",
        "category_id": WRITING,
        "subcategory_id": EMAIL,
        "model": None,
        "text": None,
        "labels": ["email", "sales"],
        "updated_at": "2026-01-02T09:01:00Z",
    }
    assert demo.rows("list_my_prompts", **narrow) == [entry]
    assert demo.rows("list_my_prompts", include_text=True, **narrow) == [{**entry, "text": text}]


def test_listed_skill_has_its_instructions_only_on_request(demo: Talk) -> None:
    instructions = demo.give("get_skill", id=INCIDENT_WRITER)["instructions"]
    without = demo.rows("list_my_skills", query="incident")
    with_text = demo.rows("list_my_skills", query="incident", include_text=True)
    assert [row["text"] for row in (*without, *with_text)] == [None, instructions]


@pytest.mark.parametrize("tool", ["list_my_prompts", "list_my_skills"])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"limit": 0}, "limit: expected at least 1, found 0"),
        ({"limit": 101}, "limit: expected at most 100, found 101"),
        ({"offset": -1}, "offset: expected at least 0, found -1"),
        ({"labels": []}, "labels: expected at least 1 element, found 0 elements"),
        ({"labels": ["a"] * 9}, "labels: expected at most 8 elements, found 9 elements"),
    ],
)
def test_listing_refuses_what_it_does_not_take(
    demo: Talk, tool: str, arguments: dict[str, object], told: str
) -> None:
    assert demo.refusal(tool, **arguments) == told


def test_entry_comes_whole(demo: Talk) -> None:
    entry = demo.give("get_prompt", id=COLD_EMAIL)
    assert str(entry.pop("text")).startswith("Write a cold email to {{name}}")
    assert entry == {
        "id": COLD_EMAIL,
        "title": "Cold email to a first customer",
        "content_type": "single",
        "skill_description": None,
        "when_to_use": None,
        "category_id": WRITING,
        "subcategory_id": EMAIL,
        "model": "claude-opus",
        "visibility": "published",
        "labels": ["email", "sales"],
        "created_at": "2026-01-01T09:00:00Z",
        "updated_at": "2026-01-01T09:00:00Z",
    }


def test_several_entries_come_at_once_and_unknown_ids_are_left_out(demo: Talk) -> None:
    ids = [FOLLOW_UP, NO_ENTRY, INCIDENT_WRITER, COLD_EMAIL, FOLLOW_UP]
    rows = demo.rows("get_prompts", ids=ids)
    assert ids_of(rows) == [COLD_EMAIL, FOLLOW_UP, INCIDENT_WRITER]
    whole = demo.give("get_prompt", id=COLD_EMAIL)
    del whole["created_at"]
    assert rows[0] == whole


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ([], "ids: expected at least 1 element, found 0 elements"),
        ([NO_ENTRY] * 21, "ids: expected at most 20 elements, found 21 elements"),
        ([NO_ENTRY, "x"], f"ids[1]: expected {A_UUID}, found 'x'"),
    ],
    ids=["none", "21", "no id"],
)
def test_several_entries_are_at_least_one_and_at_most_twenty(
    demo: Talk, ids: list[str], told: str
) -> None:
    assert demo.refusal("get_prompts", ids=ids) == told
    assert demo.rows("get_prompts", ids=[NO_ENTRY] * 20) == []


def test_chain_comes_with_its_steps_in_order(demo: Talk) -> None:
    chain = demo.give("get_prompt_chain", id=ARTICLE)
    steps = chain.pop("steps")
    assert isinstance(steps, list)
    assert [(step["position"], step["title"]) for step in steps] == [
        (1, "Angle"), (2, "Outline"), (3, "Draft"), (4, "Edit"),
    ]  # fmt: skip
    assert steps[1]["text"].startswith("Outline the article for the recommended angle")
    assert chain == {
        "id": ARTICLE,
        "title": "Article from an idea",
        "text": None,
        "model": "claude-opus",
        "visibility": "private",
        "category_id": WRITING,
        "subcategory_id": "d9e46026-7f92-5b67-bad3-fed5332b3026",
    }


def test_skill_comes_with_its_instructions(demo: Talk) -> None:
    skill = demo.give("get_skill", id=INCIDENT_WRITER)
    assert str(skill.pop("instructions")).startswith("1. Ask for the timeline")
    assert skill == {
        "id": INCIDENT_WRITER,
        "title": "Incident writer",
        "skill_description": "Writes status updates and reviews of incidents.",
        "when_to_use": "When a service is down or was down and people must be told.",
        "model": None,
        "visibility": "published",
        "category_id": "edffbe72-b063-548d-b280-a22ac98a69d3",
        "subcategory_id": "fda5d4e6-609b-59cd-8273-d48722604b8a",
        "labels": ["incident"],
        "updated_at": "2026-02-02T09:29:00Z",
    }


@pytest.mark.parametrize(
    ("tool", "wrong", "told"),
    [
        ("get_prompt", NO_ENTRY, f"No prompt has the id {NO_ENTRY}."),
        ("get_prompt_chain", NO_ENTRY, f"No chain has the id {NO_ENTRY}."),
        ("get_prompt_chain", COLD_EMAIL, f"No chain has the id {COLD_EMAIL}."),
        ("get_skill", NO_ENTRY, f"No skill has the id {NO_ENTRY}."),
        ("get_skill", ARTICLE, f"No skill has the id {ARTICLE}."),
        ("get_prompt", "x", f"id: expected {A_UUID}, found 'x'"),
    ],
)
def test_unknown_id_is_told_in_words(demo: Talk, tool: str, wrong: str, told: str) -> None:
    assert demo.refusal(tool, id=wrong) == told


def test_cut_listing_tells_so_in_a_text_of_its_own(demo: Talk) -> None:
    result = demo.ask("list_my_prompts", limit=1)
    assert texts(result)[1:] == [
        "Only the first 1 rows are shown; narrow the request to see others."
    ]
