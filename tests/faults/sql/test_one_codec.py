"""JSON and CSV are written in one place, so that a mended value is mended for every output.

Elsewhere one module moved to the shared encoder while the others went on with a plain one.
"""

import ast
from pathlib import Path

RUNNER = Path(__file__).parents[3] / "runner"
WRITERS = {"json", "orjson", "csv", "simplejson", "ujson", "msgspec"}


def imported(path: Path) -> set[str]:
    """The packages that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_no_module_but_the_codec_has_a_writer_of_its_own() -> None:
    users = {
        path.relative_to(RUNNER).as_posix()
        for path in RUNNER.rglob("*.py")
        if imported(path) & WRITERS
    }

    assert users == {"codec/json.py"}
