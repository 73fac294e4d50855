"""Several processes on one address: all answer, the dead are replaced, cursors are everybody's."""

import os
import signal
from pathlib import Path

from tests.run.processes import Answer, Served, post, serving, text_of, within_limit

KEYS = {"STATE_KEY": "the-first-key-of-this-test", "OLD_KEY": "an-older-key-of-this-test"}


def processes(served: Served, calls: int = 40) -> set[int]:
    """The processes that answer so many calls, each over a connection of its own."""
    return {int(text_of(post(served.port, "process"))) for _ in range(calls)}


def page(served: Served, **arguments: object) -> tuple[list[int], str | None]:
    """The numbers of a page, and the cursor of the next one."""
    content = post(served.port, "numbers", arguments)["structuredContent"]
    assert isinstance(content, dict)
    return [row["n"] for row in content["rows"]], content.get("next")


def test_all_workers_answer_and_a_killed_one_is_replaced(lab: Path) -> None:
    with serving(lab, "--workers", "2") as served:
        within_limit(lambda: len(processes(served)) == 2)
        first, second = processes(served, 100)
        assert served.process.pid not in (first, second)
        os.kill(first, signal.SIGKILL)
        within_limit(lambda: len(processes(served) - {first, second}) == 1)
        served.process.terminate()
        assert served.process.wait(20) == 0
        log = served.errors()
    assert "runner.workers: worker ended with status -9; starting another" in log


def test_parent_that_is_killed_takes_its_workers_along(lab: Path) -> None:
    with serving(lab, "--workers", "2") as served:
        pids = processes(served)
        served.process.kill()
        within_limit(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in pids))


def test_cursor_of_one_worker_is_understood_by_every_other(lab: Path) -> None:
    with serving(lab, "--workers", "2") as served:
        within_limit(lambda: len(processes(served)) == 2)
        seen: set[tuple[int, ...]] = set()
        for _ in range(20):
            numbers, cursor = page(served, limit=5)
            seen.add((*numbers, *page(served, limit=7, cursor=cursor)[0]))
    assert seen == {tuple(range(1, 13))}


def test_cursor_outlives_a_change_of_keys_once_the_new_one_is_first(lab: Path) -> None:
    old = {**KEYS, "STATE_KEY": KEYS["OLD_KEY"]}
    with serving(lab, environment=old) as served:
        _, cursor = page(served, limit=5)
    with serving(lab, environment=KEYS) as served:
        assert page(served, limit=5, cursor=cursor)[0] == [6, 7, 8, 9, 10]
        _, newer = page(served, limit=5)
    with serving(lab, environment=old) as served:
        refused: Answer = post(served.port, "numbers", {"limit": 5, "cursor": newer})
    assert (refused["isError"], text_of(refused)) == (
        True,
        "cursor: expected one that an earlier call with the same arguments returned",
    )
