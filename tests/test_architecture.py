"""The layers of the program: who may import whom. Demanded by `docs/architecture.md`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUNNER = ROOT / "runner"

FOUNDATION = {
    "errors",
    "diagnostics",
    "secret",
    "codes",
    "reserved",
    "unexpected",
    "deadline",
    "reach",
}
ALLOWED: dict[str, set[str]] = {
    "diagnostics": set(),
    "secret": set(),
    "codes": set(),
    "reserved": set(),
    "unexpected": set(),
    "deadline": set(),
    "reach": set(),
    "errors": {"diagnostics"},
    "codec": FOUNDATION,
    "catalog": FOUNDATION | {"codec"},
    "arguments": FOUNDATION | {"codec", "catalog"},
    "config": FOUNDATION | {"codec"},
    "compile": FOUNDATION | {"codec", "catalog", "arguments", "config"},
    "invocation": FOUNDATION | {"codec", "catalog"},
    "bindings": FOUNDATION | {"codec", "catalog", "invocation"},
    "auth": FOUNDATION | {"catalog"},
    "protocol": FOUNDATION | {"codec", "catalog", "auth", "invocation"},
    "transport": FOUNDATION | {"codec", "catalog", "auth", "protocol"},
    "tasks": FOUNDATION | {"codec", "catalog"},
    "serving": FOUNDATION | {"catalog", "transport"},
}
"""Part of `runner` → the parts that it may import. `app` and `cli` wire and may import all."""
WIRING = {"app", "live", "run", "cli"}


def modules() -> list[Path]:
    return sorted(RUNNER.rglob("*.py"))


def part_of(path: Path) -> str:
    first = path.relative_to(RUNNER).parts[0]
    return first.removesuffix(".py")


def imported_parts(path: Path) -> Iterator[str]:
    """The parts of `runner` that a module imports, its own left out."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
        for name in names:
            match name.split("."):
                case ["runner", part, *_] if part != part_of(path):
                    yield part


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_what_its_layer_may(path: Path) -> None:
    part = part_of(path)
    if part in WIRING or part == "__init__":
        return
    assert set(imported_parts(path)) <= ALLOWED[part]


def test_every_part_has_a_place_in_the_table() -> None:
    assert {part_of(path) for path in modules()} - {"__init__"} <= ALLOWED.keys() | WIRING


def test_page_shows_the_same_table() -> None:
    page = (ROOT / "docs/architecture.md").read_text().partition("## Who may import whom")[2]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", page.partition("\n## ")[0], re.MULTILINE)
    shown = {part: set(re.findall(r"`(\w+)`", others)) for part, others in rows}
    assert shown == {part: ALLOWED[part] - FOUNDATION for part in ALLOWED.keys() - FOUNDATION}


def test_page_names_the_foundation_and_what_wires() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    foundation = re.search(r"^The foundation is (.*);", page, re.MULTILINE)
    wiring = re.search(r"^(.*) wire, and may import all", page, re.MULTILINE)
    assert foundation is not None
    assert wiring is not None
    assert set(re.findall(r"`(\w+)`", foundation[1])) == FOUNDATION
    assert set(re.findall(r"`(\w+)`", wiring[1])) == WIRING


def test_table_of_layers_has_no_cycle() -> None:
    settled: set[str] = set()
    while ready := {part for part in ALLOWED.keys() - settled if ALLOWED[part] <= settled}:
        settled |= ready
    assert settled == ALLOWED.keys()


def test_only_the_command_line_prints() -> None:
    """Everything else logs or returns: stdout belongs to the protocol over stdio."""
    printing = [
        str(path.relative_to(ROOT))
        for path in modules()
        if part_of(path) != "cli"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert printing == []


def test_json_is_written_and_read_in_one_module_only() -> None:
    """A second encoder that disagrees with the first was the commonest fault of other tools."""
    writers = {
        str(path.relative_to(ROOT))
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        and {alias.name for alias in node.names} & {"json", "orjson", "msgspec"}
    }
    assert writers == {"runner/codec/json.py"}
