"""Where each character of a YAML text stands in the file, whatever its style.

Knows the styles of scalars (plain, quoted, block) and how they fold; nothing of keys or trees.
A mark is (offset in the text, line, column), as in `Scalar.lines`.
"""

import re
from collections.abc import Iterator, Sequence

Mark = tuple[int, int, int]

LINE_BREAK = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_FOLD = re.compile(r"[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)+")
_ESCAPED_FOLD = re.compile(r"\\(?:\r\n|\r|\n)[ \t]*")


def line_starts(text: str) -> tuple[Mark, ...]:
    """The mark of each line of a text that is a whole file."""
    starts = [0, *(found.end() for found in LINE_BREAK.finditer(text))]
    return tuple((offset, number, 1) for number, offset in enumerate(starts, 1))


def folded_marks(text: str, lines: Sequence[str], *, line: int, column: int) -> tuple[Mark, ...]:
    """The marks of a plain text of several source lines, the first cut to where it begins."""
    pieces = (
        (number, (column if number == line else 1) + len(raw) - len(raw.lstrip()), raw.strip())
        for number, raw in enumerate(lines, line)
    )
    return tuple(_found(text, pieces))


def block_marks(text: str, lines: Sequence[str], *, line: int) -> tuple[Mark, ...]:
    """The marks of a literal or folded text; `lines` follow its header, `line` is their first."""
    first = next((raw for raw in lines if raw.strip(" ")), "")
    indent = _leading(first) - _leading(text.lstrip("\n"))
    pieces = (
        (number, indent + 1, raw[indent:])
        for number, raw in enumerate(lines, line)
        if raw.strip(" ") and _leading(raw) >= indent
    )
    return tuple(_found(text, pieces))


def quoted_marks(source: str, *, line: int, column: int, double: bool) -> tuple[Mark, ...]:
    """The marks of a quoted text; `source` is what stands between the quotes, at that place."""
    marks: list[Mark] = [(0, line, column)]
    special = "\\" if double else "'"
    offset = index = 0
    while index < len(source):
        fold = _FOLD.match(source, index)
        escaped = _ESCAPED_FOLD.match(source, index) if double else None
        if escaped is not None or fold is not None:
            broken = (escaped or fold)[0]  # type: ignore[index]  # one of them is a match
            breaks = list(LINE_BREAK.finditer(broken))
            offset += 0 if escaped else max(1, len(breaks) - 1)
            line += len(breaks)
            column = len(broken) - breaks[-1].end() + 1
            index += len(broken)
            marks.append((offset, line, column))
            continue
        width = _escape_width(source, index) if source[index] == special else 1
        offset, index, column = offset + 1, index + width, column + width
        if width > 1:
            marks.append((offset, line, column))
    return tuple(marks)


def _escape_width(source: str, index: int) -> int:
    escape = _ESCAPE.match(source, index)
    return len(escape[0]) if escape else 2


def _leading(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _found(text: str, pieces: Iterator[tuple[int, int, str]]) -> Iterator[Mark]:
    offset = 0
    for line, column, piece in pieces:
        if not piece:
            continue
        while not text.startswith(piece, offset):
            if offset >= len(text) or text[offset] not in " \t\n":
                return
            offset += 1
        yield offset, line, column
        offset += len(piece)
