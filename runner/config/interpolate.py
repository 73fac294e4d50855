"""`${NAME}`, `${NAME:-default}`, `${file:path}`: what comes from outside, put into one scalar.

Knows texts and places, after the parse; what is put in is never read as YAML again, nor searched
for references again. The environment and the files come in as arguments.

A reference that is the whole scalar, or stands in plain text, is put in as it is. In an address
(`scheme://user:${PASSWORD}@host/db?key=${KEY}`) a reference before the `@`, or right after a
`=` of the query, is percent-encoded, so that any password works; the variable holds it plain.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

from pydantic_core import PydanticCustomError

from runner.config.files import why
from runner.config.marks import Mark
from runner.config.nodes import Scalar
from runner.diagnostics import Position

ReadText = Callable[[str], str]
"""The text of a file named relative to the root's folder; raises OSError or ValueError."""

# `$${` is an escaped `${`; `${{` is a dollar before a template's braces, no reference.
_PIECE = re.compile(r"\$\$\{|\$\{(?!\{)(?P<body>[^{}]*)(?P<end>\}?)")
_NAME = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?\Z", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_BARE = re.compile(r"\$[A-Z_][A-Z0-9_]*\Z")
_BARE_IN_ADDRESS = re.compile(r"(?<=[:/@])\$[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class ReferenceFault:
    """One reference that cannot be replaced, and where it stands."""

    position: Position
    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Interpolator:
    """Replaces the references of a scalar; the `Interpolation` that the leaves call."""

    environment: Mapping[str, str]
    read: ReadText

    def __call__(self, scalar: Scalar) -> Scalar:
        """The scalar with every reference replaced; itself where there is none.

        Raises:
            PydanticCustomError: of the first fault's code, with every one in `faults`.
        """
        if scalar.interpolated or "$" not in scalar.text:
            return scalar
        matches = list(_PIECE.finditer(scalar.text))
        faults = [*_bare(scalar)]
        texts: list[str] = []
        for found in matches:
            answer = self._replacement(found, scalar.at(found.start()))
            if isinstance(answer, ReferenceFault):
                faults.append(answer)
            else:
                texts.append(answer)
        if faults:
            raise PydanticCustomError(faults[0].code, "{text}", {"text": "", "faults": faults})
        return _filled(scalar, matches, texts) if matches else scalar

    def _replacement(self, found: re.Match[str], at: Position) -> str | ReferenceFault:
        if found["body"] is None:
            return "${"
        text = self._value(found, at)
        return text if isinstance(text, ReferenceFault) else _encoded(found, text)

    def _value(self, found: re.Match[str], at: Position) -> str | ReferenceFault:
        body = found["body"]
        if found["end"] and body.startswith("file:") and len(body) > len("file:"):
            return self._file(at, body.removeprefix("file:"))
        name = _NAME.match(body) if found["end"] else None
        if name is None:
            expected = "expected ${NAME}, ${NAME:-default} or ${file:path}"
            hint = "write '$${' for the characters '${'"
            message = f"{expected}, found '{found[0][:40]}'"
            return ReferenceFault(at, "bad-reference", message, hint)
        value = self.environment.get(name["name"], "")
        if value or (name["default"] is None and name["name"] in self.environment):
            return value
        if name["default"] is not None:
            return name["default"]
        message = f"the environment has no variable '{name['name']}'"
        hint = f"set it, or give a default: ${{{name['name']}:-…}}"
        return ReferenceFault(at, "missing-variable", message, hint)

    def _file(self, at: Position, path: str) -> str | ReferenceFault:
        try:
            text = self.read(path)
        except (OSError, ValueError) as error:
            reason = why(error) if isinstance(error, OSError) else str(error)
            message = f"cannot read the file '{path}': {reason}"
            return ReferenceFault(at, "unreadable-file", message)
        return text.removesuffix("\n").removesuffix("\r")


def _bare(scalar: Scalar) -> Iterator[ReferenceFault]:
    """`$NAME` where `${NAME}` is meant: alone, or as a part of an address."""
    if _ADDRESS.match(scalar.text):
        matches = list(_BARE_IN_ADDRESS.finditer(scalar.text))
    else:
        matches = list(filter(None, [_BARE.match(scalar.text)]))
    for found in matches:
        message = f"'{found[0]}' is not replaced"
        hint = f"write '${{{found[0][1:]}}}' for the variable of the environment"
        yield ReferenceFault(scalar.at(found.start()), "bare-variable", message, hint)


def _encoded(found: re.Match[str], value: str) -> str:
    """`value` as it stands at this place: percent-encoded in the open parts of an address."""
    text = found.string
    scheme = _ADDRESS.match(text)
    if scheme is None:
        return value
    # Blanked, so that a default's own '@', '/' or '?' is not taken for the address's.
    outline = _PIECE.sub(lambda piece: "x" * len(piece[0]), text)
    authority_end = next(
        (i for i in range(scheme.end(), len(text)) if outline[i] in "/?#"), len(text)
    )
    login_end = outline.rfind("@", scheme.end(), authority_end)
    if scheme.end() <= found.start() < login_end:
        alone = found.span() == (scheme.end(), login_end)
        return quote(value, safe=":" if alone else "")
    in_query = "?" in outline[: found.start()]
    if in_query and outline[found.start() - 1] == "=":
        return quote(value, safe="/:,")
    return value


def _filled(scalar: Scalar, matches: list[re.Match[str]], texts: list[str]) -> Scalar:
    pieces: list[str] = []
    marks: list[Mark] = []
    length = start = 0
    for found, text in zip(matches, texts, strict=True):
        marks.extend(_moved(scalar, start, found.start(), length))
        pieces.extend((scalar.text[start : found.start()], text))
        length += found.start() - start
        marks.append(_mark(scalar, found.start(), length))
        length += len(text)
        start = found.end()
    marks.extend(_moved(scalar, start, len(scalar.text), length))
    pieces.append(scalar.text[start:])
    return replace(scalar, text="".join(pieces), interpolated=True, lines=tuple(marks))


def _moved(scalar: Scalar, start: int, end: int, to: int) -> Iterator[Mark]:
    """The marks of an untouched piece that now begins at offset `to`."""
    yield _mark(scalar, start, to)
    for offset, line, column in scalar.lines:
        if start < offset < end:
            yield to + offset - start, line, column


def _mark(scalar: Scalar, offset: int, to: int) -> Mark:
    position = scalar.at(offset)
    return to, position.line, position.column
