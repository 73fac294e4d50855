"""What engines refuse is told at its token, with what to write instead."""

import sqlite3
from pathlib import Path

import pytest

from runner.app import check
from runner.catalog.sources import Database
from runner.errors import StartError
from runner.secret import Secret
from tests.bindings.sql.lab import open_lab

FILE = """mcp: 1
server: {{name: probe, version: 1.0.0}}
databases: {{d: {{url: "{url}"}}}}
tools:
  a:
    description: A.
    input: {{ids: "integer[]"}}
    sql: {text}
"""
AT = len("    sql: ") + 1
LIST = "a list is JSON text on this engine: write IN (:name)"


def told(folder: Path, url: str, text: str) -> list[tuple[int, str, str | None]]:
    """Column in the statement, message and hint of each fault."""
    path = folder / "mcp.yaml"
    path.write_text(FILE.format(url=url, text=text))
    found = check(path, {}, connects=True).diagnostics
    return [(item.position.column - AT, item.message, item.hint) for item in found]


@pytest.mark.parametrize(
    ("url", "text", "expected"),
    [
        ("sqlite://", "SELECT 1 AS a, 2::text AS b WHERE 1 IN (:ids)",
         (16, "the engine cannot read the statement near '::'", "write CAST(… AS …)")),
        ("mariadb://root@127.0.0.1:3306/mysql", "SELECT 1 AS n WHERE 1 = ANY(:ids)",
         (28, "the engine cannot read the statement near ':ids'", LIST)),
        ("sqlite://", "SELECT 1 AS n WHERE 1 = ANY(:ids)",
         (24, "the engine has no function 'ANY'", LIST)),
        ("mariadb://root@127.0.0.1:3306/", "SELECT n FROM t WHERE n IN (:ids)",
         (0, "the address of the database names none, and neither does the statement",
          "write its name behind the host in 'url': mariadb://host/NAME")),
    ],
    ids=["cast", "mariadb-list", "sqlite-list", "no-database"],
)  # fmt: skip
def test_what_another_engine_has_is_told_with_what_to_write(
    tmp_path: Path, url: str, text: str, expected: tuple[int, str, str]
) -> None:
    assert told(tmp_path, url, text) == [expected]


def test_file_that_is_no_sqlite_database_is_told_at_its_address(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(b"a,b\n1,2\n" * 200)
    database = Database("lab", Secret(f"sqlite:///{path}"), "sqlite")
    with pytest.raises(StartError) as caught, open_lab(database):
        pass
    assert str(caught.value) == f"database 'lab': no SQLite file '{path}'"


def test_empty_file_is_a_sqlite_database(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty.db").close()
    (tmp_path / "empty.db").touch()
    url = Secret(f"sqlite:///{tmp_path / 'empty.db'}")
    with open_lab(Database("lab", url, "sqlite")) as lab:
        assert lab.rows("SELECT 1 AS n") == [{"n": 1}]
