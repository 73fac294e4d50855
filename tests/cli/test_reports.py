"""Diagnostics for people and for programs."""

import json

from runner.cli.reports import (
    RENDERERS,
    count_line,
    render_github,
    render_json,
    render_sarif,
    render_text,
)
from runner.diagnostics import Diagnostic, Position

ERROR = Diagnostic(
    Position("a, b:c.yaml", 14, 7),
    "unknown-field",
    "no field 'qury': 100%",
    ("known fields here: query",),
    "did you mean 'query'?",
)
WARNING = Diagnostic(Position("b.yaml", 1, 1), "no-description", "none", (), None, "warning")


def test_text_is_a_paragraph_a_diagnostic() -> None:
    assert render_text([ERROR, WARNING]).splitlines() == [
        "a, b:c.yaml:14:7: unknown-field: no field 'qury': 100%",
        "  known fields here: query",
        "  hint: did you mean 'query'?",
        "b.yaml:1:1: warning: no-description: none",
    ]


def test_json_holds_everything_and_the_counts() -> None:
    assert json.loads(render_json([ERROR, WARNING])) == {
        "diagnostics": [
            {
                "path": "a, b:c.yaml",
                "line": 14,
                "column": 7,
                "severity": "error",
                "code": "unknown-field",
                "message": "no field 'qury': 100%",
                "details": ["known fields here: query"],
                "hint": "did you mean 'query'?",
            },
            {
                "path": "b.yaml",
                "line": 1,
                "column": 1,
                "severity": "warning",
                "code": "no-description",
                "message": "none",
                "details": [],
                "hint": None,
            },
        ],
        "errors": 1,
        "warnings": 1,
    }


def test_github_escapes_what_its_commands_are_made_of() -> None:
    """Source: GitHub's toolkit, `command.ts`: `%`, line ends; in properties `:` and `,` too."""
    assert render_github([ERROR, WARNING]).splitlines() == [
        "::error file=a%2C b%3Ac.yaml,line=14,col=7,title=unknown-field::"
        "no field 'qury': 100%25%0Aknown fields here: query%0Ahint: did you mean 'query'?",
        "::warning file=b.yaml,line=1,col=1,title=no-description::none",
    ]


def test_sarif_has_the_structure_of_version_2_1_0() -> None:
    log = json.loads(render_sarif([ERROR, ERROR, WARNING]))
    assert (log["version"], log["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert (driver["name"], [rule["id"] for rule in driver["rules"]]) == (
        "mcp-run",
        ["no-description", "unknown-field"],
    )
    rule = driver["rules"][1]
    assert rule["helpUri"].endswith("docs/errors.md#unknown-field")
    assert rule["fullDescription"]["text"].startswith("The section has no field")
    first = run["results"][0]
    assert first["ruleIndex"] == 1
    assert (first["ruleId"], first["level"]) == ("unknown-field", "error")
    assert first["message"]["text"].startswith("no field 'qury': 100%\nknown fields")
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%2C%20b%3Ac.yaml"},
                "region": {"startLine": 14, "startColumn": 7},
            }
        }
    ]


def test_no_diagnostic_is_a_whole_answer_in_every_format() -> None:
    assert {name: render([]) for name, render in RENDERERS.items() if name != "sarif"} == {
        "text": "",
        "json": '{"diagnostics":[],"errors":0,"warnings":0}',
        "github": "",
    }
    assert json.loads(render_sarif([]))["runs"][0]["results"] == []


def test_the_count_names_what_there_is() -> None:
    assert [count_line(found) for found in ([], [ERROR], [ERROR, ERROR], [ERROR, WARNING])] == [
        "no faults",
        "1 error",
        "2 errors",
        "1 error, 1 warning",
    ]
