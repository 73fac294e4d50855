"""The prompt library: each user sees and changes only what is their own."""

import pytest

from tests.examples.entries import (
    COLD_EMAIL,
    EMAIL,
    NEWSLETTER,
    SAMS_CHAIN,
    SAMS_DRAFTS,
    SAMS_EMAIL,
    SAMS_SKILL,
    WRITING,
    ids_of,
)
from tests.examples.talking import Row, Talk

PROMPT: Row = {"title": "T", "text": "x", "model": "claude-opus", "category_id": WRITING}
STEPS = [{"text": "First."}, {"text": "Second."}]


def own_subcategories(user: Talk) -> list[object]:
    """The ids of the sub-categories that are the user's own."""
    found: list[object] = []
    for row in user.rows("list_categories"):
        assert isinstance(row["subcategories"], list)
        found += [item["id"] for item in row["subcategories"] if item["own"]]
    return found


def test_own_subcategories_are_seen_by_their_owner_alone(demo: Talk, sam: Talk) -> None:
    backend = "0d1083f7-61ed-5edb-bc30-7d7e1859f939"
    assert (own_subcategories(demo), own_subcategories(sam)) == (
        [NEWSLETTER, backend],
        [SAMS_DRAFTS],
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("get_prompt", {"id": SAMS_EMAIL}, f"No prompt has the id {SAMS_EMAIL}."),
        ("get_prompt_chain", {"id": SAMS_CHAIN}, f"No chain has the id {SAMS_CHAIN}."),
        ("get_skill", {"id": SAMS_SKILL}, f"No skill has the id {SAMS_SKILL}."),
        ("update_prompt", {"id": SAMS_EMAIL, "title": "x"}, f"No prompt has the id {SAMS_EMAIL}."),
        (
            "set_prompt_chain",
            {"prompt_id": SAMS_CHAIN, "steps": STEPS},
            f"No prompt has the id {SAMS_CHAIN}.",
        ),
        ("delete_prompt", {"id": SAMS_EMAIL}, f"No prompt has the id {SAMS_EMAIL}."),
    ],
)
def test_entry_of_another_user_is_not_found_even_if_published(
    demo: Talk, sam: Talk, *, tool: str, arguments: Row, told: str
) -> None:
    ids = [SAMS_EMAIL, SAMS_CHAIN, SAMS_SKILL]
    before = sam.rows("get_prompts", ids=ids)
    assert len(before) == len(ids)
    assert before[0]["visibility"] == "published"
    assert demo.refusal(tool, **arguments) == told
    assert sam.rows("get_prompts", ids=ids) == before


def test_lists_and_searches_hold_own_entries_alone(demo: Talk, sam: Talk) -> None:
    assert demo.rows("get_prompts", ids=[SAMS_EMAIL, COLD_EMAIL])[0]["id"] == COLD_EMAIL
    assert len(demo.rows("get_prompts", ids=[SAMS_EMAIL, COLD_EMAIL])) == 1
    assert ids_of(demo.rows("search_prompts", query="cold email")) == [COLD_EMAIL]
    assert ids_of(sam.rows("search_prompts", query="cold email")) == [SAMS_EMAIL]
    shared = set(ids_of(sam.rows("list_my_prompts", limit=100)))
    assert shared == {SAMS_EMAIL, SAMS_CHAIN, "e1e218bc-0679-5a94-b715-fdb058c2467d"}
    assert shared.isdisjoint(ids_of(demo.rows("list_my_prompts", limit=100)))
    assert ids_of(sam.rows("list_my_skills")) == [SAMS_SKILL]


def test_published_entry_stays_with_its_owner(demo: Talk, sam: Talk) -> None:
    made = demo.give("create_prompt", **PROMPT, visibility="published")
    assert sam.refusal("get_prompt", id=made["id"]) == f"No prompt has the id {made['id']}."


def test_subcategory_of_another_user_is_refused(demo: Talk, sam: Talk) -> None:
    told = demo.refusal("create_prompt", **PROMPT, subcategory_id=SAMS_DRAFTS)
    assert told == f"The category has no sub-category with the id {SAMS_DRAFTS}."
    told = demo.refusal("update_prompt", id=COLD_EMAIL, subcategory_id=SAMS_DRAFTS)
    assert told == (
        "The category of the entry has no such sub-category; "
        "give one of it as subcategory_id, or null."
    )
    assert demo.give("get_prompt", id=COLD_EMAIL)["subcategory_id"] == EMAIL
    made = sam.give("create_prompt", **PROMPT, subcategory_id=SAMS_DRAFTS)
    assert sam.give("get_prompt", id=made["id"])["subcategory_id"] == SAMS_DRAFTS


@pytest.mark.parametrize("name", ["owner", "owner_id", "caller", "user_id"])
def test_owner_cannot_be_sent(demo: Talk, name: str) -> None:
    told = demo.refusal("list_my_skills", **{name: "sam"})
    assert told.startswith(f"{name}: unknown argument, expected 'query'")
