"""The table of codes against the source and the golden cases: each code stands in all of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.codes import CODES, SECTIONS

ROOT = Path(__file__).parents[1]
REPORTERS = {
    "error": 0, "error_at_key": 0, "warning": 0, "fault": 0, "_error": 0, "_fault": 0,
    "_diagnostic": 0, "report": 0, "Diagnostic": 1, "LoadError": 0, "LexicalError": 0,
    "UnknownNameError": 0, "HintFault": 0, "ReferenceFault": 1,
}  # fmt: skip
"""Who reports → which argument is the code."""
REPORTING = ("config", "compile", "bindings/python")
NOT_GOLDEN = {
    *("not-utf8", "bad-character"),  # bytes that a text cannot hold: tests/config/test_source.py
    *("too-deep", "too-large", "expression-too-large", "schema-too-large", "hint-too-large"),
    *("null-not-declared", "column-type"),  # told by servers: tests/faults/sql
    "database-unreachable",  # with --connect: tests/cli
    *("executable-comment", "implicit-commit"),  # of MySQL: tests/compile/sql
}
"""Faults that a readable golden file cannot show; the tests of their modules do."""
CARRIER = {"several"}
"""Carries the codes of several faults of one value."""
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


def sources() -> Iterator[ast.Module]:
    """Every module that reports faults of a configuration."""
    yield ast.parse((ROOT / "runner/app.py").read_text(encoding="utf-8"))
    for part in REPORTING:
        for path in sorted((ROOT / "runner" / part).rglob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"))


def texts(node: ast.AST) -> Iterator[str]:
    """The constant texts that `node` can be."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from texts(one)
            yield from texts(other)


def reported(tree: ast.Module) -> Iterator[str]:
    """Every code that a call of the module reports, as far as it stands there as text."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
                place = REPORTERS.get(name)
                if place is not None and place < len(arguments):
                    yield from (text for text in texts(arguments[place]) if _CODE.match(text))
                for keyword in node.keywords:
                    if keyword.arg == "code":
                        yield from texts(keyword.value)
            case ast.Assign(targets=[ast.Name(id="code")], value=value):
                yield from texts(value)


def test_every_code_that_the_source_reports_stands_in_the_table() -> None:
    assert {code for tree in sources() for code in reported(tree)} - CODES.keys() == CARRIER


def test_every_code_of_the_table_is_used_in_the_source() -> None:
    written = {text for tree in sources() for node in ast.walk(tree) for text in texts(node)}
    assert CODES.keys() - written == set()


def test_every_code_is_shown_by_a_golden_case() -> None:
    shown: set[str] = set()
    for case in (ROOT / "tests/golden/config").glob("*.txt"):
        expected = case.read_text(encoding="utf-8").split("=" * 78)[1]
        shown |= set(re.findall(r"^\S+:\d+:\d+: (?:warning: )?(\S+): ", expected, re.MULTILINE))
    assert shown - CODES.keys() == set()
    assert sorted(CODES.keys() - NOT_GOLDEN - shown) == []


def messages() -> list[str]:
    """Every message of the golden cases."""
    found: set[str] = set()
    for case in (ROOT / "tests/golden/config").glob("*.txt"):
        expected = case.read_text(encoding="utf-8").split("=" * 78)[1]
        found |= set(re.findall(r"^\S+:\d+:\d+: (?:warning: )?\S+: (.*)", expected, re.MULTILINE))
    return sorted(found)


def test_every_message_begins_in_lower_case_and_has_no_full_stop() -> None:
    """A name, a sign, a number or a proper name may stand first."""
    wrong = [text for text in messages() if not re.match(r"[a-z'`{$:\d]|JSON|JMESPath|YAML", text)]
    assert wrong == []
    assert [text for text in messages() if text.endswith((".", "!"))] == []


def test_every_message_says_what_was_expected_before_what_was_found() -> None:
    assert [text for text in messages() if re.search(r"found .* expected ", text)] == []


def test_a_code_stands_in_one_section_only() -> None:
    assert sum(len(section) for section in SECTIONS.values()) == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_kebab_case_and_its_meaning_is_sentences(code: str) -> None:
    assert _CODE.match(code)
    assert re.match(r"[A-Z`*].*[.]\Z", CODES[code])
