"""A test that some engines cannot have is left out there, and says why."""

import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate.differences import Difference, differences
from tests.engines import fault_of

ONE_EACH = "expected some engines, each once, and not all"
WHY = "expected 'why', and nothing else by name"
SUITE = """
import pytest

@pytest.fixture(params=["sqlite", "postgresql"])
def source(request):
    return request.param

@pytest.mark.engines("sqlite", why="w")
def test_of_a_fixture(source):
    pass

@pytest.mark.engines("duckdb", "mariadb", why="w")
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("name", ["sqlite", "mariadb"])
def test_of_a_parameter(name, n):
    pass

def test_of_each(source):
    pass
"""


@pytest.mark.parametrize(
    ("named", "reason", "fault"),
    [
        (["sqlite"], {"why": "w"}, None),
        (["sqlite", "mariadb"], {"why": "w"}, None),
        (
            ["oracle"],
            {"why": "w"},
            "expected engines of sqlite, postgresql, duckdb, mariadb, found 'oracle'",
        ),
        (["sqlite", "postgresql", "duckdb", "mariadb"], {"why": "w"}, ONE_EACH),
        (["sqlite", "sqlite"], {"why": "w"}, ONE_EACH),
        ([], {"why": "w"}, ONE_EACH),
        (["sqlite"], {}, WHY),
        (["sqlite"], {"why": " "}, WHY),
        (["sqlite"], {"why": "w", "reason": "w"}, WHY),
    ],
)
def test_marker_names_some_engines_and_why(
    named: list[str], reason: dict[str, object], fault: str | None
) -> None:
    assert fault_of(named, reason) == fault


def collected(folder: Path, suite: str) -> tuple[int, list[str]]:
    """The status and the lines of collecting a suite of its own."""
    path = folder / "test_suite.py"
    path.write_text(suite)
    flags = ["-p", "tests.conftest", "-p", "no:randomly", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            "pyproject.toml",
            *flags,
            "--collect-only",
            "-q",
            path,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return found.returncode, (found.stdout + found.stderr).splitlines()


def test_runs_on_other_engines_are_not_collected(tmp_path: Path) -> None:
    status, lines = collected(tmp_path, SUITE)

    assert status == 0, lines
    assert [line.rpartition("::")[2] for line in lines if "::" in line] == [
        "test_of_a_fixture[sqlite]",
        "test_of_a_parameter[mariadb-1]",
        "test_of_a_parameter[mariadb-2]",
        "test_of_each[sqlite]",
        "test_of_each[postgresql]",
    ]


@pytest.mark.parametrize(
    ("suite", "fault"),
    [
        (SUITE.replace('why="w"', "", 1), WHY),
        (
            SUITE.replace("def test_of_a_fixture(source)", "def test_of_a_fixture()"),
            "one parameter",
        ),
    ],
    ids=["without why", "without engine"],
)
def test_faulty_marker_stops_the_run(tmp_path: Path, suite: str, fault: str) -> None:
    status, lines = collected(tmp_path, suite)

    assert status == pytest.ExitCode.USAGE_ERROR
    assert [line for line in lines if fault in line] != []


def test_differences_are_read_off_the_markers() -> None:
    shared = 'SOME = pytest.mark.engines("mariadb", "sqlite", why="w")\n@SOME\n'
    text = shared + "def test_no_json_is_lost(): ...\ndef test_of_each(): ...\n"
    own = '@pytest.mark.engines("duckdb", why="v")\n@pytest.mark.parametrize("n", [1])\n'

    assert list(differences(text + own + "def test_duckdb_reads(n): ...\n")) == [
        Difference(("sqlite", "mariadb"), "w", "No JSON is lost"),
        Difference(("duckdb",), "v", "DuckDB reads"),
    ]
    with pytest.raises(ValueError, match="test_x: engines: expected 'why'"):
        list(differences('@pytest.mark.engines("duckdb")\ndef test_x(): ...\n'))
