"""The documentation is right: its files have no fault, its commands print what it says."""

import ast
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.app import check
from runner.codec.json import decode
from tests.docs.pages import EXAMPLES, PAGES, ROOT, Block, blocks, commands, completed
from tests.docs.shell import LIMIT_S, shell
from tests.prepared import Prepared, prepared

ENVIRONMENT = {"WEATHER_TOKEN": "t", "PASSWORD": "p", "STATE_KEY": "0123456789abcdef"}
LANGUAGES = {"yaml", "sql", "python", "console", "sh", "json", "text", "mermaid", "markdown"}
NOT_MENDED_BY_FILE = "not-read-only"
"""What a login mends, and no file can; a page on such a database has it all the same."""
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def write(block: Block, folder: Path) -> None:
    """The block as the file that it names, in the page's folder."""
    if block.is_file:
        target = folder / block.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")


@each_page
def test_every_yaml_of_the_page_is_a_file_without_faults(page: Path, tmp_path: Path) -> None:
    fences = blocks(page)
    for block in fences:
        write(block, tmp_path)
    for number, block in enumerate(fences):
        if block.is_checked:
            text = completed(block.text, tmp_path) if block.target == "fragment" else block.text
            file = tmp_path / f"{number}.yaml"
            file.write_text(text, encoding="utf-8")
            found = [
                fault
                for fault in check(file, ENVIRONMENT).diagnostics
                if fault.code != NOT_MENDED_BY_FILE
            ]
            assert bool(found) is block.is_broken, f"{block.place}: {found}"


@pytest.fixture(scope="module")
def ready() -> Iterator[Prepared]:
    """A process that runs the commands of all pages."""
    with prepared(LIMIT_S) as opened:
        yield opened


@each_page
def test_every_command_of_the_page_prints_what_the_page_shows(
    page: Path, tmp_path: Path, ready: Prepared
) -> None:
    if page in EXAMPLES:
        left = shutil.ignore_patterns("*.db", "*.duckdb*", "__pycache__")
        shutil.copytree(page.parent, tmp_path, ignore=left, dirs_exist_ok=True)
    with shell(tmp_path, ready) as reader:
        for block in blocks(page):
            write(block, tmp_path)
            if block.language == "console" and block.reason is None:
                for command in commands(block):
                    need(command.line.split()[0])
                    reader.run(command)


def need(program: str) -> None:
    """Skips where a program of the page is missing and may be, as a service may."""
    if shutil.which(program) is None and program not in ("mcp-run", "python"):
        assert os.environ.get("MCP_RUN_SERVICES") == "optional", f"{program} is not installed"
        pytest.skip(f"{program} is not installed")


def test_the_file_of_the_readme_has_ten_lines() -> None:
    [text] = [block.text for block in blocks(PAGES[0]) if block.target == "mcp.yaml"]
    assert len(text.splitlines()) == 10


@each_page
def test_every_snippet_of_python_and_json_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            ast.parse(block.text)
        elif block.language == "json":
            decode(block.text)


@each_page
def test_every_fence_says_its_language(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES


@each_page
def test_commands_that_are_not_executed_say_why(page: Path) -> None:
    unsaid = [item.place for item in blocks(page) if item.reason is not None and not item.reason]
    assert unsaid == []


@each_page
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Where links into a page may lead: headings as GitHub names them, and anchors."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)"', text))
