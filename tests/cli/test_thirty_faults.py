"""Thirty faults of every kind, spread over five files, are thirty diagnostics at their places."""

import shutil
from pathlib import Path

import pytest

from runner.app import check

THIRTY = Path(__file__).with_name("thirty")
FOUND = [
    "mcp.yaml:4:3 unknown-field",
    "mcp.yaml:5:15 wrong-type",
    "mcp.yaml:6:17 out-of-range",
    "mcp.yaml:9:18 unknown-engine",
    "mcp.yaml:11:61 missing-variable",
    "mcp.yaml:15:28 unknown-caller",
    "mcp.yaml:21:5 duplicate-key",
    "mcp.yaml:25:21 sql-refused",
    "mcp.yaml:31:21 unknown-parameter",
    "mcp.yaml:37:31 unclosed-mark",
    "mcp.yaml:42:41 choice-without-word",
    "mcp.yaml:45:10 writes-in-read-tool",
    "mcp.yaml:49:10 result-shape",
    "mcp.yaml:53:39 page-order",
    "mcp.yaml:57:19 unknown-name",
    "mcp.yaml:62:48 template-syntax",
    "mcp.yaml:67:23 unknown-filter",
    "more.yaml:4:19 unknown-type",
    "more.yaml:4:44 wrong-keyword",
    "more.yaml:8:44 wrong-default",
    "more.yaml:12:13 reserved-name",
    "more.yaml:17:42 unknown-parameter",
    "more.yaml:20:44 bad-header",
    "more.yaml:23:17 unknown-api",
    "more.yaml:28:13 parameter-not-given",
    "more.yaml:29:3 writes-needed",
    "more.yaml:34:20 unknown-tool",
    "more.yaml:38:5 conflicting-fields",
    "more.yaml:43:18 unclosed",
    "report.sql:3:6 sql-refused",
]


def places(root: Path) -> list[str]:
    return [f"{item.position} {item.code}" for item in check(root, {}).diagnostics]


def test_thirty_faults_are_thirty_diagnostics_each_in_its_place() -> None:
    assert len(FOUND) == 30
    assert places(THIRTY / "mcp.yaml") == FOUND


@pytest.mark.parametrize("number", range(1, 31))
def test_each_fault_is_planted_where_the_file_says_so(number: int) -> None:
    """The comments in the files count the faults: none of them is a consequence of another."""
    marks = [
        f"{path.name}:{line}"
        for path in sorted(THIRTY.iterdir())
        if path.is_file()
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for mark in (text.partition(" # ")[2] or text.partition("-- ")[2]).split(":")[0].split(",")
        if mark.strip() == str(number)
    ]
    assert len(marks) == 1
    assert any(found.startswith(f"{marks[0]}:") for found in FOUND)


@pytest.mark.parametrize("part", ["server", "databases", "apis", "callers", "tools"])
def test_a_section_that_is_no_yaml_hides_no_fault_elsewhere(part: str, tmp_path: Path) -> None:
    """What could not be read is not taken for something that is missing."""
    shutil.copytree(THIRTY, tmp_path, dirs_exist_ok=True)
    root = tmp_path / "mcp.yaml"
    root.write_text(f'{root.read_text(encoding="utf-8")}\n{part}:\n  late: "open\n', "utf-8")
    line = len(root.read_text(encoding="utf-8").splitlines())
    found = places(root)
    assert f"mcp.yaml:{line}:9 unclosed" in found
    assert [place for place in found if place not in FOUND] == [f"mcp.yaml:{line}:9 unclosed"]
