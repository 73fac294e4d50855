"""Where brackets open and close: which `[[ … ]]` are marks, and that everything is closed."""

import re
from collections.abc import Mapping, Sequence

from runner.compile.sql.lexer import Lexeme, Token
from runner.compile.sql.source import Source

_CLOSES = {"(": ")", "[": "]", "{": "}", "[[": "]]"}
_BINDS = frozenset({Lexeme.PARAMETER, Lexeme.BRACE})
_INERT = frozenset({Lexeme.STRING, Lexeme.COMMENT})
_CLAUSES = (
    "AND", "OR", "WHERE", "HAVING", "GROUP", "ORDER", "LIMIT", "OFFSET", "FETCH", "JOIN", "INNER",
    "CROSS", "UNION", "INTERSECT", "EXCEPT", "SET", "RETURNING",
)  # fmt: skip
# What can begin an optional part, but no element of an array.
_MEANT = re.compile(rf"\[\[(?=\s*(?:,|(?:{'|'.join(_CLAUSES)})\b))", re.IGNORECASE)
_END = re.compile(r"\]\]")


def marks(tokens: Sequence[Token]) -> Mapping[int, int]:
    """The place of each `[[` among `tokens` → the place of its `]]`.

    A pair counts where something is bound inside and the brackets inside are balanced; anything
    else between such brackets is SQL (`ARRAY [[ 1 ], [ :x ]]`).
    """
    found: dict[int, int] = {}
    start: int | None = None
    for place, token in enumerate(tokens):
        if token.kind is Lexeme.OPEN:
            start = place
        elif token.kind is Lexeme.CLOSE and start is not None:
            inside = tokens[start + 1 : place]
            if any(item.kind in _BINDS for item in inside) and _is_balanced(inside):
                found[start] = place
            start = None
    return found


def _is_balanced(tokens: Sequence[Token]) -> bool:
    waiting: list[str] = []
    for token in tokens:
        if token.text in ("(", "[", "{"):
            waiting.append(_CLOSES[token.text])
        elif token.text in (")", "]", "}") and (not waiting or waiting.pop() != token.text):
            return False
    return not waiting


def check_marks(tokens: Sequence[Token], source: Source) -> bool:
    """Reports a `[[ … ]]` that is plainly meant as a mark but is none; true where there is none."""
    pairs = marks(tokens)
    starts = {tokens[place].offset for place in pairs}
    ends = {tokens[place].offset for place in pairs.values()}
    seen = "".join(
        " " * len(token.text) if token.kind in _INERT else token.text for token in tokens
    )
    begin = tokens[0].offset if tokens else 0
    for found in _MEANT.finditer(seen):
        if found.start() + begin in starts:
            continue
        end = next(
            (item for item in _END.finditer(seen, found.end()) if item.start() + begin not in ends),
            None,
        )
        fault = _loose(seen, found, end)
        if fault is not None:
            offset, message = fault
            source.error("unclosed-mark", message, offset + begin, hint=_MARKS_HINT)
            return False
    return True


def _loose(seen: str, start: re.Match[str], end: re.Match[str] | None) -> tuple[int, str] | None:
    """Where the fault of a pair of marks is, and what; None where brackets inside are to blame."""
    if not _is_set_off(seen, start):
        return start.start(), "expected white space on both sides of '[['"
    if end is None:
        return start.start(), "expected ']]' for '[[', found the end"
    if not _is_set_off(seen, end):
        return end.start(), "expected white space on both sides of ']]', which closes '[['"
    if not re.search(r":[A-Za-z_]|\{", seen[start.end() : end.start()]):
        return start.start(), "expected a parameter between '[[' and ']]'"
    return None


def _is_set_off(seen: str, mark: re.Match[str]) -> bool:
    before, after = seen[: mark.start()][-1:], seen[mark.end() :][:1]
    return not before.strip() and not after.strip()


_MARKS_HINT = "write '[[ AND a = :a ]]': white space around both marks, a parameter inside"


def check_brackets(tokens: Sequence[Token], source: Source) -> bool:
    """Reports a bracket or mark that has no partner; true where there is none."""
    pairs = marks(tokens)
    closing = set(pairs.values())
    waiting: list[Token] = []
    for place, token in enumerate(tokens):
        text = token.text
        if token.kind not in (Lexeme.SIGN, Lexeme.OPEN, Lexeme.CLOSE):
            continue
        if place in pairs and any(item.kind is Lexeme.OPEN for item in waiting):
            source.error("nested-marks", "expected no '[[ ]]' inside another", token.offset)
            return False
        is_mark = place in pairs or place in closing
        if text in _CLOSES:
            waiting += _singles(token, is_mark=is_mark)
        elif text in _CLOSES.values() and not _close(token, waiting, is_mark=is_mark):
            _report_stray(token, source)
            return False
    for token in waiting:
        source.error(
            "unbalanced-brackets",
            f"expected '{_CLOSES[token.text]}' for '{token.text}', found the end",
            token.offset,
            hint=_hint(token),
        )
        return False
    return True


def _singles(token: Token, *, is_mark: bool) -> list[Token]:
    if is_mark or len(token.text) == 1:
        return [token]
    return [Token(token.kind, token.text[0], token.offset + step) for step in (0, 1)]


def _close(token: Token, waiting: list[Token], *, is_mark: bool) -> bool:
    pieces = (token.text,) if is_mark or len(token.text) == 1 else tuple(token.text)
    for piece in pieces:
        if not waiting or _CLOSES[waiting[-1].text] != piece:
            return False
        waiting.pop()
    return True


def _report_stray(token: Token, source: Source) -> None:
    source.error(
        "unbalanced-brackets",
        f"found '{token.text}' where nothing that it closes is open",
        token.offset,
        hint=_hint(token),
    )


def _hint(token: Token) -> str | None:
    if token.kind not in (Lexeme.OPEN, Lexeme.CLOSE):
        return None
    return "'[[' and ']]' stand between white space, with a parameter inside"
