"""What a call leaves in memory: nothing of its result."""

import gc

from tests.bindings.sql.lab import Lab


def test_result_is_not_kept_when_its_call_is_over(items: Lab) -> None:
    """A thread that waits for its next job must not hold what its last one gave."""
    plan = items.plan("SELECT 'row ' || count(*) AS mark FROM items")
    assert items.invoke(plan).value == {"rows": [{"mark": "row 5"}], "truncated": False}
    kept = [
        found
        for found in gc.get_objects()
        if isinstance(found, list) and len(found) == 1 and found == [{"mark": "row 5"}]
    ]
    assert kept == []
