"""Validating touches nothing: no file, no database, no socket; writing tools or not."""

import sqlite3
from pathlib import Path

import pytest

from tests.cli.command import run, run_python

THIRTY = Path(__file__).with_name("thirty")
WATCHED = """
import os, sys
FORBIDDEN = ("socket.", "subprocess.", "os.mkdir", "os.remove", "os.rename", "shutil.")
seen = []
def watch(event, args):
    if event.startswith(FORBIDDEN):
        seen.append((event, str(args)))
    if event == "open" and isinstance(args[2], int):
        if args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and args[0] != os.devnull:
            seen.append((event, str(args)))
    if event == "sqlite3.connect" and "memdb" not in str(args[0]) and args[0] != ":memory:":
        seen.append((event, str(args)))
sys.dont_write_bytecode = True
sys.addaudithook(watch)
from runner.cli.main import run
status = run(sys.argv[1:])
print("SEEN", seen, file=sys.stderr)
sys.exit(status)
"""
WRITING = """\
mcp: 1
server: {name: writing, version: 1.0.0}
databases:
  main: {url: "sqlite:///data/main.db", create: {schema: schema.sql, seed: seed.sql}}
  other: {url: "sqlite:///data/other.db"}
  far: {url: "postgresql://postgres@127.0.0.1:5432/test"}
apis:
  local: {url: "http://127.0.0.1:9", allow_private: true}
defaults: {database: main}
tools:
  add: {description: Adds, writes: true, input: {t: string}, sql: "INSERT INTO n (t) VALUES (:t)"}
  drop: {description: Drops, writes: destructive, sql: DROP TABLE n}
  elsewhere: {description: Adds, writes: true, database: other, sql: "DELETE FROM n"}
  far: {description: Adds, writes: true, database: far, sql: "CREATE TABLE should_not_be (a int)"}
  post: {description: Posts, writes: true, http: {api: local, post: /x, body: {a: 1}}}
  code: {description: Runs, writes: true, python: "pack.code:act"}
  steps: {description: Both, writes: true, steps: [{tool: drop, as: a}, {tool: code, as: b}]}
  list: {description: Lists, sql: SELECT id FROM n}
"""


def project(folder: Path) -> Path:
    """A project full of writing tools, its databases there and filled."""
    (folder / "pack").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "mcp.yaml").write_text(WRITING)
    (folder / "schema.sql").write_text("CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT);")
    (folder / "seed.sql").write_text("INSERT INTO n (t) VALUES ('seed');")
    (folder / "pack/code.py").write_text("def act() -> None:\n    open('acted', 'w').close()\n")
    for name in ("main", "other"):
        connection = sqlite3.connect(folder / f"data/{name}.db")
        connection.executescript("CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT);")
        connection.close()
    return folder


def state(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    """Every file and folder below, with its bytes and when it was changed."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mtime_ns,
        )
        for path in sorted((folder, *folder.rglob("*")))
    }


@pytest.mark.parametrize("options", [(), ("--no-import",), ("--format", "json")], ids=str)
def test_validating_a_project_full_of_writing_tools_touches_nothing(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    folder = project(tmp_path / "project")
    before = state(folder)
    ended = run_python(WATCHED, "validate", *options, folder=folder)
    assert (ended.status, ended.err.splitlines()[-1]) == (0, "SEEN []")
    assert state(folder) == before


def test_validating_a_faulty_project_touches_nothing(tmp_path: Path) -> None:
    for path in THIRTY.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    connection = sqlite3.connect(tmp_path / "library.db")
    connection.executescript("CREATE TABLE books (id INTEGER PRIMARY KEY);")
    connection.close()
    before = state(tmp_path)
    ended = run_python(WATCHED, "validate", folder=tmp_path)
    assert (ended.status, ended.err.splitlines()[-1]) == (1, "SEEN []")
    assert ended.err.splitlines()[-2] == "mcp.yaml: 30 errors"
    assert state(tmp_path) == before


def test_importing_the_projects_code_leaves_no_bytecode(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    before = state(folder)
    assert run("validate", folder=folder).status == 0
    assert state(folder) == before


def test_the_watch_sees_what_it_is_for(tmp_path: Path) -> None:
    """A control: serving the same project would be seen."""
    code = "import socket, sqlite3; socket.socket().close(); sqlite3.connect('x.db').close()"
    watched = WATCHED.replace("from runner.cli.main import run", code)
    ended = run_python(watched.replace("run(sys.argv[1:])", "0"), folder=tmp_path)
    assert "socket.__new__" in ended.err
    assert "sqlite3.connect" in ended.err


@pytest.mark.parametrize("command", ["list", "explain"])
def test_showing_a_project_touches_nothing(command: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    before = state(folder)
    arguments = ("explain", "add", "t=x") if command == "explain" else ("list",)
    ended = run_python(WATCHED, *arguments, folder=folder)
    assert (ended.status, ended.err.splitlines()[-1]) == (0, "SEEN []")
    assert state(folder) == before
