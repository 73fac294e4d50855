"""`mcp-run validate`: exit statuses, formats, options; in processes of their own."""

import json
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.cli.command import Ended, here, run
from tests.cli.shop import SHOP

POSTGRES = "postgresql://postgres@127.0.0.1:5432/test"
FAULTY = SHOP.replace("find:\n    description: Finds", "find:\n    descripton: Finds")
WARNED = SHOP.replace("words: {description: Says., ", "words: {")


def with_text(folder: Path, text: str) -> Path:
    (folder / "mcp.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_good_file_ends_with_0_and_says_so_on_standard_error(folder: Path) -> None:
    assert run("validate", folder=folder) == Ended(0, "", "mcp.yaml: no faults, 8 tools\n")


def test_a_fault_ends_with_1_and_the_count_is_on_standard_error(folder: Path) -> None:
    ended = run("validate", folder=with_text(folder, FAULTY))
    assert (ended.status, ended.err) == (1, "mcp.yaml: 1 error\n")
    assert ended.out.splitlines()[0] == (
        "mcp.yaml:17:5: unknown-field: tools.find has no field 'descripton'"
    )


def test_warnings_alone_end_with_0(folder: Path) -> None:
    ended = here("validate", folder=with_text(folder, WARNED))
    assert (ended.status, ended.err) == (0, "mcp.yaml: 1 warning, 8 tools\n")
    assert ": warning: no-description: " in ended.out


def test_quiet_tells_errors_alone(folder: Path) -> None:
    assert here("validate", "-q", folder=with_text(folder, WARNED)) == Ended(0, "", "")
    assert here("validate", "-q", folder=with_text(folder, FAULTY)).status == 1


def test_verbose_tells_what_was_proven(folder: Path) -> None:
    text = SHOP.replace("apis:", '  far: {url: "sqlite:///far.db"}\napis:').replace(
        "tools:\n", "defaults: {database: shop}\ntools:\n"
    )
    ended = here("validate", "-v", folder=with_text(folder, text))
    assert ended.err.splitlines() == [
        "database 'shop': proven in memory",
        "database 'far': its SQL is not proven; --connect asks it",
        "mcp.yaml: no faults, 8 tools",
    ]


@pytest.mark.parametrize(
    "arguments",
    [("--format", "xml"), ("--nope",), ("extra",)],
    ids=["format", "option", "argument"],
)
def test_a_wrong_command_line_ends_with_2_and_says_why(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    ended = here("validate", *arguments, folder=folder)
    assert (ended.status, ended.out) == (2, "")
    assert "Error: " in ended.err


def test_a_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    ended = here("validate", "-f", "none.yaml", folder=tmp_path)
    assert (ended.status, ended.err) == (1, "none.yaml: 1 error\n")
    assert ended.out.startswith("none.yaml:1:1: missing-file: ")


@pytest.mark.parametrize(
    ("form", "begin"), [("json", "{"), ("github", "::error "), ("sarif", "{")], ids=str
)
def test_every_format_says_the_same(folder: Path, form: str, begin: str) -> None:
    ended = here("validate", "--format", form, folder=with_text(folder, FAULTY))
    assert (ended.status, ended.err) == (1, "mcp.yaml: 1 error\n")
    assert ended.out.startswith(begin)
    assert "unknown-field" in ended.out
    if begin == "{":
        json.loads(ended.out)


def test_places_start_at_the_current_folder(folder: Path) -> None:
    with_text(folder, FAULTY)
    ended = here("validate", "-f", "shop/mcp.yaml", folder=folder.parent)
    assert ended.out.startswith("shop/mcp.yaml:17:5: ")


def test_no_import_runs_none_of_the_projects_code(folder: Path) -> None:
    (folder / "code.py").write_text("open('ran', 'w').close()\nasync def wait(): ...\n")
    ended = here("validate", "--no-import", folder=folder)
    assert (ended.status, (folder / "ran").exists()) == (0, False)
    assert "signature-unknown" in ended.out
    here("validate", folder=folder)
    assert (folder / "ran").exists()


def test_code_that_prints_while_it_is_imported_is_not_in_the_result(folder: Path) -> None:
    code = (folder / "code.py").read_text(encoding="utf-8")
    (folder / "code.py").write_text(f"print('hello')\n{code}")
    ended = run("validate", "--format", "json", folder=folder)
    assert json.loads(ended.out) == {"diagnostics": [], "errors": 0, "warnings": 0}
    assert ended.err.startswith("hello\n")


CONNECTED = """\
mcp: 1
server: {name: connected, version: 1.0.0}
databases: {main: {url: "${URL}"}}
tools:
  read: {description: Reads., input: {id: integer}, sql: "SELECT t FROM n WHERE id = :id"}
  write: {description: Adds., writes: true, sql: "INSERT INTO n (t) VALUES ('x')"}
  wrong: {description: Reads., sql: "SELECT nope FROM n"}
  sneaky: {description: Reads., sql: "SELECT setval('n_id_seq', 99)"}
"""


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a schema of its own with a table `n` of one row."""
    schema = f"cli_{uuid.uuid4().hex[:12]}"
    try:
        connection = psycopg.connect(POSTGRES, autocommit=True)
    except psycopg.OperationalError:
        if os.environ.get("MCP_RUN_SERVICES") == "optional":
            pytest.skip("PostgreSQL cannot be reached and services are optional")
        raise
    with connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.n (id SERIAL PRIMARY KEY, t TEXT)")
        connection.execute(f"INSERT INTO {schema}.n (t) VALUES ('one')")
        yield f"{POSTGRES}?options=-c%20search_path%3D{schema}"
        rows = connection.execute(f"SELECT id, t FROM {schema}.n").fetchall()
        value = connection.execute(f"SELECT last_value FROM {schema}.n_id_seq").fetchone()
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
        assert (rows, value) == ([(1, "one")], (1,)), "validating changed the database"


def test_connect_proves_on_postgresql_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(CONNECTED, encoding="utf-8")
    with postgres() as url:
        ended = here("validate", "--connect", folder=tmp_path, environment={"URL": url})
    found = [line.split(": ")[:2] for line in ended.out.splitlines() if "mcp.yaml:" in line]
    assert ended.status == 1
    assert found == [
        ["mcp.yaml:7:45", "sql-refused"],
        ["mcp.yaml:8:46", "writes-in-read-tool"],
    ]


def test_connect_proves_on_sqlite_and_changes_nothing(tmp_path: Path) -> None:
    sneaky = CONNECTED[CONNECTED.index("  sneaky") :]
    (tmp_path / "mcp.yaml").write_text(CONNECTED.replace(sneaky, ""), encoding="utf-8")
    database = tmp_path / "main.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript("CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT);")
    before = database.read_bytes()
    url = {"URL": "sqlite:///main.db"}
    ended = here("validate", "--connect", folder=tmp_path, environment=url)
    assert (ended.status, ended.out.split(": ")[:2]) == (1, ["mcp.yaml:7:45", "sql-refused"])
    assert database.read_bytes() == before


def test_connect_makes_no_database_that_is_not_there(folder: Path) -> None:
    assert here("validate", "--connect", folder=folder).status == 0
    assert not (folder / "data").exists()


def test_connect_names_source_address_and_stage_and_never_the_password(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(CONNECTED, encoding="utf-8")
    url = {"URL": "postgresql://user:hunter2@127.0.0.1:1/none"}
    ended = here("validate", "--connect", "-v", folder=tmp_path, environment=url)
    assert ended.status == 1
    line = "mcp.yaml:3:25: database-unreachable: database 'main': connect failed at 127.0.0.1:1"
    assert ended.out.splitlines()[0] == line
    assert "hunter2" not in ended.out + ended.err
