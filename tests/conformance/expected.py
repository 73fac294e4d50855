"""How the official suite is expected to end, and where a run of it ended otherwise.

It knows the words of `bench/conformance.sh`, which counts a warning as a failure.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

FILE: Final = Path(__file__).with_name("expected.yaml")
PASSES: Final = "pass"
WORDS: Final = {"failed": "FAIL", "skipped": "skip"}
"""What a list of the file is called in the report of a run."""

Outcomes = Mapping[str, str]
"""The word of each scenario, by its name."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is expected of one version, or of the extensions."""

    passed: int
    """How many scenarios pass."""
    others: Outcomes
    """The word of each that does not."""
    why: Mapping[str, str]
    """The reason of each that does not."""

    def differences(self, found: Outcomes) -> Iterator[str]:
        """What is otherwise than expected, in sentences, sorted by scenario."""
        for name in sorted({*self.others, *found}):
            expected, word = self.others.get(name, PASSES), found.get(name, "not run")
            if word != expected:
                yield f"{name}: expected '{expected}', found '{word}'"
        passed = sum(word == PASSES for word in found.values())
        if passed != self.passed:
            yield f"expected {self.passed} scenarios to pass, and {passed} did"


def read(text: str) -> dict[str, Run]:
    """What is expected, by the name of the run, in the order of the file."""
    tree = yaml.safe_load(text)
    return {str(name): _run(run, tree["reasons"]) for name, run in tree["runs"].items()}


def _run(tree: Mapping[str, Mapping[str, str]], reasons: Mapping[str, str]) -> Run:
    others, why = {}, {}
    for listed, word in WORDS.items():
        for name, reason in tree.get(listed, {}).items():
            others[name], why[name] = word, reasons[reason]
    passed = tree["passed"]
    assert isinstance(passed, int)
    return Run(passed, others, why)


def as_markdown() -> str:
    """The table of what does not pass, a row a reason and run, in the order of the file."""
    lines = ["| run | why | scenarios |", "|---|---|---|"]
    for name, run in read(FILE.read_text("utf-8")).items():
        grouped = defaultdict(list)
        for scenario, reason in run.why.items():
            grouped[reason].append(f"`{scenario}`")
        lines += [f"| {name} | {why} | {', '.join(of)} |" for why, of in grouped.items()]
    return "\n".join(lines)
