"""The prompt library: the tools that write, what they refuse, and what they leave behind."""

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
    ids_of,
)
from tests.examples.talking import Row, Talk

SINGLE: Row = {"title": "T", "text": "x", "model": "claude-opus", "category_id": WRITING}
STEPS = [{"text": "First.", "title": "One"}, {"text": "Second."}]
CHAIN: Row = {
    "title": "Two steps",
    "content_type": "chain",
    "steps": STEPS,
    "model": "claude-opus",
    "category_id": CODE,
}
SKILL: Row = {
    "title": "A skill",
    "content_type": "skill",
    "text": "1. Read.",
    "skill_description": "Reads.",
    "model": "claude-opus",
    "category_id": CODE,
}
NEEDS_TEXT = "A single prompt needs a text."
NEEDS_STEPS = "A chain needs at least two steps."
NEEDS_BOTH = "A skill needs a skill_description and a text."


def whole(database: sqlite3.Connection) -> str:
    """Everything in the library's tables, and proof that the full-text index agrees with them."""
    database.execute("INSERT INTO prompts_fts (prompts_fts, rank) VALUES ('integrity-check', 1)")
    database.rollback()
    tables = ("categories", "prompts", "steps", "labels")
    return repr([database.execute(f"SELECT * FROM {table}").fetchall() for table in tables])


def test_single_prompt_is_private_unless_said_otherwise(demo: Talk) -> None:
    made = demo.give("create_prompt", **SINGLE)
    entry = demo.give("get_prompt", id=made["id"])
    assert made == {key: entry[key] for key in made}
    assert entry == {
        "id": made["id"],
        "title": "T",
        "content_type": "single",
        "text": "x",
        "skill_description": None,
        "when_to_use": None,
        "category_id": WRITING,
        "subcategory_id": None,
        "model": "claude-opus",
        "visibility": "private",
        "labels": [],
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
    }


def test_what_is_given_is_kept_letter_for_letter(demo: Talk) -> None:
    given: Row = {
        "title": "ü" * 300,
        "text": "'; DROP TABLE prompts; -- :owner {{x}} 😀\n\t\"",
        "subcategory_id": NEWSLETTER,
        "visibility": "published",
        "labels": ["b", "ä"],
    }
    made = demo.give("create_prompt", **{**SINGLE, **given})
    entry = demo.give("get_prompt", id=made["id"])
    assert {key: entry[key] for key in given} == given


def test_chain_is_made_with_its_steps(demo: Talk) -> None:
    made = demo.give("create_prompt", **CHAIN)
    assert made["content_type"] == "chain"
    assert demo.give("get_prompt_chain", id=made["id"])["steps"] == [
        {"position": 1, "title": "One", "text": "First."},
        {"position": 2, "title": None, "text": "Second."},
    ]


def test_chain_takes_25_steps_and_labels_up_to_8(demo: Talk) -> None:
    steps = [{"text": f"Step {number}."} for number in range(1, 26)]
    made = demo.give("create_prompt", **{**CHAIN, "steps": steps, "labels": list("abcdefgh")})
    chain = demo.give("get_prompt_chain", id=made["id"])["steps"]
    assert isinstance(chain, list)
    assert [step["text"] for step in chain] == [step["text"] for step in steps]
    assert demo.give("get_prompt", id=made["id"])["labels"] == list("abcdefgh")


def test_skill_is_made_with_its_description(demo: Talk) -> None:
    made = demo.give("create_prompt", **SKILL, when_to_use="Always.")
    skill = demo.give("get_skill", id=made["id"])
    kept = {key: skill[key] for key in ("skill_description", "when_to_use", "instructions")}
    assert kept == {
        "skill_description": "Reads.",
        "when_to_use": "Always.",
        "instructions": "1. Read.",
    }


REFUSED: list[tuple[Row, Row, str]] = [
    (SINGLE, {"title": ""}, "title: expected at least 1 character, found 0 characters"),
    (
        SINGLE,
        {"title": "x" * 301},
        "title: expected at most 300 characters, found 301 characters",
    ),
    (SINGLE, {"title": None}, "title: required, but missing"),
    (SINGLE, {"model": None}, "model: required, but missing"),
    (SINGLE, {"category_id": None}, "category_id: required, but missing"),
    (SINGLE, {"text": None}, NEEDS_TEXT),
    (SINGLE, {"text": ""}, "text: expected at least 1 character, found 0 characters"),
    (SINGLE, {"steps": STEPS}, "Only a chain has steps."),
    (CHAIN, {"steps": None}, NEEDS_STEPS),
    (CHAIN, {"steps": []}, NEEDS_STEPS),
    (CHAIN, {"steps": STEPS[:1]}, NEEDS_STEPS),
    (CHAIN, {"steps": STEPS * 13}, "steps: expected at most 25 elements, found 26 elements"),
    (CHAIN, {"steps": [*STEPS, {"title": "x"}]}, "steps[2].text: required, but missing"),
    (SKILL, {"text": None}, NEEDS_BOTH),
    (SKILL, {"skill_description": None}, NEEDS_BOTH),
    (
        SINGLE,
        {"labels": list("abcdefghi")},
        "labels: expected at most 8 elements, found 9 elements",
    ),
    (
        SINGLE,
        {"labels": ["a", "a"]},
        "labels: expected each element once, found one that repeats",
    ),
    (
        SINGLE,
        {"visibility": "public"},
        "visibility: expected 'private' or 'published', found 'public'",
    ),
    (SINGLE, {"category_id": NO_ENTRY}, f"No top category has the id {NO_ENTRY}."),
    (SINGLE, {"category_id": EMAIL}, f"No top category has the id {EMAIL}."),
    (
        SINGLE,
        {"subcategory_id": TESTING},
        f"The category has no sub-category with the id {TESTING}.",
    ),
    (SINGLE, {"subcategory_id": NO_ENTRY}, "The category has no sub-category with the id "
     f"{NO_ENTRY}."),
]  # fmt: skip


