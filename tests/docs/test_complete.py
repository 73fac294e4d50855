"""Nothing is undocumented: every field, command, option, code, kind and type word has its place."""

import re

import click
import pytest

from docs.generate.commands import contexts
from docs.generate.phrases import KINDS
from runner.codes import CODES
from runner.compile.schemas.type_words import OUTPUT_WORDS, TYPE_WORDS
from runner.config.availability import NOT_AVAILABLE
from runner.config.json_schema import file_schema
from runner.errors import Kind
from tests.docs.pages import ROOT

SCHEMA = file_schema()
SECTIONS = {name: item for name, item in SCHEMA["$defs"].items() if "properties" in item}
COMMANDS = [context for _, context in contexts()]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def documented_fields(section: str) -> list[str]:
    """The fields in the table below a section's anchor that have a sentence."""
    _, _, below = page("reference.md").partition(f'<a id="section-{section.lower()}"></a>')
    return re.findall(r"^\| `(\w+)` \|.*\| \S.* \|$", below.split("<a id=")[0], re.MULTILINE)


@pytest.mark.parametrize("section", [*SECTIONS, "ServerSpec"])
def test_every_field_of_the_section_is_documented(section: str) -> None:
    """The schema for editors is made from the models in another way than the reference is."""
    fields = SCHEMA if section == "ServerSpec" else SECTIONS[section]
    assert documented_fields(section) == list(fields["properties"])


@pytest.mark.parametrize("name", [name for name in NOT_AVAILABLE if "." not in name])
def test_what_this_version_lacks_is_marked(name: str) -> None:
    row = re.search(rf"^\| `{name}` \|.*$", page("reference.md"), re.MULTILINE)
    assert row is not None
    assert "*Not in this version.*" in row[0]


@pytest.mark.parametrize("context", COMMANDS, ids=lambda context: context.command_path)
def test_every_command_and_option_is_documented(context: click.Context) -> None:
    below = page("commands.md").split(f"`{context.command_path}`\n")[1].split("\n#")[0]
    for parameter in context.command.get_params(context):
        names = parameter.opts if parameter.param_type_name == "option" else ()
        assert all(name in below for name in names)


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_documented(code: str) -> None:
    assert f"\n### {code}\n" in page("errors.md")


def test_every_documented_code_exists() -> None:
    assert set(re.findall(r"^### (.+)$", page("errors.md"), re.MULTILINE)) == set(CODES)


def test_every_kind_of_failure_is_documented() -> None:
    assert set(KINDS) == set(Kind)
    assert all(f"| `{kind}` |" in page("reference.md") for kind in Kind)


def test_every_type_word_is_documented() -> None:
    assert all(f"| `{word}` |" in page("reference.md") for word in (*TYPE_WORDS, *OUTPUT_WORDS))


def test_every_module_with_a_command_is_reached() -> None:
    """A command that is written but stands in no table would be a feature that nobody finds."""
    modules = {
        path.stem
        for path in (ROOT / "runner/cli").rglob("*.py")
        if "\n@click.command(" in path.read_text(encoding="utf-8")
    }
    reached = {context.command.callback.__module__ for context in COMMANDS if context.parent}
    assert modules == {name.rpartition(".")[2] for name in reached}
