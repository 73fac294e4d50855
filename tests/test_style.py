"""The bounds of `CONTRIBUTING.md`, held on the source: sizes, imports, what is caught and kept."""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bench.measure_style import Report, measure

ROOT = Path(__file__).parents[1]
RUNNER = ROOT / "runner"
ALLOWED_DEFERRED = {
    "bindings/provision.py": "the HTTP client is slow to import, and most servers have no API",
    "bindings/sql/engines.py": "psycopg and PyMySQL are optional dependencies",
    "bindings/sql/mysql_prove.py": "the parser is slow to import, and needed for writes alone",
    "bindings/sql/sqlite_prove.py": "the parser is slow to import, and needed for writes alone",
    "compile/http/apis.py": "the HTTP client is slow to import, and most servers have no API",
    "compile/proof.py": "the parser is slow to import, and needed where no engine proves",
    "tasks/runtime.py": "procrastinate is an optional dependency",
    "run.py": "uvloop is a dependency only where it exists",
    "serving/engines.py": "one of the two engines is used",
}
"""Module → why it imports inside a function."""
ALLOWED_BROAD = {
    "bindings/python/binding.py": "an author's function may raise anything",
    "bindings/python/lifespan.py": "the same",
    "bindings/python/loader.py": "the same, when it is imported",
    "bindings/python/threads.py": "what it raised is carried to the event loop",
    "bindings/sql/loop_run.py": "what a job raised is carried to who awaits it",
    "bindings/sql/threads.py": "what a job raised is carried to the event loop",
    "bindings/sql/transaction.py": "a session is rolled back in a thread, whatever was raised",
    "cli/main.py": "the top of the command line",
    "live.py": "a reload that fails unexpectedly leaves what is served",
    "protocol/server.py": "the boundary of dispatch",
    "protocol/tasks.py": "the same, for calls whose request was answered long ago",
    "tasks/runtime.py": "a task or a store that fails unexpectedly leaves the other tasks running",
    "bindings/sql/other.py": "a driver of any dialect raises what it likes",
}
"""Module → why it catches everything."""


@pytest.fixture(scope="module")
def report() -> Report:
    return measure(RUNNER, None)


@pytest.mark.parametrize(
    ("metric", "most"),
    [
        ("modules > 500 lines", 0),
        ("lines/module median", 150),
        ("vaguely named modules", 0),
        ("functions > 60 lines", 0),
        ("lines/function median", 8),
        ("functions complexity > 10", 0),
        ("functions nested >= 4", 0),
        ("functions >= 7 parameters", 0),
        ("modules in cycles, deferred too", 0),
        ("layers in cycles", 0),
        ("TODO/FIXME/XXX", 0),
        ("except: pass", 0),
        ("Any per 1000 lines", 2),
    ],
)
def test_measure_stays_below_its_bound(report: Report, metric: str, most: float) -> None:
    assert report.metrics[metric] <= most, report.places


@pytest.mark.parametrize(
    ("metric", "least"), [("docstring coverage %", 95), ("fully annotated functions %", 100)]
)
def test_measure_stays_above_its_bound(report: Report, metric: str, least: float) -> None:
    assert report.metrics[metric] >= least


@cache
def nodes() -> tuple[tuple[str, ast.AST], ...]:
    """Every node of the source, with its module."""
    return tuple(
        (path.relative_to(RUNNER).as_posix(), node)
        for path in sorted(RUNNER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_imports_are_deferred_where_the_reason_is_known() -> None:
    found = {
        module
        for module, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inside in ast.walk(node)
        if isinstance(inside, ast.Import | ast.ImportFrom)
    }
    assert found == ALLOWED_DEFERRED.keys()


def test_everything_is_caught_where_the_reason_is_known() -> None:
    broad = {"Exception", "BaseException"}
    found = {
        module
        for module, node in nodes()
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or broad & set(re.findall(r"\w+", ast.unparse(node.type))))
    }
    assert found == ALLOWED_BROAD.keys()


def test_every_task_is_kept() -> None:
    """The loop holds tasks weakly: one that nobody keeps may vanish, and its error with it."""
    dropped = [
        f"{module}:{node.lineno}"
        for module, node in nodes()
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).endswith(("create_task", "ensure_future"))
    ]
    assert dropped == []


def test_nothing_sleeps() -> None:
    sleeping = [
        f"{module}:{node.lineno}"
        for module, node in nodes()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sleep"
    ]
    assert sleeping == []


def test_nothing_is_ignored_without_a_reason() -> None:
    """A type that a function makes stands in many places of the models; its reason stands once."""
    silent = [
        f"{path.relative_to(RUNNER)}:{token.start[0]}"
        for path in sorted(RUNNER.rglob("*.py"))
        for token in comments(path)
        if re.search(
            r"type: ignore(?!\[valid-type\])|noqa(?!: PLC0415)|pragma: no cover", token.string
        )
        and not re.search(r"(ignore\[[\w-]+\]  #|noqa: \w+ -|no cover -) \S", token.string)
    ]
    assert silent == []


def comments(path: Path) -> Iterator[tokenize.TokenInfo]:
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token
