"""A command of the prepared process is told apart from one of its own by its start alone."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.prepared import Prepared, prepared

LIMIT_S = 60
FILE = """
mcp: 1
server: {name: shop, version: 1.0.0}
tools:
  where: {python: 'tools.a:where', writes: false}
"""
CODE = '''
import os


def where() -> str:
    """Says the folder and the environment."""
    return f"{os.getcwd()} {os.environ.get('ASKED')} {os.environ.get('LEFT')}"
'''


@pytest.fixture(scope="module")
def ready() -> Iterator[Prepared]:
    """The process."""
    with prepared(LIMIT_S) as opened:
        yield opened


@pytest.mark.parametrize(
    "arguments",
    [("call", "where"), ("validate",), ("call", "none"), ("list", "--none"), ("vlaidate",)],
    ids=" ".join,
)
def test_it_prints_and_ends_as_a_process_of_its_own(
    tmp_path: Path, ready: Prepared, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "a.py").write_text(CODE, "utf-8")
    (tmp_path / "mcp.yaml").write_text(FILE, "utf-8")
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "80", "ASKED": "this"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        status = ready.run(arguments, folder=tmp_path, environment=environment, output=output)
        output.seek(0)
        printed = output.read()

    own = run(*arguments, folder=tmp_path, environment=environment)
    assert (status, printed) == (own.status, own.err + own.out)
