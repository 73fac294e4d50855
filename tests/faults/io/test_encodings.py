"""Files are UTF-8 on every machine, as Windows editors write them too, whatever the locale is.

Guards against a byte order mark that becomes part of the first key or keyword, against line ends
that change what is read, and against programs that read and print in the code page of the system.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.faults.io.product import HEAD, command, faults_of, served, told, write

DESCRIPTION = "Grüße, 日本語, Привет, emoji 🦊 – “quoted”"
BODY = f"tools:\n  say:\n    description: {DESCRIPTION}\n    input: {{s: string}}\n    value: $s\n"
SQLITE = 'databases: {lab: {url: "sqlite:///lab.db", create: {schema: lab.sql}}}\n'
LOCALES: Mapping[str, Mapping[str, str]] = {
    "own": {},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "C-coerced": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "eucJP": {"LC_ALL": "", "LANG": "ja_JP.eucJP", "PYTHONUTF8": "0"},
    "cp1252": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "POSIX"},
}


@pytest.mark.parametrize("locale", LOCALES)
def test_listing_is_the_same_in_every_locale(tmp_path: Path, locale: str) -> None:
    """Descriptions, names of files and values of variables have letters beyond ASCII."""
    body = (
        f"{SQLITE}include: ['größe/*.yaml']\n{BODY}"
        "  ask: {description: '${NAME}', sql: {file: größe.sql}}\n"
    )
    files = {
        "größe.sql": "SELECT 'größe' AS a",
        "größe/x.yaml": "tools: {more: {description: x, value: 1}}",
        "lab.sql": "",
    }
    write(tmp_path, body, files)

    ran = command(
        "list",
        "--format",
        "json",
        folder=tmp_path,
        environment={"NAME": DESCRIPTION, **LOCALES[locale]},
    )

    assert (ran["status"], ran["err"]) == (0, b"")
    listed = json.loads(ran["out"].decode())["tools"]
    assert {tool["name"]: tool["description"] for tool in listed} == {
        "say": DESCRIPTION,
        "ask": DESCRIPTION,
        "more": "x",
    }


@pytest.mark.parametrize("locale", ["C", "cp1252"])
def test_argument_of_the_shell_is_the_same_in_every_locale(tmp_path: Path, locale: str) -> None:
    write(tmp_path, BODY)

    ran = command("call", "say", f"s={DESCRIPTION}", folder=tmp_path, environment=LOCALES[locale])

    assert (ran["status"], ran["err"]) == (0, b"")
    assert json.loads(ran["out"].decode()) == DESCRIPTION


def test_fault_shows_what_was_written_in_every_locale(tmp_path: Path) -> None:
    write(tmp_path, "tools: {t: {description: x, value: 1, größe: 日本}}\n")

    ran = command("validate", folder=tmp_path, environment=LOCALES["C"])

    assert "unknown-field: tools.t has no field 'größe'" in ran["out"].decode()


def test_argument_that_is_no_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path, BODY)
    program = "from runner.cli.main import main; main()"

    ran = subprocess.run(
        [sys.executable.encode(), b"-c", program.encode(), b"call", b"say", b"s=\xff"],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )

    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == b"Error: expected arguments in UTF-8"


NEWLINES = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
WRITTEN = f"""{HEAD}server_note: 0
{SQLITE}include: [more.yaml]
tools:
  folded:
    description: >-
      one
      line
    sql: |
      -- a comment; :none
      SELECT :v AS v,   /* two
      lines */ 'a' AS a
    input:
      v: string
    result: {{shape: row}}
  filed: {{description: x, input: {{v: string}}, sql: {{file: q.sql}}, result: {{shape: row}}}}
""".replace("server_note: 0\n", "")
MORE = "tools:\n  more: {description: x, value: 1}\n"
QUERY = "-- the first line\nSELECT :v AS v,\n  'b' AS b\n"
SCHEMA = "CREATE TABLE a (x text);\n-- seeds\nINSERT INTO a VALUES ('1');\n"


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_byte_order_mark_and_line_ends_change_nothing(
    tmp_path: Path, mark: str, newline: str
) -> None:
    """In every file that is read: the root, an included one, a statement, a schema."""
    end = NEWLINES[newline]
    if newline == "CR":
        # A comment of SQL ends at a line feed for every engine; the YAML needs none.
        query, schema = QUERY.split("\n", 1)[1], "CREATE TABLE a (x text);\n"
    else:
        query, schema = QUERY, SCHEMA
    files = {
        name: mark + text.replace("\n", end)
        for name, text in {"more.yaml": MORE, "q.sql": query, "lab.sql": schema}.items()
    }

    with served(tmp_path, WRITTEN.replace("\n", end), files, head=mark) as product:
        listed = {name: tool["description"] for name, tool in product.tools().items()}
        assert listed == {"folded": "one line", "filed": "x", "more": "x"}
        assert product.value("folded", v="ü\r\n") == {"v": "ü\r\n", "a": "a"}
        assert product.value("filed", v="x") == {"v": "x", "b": "b"}


@pytest.mark.parametrize("newline", NEWLINES)
def test_places_of_faults_are_those_of_the_editor(tmp_path: Path, newline: str) -> None:
    body = "\ufeff" + HEAD + "tools:\n  t:\n    description: x\n    valeu: 1\n"
    body += "  u: {description: x, value: 1, strict: no}\n"
    found = faults_of(tmp_path, body.replace("\n", NEWLINES[newline]), head="")
    assert [(str(item.position), item.code) for item in found] == [
        ("mcp.yaml:6:5", "unknown-field"),
        ("mcp.yaml:7:41", "wrong-type"),
    ]


NO_TEXT = "not-utf8: expected UTF-8, found the byte "
ESCAPED = "bad-character: the character U+0000 is not allowed, also not as an escape"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("mcp.yaml", b"mcp: 1\nserver: {name: caf\xe9}\n", NO_TEXT + "0xE9"),
        ("q.sql", b"SELECT 1,\n '\xff'", NO_TEXT + "0xFF"),
        ("mcp.yaml", "mcp: 1\n".encode("utf-16"), NO_TEXT + "0xFF"),
        ("mcp.yaml", b'mcp: 1\ninclude: ["a\\0b"]\n', ESCAPED),
    ],
)  # fmt: skip
def test_file_that_is_no_text_is_told_with_its_place(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    body = f"{SQLITE}tools: {{t: {{description: x, sql: {{file: q.sql}}}}}}\n"
    files: dict[str, str | bytes] = {"lab.sql": "", "q.sql": "SELECT 1", name: data}

    [found] = told(faults_of(tmp_path, body, files))

    assert found.startswith(f"{name}:")
    assert found.endswith(message)
