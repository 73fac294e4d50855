"""Two statements in one text: announced by `;`, or only by a new line."""

from collections.abc import Iterator, Sequence

from runner.compile.sql.kinds import skip_brackets
from runner.compile.sql.lexer import TRIVIA, Lexeme, Token, significant
from runner.compile.sql.words import BEGINNERS, EXPECTED, UNFINISHED


def single_statement(found: Sequence[Token]) -> tuple[tuple[Token, ...], Token | None]:
    """The tokens without a trailing `;`, and where a second statement begins (None: nowhere)."""
    end = next((place for place, token in enumerate(found) if token.text == ";"), len(found))
    extra = next((token for token in found[end:] if _is_more(token)), None)
    kept = tuple(found[:end])
    return kept, extra or _second_statement(significant(kept), _line_breaks(kept))


def _is_more(token: Token) -> bool:
    return token.kind not in TRIVIA and token.text != ";"


def _line_breaks(found: Sequence[Token]) -> frozenset[int]:
    """Places among the significant tokens before which a line begins."""
    breaks: set[int] = set()
    place, is_new = 0, False
    for token in found:
        if token.kind in TRIVIA or token.kind in (Lexeme.OPEN, Lexeme.CLOSE):
            is_new = is_new or "\n" in token.text or "\r" in token.text
            continue
        if is_new:
            breaks.add(place)
        place, is_new = place + 1, False
    return frozenset(breaks)


def _second_statement(tokens: Sequence[Token], breaks: frozenset[int]) -> Token | None:
    """The first word of a second statement that no `;` announces.

    `tokens` are the significant ones, `breaks` the places among them before which a line begins.
    """
    expected: frozenset[str] = frozenset()
    for place, token in _outer(tokens, skip_brackets(tokens)):
        if place <= skip_brackets(tokens) or token.word in expected:
            expected = EXPECTED.get(token.word, frozenset())
        elif (
            token.word in BEGINNERS
            and place in breaks
            and _ends(tokens[place - 1])
            and _begins(tokens, place)
        ):
            return token
    return None


def _outer(tokens: Sequence[Token], start: int) -> Iterator[tuple[int, Token]]:
    """The tokens from `start` on that stand in no bracket behind it."""
    depth = 0
    for place, token in enumerate(tokens[start:], start):
        if token.word in (")", "]", "}"):
            depth = max(depth - 1, 0)
        elif token.word in ("(", "[", "{"):
            depth += 1
        elif depth == 0:
            yield place, token


def _begins(tokens: Sequence[Token], place: int) -> bool:
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    legal = BEGINNERS[tokens[place].word]
    return tokens[place - 1].word not in legal and following not in (",", ".", "=", ")", "")


def _ends(token: Token) -> bool:
    if token.kind is Lexeme.SIGN:
        return token.text in (")", "]", "}", "*")
    return token.word not in UNFINISHED