@pytest.mark.parametrize(("base", "change", "told"), REFUSED)
def test_what_does_not_make_an_entry_is_refused_and_leaves_nothing(
    demo: Talk, database: sqlite3.Connection, *, base: Row, change: Row, told: str
) -> None:
    before = whole(database)
    assert demo.refusal("create_prompt", **{**base, **change}) == told
    assert whole(database) == before


def test_every_wrong_field_is_told_at_once(demo: Talk) -> None:
    told = demo.refusal("create_prompt", title="", labels=["x" * 51], category_id="no")
    assert [line.split(":")[0] for line in told.splitlines()] == [
        "title", "category_id", "model", "labels[0]",
    ]  # fmt: skip


CHANGES: list[Row] = [
    {"title": "New"},
    {"text": "New."},
    {"skill_description": "New."},
    {"when_to_use": "New."},
    {"category_id": CODE, "subcategory_id": TESTING},
    {"category_id": CODE, "subcategory_id": None},
    {"subcategory_id": NEWSLETTER},
    {"subcategory_id": None},
    {"model": "new"},
    {"visibility": "private"},
    {"labels": []},
    {"labels": ["new", "newer"]},
    {"title": "New", "text": "New.", "labels": ["email"], "visibility": "published"},
    {},
]


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_is_given_changes(demo: Talk, change: Row) -> None:
    before = demo.give("get_prompt", id=COLD_EMAIL)
    told = demo.give("update_prompt", id=COLD_EMAIL, **change)
    after = demo.give("get_prompt", id=COLD_EMAIL)
    assert after == {**before, **change, "updated_at": told["updated_at"]}
    assert str(told["updated_at"]) > str(before["updated_at"])
    assert told == {key: after[key] for key in told}


@pytest.mark.parametrize(
    "name", ["title", "text", "when_to_use", "category_id", "model", "visibility", "labels"]
)
def test_null_changes_nothing_but_the_subcategory(demo: Talk, name: str) -> None:
    before = demo.give("get_skill", id=INCIDENT_WRITER)
    demo.give("update_prompt", id=INCIDENT_WRITER, **{name: None})
    after = demo.give("get_skill", id=INCIDENT_WRITER)
    assert {**after, "updated_at": None} == {**before, "updated_at": None}


def test_steps_are_replaced_as_a_whole(demo: Talk) -> None:
    demo.give("update_prompt", id=ARTICLE, steps=STEPS)
    assert demo.give("get_prompt_chain", id=ARTICLE)["steps"] == [
        {"position": 1, "title": "One", "text": "First."},
        {"position": 2, "title": None, "text": "Second."},
    ]


UPDATES_REFUSED: list[tuple[str, Row, str]] = [
    (NO_ENTRY, {"title": "x"}, f"No prompt has the id {NO_ENTRY}."),
    (ARTICLE, {"steps": STEPS[:1]}, NEEDS_STEPS),
    (ARTICLE, {"steps": []}, NEEDS_STEPS),
    (ARTICLE, {"title": "New", "steps": STEPS, "category_id": NO_ENTRY}, "The category or "
     "sub-category does not exist."),
    (ARTICLE, {"steps": STEPS, "labels": ["x"], "content_type": "single"}, "Only a chain has "
     "steps."),
    (ARTICLE, {"content_type": "single"}, NEEDS_TEXT),
    (COLD_EMAIL, {"steps": STEPS}, "Only a chain has steps."),
    (COLD_EMAIL, {"content_type": "chain"}, NEEDS_STEPS),
    (COLD_EMAIL, {"content_type": "skill"}, NEEDS_BOTH),
    (COLD_EMAIL, {"category_id": EMAIL}, f"No top category has the id {EMAIL}."),
    (COLD_EMAIL, {"category_id": CODE}, "The category of the entry has no such sub-category; "
     "give one of it as subcategory_id, or null."),
    (COLD_EMAIL, {"subcategory_id": TESTING}, "The category of the entry has no such "
     "sub-category; give one of it as subcategory_id, or null."),
    (COLD_EMAIL, {"labels": ["a", "a"]}, "labels: expected each element once, found one that "
     "repeats"),
    (COLD_EMAIL, {"title": "x" * 301}, "title: expected at most 300 characters, found 301 "
     "characters"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "change", "told"), UPDATES_REFUSED)
