"""A command that fails says why, and a server with one bad tool does not start.

Guards against a wrong flag that ends the process in silence, and against servers that skip what
they cannot load and serve the rest.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from runner.cli.main import run
from tests.faults.io.product import command, faults_of, told, write


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """`serve` sets the log up for a process of its own."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("runner").level)
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    logging.getLogger("runner").setLevel(before[2])
    logging.captureWarnings(False)


GOOD = "  good: {description: x, input: {s: string}, value: $s}\n"
BAD = "  bad: {description: x, sql: SELECT 1}\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["serve", "--nope"], 2),
        (["nope"], 2),
        (["call"], 2),
        (["call", "nope"], 2),
        (["call", "good", "word"], 2),
        (["call", "good", "--json", "["], 2),
        (["call", "good", "--json", "[]"], 2),
        (["call", "good", "s=@missing.txt"], 2),
        (["call", "good", "s=1", "--as", "nobody"], 2),
        (["call", "good", "s=1", "--as", "claims.json"], 2),
        (["call", "good"], 1),
        (["call", "good", "s=1", "-q", "extra=2"], 1),
        (["validate", "-f", "."], 2),
        (["validate", "--format", "xml"], 2),
        (["list", "-q", "-f", "nope.yaml"], 1),
        (["serve", "-q", "-f", "nope.yaml"], 1),
        (["serve", "--port", "99999"], 2),
        (["serve", "--host", "0.0.0.0"], 2),
        (["serve", "--workers", "0"], 2),
        (["schema", "extra"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_failure_says_why_on_standard_error(
    arguments: Sequence[str],
    status: int,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, f"tools:\n{GOOD}")
    monkeypatch.chdir(tmp_path)

    assert run(arguments) == status

    said = capfd.readouterr()
    assert said.err.strip()
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", [["validate", "-f", "nope.yaml"], ["validate"]])
def test_faults_of_the_file_are_the_result_of_validate(
    arguments: Sequence[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are what was asked for, so that they can be piped; their count goes to standard error
    as well, where a failure is looked for."""
    write(tmp_path, f"tools:\n{GOOD}{BAD}")
    monkeypatch.chdir(tmp_path)

    assert run(arguments) == 1

    said = capfd.readouterr()
    assert "mcp.yaml" in said.out or "nope.yaml" in said.out
    assert said.err.strip()


def test_end_of_a_process_has_the_status_and_the_words(tmp_path: Path) -> None:
    ran = command("serve", "--no-such-flag", folder=tmp_path)

    assert (ran["status"], ran["out"]) == (2, b"")
    assert ran["err"].decode().splitlines()[-1] == "Error: No such option '--no-such-flag'."


TROUBLES = {
    "binding": "bad: {description: x}",
    "statement": "bad: {description: x, sql: SELEC 1, database: lab}",
    "unknown-field": "bad: {description: x, value: 1, colour: red}",
    "callable": "bad: {description: x, writes: false, python: 'nowhere:f'}",
    "schema": "bad: {description: x, value: 1, input: {a: array}}",
    "name": "bad name: {description: x, value: 1}",
    "api": "bad: {description: x, http: {api: nowhere, get: /x}}",
    "example": "bad: {description: x, value: 1, input: {a: integer}, examples: [{a: x}]}",
}  # fmt: skip


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("words", [["serve", "--port", "0"], ["serve", "--stdio"], ["list"]])
def test_one_bad_tool_keeps_the_server_from_starting(
    words: Sequence[str],
    trouble: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And it is the bad one that is told, at its place."""
    section = 'databases: {lab: {url: "sqlite:///lab.db", create: {schema: lab.sql}}}\n'
    body = f"{section}tools:\n{GOOD}  {TROUBLES[trouble]}\n"
    write(tmp_path, body, {"lab.sql": ""})
    monkeypatch.chdir(tmp_path)

    assert run([*words, "--no-color"]) == 1

    said = capfd.readouterr()
    assert said.out == ""
    assert "mcp.yaml:6:" in said.err
    assert said.err.strip().splitlines()[-1].endswith(("error", "errors", "warning"))


def test_every_fault_is_told_at_once_and_in_the_order_of_the_file(tmp_path: Path) -> None:
    body = "".join(f"  {text}\n" for text in TROUBLES.values()).replace("  bad:", "  bad{}:")
    numbered = "".join(part + str(n) for n, part in enumerate(body.split("{}")))[:-1]

    found = [
        item for item in faults_of(tmp_path, f"tools:\n{numbered}\n") if item.severity == "error"
    ]

    assert [item.position.line for item in found] == sorted(item.position.line for item in found)
    assert {item.position.line for item in found} == set(range(4, 4 + len(TROUBLES))), told(found)


NOISY = """
import os
import subprocess

print("printed")
os.write(1, b"descriptor\\n")


def noisy(text: str) -> str:
    \"\"\"Prints.\"\"\"
    print("printed", text)
    os.write(1, b"descriptor\\n")
    subprocess.run(["echo", "a child"], check=True)
    return text
"""


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["validate"], ["call", "noisy", "text=x"], ["explain", "noisy", "text=x"]],
    ids=" ".join,
)
def test_result_for_a_program_is_the_only_output(tmp_path: Path, arguments: Sequence[str]) -> None:
    """What a tool's code prints, when it is imported and when it runs, goes to standard error."""
    body = "tools: {noisy: {writes: false, python: 'tools.noisy:noisy'}}\n"
    write(tmp_path, body, {"tools/noisy.py": NOISY})

    ran = command(*arguments, "--format", "json", folder=tmp_path)

    assert ran["status"] == 0
    assert isinstance(json.loads(ran["out"]), dict)
    assert b"descriptor" in ran["err"]
