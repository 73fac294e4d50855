"""Text in any language, on any host, and text that is none.

Elsewhere Japanese broke where the host's locale was another one, and one cell that was not UTF-8
made the whole table unreadable.
"""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.bindings.sql.lab import POSTGRES
from tests.faults.sql.conftest import Serve
from tests.faults.sql.served import Source, serve, source_of, tool

JAPANESE = "東京タワー 🗼"
REPLACED = "Some text was not valid UTF-8; what could not be read is shown as �."


def test_locale_of_the_host_changes_no_text(source: Source) -> None:
    """The file, the database and the output are UTF-8 whatever the process was told."""
    source.execute("CREATE TABLE t (名 text)", f"INSERT INTO t VALUES ('{JAPANESE}')")
    find = tool("探す", f"SELECT 名, '{JAPANESE}' AS b FROM t WHERE 名 = :x", input={"x": "string"})
    text = source.file(find.replace("探す", "find"))
    (source.folder / "mcp.yaml").write_text(text, "utf-8")
    program = "from runner.cli.main import main; main()"

    found = subprocess.run(
        [sys.executable, "-c", program, "call", "find", f"x={JAPANESE}"],
        cwd=source.folder,
        env={**os.environ, "PYTHONPATH": os.getcwd(), "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        check=True,
        timeout=60,
    )

    row = f'{{"名":"{JAPANESE}","b":"{JAPANESE}"}}'
    assert found.stdout.decode("utf-8").strip() == f'{{"rows":[{row}],"truncated":false}}'


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Source]:
    """A table with a cell that is not UTF-8."""
    with source_of("sqlite", tmp_path) as source:
        source.execute(
            "CREATE TABLE t (id integer, x text)",
            "INSERT INTO t VALUES (1, 'a'), (2, CAST(x'61ff62' AS TEXT)), (3, 'c')",
        )
        yield source


@pytest.mark.parametrize("text", ["json", "csv", "markdown"])
def test_bytes_that_are_no_text_harm_no_other_cell(sqlite: Source, text: str) -> None:
    with serve(
        sqlite.folder, sqlite.file(tool("all", "SELECT x FROM t", result={"text": text}))
    ) as server:
        answer = server.call("all")

        assert answer.rows == [{"x": "a"}, {"x": "a�b"}, {"x": "c"}]
        assert answer.texts[1:] == [REPLACED]


def test_whole_text_bears_no_note(sqlite: Source) -> None:
    with serve(sqlite.folder, sqlite.file(tool("all", "SELECT x FROM t WHERE id <> 2"))) as server:
        answer = server.call("all")

        assert answer.rows == [{"x": "a"}, {"x": "c"}]
        assert len(answer.texts) == 1


def test_bytes_that_are_no_text_can_be_read_as_bytes(sqlite: Source) -> None:
    """Nothing is lost for who wants it all."""
    read = tool("all", "SELECT CAST(x AS BLOB) AS x FROM t WHERE id = 2", result={"shape": "value"})

    with serve(sqlite.folder, sqlite.file(read)) as server:
        assert server.value("all") == "Yf9i"


@pytest.fixture
def latin(tmp_path: Path) -> Iterator[Source]:
    """A PostgreSQL database in Latin 1, with a letter and a byte that other tables lack."""
    name = f"faults_{uuid.uuid4().hex[:12]}"
    url = POSTGRES.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0".encode()
        )
        try:
            source = Source("postgresql", url, tmp_path)
            source.execute(
                "CREATE TABLE t (x text)", "INSERT INTO t VALUES (U&'caf\\00e9'), (U&'\\0081')"
            )
            yield source
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_database_of_another_encoding_is_read_as_utf_8(latin: Source) -> None:
    find = tool("find", "SELECT x FROM t WHERE x = :x", input={"x": "string"})

    with serve(latin.folder, latin.file(tool("all", "SELECT x FROM t") + find)) as server:
        assert server.call("all").rows == [{"x": "café"}, {"x": "\x81"}]
        assert server.call("find", x="café").rows == [{"x": "café"}]
        assert server.refusal("find", x=JAPANESE) == "the database refuses the value of 'x'"


def test_text_with_a_zero_byte_is_refused_or_kept(source: Source, served: Serve) -> None:
    """PostgreSQL has no such text; the others have."""
    server = served(
        tool("echo", "SELECT :x AS x", input={"x": "string"}, result={"shape": "value"})
    )

    if source.is_postgres:
        assert server.refusal("echo", x="a\0b") == "the database refuses the value of 'x'"
    else:
        assert server.value("echo", x="a\0b") == "a\0b"
    assert server.value("echo", x="after") == "after"


def test_refused_statement_of_a_client_is_told_in_words_and_logged_by_code(
    source: Source, served: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    """The client mends its own statement; the operator reads a code, and nothing that was sent."""
    source.execute("CREATE TABLE t (x integer)")
    query = tool("query", {"parameter": "q"}, input={"q": "string"})
    server = served(query)
    with caplog.at_level("WARNING", "runner.call"):
        said = server.refusal("query", q="SELECT x FROM t ORDER hunter2")
    assert said == (
        "the database refuses the statement: the statement cannot be read as SQL, near 'hunter2'"
    )
    reasons = {
        "sqlite": "SQLITE_ERROR syntax",
        "postgresql": "42601 SyntaxError",
        "duckdb": "ParserException",
        "mariadb": "1064",
    }
    assert caplog.messages == [f"tool query failed: invalid: {reasons[source.engine]}"]
