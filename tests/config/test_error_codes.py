"""The codes of the configuration: one table, a golden case each."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
ONLY_IN_BYTES = {"not-utf8", "bad-character", "too-deep", "too-large"}
"""Faults that a readable golden file cannot show; `test_source` has them."""


def test_every_code_is_explained_and_shown_by_a_golden_case() -> None:
    explained = yaml.safe_load((ROOT / "docs/errors.d/config.yaml").read_text(encoding="utf-8"))
    shown: set[str] = set()
    for case in (ROOT / "tests/golden/config").glob("*.txt"):
        expected = case.read_text(encoding="utf-8").split("=" * 78)[1]
        shown |= set(re.findall(r"^\S+:\d+:\d+: (?:warning: )?(\S+): ", expected, re.MULTILINE))
    assert set(explained) >= ONLY_IN_BYTES
    assert set(explained) - ONLY_IN_BYTES <= shown


def test_every_code_that_the_configuration_writes_is_explained() -> None:
    explained = yaml.safe_load((ROOT / "docs/errors.d/config.yaml").read_text(encoding="utf-8"))
    written: set[str] = set()
    for module in (ROOT / "runner/config").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        written |= set(re.findall(r'(?:fault|Diagnostic|Fault)\(\s*(?:[\w.]+, )?"([a-z-]+)"', text))
    assert written - {"several"} <= set(explained)
