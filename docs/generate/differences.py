"""What not every engine does, read off the tests that are marked with the engines they are for."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from docs.generate.tables import table
from tests.engines import ENGINES, fault_of

TESTS = Path(__file__).parents[2] / "tests"
FOLDERS = ("bindings/sql", "faults/sql")
TITLES = {
    "sqlite": "SQLite",
    "postgresql": "PostgreSQL",
    "duckdb": "DuckDB",
    "mariadb": "MariaDB",
}
SPELLED = {"json": "JSON", "csv": "CSV", "sql": "SQL", **TITLES}
"""Words of a test's name that are written otherwise in a sentence."""
Marks = Mapping[str, ast.Call]


class Difference(NamedTuple):
    """One behaviour that some engines have."""

    engines: tuple[str, ...]
    """In the order of `ENGINES`."""
    why: str
    behaviour: str


def differences_as_markdown() -> str:
    """A row a marked test; rows with the same engines and reason stand together."""
    found = {
        difference
        for folder in FOLDERS
        for path in (TESTS / folder).glob("test_*.py")
        for difference in differences(path.read_text("utf-8"))
    }
    rows = [
        (behaviour, ", ".join(TITLES[engine] for engine in engines), why)
        for engines, why, behaviour in sorted(found, key=_place)
    ]
    return table(("behaviour", "on", "because"), rows)


def differences(source: str) -> Iterator[Difference]:
    """Those that the text of a module of tests marks.

    Raises:
        ValueError: a marker is faulty, or is not written out.
    """
    module = ast.parse(source)
    marks = {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                mark = _mark(decorator, marks)
                if mark:
                    yield _difference(statement.name, mark)


def _place(difference: Difference) -> tuple[object, ...]:
    places = [ENGINES.index(engine) for engine in difference.engines]
    return places, difference.why, difference.behaviour


def _mark(decorator: ast.expr, marks: Marks) -> ast.Call | None:
    found = marks.get(decorator.id) if isinstance(decorator, ast.Name) else decorator
    is_mark = isinstance(found, ast.Call) and ast.unparse(found.func) == "pytest.mark.engines"
    return found if isinstance(found, ast.Call) and is_mark else None


def _difference(name: str, mark: ast.Call) -> Difference:
    named = [ast.literal_eval(argument) for argument in mark.args]
    reason = {str(word.arg): ast.literal_eval(word.value) for word in mark.keywords}
    if fault := fault_of(named, reason):
        raise ValueError(f"{name}: engines: {fault}")
    engines = tuple(engine for engine in ENGINES if engine in named)
    return Difference(engines, reason["why"], sentence(name))


def sentence(name: str) -> str:
    """The name of a test as a sentence."""
    words = [SPELLED.get(word, word) for word in name.removeprefix("test_").split("_")]
    return words[0][0].upper() + " ".join(words)[1:]
