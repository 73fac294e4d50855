"""YAML's syntax faults in our words: where the author must look, and what to do there.

Knows the parser's vocabulary and the source text; the parser's own words never leave here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from yaml import MarkedYAMLError

from runner.diagnostics import Diagnostic, Position

QUOTE_IT = 'quote it: "…"'


@dataclass(frozen=True, slots=True)
class Source:
    """A YAML text cut into lines, with the name it goes by in diagnostics."""

    path: str
    text: str
    lines: Sequence[str]

    def fault(
        self, code: str, message: str, *, at: tuple[int, int], hint: str | None = None
    ) -> Diagnostic:
        """A diagnostic at `at`, a (line, column) that counts from 0."""
        line, column = at
        if line >= len(self.lines):
            line = max(0, len(self.lines) - 1)
            column = len(self.lines[line]) if self.lines else 0
        return Diagnostic(Position(self.path, line + 1, column + 1), code, message, (), hint)

    def rest(self, at: tuple[int, int]) -> str:
        """The text from `at` to the end of its line; empty past the end."""
        line, column = at
        return self.lines[line][column:] if line < len(self.lines) else ""

    def begins_line(self, at: tuple[int, int]) -> bool:
        """Only blanks stand before `at` on its line."""
        return at[0] < len(self.lines) and not self.lines[at[0]][: at[1]].strip()


def explain(source: Source, error: MarkedYAMLError) -> Diagnostic:
    """The diagnostic of a syntax fault that the YAML parser met."""
    problem = error.problem or ""
    at = _mark(error.problem_mark)
    opened = _mark(error.context_mark) if error.context_mark else at
    tab = _tab(source, at)
    if tab is not None:
        return source.fault(
            "yaml-tab",
            "expected spaces for indentation, found a tab",
            at=tab,
            hint="indent with spaces",
        )
    for pattern, words in _TABLE:
        if re.search(pattern, problem):
            return words(source, at, opened)
    return source.fault("yaml-syntax", "this is not valid YAML", at=at, hint=QUOTE_IT)


def _mark(mark: object) -> tuple[int, int]:
    return (getattr(mark, "line", 0), getattr(mark, "column", 0))


def _tab(source: Source, at: tuple[int, int]) -> tuple[int, int] | None:
    line = source.lines[at[0]] if at[0] < len(source.lines) else ""
    blank = line[: len(line) - len(line.lstrip())]
    return (at[0], blank.index("\t")) if "\t" in blank and at[1] <= len(blank) else None


Place = tuple[int, int]
_TIGHT = re.compile(r"\s*(?:- )?[A-Za-z_][\w.-]*\??:[^\s:/]")
"""A key whose colon touches its value."""


def _bracket(source: Source, at: Place, opened: Place) -> Diagnostic:
    mark = source.rest(opened)[:1] or "{"
    found = source.rest(at)[:1]
    if found and found in "{[":
        return source.fault(
            "needs-quotes",
            f"a plain text inside '{mark}' cannot hold '{found}'",
            at=at,
            hint=QUOTE_IT,
        )
    if found and found in "]}":
        where = f"{opened[0] + 1}:{opened[1] + 1}"
        message = f"'{mark}' opened at {where} is not closed before '{found}'"
        return source.fault("unclosed", message, at=at)
    if found and at[0] == opened[0]:
        return source.fault(
            "needs-quotes", f"expected ',' or the end of '{mark}' here", at=at, hint=QUOTE_IT
        )
    return source.fault("unclosed", f"'{mark}' is not closed", at=opened)


def _colon(source: Source, at: Place, _: Place) -> Diagnostic:
    before = source.lines[at[0]][: at[1]] if at[0] < len(source.lines) else ""
    if re.search(r":(\s|$)", before) or "{" in before or '"' in before or "'" in before:
        return source.fault("needs-quotes", "a plain text cannot hold ': '", at=at, hint=QUOTE_IT)
    start = len(before) - len(before.lstrip())
    return _indentation(source, (at[0], start), at)


def _indentation(source: Source, at: Place, _: Place) -> Diagnostic:
    above = source.lines[at[0] - 1] if 0 < at[0] <= len(source.lines) else ""
    tight = _TIGHT.match(above)
    if tight:
        return source.fault(
            "yaml-syntax", "expected a space after ':'", at=(at[0] - 1, tight.end() - 1)
        )
    return source.fault(
        "bad-indentation",
        "this line does not fit the lines above it",
        at=at,
        hint="indent it like its neighbours; quote the text if ': ' belongs to it",
    )


def _after_value(source: Source, at: Place, opened: Place) -> Diagnostic:
    if source.begins_line(at) or not source.rest(at):
        return _indentation(source, at, opened)
    return source.fault(
        "needs-quotes",
        "unexpected text after the end of a value",
        at=at,
        hint="quote the whole text; inside '…' write '' for a quote, inside \"…\" write \\\"",
    )


def _start(source: Source, at: Place, _: Place) -> Diagnostic:
    found = source.rest(at)[:1]
    message = f"a plain text cannot start with '{found}'" if found else "a value is missing"
    return source.fault("needs-quotes", message, at=at, hint=QUOTE_IT)


def _start_opened(source: Source, _: Place, opened: Place) -> Diagnostic:
    return _start(source, opened, opened)


def _content(source: Source, at: Place, opened: Place) -> Diagnostic:
    found = source.rest(at)[:1]
    if not found:
        message = "expected a value or a closing bracket, found the end of the file"
        return source.fault("unclosed", message, at=at)
    if found in "]}":
        return source.fault("yaml-syntax", f"'{found}' closes nothing", at=at, hint=QUOTE_IT)
    if found == ",":
        return source.fault("yaml-syntax", "a value is missing before ','", at=at)
    return _start(source, at, opened)


def _no_colon(source: Source, _: Place, opened: Place) -> Diagnostic:
    return source.fault(
        "yaml-syntax",
        "expected 'key: value', found a line without ': '",
        at=opened,
        hint="put a space after ':', or indent the line as part of the text above",
    )


def _list_entry(source: Source, at: Place, opened: Place) -> Diagnostic:
    if source.begins_line(at):
        return _indentation(source, at, opened)
    return source.fault(
        "needs-quotes",
        "a list cannot start on the line of its key",
        at=at,
        hint="start it on the next line, or quote the text",
    )


def _escape(source: Source, at: Place, _: Place) -> Diagnostic:
    found = re.match(r"\\?[xuU]?.?", source.rest(at))
    return source.fault(
        "bad-escape",
        f"unknown escape '{found[0] if found else ''}' in double quotes",
        at=at,
        hint="write '\\\\' for a backslash, or use single quotes",
    )


def _quote(source: Source, _: Place, opened: Place) -> Diagnostic:
    mark = source.rest(opened)[:1]
    return source.fault("unclosed", f"the quote {mark} opened here is not closed", at=opened)


def _block_header(source: Source, at: Place, opened: Place) -> Diagnostic:
    mark = source.rest(opened)[:1]
    return source.fault(
        "yaml-syntax",
        f"expected a new line after '{mark}'",
        at=at,
        hint=f"start the text on the next line, or quote it if '{mark}' belongs to it",
    )


def _deep(source: Source, at: Place, _: Place) -> Diagnostic:
    return source.fault("too-deep", "nested too deeply", at=at)


def _document(source: Source, at: Place, opened: Place) -> Diagnostic:
    if source.begins_line(at):
        return _indentation(source, at, opened)
    return _after_value(source, at, opened)


# By the parser's words, first match: libyaml's and the pure parser's are near enough alike.
_TABLE = (
    (r"expected ',' or '[\]}]'", _bracket),
    (r"mapping values are not allowed", _colon),
    (r"block sequence entries are not allowed", _list_entry),
    (r"mapping keys are not allowed", _start),
    (r"expected key|expected <block end>|'-' indicator", _after_value),
    (r"cannot start any token", _start),
    (r"could not find expected ':'", _no_colon),
    (r"end of stream|unexpected document (indicator|separator)", _quote),
    (r"escape|hexdec", _escape),
    (r"alphabetic or numeric|whitespace or line break|expected '>'|tag", _start_opened),
    (r"comment or line break|indentation indicator|chomping", _block_header),
    (r"node content", _content),
    (r"nesting depth", _deep),
    (r"<document start>", _document),
)
