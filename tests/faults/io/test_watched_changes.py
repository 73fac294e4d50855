"""A change of anything that is served is seen once, however it came to the disk.

Elsewhere a watch was lost when the file was replaced and not written, or fired several times, or
never learnt of files that the first one names.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.app import check
from runner.config.files import Disk
from runner.config.inputs import Changes
from runner.config.load import BYTE_FILES, SCHEMA_FILES, TEXT_FILES, load
from runner.config.places import places
from tests.faults.io.product import write

HEAD = "mcp: 1\nserver: {name: shop, version: 1.0.0, instructions: {file: how.md}}\n"
BODY = """
include: [more/*.yaml]
vars: {key: "${file:key.secret}"}
lifespan: tools.life:open
databases: {lab: {url: 'sqlite:///lab.db', create: {schema: lab.sql, seed: seed.sql}}}
defaults: {result: {schema: {file: any.json}}}
tools:
  asked: {description: A., sql: {file: asked.sql}}
  stepped: {description: S., steps: [{sql: {file: step.sql}, as: a}]}
  run: {python: 'tools.code:run', writes: false}
  typed:
    description: T.
    input_schema: {file: typed.json}
    result: {schema: {file: result.yaml}}
    value: 1
resources:
  rows: {uri: 'rows://all', sql: {file: rows.sql}, result: {schema: {file: rows.json}}}
prompts:
  write: {description: W., template: {file: write.md}}
  shown:
    description: S.
    messages:
      - {role: user, image: page.png}
      - {role: user, audio: page.wav}
      - {role: user, resource: {uri: 'docs://page', file: page.txt}}
"""
FILES = {
    "how.md": "Ask.",
    "key.secret": "secret",
    "lab.sql": "CREATE TABLE t (a)",
    "seed.sql": "INSERT INTO t VALUES (1)",
    "any.json": "{}",
    "asked.sql": "SELECT a FROM t",
    "step.sql": "SELECT a FROM t",
    "typed.json": '{"type": "object"}',
    "result.yaml": "type: integer",
    "rows.sql": "SELECT a FROM t",
    "rows.json": "{}",
    "write.md": "Write.",
    "page.png": "-",
    "page.wav": "-",
    "page.txt": "-",
    "more/one.yaml": "tools: {one: {description: One., value: 1}}",
    "tools/code.py": "from tools.words import WORD\n\ndef run() -> str:\n"
    "    '''Says it.'''\n    return WORD\n",
    "tools/words.py": "WORD = 'one'\n",
    "tools/life.py": "from contextlib import asynccontextmanager\n\n@asynccontextmanager\n"
    "async def open():\n    yield\n",
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


Way = Callable[[Path, str], object]
WAYS: tuple[Way, ...] = (Path.write_text, renamed, made_anew, linked)
IN_EVERY_WAY = ("mcp.yaml", "asked.sql", "key.secret", "more/one.yaml", "tools/words.py")
CHANGES = [
    *((name, way) for name in IN_EVERY_WAY for way in WAYS),
    *((name, renamed) for name in FILES if name not in IN_EVERY_WAY),
]


def looks(folder: Path, change: Callable[[], object]) -> list[bool]:
    """Whether a change has come: at one look before it, and three after it."""
    found = check(write(folder, BODY, FILES, head=HEAD), {})
    assert list(found.diagnostics) == []
    changes = Changes(found.inputs)
    before = changes.have_come()
    change()
    return [before, *(changes.have_come() for _ in range(4))]


@pytest.mark.parametrize(("name", "way"), CHANGES, ids=lambda item: getattr(item, "__name__", item))
def test_change_of_any_file_is_seen_once(tmp_path: Path, name: str, way: Way) -> None:
    path = tmp_path / name

    def change() -> None:
        way(path, path.read_text("utf-8") + "\n")

    assert looks(tmp_path, change).count(True) == 1


def test_every_place_that_names_a_file_is_among_them(tmp_path: Path) -> None:
    write(tmp_path, BODY, FILES, head=HEAD)
    document = load(tmp_path / "mcp.yaml", {}, Disk()).document
    assert document is not None

    patterns = (*TEXT_FILES, *SCHEMA_FILES, *BYTE_FILES)
    assert [at for at in patterns if not list(places(document.root, at))] == []


def test_file_that_comes_into_an_included_folder_is_seen_once(tmp_path: Path) -> None:
    added = tmp_path / "more" / "two.yaml"

    def change() -> None:
        added.write_text("tools: {two: {description: Two., value: 2}}", "utf-8")

    assert looks(tmp_path, change).count(True) == 1


def test_served_file_that_goes_and_comes_back_is_seen_each_time(tmp_path: Path) -> None:
    """What it holds is no part of the configuration; that it is there, is."""
    body = "resources: {guide: {uri: 'docs://guide', file: guide.md}}\n"
    found = check(write(tmp_path, body, {"guide.md": "One."}), {})
    assert list(found.diagnostics) == []
    changes, guide = Changes(found.inputs), tmp_path / "guide.md"
    seen: list[bool] = []
    for change in (lambda: guide.write_text("Two."), guide.unlink, guide.touch):
        change()
        seen += [changes.have_come() for _ in range(3)]
    assert seen == [False, False, False, False, True, False, False, True, False]
