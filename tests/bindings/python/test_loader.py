"""Where an author's callables come from: the project's own files first, each project apart."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from runner.bindings.python.loader import ProjectLoader
from runner.diagnostics import Position
from runner.errors import LoadError

Write = Callable[..., ProjectLoader]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Write]:
    """Writes files below a folder (by default `app`) and gives an open loader of that folder."""
    with ExitStack() as opened:

        def write(files: dict[str, str], folder: str = "app") -> ProjectLoader:
            for name, text in files.items():
                path = tmp_path / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return opened.enter_context(ProjectLoader(tmp_path / folder))

        yield write


def call(loader: ProjectLoader, reference: str) -> object:
    found = loader.load(reference)
    assert callable(found)
    return found()


def fault(loader: ProjectLoader, reference: str) -> LoadError:
    with pytest.raises(LoadError) as caught:
        loader.load(reference)
    return caught.value


def test_a_file_below_the_folder_is_the_module(project: Write) -> None:
    loader = project({"tools/text.py": "def shout(): return 'HI'"})
    assert call(loader, "tools.text:shout") == "HI"


def test_a_package_is_a_module_too(project: Write) -> None:
    loader = project({"tools/__init__.py": "def hi(): return 'package'"})
    assert call(loader, "tools:hi") == "package"


def test_an_installed_module_is_found_where_the_folder_has_none(project: Write) -> None:
    assert call(project({"unrelated.py": ""}), "platform:python_implementation") == "CPython"


def test_the_projects_file_wins_over_an_installed_module(project: Write) -> None:
    loader = project({"platform.py": "def machine(): return 'mine'"})
    assert call(loader, "platform:machine") == "mine"


def test_a_folder_without_python_hides_no_installed_module(project: Write) -> None:
    loader = project({"sqlite3/schema.sql": "", "a.py": "import sqlite3\nfound = sqlite3.connect"})
    assert loader.load("a:found") is __import__("sqlite3").connect


@pytest.mark.parametrize(
    "line",
    [
        "from tools.other import word",
        "from tools import other; word = other.word",
        "import tools.other; word = tools.other.word",
        "import tools.other as other; word = other.word",
        "from .other import word",
        "from . import other; word = other.word",
        "from tools.other import *",
    ],
)
def test_project_modules_import_each_other(project: Write, line: str) -> None:
    loader = project({"tools/other.py": "word = 'other'", "tools/main.py": line})
    assert loader.load("tools.main:word") == "other"


def test_an_import_inside_a_function_finds_the_project_too(project: Write) -> None:
    text = "def run():\n    from tools.other import word\n    return word"
    loader = project({"tools/other.py": "word = 'late'", "tools/main.py": text})
    assert call(loader, "tools.main:run") == "late"


def test_a_module_is_imported_once_by_whatever_name(project: Write) -> None:
    main = "from .state import seen as a\nfrom tools.state import seen as b\nsame = a is b"
    loader = project({"tools/state.py": "seen = object()", "tools/main.py": main})
    assert loader.load("tools.main:same") is True


def test_two_projects_with_the_same_names_do_not_meet(project: Write) -> None:
    main = "from tools.who import name\ndef say(): return name"
    first = project({"tools/who.py": "name = 'first'", "tools/main.py": main}, "first")
    second = project({"tools/who.py": "name = 'second'", "tools/main.py": main}, "second")
    assert [call(first, "tools.main:say"), call(second, "tools.main:say")] == ["first", "second"]


def test_nothing_of_a_project_is_importable_from_outside(project: Write) -> None:
    project({"only_in_project.py": "x = 1"}).load("only_in_project:x")
    assert "only_in_project" not in sys.modules


def test_a_new_loader_sees_the_new_text(project: Write) -> None:
    """Bytecode caches compare seconds and sizes, so a quick edit of equal length was missed."""
    assert project({"a.py": "x = 1"}).load("a:x") == 1
    assert project({"a.py": "x = 2"}).load("a:x") == 2


def test_loading_writes_nothing(project: Write, tmp_path: Path) -> None:
    project({"tools/a.py": "x = 1"}).load("tools.a:x")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.py"]


def test_closing_drops_the_modules_and_keeps_loaded_functions(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("word = 'kept'\ndef run(): return word")
    before = set(sys.modules)
    with ProjectLoader(tmp_path) as loader:
        function = loader.load("a:run")
    assert callable(function)
    assert (function(), set(sys.modules) - before) == ("kept", set())


def test_dataclasses_and_forward_references_find_their_module(project: Write) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "from typing import get_type_hints\n@dataclass\nclass A:\n    b: B\nclass B: ...\n"
        "def run(): return get_type_hints(A) == {'b': B}"
    )
    assert call(project({"a.py": text}), "a:run") is True


def test_a_method_of_an_object_is_named_with_dots(project: Write) -> None:
    text = "class Shop:\n    def open(self): return 'open'\nclass It: shop = Shop()"
    assert call(project({"a.py": text}), "a:It.shop.open") == "open"


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("x = 1\nimport nothing_like_it", (2, 1), "No module named 'nothing_like_it'"),
        ("import tools.missing", (1, 1), "No module named 'tools.missing'"),
        ("def f(:\n  pass", (1, 7), "invalid syntax"),
        ("x = unknown", (1, 5), "name 'unknown' is not defined"),
        ("import os\nx = os.environ['A_KEY']", (2, 5), "no 'A_KEY'"),
        ("raise ValueError('password=hunter2')", (1, 1), "it raises ValueError"),
        ("import sys\nsys.exit(3)", (2, 1), "it raises SystemExit"),
    ],
)
def test_a_failing_import_names_the_authors_own_line(
    project: Write, text: str, position: tuple[int, int], words: str
) -> None:
    found = fault(project({"tools/a.py": text, "tools/b.py": ""}), "tools.a:x")
    assert (found.code, str(found)) == ("import-failed", f"'tools.a' cannot be imported: {words}")
    assert found.position == Position("tools/a.py", *position)


def test_the_place_is_in_the_module_that_fails(project: Write) -> None:
    files = {"tools/a.py": "from tools import b", "tools/b.py": "import json\njson.loads('{')"}
    assert fault(project(files), "tools.a:x").position == Position("tools/b.py", 2, 1)


def test_an_unknown_name_suggests_a_near_one(project: Write) -> None:
    found = fault(project({"tools/text.py": "def summarise(): ..."}), "tools.text:summarize")
    assert (found.code, str(found), found.hint) == (
        "unknown-callable",
        "'tools.text' has no 'summarize'",
        "did you mean 'summarise'?",
    )


def test_an_unknown_module_says_where_it_was_looked_for(project: Write) -> None:
    found = fault(project({"tools/a.py": ""}), "tools.b:x")
    assert (found.code, found.hint) == (
        "unknown-module",
        "expected tools/b.py beside the configuration",
    )


@pytest.mark.parametrize("text", ["tools.text", "tools:", ":name", "tools/text.py:x", "a b:c", ""])
def test_anything_but_module_colon_name_is_refused(project: Write, text: str) -> None:
    assert fault(project({"a.py": ""}), text).code == "bad-callable"


def test_what_an_import_prints_goes_to_stderr(
    project: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"a.py": "print('hello')\nx = 1"}).load("a:x")
    assert capsys.readouterr() == ("", "hello\n")
