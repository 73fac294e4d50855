"""The tokens of a statement as its engine reads them, with exact places.

sqlglot's tokenizers are not used here, only as a second opinion in the tests: they say neither
where a literal was left open nor what stands between two tokens, take SQLite's `[` for a quoted
name even in `[[ … ]]`, end an `E''` string that goes on after a newline, read past MySQL's
executable comments, and end SQLite's and MySQL's line comments at a carriage return.
Every character of the text belongs to exactly one token, so that the tokens rejoin to the text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Lexeme(Enum):
    """What a token is; `SPACE` and `COMMENT` are trivia."""

    SPACE = auto()
    COMMENT = auto()
    STRING = auto()
    NAME = auto()
    """A quoted name."""
    WORD = auto()
    NUMBER = auto()
    PARAMETER = auto()
    """`:name` or `:name.path`."""
    BRACE = auto()
    """`{name}`."""
    OPEN = auto()
    """A `[[` set off by white space; what it means is decided with its `]]`."""
    CLOSE = auto()
    FOREIGN = auto()
    """A placeholder of the driver's own: `?`, `$1`, `@x`."""
    SIGN = auto()
    """Anything else: operators, brackets, commas."""


TRIVIA = frozenset({Lexeme.SPACE, Lexeme.COMMENT})
_FREE = frozenset({Lexeme.STRING, Lexeme.NAME, Lexeme.COMMENT})
_UNUSUAL = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is the author's, `offset` its place."""

    kind: Lexeme
    text: str
    offset: int

    @property
    def word(self) -> str:
        """Upper case where it is a bare word or a sign, else empty: quoted text is no keyword, nor
        is a word beyond ASCII, of which some have the upper case of one (`ſELECT`)."""
        is_bare = self.kind in (Lexeme.WORD, Lexeme.SIGN) and self.text.isascii()
        return self.text.upper() if is_bare else ""

    @property
    def is_unusual(self) -> bool:
        """A space beyond ASCII, or what nobody sees, is in it, outside of texts and quoted names.

        DuckDB takes U+200B for a space, but not behind a comment that has an apostrophe.
        """
        if self.text.isascii() or self.kind in _FREE:
            return False
        return any(char > "\x7f" and unicodedata.category(char) in _UNUSUAL for char in self.text)

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.offset + len(self.text)


