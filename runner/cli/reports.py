"""Diagnostics for people and for programs: text, JSON, GitHub annotations, SARIF 2.1.0."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from runner.cli.words import counted
from runner.codec.json import encode
from runner.codes import CODES
from runner.diagnostics import Diagnostic

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
INFORMATION = "https://github.com/mcp-run/mcp-run/blob/main/docs/errors.md"


def shown_from_here(diagnostics: Sequence[Diagnostic], file: Path) -> Sequence[Diagnostic]:
    """The diagnostics of a file as the shell sees it: places start at the current folder.

    Inside, places start at the folder of the file, so that they do not depend on where it runs.
    """
    return [
        replace(
            item,
            position=replace(item.position, path=(file.parent / item.position.path).as_posix()),
        )
        for item in diagnostics
    ]


def count_line(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`; `no faults` where there is none."""
    errors = sum(item.severity == "error" for item in diagnostics)
    warnings = len(diagnostics) - errors
    parts = [
        counted(number, word)
        for number, word in ((errors, "error"), (warnings, "warning"))
        if number
    ]
    return ", ".join(parts) or "no faults"


def render_text(diagnostics: Sequence[Diagnostic]) -> str:
    """One paragraph a diagnostic."""
    lines: list[str] = []
    for item in diagnostics:
        mark = "warning: " if item.severity == "warning" else ""
        lines.append(f"{item.position}: {mark}{item.code}: {item.message}")
        lines += [f"  {detail}" for detail in item.details]
        if item.hint:
            lines.append(f"  hint: {item.hint}")
    return "\n".join(lines)


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """One object: `diagnostics`, `errors`, `warnings`."""
    errors = sum(item.severity == "error" for item in diagnostics)
    return encode(
        {
            "diagnostics": [
                {
                    "path": item.position.path,
                    "line": item.position.line,
                    "column": item.position.column,
                    "severity": item.severity,
                    "code": item.code,
                    "message": item.message,
                    "details": list(item.details),
                    "hint": item.hint,
                }
                for item in diagnostics
            ],
            "errors": errors,
            "warnings": len(diagnostics) - errors,
        }
    ).decode()


def render_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    return "\n".join(
        f"::{item.severity} file={_property(item.position.path)},line={item.position.line},"
        f"col={item.position.column},title={_property(item.code)}::{_data(_full_message(item))}"
        for item in diagnostics
    )


def render_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """A SARIF 2.1.0 log of one run."""
    codes = sorted({item.code for item in diagnostics})
    rules = [
        {
            "id": code,
            "helpUri": f"{INFORMATION}#{code}",
            "fullDescription": {"text": CODES[code]},
        }
        for code in codes
    ]
    driver = {"name": "mcp-run", "informationUri": INFORMATION, "rules": rules}
    results = [_sarif_result(item, codes) for item in diagnostics]
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return encode(log).decode()


def _sarif_result(item: Diagnostic, codes: Sequence[str]) -> dict[str, object]:
    region = {"startLine": item.position.line, "startColumn": item.position.column}
    place = {"artifactLocation": {"uri": quote(item.position.path)}, "region": region}
    return {
        "ruleId": item.code,
        "ruleIndex": codes.index(item.code),
        "level": item.severity,
        "message": {"text": _full_message(item)},
        "locations": [{"physicalLocation": place}],
    }


def _full_message(item: Diagnostic) -> str:
    hint = [f"hint: {item.hint}"] if item.hint else []
    return "\n".join([item.message, *item.details, *hint])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


RENDERERS: Mapping[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": render_text,
    "json": render_json,
    "github": render_github,
    "sarif": render_sarif,
}
"""`--format` of `validate` → how diagnostics are written."""
