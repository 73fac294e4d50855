"""What a docstring says: of the function, and of each parameter.

Reads Google, NumPy and reST styles, mixed if need be. Knows text only, and never fails: what is
not understood is part of the description.
"""

import inspect
import re
from dataclasses import dataclass, field

_PARAMETER_WORDS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments"
)
_OTHER_WORDS = (
    "returns?|yields?|receives|raises|except|exceptions|warns|warnings|warning|examples?"
    "|notes?|see also|references|attributes|methods|todo"
)
_GOOGLE = re.compile(rf"({_PARAMETER_WORDS}|{_OTHER_WORDS}):\s*\Z", re.IGNORECASE)
_NUMPY = re.compile(rf"({_PARAMETER_WORDS}|{_OTHER_WORDS})\s*\Z", re.IGNORECASE)
_OF_PARAMETERS = re.compile(rf"({_PARAMETER_WORDS})\b", re.IGNORECASE)
_UNDERLINE = re.compile(r"-{3,}\s*\Z")
_GOOGLE_ITEM = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:(?:\s+(.*))?\Z")
_NUMPY_ITEM = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?\Z")
_REST_ITEM = re.compile(
    r":(param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)\Z"
)
_REST_OTHER = re.compile(r":(type|returns?|rtype|raises?|var|ivar|cvar|meta)\b[^:]*:")


@dataclass(slots=True)
class Docstring:
    """The parts of a docstring that clients are told."""

    description: str = ""
    """All that stands before the first section; paragraphs apart by an empty line."""
    parameters: dict[str, str] = field(default_factory=dict)
    """By name, each on one line."""


@dataclass(frozen=True, slots=True)
class _Section:
    style: str
    """`google`, `numpy` or `rest`; empty for the text before the first."""
    lines: list[str]


def parse_docstring(text: str | None) -> Docstring:
    """The description and the parameters of a docstring; empty ones where it has none."""
    found = Docstring()
    described: list[str] = []
    for section in _sections(inspect.cleandoc(text or "").splitlines()):
        match section.style:
            case "":
                described.extend(section.lines)
            case "google":
                _read_google(section.lines, found.parameters)
            case "numpy":
                _read_numpy(section.lines, found.parameters)
            case "rest":
                _read_rest(section.lines, found.parameters)
    paragraphs = re.split(r"\n\s*\n", "\n".join(described).strip())
    found.description = "\n\n".join(paragraph.strip() for paragraph in paragraphs).strip()
    return found


def _sections(lines: list[str]) -> list[_Section]:
    """The text in pieces; of sections that tell of no parameter only the heading counts."""
    found = [_Section("", [])]
    skips_line = False
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        style = "" if skips_line else _style(line, following)
        if style:
            found.append(_Section(style, [line] if style == "rest" else []))
        elif not skips_line:
            found[-1].lines.append(line)
        skips_line = bool(style) and bool(_UNDERLINE.match(following))
    return found


def _style(line: str, following: str) -> str:
    """The style of the section that starts with this line; empty where none does."""
    if _NUMPY.match(line) and _UNDERLINE.match(following):
        return "numpy" if _OF_PARAMETERS.match(line) else "other"
    if _GOOGLE.match(line) and (not following.strip() or following.startswith((" ", "\t"))):
        return "google" if _OF_PARAMETERS.match(line) else "other"
    if _REST_ITEM.match(line):
        return "rest"
    return "other" if _REST_OTHER.match(line) else ""


def _read_google(lines: list[str], into: dict[str, str]) -> None:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    name = ""
    for line in lines:
        item = _GOOGLE_ITEM.match(line.strip()) if _indent(line) == margin else None
        if item:
            name = item[1]
            into[name] = (item[2] or "").strip()
        elif margin and line.strip() and _indent(line) < margin:
            return
        elif name:
            into[name] = f"{into[name]} {line.strip()}".strip()


def _read_numpy(lines: list[str], into: dict[str, str]) -> None:
    names: list[str] = []
    for line in lines:
        item = _NUMPY_ITEM.match(line) if not _indent(line) else None
        if item:
            names = [name.strip().lstrip("*") for name in item[1].split(",")]
            into.update(dict.fromkeys(names, ""))
        else:
            into.update({name: f"{into[name]} {line.strip()}".strip() for name in names})


def _read_rest(lines: list[str], into: dict[str, str]) -> None:
    item = _REST_ITEM.match(lines[0])
    if item:
        into[item[2]] = " ".join([item[3], *(line.strip() for line in lines[1:])]).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