class LexicalError(ValueError):
    """The text cannot be cut into tokens: `code` and words of a diagnostic, and the place."""

    def __init__(self, code: str, message: str, offset: int, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.offset = offset
        self.hint = hint


# What is beyond ASCII is part of a word, even a wide blank or a sign.
_BEYOND = "\x80-\U0010ffff"
_IN_WORD = rf"[A-Za-z0-9_${_BEYOND}]"
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_DECIMAL = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
_MYSQL_NUMBER = (
    rf"0x[0-9A-Fa-f]+(?!{_IN_WORD})|0b[01]+(?!{_IN_WORD})|[0-9]+[eE][+-]?[0-9]+"
    rf"|[0-9]+(?!{_IN_WORD})(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
)
# DuckDB reads these as blanks.
_WIDE_BLANKS = "\xa0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff"


@dataclass(frozen=True, slots=True)
class Lexis:
    """How an engine's lexer differs from the others."""

    nested_comments: bool = False
    hash_comments: bool = False
    spaced_dashes: bool = False
    """`--` begins a comment only before a blank of ASCII, or a control character."""
    line_ends: str = "\n"
    """What ends a line comment."""
    executable_comments: bool = False
    """`/*!` and `/*M!` are run, not skipped."""
    backslashes: bool = False
    """A backslash escapes in every string."""
    escape_strings: bool = False
    """`E'…'`."""
    strings_go_on: bool = True
    """An `E'…'` string goes on, as one, in a literal on a later line."""
    dollar_quotes: bool = False
    double_quoted_strings: bool = False
    quotes: str = '"'
    """Marks of quoted names."""
    bracketed_names: bool = False
    foreign: str = ""
    """A pattern of the driver's own placeholders."""
    space: str = r"[ \t\n\v\f\r]+"
    word: str = rf"[A-Za-z_{_BEYOND}]{_IN_WORD}*"
    number: str = rf"0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|{_DECIMAL}"
    """Ends where the engine ends it: most take a word that follows at once for the next token."""
    digit_words: bool = False
    """`1st` is a name."""


_ANY = r"\?\d*|[@$][^\W\d]\w*|\$\d+"
_LEXES: Mapping[str, Lexis] = {
    "sqlite": Lexis(
        quotes='"`',
        bracketed_names=True,
        foreign=_ANY,
        space=r"[ \t\n\v\f\r\ufeff]+",  # which ends no word, though
    ),
    "postgresql": Lexis(
        nested_comments=True,
        line_ends="\r\n",
        escape_strings=True,
        dollar_quotes=True,
        foreign=r"\$\d+",
    ),
    "duckdb": Lexis(
        nested_comments=True,
        line_ends="\r\n",
        escape_strings=True,
        strings_go_on=False,
        dollar_quotes=True,
        quotes='"`',
        foreign=r"\?\d*|\$\w+",
        space=rf"[ \t\n\v\f\r{_WIDE_BLANKS}]+",
        word=rf"(?![{_WIDE_BLANKS}])[A-Za-z_{_BEYOND}](?:(?![{_WIDE_BLANKS}]){_IN_WORD})*",
        number=_DECIMAL,
    ),
    "mysql": Lexis(
        hash_comments=True,
        spaced_dashes=True,
        executable_comments=True,
        backslashes=True,
        double_quoted_strings=True,
        quotes="`",
        foreign=r"\?",
        word=rf"[A-Za-z_${_BEYOND}]{_IN_WORD}*",
        number=_MYSQL_NUMBER,
        digit_words=True,
    ),
}
_LEXES = {**_LEXES, "mariadb": _LEXES["mysql"]}
_OTHER = Lexis(quotes='"`', dollar_quotes=True)


def lexis(dialect: str) -> Lexis:
    """The lexical rules of a SQLAlchemy dialect; the standard's for those not promised."""
    return _LEXES.get(dialect, _OTHER)


_DIGIT_WORD = re.compile(rf"[0-9]{_IN_WORD}*")
_PARAMETER = re.compile(r":[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_BRACE = re.compile(r"\{[^\W\d]\w*\}")
_DOLLAR = re.compile(rf"\$(?:[A-Za-z_{_BEYOND}][A-Za-z0-9_{_BEYOND}]*)?\$")
# Where comments do not nest, `/*/*/` is one: the `/*` in it is nothing that `*/` could follow.
_FLAT = re.compile(r"\*/")
_NESTED = re.compile(r"/\*|\*/")
_COLONS = re.compile(r"::+|:=|:")
# No two ways to match the same text: a client's statement cannot make this slow.
_GOES_ON = re.compile(r"[ \t\f\v]*(?:--[^\r\n]*)?[\r\n](?:[ \t\n\v\f\r]|--[^\r\n]*[\r\n])*'")


def tokens(text: str, dialect: str, *, has_marks: bool = True) -> tuple[Token, ...]:
    """All tokens of `text`, trivia included; joined they are `text`.

    Without `has_marks`, `[[` is the engine's: a statement that a client writes has no marks.

    Raises:
        LexicalError: a literal, quoted name or comment is not closed, or a comment would be run.
    """
    return tuple(_Scanner(text, lexis(dialect), has_marks=has_marks).run())


def significant(found: Iterable[Token]) -> list[Token]:
    """The tokens that the engine sees: without trivia and without the marks `[[` and `]]`."""
    hidden = TRIVIA | {Lexeme.OPEN, Lexeme.CLOSE}
    return [token for token in found if token.kind not in hidden]


class _Scanner:
    """One pass over one text; each rule gives the end of its token, or None for "not mine"."""

    def __init__(self, text: str, rules: Lexis, *, has_marks: bool) -> None:
        self._text = text
        self._has_marks = has_marks
        self._rules = rules
        self._foreign = re.compile(rules.foreign) if rules.foreign else None
        self._readers: tuple[tuple[Lexeme, Callable[[int], int | None]], ...] = (
            (Lexeme.SPACE, self._matching(re.compile(rules.space))),
            (Lexeme.COMMENT, self._comment),
            (Lexeme.OPEN, self._open),
            (Lexeme.CLOSE, self._close),
            (Lexeme.STRING, self._string),
            (Lexeme.NAME, self._name),
            (Lexeme.WORD, self._matching(re.compile(rules.word))),
            (Lexeme.NUMBER, self._matching(re.compile(rules.number))),
            (Lexeme.WORD, self._digit_word),
            (Lexeme.PARAMETER, self._matching(_PARAMETER)),
            (Lexeme.BRACE, self._matching(_BRACE)),
            (Lexeme.FOREIGN, self._placeholder),
            (Lexeme.SIGN, self._matching(_COLONS)),
        )

    def run(self) -> Iterator[Token]:
        """The tokens in order."""
        at = 0
        while at < len(self._text):
            kind, end = self._next(at)
            yield Token(kind, self._text[at:end], at)
            at = end

    def _next(self, at: int) -> tuple[Lexeme, int]:
        for kind, read in self._readers:
            end = read(at)
            if end is not None:
                return kind, end
        return Lexeme.SIGN, at + 1

    def _matching(self, pattern: re.Pattern[str]) -> Callable[[int], int | None]:
        def read(at: int) -> int | None:
            found = pattern.match(self._text, at)
            return found.end() if found else None

        return read

    def _digit_word(self, at: int) -> int | None:
        found = _DIGIT_WORD.match(self._text, at) if self._rules.digit_words else None
        return found.end() if found else None

    def _placeholder(self, at: int) -> int | None:
        found = self._foreign.match(self._text, at) if self._foreign else None
        return found.end() if found else None

    def _comment(self, at: int) -> int | None:
        text = self._text
        if text.startswith("--", at):
            follows = text[at + 2 : at + 3]
            plain = not self._rules.spaced_dashes or follows <= " " or follows == "\x7f"
            return self._line_end(at) if plain else None
        if self._rules.hash_comments and text[at] == "#":
            return self._line_end(at)
        return self._block(at) if text.startswith("/*", at) else None

    def _line_end(self, at: int) -> int:
        ends = [self._text.find(mark, at) for mark in self._rules.line_ends]
        return min((end for end in ends if end >= 0), default=len(self._text))

    def _block(self, start: int) -> int:
        if self._rules.executable_comments and re.match(r"/\*M?!", self._text[start : start + 4]):
            raise LexicalError(
                "executable-comment",
                "expected no comment that the engine runs, found "
                f"'{self._text[start : start + 4].rstrip()}'",
                start,
                hint="write its text as SQL",
            )
        depth = 0
        marks = _NESTED if self._rules.nested_comments else _FLAT
        for mark in marks.finditer(self._text, start + 2):
            depth += 1 if mark[0] == "/*" else -1
            if depth < 0:
                return mark.end()
        raise LexicalError("unclosed-text", "expected '*/' for this comment, found the end", start)

    def _string(self, at: int) -> int | None:
        text, rules = self._text, self._rules
        if text[at] == "'":
            return self._quoted(at, at, rules.backslashes)
        if text[at] == '"' and rules.double_quoted_strings:
            return self._quoted(at, at, rules.backslashes)
        if rules.escape_strings and text[at] in "eE" and text.startswith("'", at + 1):
            return self._escape_string(at)
        found = _DOLLAR.match(text, at) if rules.dollar_quotes and text[at] == "$" else None
        return self._dollar_quoted(at, found[0]) if found else None

    def _escape_string(self, at: int) -> int:
        # `E'a'` goes on, backslashes and all, in a literal that begins on a later line.
        end = self._quoted(at, at + 1, True)
        while self._rules.strings_go_on and (found := _GOES_ON.match(self._text, end)):
            end = self._quoted(at, found.end() - 1, True)
        return end

    def _dollar_quoted(self, at: int, tag: str) -> int:
        end = self._text.find(tag, at + len(tag))
        if end < 0:
            raise LexicalError(
                "unclosed-text", f"expected '{tag}' for this text, found the end", at
            )
        return end + len(tag)

    def _name(self, at: int) -> int | None:
        text = self._text
        if text[at] in self._rules.quotes:
            return self._quoted(at, at, False)
        if not self._rules.bracketed_names or text[at] != "[":
            return None
        end = text.find("]", at)
        if end < 0:
            raise LexicalError("unclosed-text", "expected ']' for this name, found the end", at)
        return end + 1

    def _quoted(self, start: int, at: int, escapes: bool) -> int:
        """The end of what the mark at `at` opens; a doubled mark stands for itself."""
        text, mark = self._text, self._text[at]
        at += 1
        while at < len(text):
            if text[at] == mark and text[at + 1 : at + 2] != mark:
                return at + 1
            at += 2 if text[at] == mark or (escapes and text[at] == "\\") else 1
        raise LexicalError("unclosed-text", f"expected {mark} for this text, found the end", start)

    def _open(self, at: int) -> int | None:
        return self._mark(at, "[[")

    def _close(self, at: int) -> int | None:
        return self._mark(at, "]]")

    def _mark(self, at: int, mark: str) -> int | None:
        text = self._text
        if not self._has_marks or not text.startswith(mark, at):
            return None
        around = (text[at - 1 : at] if at else " ") + (text[at + 2 : at + 3] or " ")
        return at + 2 if around.isspace() else None