def test_refused_update_leaves_everything_as_it_was(
    demo: Talk, database: sqlite3.Connection, *, entry: str, change: Row, told: str
) -> None:
    before = whole(database)
    assert demo.refusal("update_prompt", id=entry, **change) == told
    assert whole(database) == before


def test_prompt_becomes_a_chain_by_an_update(demo: Talk) -> None:
    demo.give("update_prompt", id=COLD_EMAIL, content_type="chain", steps=STEPS)
    chain = demo.give("get_prompt_chain", id=COLD_EMAIL)["steps"]
    assert isinstance(chain, list)
    assert [step["text"] for step in chain] == ["First.", "Second."]


def test_chain_that_becomes_a_prompt_loses_its_steps(
    demo: Talk, database: sqlite3.Connection
) -> None:
    demo.give("update_prompt", id=ARTICLE, content_type="single", text="Write.")
    count = "SELECT count(*) FROM steps WHERE prompt_id = ?"
    assert database.execute(count, (ARTICLE,)).fetchone() == (0,)
    assert demo.refusal("update_prompt", id=ARTICLE, content_type="chain") == NEEDS_STEPS


@pytest.mark.parametrize("entry", [COLD_EMAIL, ARTICLE, INCIDENT_WRITER])
def test_set_prompt_chain_makes_a_chain_of_new_steps(demo: Talk, entry: str) -> None:
    title = demo.give("get_prompt", id=entry)["title"]
    told = demo.give("set_prompt_chain", prompt_id=entry, steps=STEPS)
    assert told == {"id": entry, "title": title, "content_type": "chain", "step_count": 2}
    assert demo.give("get_prompt_chain", id=entry)["steps"] == [
        {"position": 1, "title": "One", "text": "First."},
        {"position": 2, "title": None, "text": "Second."},
    ]


@pytest.mark.parametrize(
    ("entry", "steps", "told"),
    [
        (ARTICLE, STEPS[:1], "steps: expected at least 2 elements, found 1 element"),
        (ARTICLE, STEPS * 13, "steps: expected at most 25 elements, found 26 elements"),
        (ARTICLE, [{"text": "a"}, {"text": ""}], "steps[1].text: expected at least 1 character, "
         "found 0 characters"),
        (NO_ENTRY, STEPS, f"No prompt has the id {NO_ENTRY}."),
    ],
    ids=["one", "26", "empty text", "no entry"],
)  # fmt: skip
def test_refused_steps_leave_the_old_ones(
    demo: Talk, database: sqlite3.Connection, *, entry: str, steps: list[Row], told: str
) -> None:
    before = whole(database)
    assert demo.refusal("set_prompt_chain", prompt_id=entry, steps=steps) == told
    assert whole(database) == before


def test_deleted_entry_takes_steps_labels_and_search_hits_along(
    demo: Talk, database: sqlite3.Connection
) -> None:
    assert ids_of(demo.rows("search_prompts", query="article idea")) == [ARTICLE]
    told = demo.give("delete_prompt", id=ARTICLE)
    assert told == {"id": ARTICLE, "title": "Article from an idea"}
    assert ARTICLE not in whole(database)
    assert demo.rows("search_prompts", query="article idea") == []
    assert demo.refusal("get_prompt", id=ARTICLE) == f"No prompt has the id {ARTICLE}."
    assert demo.refusal("delete_prompt", id=ARTICLE) == f"No prompt has the id {ARTICLE}."


def test_search_follows_every_change(demo: Talk) -> None:
    made = demo.give("create_prompt", **{**SINGLE, "text": "A quokka hops."})
    assert ids_of(demo.rows("search_prompts", query="quokka")) == [made["id"]]
    demo.give("update_prompt", id=made["id"], text="A wombat digs.")
    assert demo.rows("search_prompts", query="quokka") == []
    assert ids_of(demo.rows("search_prompts", query="wombats")) == [made["id"]]
    demo.give("update_prompt", id=made["id"], title="On quokkas")
    assert ids_of(demo.rows("search_prompts", query="quokka wombat")) == [made["id"]]


def test_changed_entry_is_listed_first(demo: Talk) -> None:
    demo.give("update_prompt", id=FOLLOW_UP, visibility="published")
    demo.give("update_prompt", id=COLD_EMAIL, visibility="private")
    assert ids_of(demo.rows("list_my_prompts", limit=2)) == [COLD_EMAIL, FOLLOW_UP]
