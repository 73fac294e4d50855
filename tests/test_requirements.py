"""The list of requirements and the tests that name them agree."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parent


def named_ids() -> Iterator[str]:
    """Every id in a `@requirement(…)` of the tests."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    yield from _ids(decorator)


def _ids(decorator: ast.expr) -> Iterator[str]:
    match decorator:
        case ast.Call(func=ast.Name(id="requirement"), args=args):
            for argument in args:
                assert isinstance(argument, ast.Constant)
                yield str(argument.value)


def test_every_available_requirement_has_a_test() -> None:
    available = {name for name, found in REQUIREMENTS.items() if found.available}

    assert available - set(named_ids()) == set()


def test_requirement_with_a_test_is_available() -> None:
    """Whoever builds a feature takes what it is about off the list of what comes later."""
    available = {name for name, found in REQUIREMENTS.items() if found.available}

    assert set(named_ids()) - available == set()


def test_every_named_requirement_exists() -> None:
    assert set(named_ids()) - set(REQUIREMENTS) == set()
