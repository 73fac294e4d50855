"""`runner.config.json_schema`: what editors know of the file."""

from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from runner.config.availability import NOT_AVAILABLE
from runner.config.check import check
from runner.config.files import Disk
from runner.config.interpolate import Interpolator
from runner.config.json_schema import file_schema
from runner.config.load import load
from runner.config.nodes import Document, Mapping_, Node, Scalar, Sequence
from runner.config.places import places
from runner.config.source import parse

FULL = Path(__file__).with_name("full.yaml")
ENVIRONMENT = {"STATE_KEY": "k" * 32, "WEATHER_TOKEN": "t", "PASSWORD": "p"}


def values(node: Node) -> object:
    """The tree as an editor sees it."""
    match node:
        case Mapping_(entries):
            return {key: values(entry.value) for key, entry in entries.items()}
        case Sequence(items):
            return [values(item) for item in items]
        case Scalar():
            return node.value


def document_of(text: str) -> Document:
    """The document of a text without a fault."""
    document, faults = parse(text.encode(), "mcp.yaml")
    assert faults == ()
    assert document is not None
    return document


def faults_of(text: str) -> Iterator[str]:
    """What the schema says of a file."""
    validator = jsonschema.Draft202012Validator(file_schema())
    for error in validator.iter_errors(values(document_of(text).root)):
        yield "/".join(str(step) for step in error.absolute_path)


def test_the_schema_is_one_for_old_and_new_readers() -> None:
    jsonschema.Draft202012Validator.check_schema(file_schema())
    jsonschema.Draft7Validator.check_schema(file_schema())


def test_the_full_example_fits_the_schema() -> None:
    assert list(faults_of(FULL.read_text(encoding="utf-8"))) == []


def test_the_full_example_lacks_nothing_but_what_is_not_available() -> None:
    document = document_of(FULL.read_text(encoding="utf-8"))
    spec, faults = check(document, Interpolator(ENVIRONMENT, lambda path: path))
    used = [found for pattern in NOT_AVAILABLE for found in places(document.root, pattern)]
    assert {fault.code for fault in faults} == {"not-available"}
    assert sorted(fault.position for fault in faults) == sorted(found.position for found in used)
    assert len(used) >= 15
    assert spec is not None
    assert len(spec.tools) == 8


def test_every_section_of_the_file_stands_in_the_full_example() -> None:
    document = document_of(FULL.read_text(encoding="utf-8"))
    assert set(document.root.entries) == set(file_schema()["properties"])


def test_the_full_example_loads_once_its_files_are_there(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_bytes(FULL.read_bytes())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/style.md").write_text("# Style", encoding="utf-8")
    named = [
        "docs/instructions.md",
        "prompts/review.md",
        "sql/schema.sql",
        "sql/seed.sql",
        "sql/report.sql",
    ]
    for name in [*named, "schemas/report.json"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    result = load(tmp_path / "mcp.yaml", ENVIRONMENT, Disk())
    assert {item.code for item in result.diagnostics} == {"not-available", "empty-include"}
    assert sorted(result.texts) == sorted(named)
    assert list(result.schemas) == ["schemas/report.json"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("servr: {}", ""),
        ("serve: {port: eighty}", "serve/port"),
        ("tools: {a: {titel: x}}", "tools/a"),
        ("tools: {a: {result: {shape: rowz}}}", "tools/a/result/shape"),
        ("tools: {a: {timeout: 5}}", "tools/a/timeout"),
        ("tools: {a: {title: null}}", "tools/a/title"),
    ],
)
def test_what_the_models_refuse_the_schema_refuses(body: str, path: str) -> None:
    assert list(faults_of(f"mcp: 1\nserver: {{name: x, version: 1.0}}\n{body}\n")) == [path]


def test_every_field_is_described() -> None:
    schema = file_schema()
    sections = [schema, *schema["$defs"].values()]
    bare = [
        name
        for section in sections
        for name, field in section.get("properties", {}).items()
        if not field.get("description") and "$ref" not in field  # the section has its own
    ]
    assert bare == []


def test_what_is_not_available_says_so() -> None:
    assert file_schema()["properties"]["skills"]["description"].startswith("Not available")
