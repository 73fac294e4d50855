"""`mcp-run list` and `mcp-run schema`."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.cli.command import Ended, here, run

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "mcp.yaml", *sorted((ROOT / "examples").rglob("mcp.yaml"))]


def test_tools_are_lines_of_cells_in_a_pipe(folder: Path) -> None:
    ended = run("list", folder=folder)
    assert (ended.status, ended.err) == (0, "")
    assert [line.split("\t") for line in ended.out.splitlines()][:3] == [
        ["find", "tool", "reads", "title, ids, sort, limit", "Finds items."],
        ["add", "tool", "writes", "title*, labels, note", "Adds an item."],
        ["forecast", "tool", "reads", "city*, days", "The weather."],
    ]


OFFERS = """\
mcp: 1
server: {name: offers, version: 1.0.0}
resources:
  style: {uri: "docs://style", text: Short., description: How we write. In short.}
  book: {uri: "book://{+path}", directory: .}
prompts:
  review:
    description: Reviews a text.
    arguments: {text: {title: Text, description: What to review}, tone?: {}}
    template: "{{ text }} {{ tone }}"
"""


def test_resources_and_prompts_stand_behind_the_tools_with_their_kind(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(OFFERS, encoding="utf-8")
    ended = here("list", folder=tmp_path)
    assert [line.split("\t") for line in ended.out.splitlines()] == [
        ["style", "resource", "reads", "docs://style", "How we write."],
        ["book", "resource", "reads", "book://{+path}", ""],
        ["review", "prompt", "", "text*, tone", "Reviews a text."],
    ]
    assert here("list", "-q", folder=tmp_path).out == "style\nbook\nreview\n"


def test_json_lists_resources_and_prompts_too(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(OFFERS, encoding="utf-8")
    nothing = {"title": None, "description": None}
    assert json.loads(here("list", "--format", "json", folder=tmp_path).out) == {
        "tools": [],
        "resources": [
            {
                "name": "style",
                "title": None,
                "description": "How we write. In short.",
                "uri": "docs://style",
                "mimeType": "text/plain",
            },
            {"name": "book", **nothing, "uriTemplate": "book://{+path}", "mimeType": None},
        ],
        "prompts": [
            {
                "name": "review",
                "title": None,
                "description": "Reviews a text.",
                "arguments": [
                    {
                        "name": "text",
                        "title": "Text",
                        "description": "What to review",
                        "required": True,
                    },
                    {"name": "tone", **nothing, "required": False},
                ],
            }
        ],
    }


def test_quiet_lists_names_and_verbose_whole_descriptions(folder: Path) -> None:
    names = here("list", "-q", folder=folder).out.split()
    assert names[:2] == ["find", "add"]
    assert "Finds items. Only your own." in here("list", "-v", folder=folder).out


def test_json_lists_what_clients_see(folder: Path) -> None:
    listed = json.loads(here("list", "--format", "json", folder=folder).out)
    tool = listed["tools"][1]
    assert tool["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    }
    assert tool["inputSchema"]["required"] == ["title"]


def test_listing_opens_and_makes_no_database(folder: Path) -> None:
    here("list", folder=folder)
    assert not (folder / "data").exists()


def test_the_schema_is_written_beside_the_file(folder: Path) -> None:
    assert here("schema", folder=folder) == Ended(0, "", "wrote mcp-run.schema.json\n")
    printed = here("schema", "-o", "-", folder=folder)
    assert json.loads(printed.out) == json.loads((folder / "mcp-run.schema.json").read_text())


def test_a_schema_that_cannot_be_written_ends_with_2(folder: Path) -> None:
    ended = here("schema", "-o", "no/such/folder.json", folder=folder)
    assert (ended.status, ended.out) == (2, "")
    assert "no/such/folder.json" in ended.err


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_schema_accepts_the_projects_own_files(path: Path, tmp_path: Path) -> None:
    schema = json.loads(here("schema", "-o", "-", folder=tmp_path).out)
    validator = jsonschema.Draft7Validator(schema)
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [error.message for error in validator.iter_errors(content)] == []


def test_the_schema_is_one_that_editors_read(tmp_path: Path) -> None:
    """The YAML language server reads draft 7: one `$schema`, definitions, markdown-free texts."""
    schema = json.loads(here("schema", "-o", "-", folder=tmp_path).out)
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["tools"]["description"]
    assert schema["required"] == ["mcp", "server"]


TWO = """\
mcp: 1
server: {name: two, version: 1.0.0}
tools:
  one: {description: One., value: 1}
  two: {description: Two., value: 2}
endpoints:
  all: {path: /mcp, tools: ["*"]}
  some: {path: /some, tools: [two]}
"""


def test_tools_of_one_endpoint_are_listed(tmp_path: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(TWO, encoding="utf-8")
    assert here("list", "-q", folder=tmp_path).out.split() == ["one", "two"]
    assert here("list", "-q", "--endpoint", "some", folder=tmp_path).out.split() == ["two"]
    listed = json.loads(here("list", "--format", "json", "--endpoint", "some", folder=tmp_path).out)
    assert [tool["name"] for tool in listed["tools"]] == ["two"]


def test_unknown_endpoint_is_named_with_those_there_are(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "mcp.yaml").write_text(TWO, encoding="utf-8")
    ended = here("list", "--endpoint", "sone", folder=tmp_path)
    assert ended.status == 2
    assert "known endpoints: all, some; did you mean 'some'?" in " ".join(ended.err.split())
    assert "the file has no endpoints" in here("list", "--endpoint", "x", folder=folder).err
