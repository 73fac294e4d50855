"""A change of anything that is served is seen once, however it came to the disk.

Elsewhere a watch was lost when the file was replaced and not written, or fired several times, or
never learnt of files that the first one names.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.app import check
from runner.config.inputs import Changes
from tests.faults.io.product import write

BODY = """
include: [more/*.yaml]
databases: {lab: {url: 'sqlite:///lab.db', create: {schema: lab.sql}}}
tools:
  asked: {description: A., sql: {file: asked.sql}}
  run: {python: 'tools.code:run', writes: false}
"""
FILES = {
    "lab.sql": "CREATE TABLE t (a)",
    "asked.sql": "SELECT a FROM t",
    "more/one.yaml": "tools: {one: {description: One., value: 1}}",
    "tools/code.py": "from tools.words import WORD\n\ndef run() -> str:\n"
    "    '''Says it.'''\n    return WORD\n",
    "tools/words.py": "WORD = 'one'\n",
}


def renamed(path: Path, text: str) -> None:
    """Another file takes its place, as with most editors."""
    new = path.with_suffix(".new")
    new.write_text(text, "utf-8")
    new.replace(path)


def made_anew(path: Path, text: str) -> None:
    """It is removed and made again between two looks."""
    path.unlink()
    path.write_text(text, "utf-8")


def linked(path: Path, text: str) -> None:
    """It becomes a link to another file."""
    other = path.with_name("other.kept")
    other.write_text(text, "utf-8")
    path.unlink()
    path.symlink_to(other)


WAYS: tuple[Callable[[Path, str], object], ...] = (Path.write_text, renamed, made_anew, linked)


def looks(folder: Path, change: Callable[[], object]) -> list[bool]:
    """Whether a change has come: at one look before it, and three after it."""
    found = check(write(folder, BODY, FILES), {})
    assert list(found.diagnostics) == []
    changes = Changes(found.inputs)
    before = changes.have_come()
    change()
    return [before, *(changes.have_come() for _ in range(4))]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", ["mcp.yaml", *FILES])
def test_change_of_any_file_is_seen_once(
    tmp_path: Path, name: str, way: Callable[[Path, str], object]
) -> None:
    path = tmp_path / name

    def change() -> None:
        way(path, path.read_text("utf-8") + "\n")

    assert looks(tmp_path, change).count(True) == 1


def test_file_that_comes_into_an_included_folder_is_seen_once(tmp_path: Path) -> None:
    added = tmp_path / "more" / "two.yaml"

    def change() -> None:
        added.write_text("tools: {two: {description: Two., value: 2}}", "utf-8")

    assert looks(tmp_path, change).count(True) == 1
