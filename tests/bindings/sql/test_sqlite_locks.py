"""The locks of SQLite, which belong to the process and not to a connection."""

import subprocess
import sys
from pathlib import Path

from tests.bindings.sql.lab import open_lab, sqlite

OTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE t SET n = n + 1")
connection.commit()
connection.close()  # the last one to close merges the log into the file, and removes it
"""


def test_another_process_that_comes_and_goes_takes_nothing_from_our_connections(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lab.db"
    with open_lab(sqlite(f"sqlite:///{path}")) as lab:
        lab.execute("CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
        assert lab.value("SELECT n FROM t") == 1
        with open_lab(sqlite(f"sqlite:///{path}", create=None)) as second:
            assert second.value("SELECT n FROM t") == 1
        for expected in (2, 3):
            subprocess.run([sys.executable, "-c", OTHER, str(path)], check=True)
            assert (tmp_path / "lab.db-wal").exists(), "our connections are still open"
            assert lab.value("SELECT n FROM t") == expected
            lab.execute("UPDATE t SET n = n")
            assert lab.value("SELECT n FROM t") == expected
