"""The regular expressions that a schema may hold: the subset that every validator reads alike.

ECMA-262 is what JSON Schema names, what clients use and what the compiled validator reads; Python's
engine gives some words other meanings (`\\d` beyond ASCII, `$` before a line's end). `portable`
admits what can be said in both and says it in Python's words. Everything else (look-around, back-
references, classes by property, modes) is refused, so that no two programs disagree on a value.
"""

import re
from collections.abc import Mapping

_SPACES = r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES: Mapping[str, str] = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACES}
_CONTROLS = "tnrfv"
_PUNCTUATION = frozenset(r"^$\.*+?()[]{}|/-")
_COUNT = re.compile(r"\{([0-9]{1,4})(,([0-9]{0,4}))?\}")
_HEX = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
_HINTS: Mapping[str, str] = {
    "b": "word boundaries differ between engines",
    "p": "name the characters: [A-Za-z]",
    "A": "write ^",
    "Z": "write $",
    "z": "write $",
}
MAX_COUNT = 1000
"""Of a `{n,m}`; engines differ in what they still compile."""


class PatternError(ValueError):
    """A pattern is outside the subset; `offset` is where, the text says why."""

    def __init__(self, offset: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint


def portable(pattern: str) -> str:
    """The pattern in the words of Python's `re`, with ECMA-262's meaning.

    Raises:
        PatternError: the pattern holds something that engines read differently, or is none.
    """
    reader = _Reader(pattern)
    text = reader.alternatives(0)
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(0, "the expression is not well formed") from error
    return text


class _Reader:
    """Reads a pattern from the left, one construct a method; each gives Python's text for it."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def _peek(self, length: int = 1) -> str:
        return self._pattern[self._at : self._at + length]

    def _fault(self, message: str, hint: str | None = None) -> PatternError:
        return PatternError(self._at, message, hint)

    def alternatives(self, depth: int) -> str:
        """Everything up to the group's end, or the pattern's."""
        if depth > 20:
            raise self._fault("groups are nested too deep")
        parts: list[str] = []
        while (mark := self._peek()) and mark != ")":
            if mark == "|":
                parts.append("|")
                self._at += 1
            else:
                parts.append(self._repeated(depth))
        if depth == 0 and mark:
            raise self._fault("a ')' has no '('")
        return "".join(parts)

    def _repeated(self, depth: int) -> str:
        is_anchor = self._peek() in ("^", "$")
        atom = self._atom(depth)
        count = self._count()
        if count and is_anchor:
            raise self._fault("an anchor cannot be repeated")
        if count and self._count():
            raise self._fault("a repetition is repeated", "put the first into a group: (?:…)")
        return atom + count

    def _count(self) -> str:
        mark = self._peek()
        if mark and mark in "*+?":
            self._at += 1
            text = mark
        elif mark == "{":
            text = self._bounds()
        else:
            return ""
        if self._peek() == "?":
            self._at += 1
            return f"{text}?"
        if self._peek() == "+":
            raise self._fault("possessive repetition is not portable")
        return text

    def _bounds(self) -> str:
        found = _COUNT.match(self._pattern, self._at)
        if found is None:
            raise self._fault("a '{' does not begin a repetition", r"write \{")
        least, most = int(found[1]), int(found[3] or found[1])
        if max(least, most) > MAX_COUNT or most < least:
            raise self._fault(f"a repetition goes from low to high, to {MAX_COUNT} at most")
        self._at = found.end()
        return found[0]

    def _atom(self, depth: int) -> str:
        match self._peek():
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise self._fault("a repetition has nothing to repeat")
            case "{" | "}" | "]" as mark:
                raise self._fault(f"a '{mark}' stands alone", f"write \\{mark}")
            case mark:
                self._at += 1
                special = {"$": r"\Z", ".": r"[^\n\r\u2028\u2029]", "^": "^"}
                return special.get(mark) or re.escape(mark)

    def _group(self, depth: int) -> str:
        if self._peek(3) == "(?:":
            self._at += 3
        elif self._peek(2) == "(?":
            raise self._fault(
                "look-around, named groups and modes are not portable", "use (…) or (?:…)"
            )
        else:
            self._at += 1
        inner = self.alternatives(depth + 1)
        if self._peek() != ")":
            raise self._fault("a '(' is not closed")
        self._at += 1
        return f"(?:{inner})"

    def _escape(self) -> str:
        mark = self._peek(2)[1:]
        if mark and mark in _CLASSES:
            self._at += 2
            return f"[{_CLASSES[mark]}]"
        if mark and mark.lower() in _CLASSES:
            self._at += 2
            return f"[^{_CLASSES[mark.lower()]}]"
        return re.escape(self._character())

    def _character(self) -> str:
        """One character, escaped or not."""
        mark = self._peek()
        if mark != "\\":
            self._at += 1
            return mark
        code = _HEX.match(self._pattern, self._at)
        if code is not None:
            character = chr(int(code[1] or code[2], 16))
            if "\ud800" <= character <= "\udfff":
                raise self._fault("half of a surrogate pair", "write the character itself")
            self._at = code.end()
            return character
        mark = self._peek(2)[1:]
        if mark and mark in _CONTROLS:
            self._at += 2
            return {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}[mark]
        if mark in _PUNCTUATION:
            self._at += 2
            return mark
        raise self._fault(f"'\\{mark}' is not portable", _HINTS.get(mark))

    def _class(self) -> str:
        self._at += 1
        parts = ["["]
        if self._peek() == "^":
            self._at += 1
            parts.append("^")
        if self._peek() == "]":
            raise self._fault("an empty class", "name its characters")
        while (mark := self._peek()) != "]":
            if not mark:
                raise self._fault("a '[' is not closed")
            parts.append(self._member())
        self._at += 1
        return "".join(parts) + "]"

    def _refuse_set_words(self) -> None:
        if self._peek() == "[":
            raise self._fault("a '[' inside a class is not portable", r"write \[")
        if self._peek(2) in ("&&", "--", "~~"):
            raise self._fault("operations on classes are not portable", "escape the characters")

    def _member(self) -> str:
        self._refuse_set_words()
        word = self._peek(2)[1:]
        if self._peek() == "\\" and word and word in _CLASSES:
            self._at += 2
            if self._peek() == "-" and self._peek(2) != "-]":
                raise self._fault("a range cannot begin with a class")
            return _CLASSES[word]
        first = self._character()
        if self._peek() != "-" or self._peek(2) in ("-]", "-"):
            return re.escape(first)
        self._at += 1
        self._refuse_set_words()
        last = self._character()
        if last < first:
            raise self._fault(f"the range {first}-{last} goes backwards")
        return f"{re.escape(first)}-{re.escape(last)}"
