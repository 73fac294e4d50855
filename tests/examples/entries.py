"""Entries of the library's seed that tests name, and how tests ask the database for them."""

import sqlite3
from collections.abc import Sequence

WRITING = "f3b05ce9-770e-541d-92d1-6d3e073572e8"
EMAIL = "ef59169a-295a-5fb8-ac51-ebb6adab7e63"
"""Shared, in Writing."""
NEWSLETTER = "b4665445-edd2-515d-ab1f-c0ceda6c3f66"
"""Demo's own, in Writing."""
SAMS_DRAFTS = "2c4bf8bf-e4cf-53ba-a0a4-bebca6045637"
"""Sam's own, in Writing."""
CODE = "8e504df9-d492-54a2-b299-484fb82e36ed"
TESTING = "fd4e58b5-3c3a-534d-8eb7-6a845752a8a5"
"""Shared, in Code."""
COLD_EMAIL = "5b58b410-fa40-5567-9bcc-1527c00b54cb"
"""Demo's; a published single prompt in Writing, Email."""
FOLLOW_UP = "b287e868-45e9-5b26-ad0a-66122e1b3646"
"""Demo's; a private single prompt in Writing, Email."""
ARTICLE = "bf5121ba-9060-5872-9f8d-cb79423ad65e"
"""Demo's; a chain of four steps."""
INCIDENT_WRITER = "463c012c-2387-5034-8b4e-ac389ed8f3a7"
"""Demo's; a skill."""
SAMS_EMAIL = "cb9731da-ded5-5ec1-a5b1-80c89aa0bd04"
"""Sam's; a published single prompt."""
SAMS_CHAIN = "c7dc80b5-9f5b-5fb3-84e1-e9abebd40add"
SAMS_SKILL = "2a70e7c0-7b2d-54da-b4ca-7f15f3f2ebd0"
NO_ENTRY = "00000000-0000-4000-8000-000000000000"

OWN = "SELECT id FROM prompts WHERE owner_id = 'demo' AND "
LAST_CHANGED_FIRST = " ORDER BY updated_at DESC, id"


def ids_of(rows: Sequence[dict[str, object]]) -> list[object]:
    """The ids, in order."""
    return [row["id"] for row in rows]


def found(database: sqlite3.Connection, condition: str) -> list[object]:
    """The ids of demo's entries that fit, the last changed first, straight from the database."""
    return [row[0] for row in database.execute(OWN + condition + LAST_CHANGED_FIRST)]
