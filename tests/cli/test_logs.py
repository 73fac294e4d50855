"""The log of the command: one line an event, as much as is asked for, nothing of libraries."""

import re
from pathlib import Path

import pytest

from runner.cli.logs import HELD, SILENCED, log_level
from tests.cli.command import here, run_python

LOGGING = """
import logging, os, sys, warnings
from runner.cli.logs import HELD, SILENCED, set_up_logging
set_up_logging(os.environ, quiet="-q" in sys.argv, verbose="-v" in sys.argv)
own = logging.getLogger("runner.call")
for level in ("debug", "info", "warning", "error"):
    getattr(own, level)("own %s\\nforged", level)
for name in HELD:
    logging.getLogger(name + ".deep").info("of %s", name)
for name in SILENCED:
    logging.getLogger(name).warning("of %s", name)
warnings.warn("a warning", stacklevel=1)
"""
CODE = """
def fail(secret: str) -> str:
    raise RuntimeError(f"{secret} and postgresql://user:hunter2@db")
"""
FILE = """\
mcp: 1
server: {name: failing, version: 1.0.0}
tools:
  fail: {description: Fails., writes: false, python: "code:fail"}
"""


@pytest.mark.parametrize(
    ("option", "environment", "levels"),
    [
        ("", {}, ["WARNING", "ERROR"]),
        ("-q", {}, ["ERROR"]),
        ("-v", {}, ["DEBUG", "INFO", "WARNING", "ERROR"]),
        ("-q", {"MCP_RUN_LOG": "info"}, ["INFO", "WARNING", "ERROR"]),
        ("-v", {"MCP_RUN_LOG": "ERROR"}, ["ERROR"]),
    ],
    ids=["plain", "quiet", "verbose", "variable", "variable over option"],
)
def test_as_much_is_logged_as_is_asked_for(
    option: str, environment: dict[str, str], levels: list[str], tmp_path: Path
) -> None:
    ended = run_python(LOGGING, option, folder=tmp_path, environment=environment)
    own = [line.split()[1] for line in ended.err.splitlines() if " runner.call: " in line]
    assert own == levels
    assert not [name for name in (*HELD, *SILENCED) if f"of {name}" in ended.err]


def test_an_event_is_one_line_in_utc(tmp_path: Path) -> None:
    """A line break in what a client sent cannot forge an event."""
    lines = run_python(LOGGING, folder=tmp_path).err.splitlines()
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.fullmatch(time + r" WARNING runner\.call: own warning\\nforged", lines[0])
    assert re.fullmatch(time + r" WARNING py\.warnings: .*UserWarning: a warning.*", lines[2])
    assert len(lines) == 3


def test_an_unknown_level_ends_with_2(folder: Path) -> None:
    ended = here("list", folder=folder, environment={"MCP_RUN_LOG": "loud"})
    assert ended.status == 2
    assert "MCP_RUN_LOG: expected one of error, warning, info, debug, found 'loud'" in ended.err


def test_an_empty_variable_says_nothing() -> None:
    assert log_level({"MCP_RUN_LOG": ""}, quiet=True, verbose=False) == log_level(
        {}, quiet=True, verbose=False
    )


def failing(folder: Path, *options: str) -> str:
    """What a call writes to standard error whose function fails unexpectedly."""
    (folder / "mcp.yaml").write_text(FILE)
    (folder / "code.py").write_text(CODE)
    ended = here("call", "fail", "secret=open sesame", *options, folder=folder)
    assert ended.status == 1
    return ended.err


def test_a_failure_of_authors_code_is_logged_by_type_and_place(tmp_path: Path) -> None:
    event = failing(tmp_path).splitlines()[0]
    assert re.search(r": error [0-9a-f]{12}: tool fail: RuntimeError at code\.py:3$", event)


def test_neither_value_nor_address_is_logged_unless_everything_is(tmp_path: Path) -> None:
    assert "hunter2" not in failing(tmp_path)
    everything = failing(tmp_path, "-v")
    assert "sesame" not in everything
    assert "hunter2" in everything


CONTROLS = """
import logging, os
from runner.cli.logs import set_up_logging
set_up_logging(os.environ, quiet=False, verbose=True)
for level in ("warning", "debug"):
    log = getattr(logging.getLogger("runner.call"), level)
    log("a\\r\\x1b[2Kb\\u2028c\\u202ed\\x9be\\x00\tf é")
"""


def test_what_moves_a_cursor_is_written_as_an_escape(tmp_path: Path) -> None:
    """What a client sent hides no event, whichever engine or API quotes it."""
    lines = run_python(CONTROLS, folder=tmp_path).err.split("\n")
    assert [line.partition("runner.call: ")[2] for line in lines] == [
        r"a\r\x1b[2Kb\u2028c\u202ed\x9be\x00" + "\tf é",
        r"a\r\x1b[2Kb\u2028c\u202ed\x9be\x00" + "\tf é",
        "",
    ]
