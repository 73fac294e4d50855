"""A YAML text without the entry that cannot be read, so that the others are.

Knows indentation alone: an entry of a section begins at the indentation of the section's first
entry and ends before the next line that is indented no deeper.
"""

import re
from collections.abc import Sequence

from runner.codec.paths import Path

_KEY = re.compile(r"[\s'\"]*([\w.-]+)['\"]?\s*:")
_CONTENT = re.compile(r"\s*[^\s#]")


def without_entry(lines: Sequence[str], line: int) -> tuple[list[str], Path]:
    """The lines with those of the entry around `line` (from 0) emptied, and what it was.

    The entry's path is as much as can be read of it: its section and its name, or its section.

    A line of no section takes its whole section with it, and so does a section's only entry.
    """
    section = next((at for at in range(line, -1, -1) if _indent(lines[at]) == 0), 0)
    first = next((at for at in range(section + 1, line + 1) if _indent(lines[at])), None)
    start = section
    if first is not None:
        depth = _indent(lines[first]) or 0
        start = next(at for at in range(line, section, -1) if _is_up_to(lines[at], depth))
    depth = _indent(lines[start]) or 0
    end = _end(lines, max(start, line), depth)
    path = tuple(_key(lines[at]) for at in dict.fromkeys((section, start)))
    rest = [*range(section + 1, start), *range(end, _end(lines, section, 0))]
    if all(_indent(lines[at]) is None for at in rest):
        start = section
    return ["" if start <= at < end else text for at, text in enumerate(lines)], path


def _end(lines: Sequence[str], line: int, depth: int) -> int:
    """The next line behind `line` that is indented no deeper than `depth`."""
    behind = range(line + 1, len(lines))
    return next((at for at in behind if _is_up_to(lines[at], depth)), len(lines))


def _key(text: str) -> str:
    found = _KEY.match(text)
    return found[1] if found else ""


def _indent(text: str) -> int | None:
    """How far the text of a line is indented; None for a blank or a comment."""
    return len(text) - len(text.lstrip()) if _CONTENT.match(text) else None


def _is_up_to(text: str, depth: int) -> bool:
    indent = _indent(text)
    return indent is not None and indent <= depth
