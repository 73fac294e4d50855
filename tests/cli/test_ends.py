"""How a command ends: on a terminal, in a pipe, interrupted, with a bug."""

import os
import pty
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.command import TIMEOUT_S, forked, here, run_python
from tests.prepared import Prepared

MAIN = "import sys; from runner.cli.main import main; main(sys.argv[1:])"
BUG = """
import sys
from runner.cli import main
main.COMMANDS["boom"] = "boom:boom"
main.main(sys.argv[1:])
"""
BOOM = """
import click

@click.command()
@click.option("-v", "--verbose", is_flag=True)
def boom(verbose: bool) -> int:
    raise LookupError("postgresql://user:hunter2@db")
"""
COMMANDS = ("serve", "validate", "list", "call", "explain", "schema")


def on_a_terminal(ready: Prepared, folder: Path, *arguments: str, **environment: str) -> str:
    """What a command writes to a terminal as its standard output."""
    master, slave = pty.openpty()
    kept = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLUMNS": "100"}
    status = ready.run(arguments, folder=folder, environment={**kept, **environment}, output=slave)
    os.close(slave)
    written = b""
    while chunk := _read(master):
        written += chunk
    os.close(master)
    assert status == 0
    return written.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # a terminal whose other end is closed
        return b""


def test_a_terminal_gets_a_table_and_colours(ready: Prepared, folder: Path) -> None:
    shown = on_a_terminal(ready, folder, "list")
    assert "NAME" in shown
    assert "\x1b[1m" in shown
    assert "\x1b[32m" in on_a_terminal(ready, folder, "validate")


def test_a_terminal_gets_the_lines_of_csv_as_lines(ready: Prepared, folder: Path) -> None:
    path = folder / "mcp.yaml"
    end = "ORDER BY {sort} LIMIT :limit\n"
    written = path.read_text(encoding="utf-8").replace(end, f"{end}    result: {{text: csv}}\n")
    path.write_text(written, encoding="utf-8")
    shown = on_a_terminal(ready, folder, "call", "find", "title=rug")
    assert shown.replace("\r", "") == "id,title\n2,rug\n"


@pytest.mark.parametrize("how", [{"NO_COLOR": "1"}, {}], ids=["NO_COLOR", "--no-color"])
@pytest.mark.parametrize("command", ["list", "validate"])
def test_no_colour_means_no_ansi_at_all(
    ready: Prepared, folder: Path, command: str, how: dict[str, str]
) -> None:
    options = () if how else ("--no-color",)
    shown = on_a_terminal(ready, folder, command, *options, **how)
    assert "\x1b" not in shown
    assert command == "validate" or "NAME" in shown


@pytest.mark.parametrize("command", ["list", "validate"])
def test_a_pipe_gets_no_ansi(ready: Prepared, folder: Path, command: str) -> None:
    reader, writer = os.pipe()
    environment = {"PATH": os.environ["PATH"], "FORCE_COLOR": "1", "TERM": "xterm"}
    assert ready.run([command], folder=folder, environment=environment, output=writer) == 0
    os.close(writer)
    with open(reader, encoding="utf-8") as printed:
        assert "\x1b" not in printed.read()


def test_a_terminal_obeys_no_command_in_a_result(ready: Prepared, folder: Path) -> None:
    python = (folder / "code.py").read_text().replace('f"hello {name}"', '"\\x1b]0;owned"')
    (folder / "code.py").write_text(python)
    assert "\x1b" not in on_a_terminal(ready, folder, "call", "greet", "name=x")
    assert forked(ready, "call", "greet", "name=x", folder=folder).out == "\x1b]0;owned\n"


def test_a_reader_that_goes_away_is_no_failure(ready: Prepared, folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        status = ready.run(
            ["list"], folder=folder, environment=os.environ, output=writer, errors=errors
        )
        os.close(writer)
        errors.seek(0)
        assert (status, errors.read()) == (0, "")


def test_an_interrupt_ends_quietly_with_130(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "call", "wait"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, out, err.strip()) == (130, "", "")


def test_a_bug_ends_with_an_id_and_a_place_and_no_words_of_it(tmp_path: Path) -> None:
    (tmp_path / "boom.py").write_text(BOOM)
    ended = run_python(BUG, "boom", folder=tmp_path)
    first, hint = ended.err.splitlines()
    assert (ended.status, ended.out) == (1, "")
    assert first.startswith("error ")
    assert first.endswith(": unexpected LookupError at boom.py:7")
    assert hint.startswith("  hint: please report it at https://")
    assert "hunter2" not in ended.err


def test_a_bug_shows_its_traceback_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "boom.py").write_text(BOOM)
    ended = run_python(BUG, "boom", "-v", folder=tmp_path)
    assert "Traceback (most recent call last)" in ended.err
    assert ended.err.splitlines()[-1].startswith("  hint: please report it at https://")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str, tmp_path: Path) -> None:
    ended = here(command, "--help", folder=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert "Examples:" in ended.out
    assert f"mcp-run {command}" in ended.out.partition("Examples:")[2]


def test_a_closed_standard_output_is_said_in_words(folder: Path) -> None:
    command = ["sh", "-c", '"$0" -c "$1" serve --stdio >&-', sys.executable, MAIN]
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr == "error: stdout is closed, so that no client can be answered\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_output_that_cannot_be_written_is_said(ready: Prepared, folder: Path) -> None:
    with (
        open("/dev/full", "w", encoding="utf-8") as full,
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
    ):
        status = ready.run(
            ["list"], folder=folder, environment=os.environ, output=full, errors=errors
        )
        errors.seek(0)
        said = errors.read()
    assert (status, said) == (1, "error: the output cannot be written: no space left on device\n")
