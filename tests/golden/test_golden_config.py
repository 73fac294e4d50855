"""Golden cases: files in, the exact diagnostics out.

A case is one text: an opening line that says what it shows, then files, each under `--- path`
(`--- environment` holds NAME=value lines, an empty `--- no-import` stands for the option), a rule
of `=`, and what `mcp-run validate` finds.
The whole check runs, proofs in memory included.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from runner.app import check
from runner.diagnostics import Diagnostic

CASES = sorted((Path(__file__).parent / "config").glob("*.txt"))
RULE = "=" * 78
ENVIRONMENT = "environment"
NO_IMPORT = "no-import"


def diagnose(root: Path, environment: Mapping[str, str], *, imports: bool) -> Sequence[Diagnostic]:
    """Everything wrong with the configuration at `root`, as `mcp-run validate` finds it."""
    return check(root, environment, imports=imports).diagnostics


def rendered(diagnostics: Sequence[Diagnostic]) -> str:
    """The diagnostics as a reader sees them, and their count."""
    lines = []
    for item in diagnostics:
        mark = "warning: " if item.severity == "warning" else ""
        lines.append(f"{item.position}: {mark}{item.code}: {item.message}")
        lines.extend(f"  {detail}" for detail in item.details)
        lines.extend([f"  hint: {item.hint}"] if item.hint else [])
    errors = sum(item.severity == "error" for item in diagnostics)
    return "\n".join([*lines, f"errors: {errors}, warnings: {len(diagnostics) - errors}", ""])


def files_of(text: str) -> dict[str, str]:
    """The files of a case by path."""
    _, *parts = re.split(r"^--- (\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_the_diagnostics_are_exactly_these(
    case: Path, tmp_path: Path, *, update_golden: bool
) -> None:
    given, expected = case.read_text(encoding="utf-8").split(f"{RULE}\n")
    files = files_of(given)
    pairs = (line.partition("=")[::2] for line in files.pop(ENVIRONMENT, "").splitlines())
    environment = dict(pairs)
    imports = files.pop(NO_IMPORT, None) is None
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = rendered(diagnose(tmp_path / "mcp.yaml", environment, imports=imports))
    if update_golden:
        case.write_text(f"{given}{RULE}\n{found}", encoding="utf-8")
    else:
        assert found == expected
