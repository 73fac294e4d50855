"""The files behind resources: each asked for once, and not all the time."""

from pathlib import Path

import pytest

from runner.bindings.watched import LOOKING_SHARE, Behind, Watched
from runner.catalog.plans import DirectoryPlan, FilePlan
from runner.config.inputs import Stamp, stamp


class Disk:
    """The disk, and which files it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, path: Path) -> Stamp:
        """What the disk says of a file."""
        self.asked.append(path.name)
        return stamp(path)


@pytest.fixture
def disk() -> Disk:
    return Disk()


def test_file_of_many_streams_and_addresses_is_looked_at_once(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "page.txt"
    file.write_text("one", encoding="utf-8")
    plan, twin = (FilePlan(str(file), "text/plain") for _ in range(2))
    folder = DirectoryPlan(str(tmp_path), "path", None)
    watched: Watched[str] = Watched(disk)
    watched.replace(
        {
            "/a page": (plan, {}),
            "/b page": (plan, {}),
            "/a twin": (twin, {}),
            "/a below": (folder, {"path": "page.txt"}),
            "/a missing": (folder, {"path": "missing.txt"}),
        }
    )
    watched.meet()
    assert (watched.look(), disk.asked) == ([], ["page.txt", "missing.txt"] * 2)
    file.write_text("other", encoding="utf-8")
    assert watched.look() == ["/a page", "/b page", "/a twin", "/a below"]
    assert (watched.look(), disk.asked) == ([], ["page.txt", "missing.txt"] * 4)


def test_new_file_is_met_alone_and_then_its_change_is_seen(tmp_path: Path, disk: Disk) -> None:
    for name in ("old", "new"):
        (tmp_path / name).write_text("one", encoding="utf-8")
    plans: dict[str, Behind] = {
        name: (FilePlan(str(tmp_path / name), "text/plain"), {}) for name in ("old", "new")
    }
    watched: Watched[str] = Watched(disk)
    watched.replace({"old": plans["old"]})
    watched.meet()
    watched.replace(plans)
    watched.meet()
    assert disk.asked == ["old", "new"]
    (tmp_path / "new").write_text("other", encoding="utf-8")
    assert watched.look() == ["new"]


def test_file_that_nobody_listens_to_is_not_looked_at(tmp_path: Path, disk: Disk) -> None:
    watched: Watched[str] = Watched(disk)
    watched.replace({"page": (FilePlan(str(tmp_path / "page"), "text/plain"), {})})
    assert watched
    watched.replace({})
    assert not watched
    assert (watched.look(), disk.asked) == ([], [])


def test_looks_take_a_small_part_of_the_time() -> None:
    watched: Watched[str] = Watched(stamp)
    assert watched.is_due(10.0)
    watched.took(10.0, 10.5)
    next_at = 10.0 + 0.5 / LOOKING_SHARE
    assert [watched.is_due(next_at - 0.001), watched.is_due(next_at + 0.001)] == [False, True]
