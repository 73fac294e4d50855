"""The pages of the documentation as a reader uses them: files are written, commands are run.

A fence's first word is its language, the second one says what it is:

    ```sql shop.sql        written to that file in the page's folder
    ```yaml mcp.yaml       the same, and held to be a file without any fault
    ```yaml broken.yaml    written, and held to be a file with faults
    ```yaml tools/a.yaml   written; the page's mcp.yaml includes it
    ```yaml .other.yaml    written; a file of another program
    ```yaml fragment       top-level keys; `completed` puts around them what a whole file needs
    ```console             commands after `$ `, and what they print

In what is printed `…` stands for any text, and on a line of its own for any lines. A command that
ends in `&` serves until the page ends; its port 8000 is a free one in truth. A comment
`<!-- not executed: REASON -->` before a fence says why its commands are not run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = tuple(sorted((ROOT / "examples").glob("*/README.md")))
"""Pages of examples; their reader is in the folder of the example."""
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *EXAMPLES,
)
_FENCE = re.compile(
    r"(?:<!-- not executed: (?P<reason>.*?) -->\n)?^```(?P<words>[^\n]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
HEAD = "mcp: 1\nserver: {name: docs, version: 1.0.0}\n"


@dataclass(frozen=True, slots=True)
class Block:
    """One fence of a page."""

    place: str
    language: str
    target: str
    """The second word: a file, `fragment`, or nothing."""
    text: str
    reason: str | None
    """Why its commands are not executed."""

    @property
    def is_file(self) -> bool:
        """It is written to the file that it names."""
        return "." in self.target

    @property
    def is_checked(self) -> bool:
        """It is a whole `mcp.yaml`, or becomes one."""
        return self.language == "yaml" and not self.target.startswith(("tools/", "."))

    @property
    def is_broken(self) -> bool:
        """It is held to be a file with faults."""
        return self.target.startswith("broken")


@dataclass(frozen=True, slots=True)
class Command:
    """One command with the output that the page promises."""

    line: str
    output: str


def blocks(page: Path) -> list[Block]:
    """The fences of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    for match in _FENCE.finditer(text):
        language, _, target = match["words"].strip().partition(" ")
        line = text.count("\n", 0, match.start("words")) + 1
        place = f"{page.relative_to(ROOT)}:{line}"
        found.append(Block(place, language, target, match["text"], match["reason"]))
    return found


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; one goes on behind a backslash and in open quotes."""
    for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = piece.splitlines()
        end = next(number for number in range(1, len(lines) + 1) if _is_whole(lines[:number]))
        yield Command("\n".join(lines[:end]), "\n".join(lines[end:]))


def _is_whole(lines: list[str]) -> bool:
    return not lines[-1].endswith("\\") and "".join(lines).count("'") % 2 == 0


def completed(fragment: str, folder: Path) -> str:
    """A fragment as a whole file; SQL gets a database, made by the page's schema.sql if any."""
    names = set(re.findall(r"^(\w+):", fragment, re.MULTILINE))
    head = HEAD if "server" not in names else "mcp: 1\n"
    if "sql:" in fragment and "databases" not in names:
        has_schema = (folder / "schema.sql").exists()
        create = ", create: {schema: schema.sql}" if has_schema else ""
        head += f'databases: {{main: {{url: "sqlite://"{create}}}}}\n'
    if "apis" not in names and (api := re.search(r"\bapi: (\w+)", fragment)):
        head += f"apis: {{{api[1]}: {{url: https://api.example.com}}}}\n"
    return head + fragment


def matches(promised: str, printed: str) -> bool:
    """What was printed is what the page says."""
    pattern = re.escape(promised.strip("\n")).replace("\\\n", "\n")
    pattern = re.sub(r"^…\n", "(?:.*\\n)*", pattern, flags=re.MULTILINE)
    pattern = re.sub(r"\n…$", "(?:\\n.*)*", pattern)
    return re.fullmatch(pattern.replace("…", ".*"), printed.strip("\n")) is not None
