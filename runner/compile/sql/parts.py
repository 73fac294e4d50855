"""A statement's parts: the author's text, and between it what is bound, chosen or optional.

The text of the parts is the author's, character for character; no value ever becomes part of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from runner.catalog.schema import Parameter
from runner.catalog.sql import Bound, Chosen, OptionalPart, Part, Statement
from runner.compile.sql.lexer import TRIVIA, Lexeme, Token
from runner.compile.sql.marks import marks
from runner.compile.sql.names import Meaning, Names, UnknownNameError
from runner.compile.sql.source import Source
from runner.diagnostics import did_you_mean

_P = TypeVar("_P", bound=Part)
_ADJACENT = frozenset({Lexeme.WORD, Lexeme.NAME, Lexeme.NUMBER, Lexeme.PARAMETER})


def statement_parts(
    tokens: Sequence[Token], names: Names, source: Source
) -> tuple[Part, ...] | None:
    """The parts of a statement whose brackets are balanced; None after a report."""
    builder = _Builder(tokens, names, source)
    pairs = marks(tokens)
    parts: list[Part] = []
    place = 0
    while place < len(tokens):
        end = pairs.get(place)
        if end is None:
            parts += builder.piece(place)
            place += 1
        else:
            inside = [part for step in range(place + 1, end) for part in builder.piece(step)]
            parts.append(_optional(_joined(inside)))
            place = end + 1
    builder.check_chosen(parts)
    return None if builder.failed else tuple(_joined(parts))


def flat(parts: Sequence[Part]) -> Iterator[str | Bound | Chosen]:
    """Every part, those inside `[[ ]]` in their places."""
    for part in parts:
        if isinstance(part, OptionalPart):
            yield from part.parts
        else:
            yield part


def with_bounds(parts: Sequence[Part], change: Callable[[Bound], Bound]) -> tuple[Part, ...]:
    """The parts with `change` applied to each bound value, those inside `[[ ]]` too."""
    return tuple(_with_bounds(part, change) for part in parts)


def _with_bounds(part: Part, change: Callable[[Bound], Bound]) -> Part:
    match part:
        case Bound():
            return change(part)
        case OptionalPart(parts, parameters):
            inside = [change(item) if isinstance(item, Bound) else item for item in parts]
            return OptionalPart(tuple(inside), parameters)
        case _:
            return part


def written(parts: Sequence[Part]) -> str:
    """The parts as the author writes them: `:name`, `{name}`, `[[ … ]]`."""
    return "".join(_written(part) for part in parts)


def _written(part: Part) -> str:
    match part:
        case str():
            return part
        case Bound():
            return ":" + ".".join(part.path)
        case Chosen():
            return "{" + part.parameter + "}"
        case OptionalPart():
            return f"[[{written(part.parts)}]]"


def roots(statement: Statement) -> frozenset[str]:
    """The first word of every path that a statement binds, and its choices."""
    return frozenset(
        part.path[0] if isinstance(part, Bound) else part.parameter
        for part in flat(statement.parts)
        if not isinstance(part, str)
    )


def _joined(parts: Sequence[_P]) -> list[_P | str]:
    joined: list[_P | str] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        else:
            joined.append(part)
    return joined


def _optional(parts: Sequence[str | Bound | Chosen]) -> OptionalPart:
    names = [
        part.path[0] if isinstance(part, Bound) else part.parameter
        for part in parts
        if not isinstance(part, str)
    ]
    return OptionalPart(tuple(parts), tuple(dict.fromkeys(names)))


@dataclass(slots=True)
class _Builder:
    """Turns tokens into parts; remembers whether anything was reported."""

    tokens: Sequence[Token]
    names: Names
    source: Source
    failed: bool = False

    def piece(self, place: int) -> tuple[str | Bound | Chosen, ...]:
        token = self.tokens[place]
        match token.kind:
            case Lexeme.PARAMETER:
                return self._parameter(place)
            case Lexeme.BRACE:
                return self._choice(token)
            case Lexeme.FOREIGN:
                self._error(
                    "foreign-placeholder",
                    f"expected ':name', found '{token.text}', which nothing is bound to",
                    token,
                    hint="every value comes from a parameter, a bind or an element",
                )
                return ()
            case _:
                return (token.text,)

    def check_chosen(self, parts: Sequence[Part]) -> None:
        """Reports a choice outside `[[ ]]` that may have no word."""
        for part in parts:
            if isinstance(part, Chosen) and not self.names.parameters[part.parameter].required:
                self._error(
                    "choice-without-word",
                    f"'{part.parameter}' may be absent, but '{{{part.parameter}}}' "
                    "stands outside '[[ ]]'",
                    next(item for item in self.tokens if item.text == f"{{{part.parameter}}}"),
                    hint="require it, give it a default, or put it inside '[[ ]]'",
                )

    def _error(self, code: str, message: str, token: Token, hint: str | None = None) -> None:
        self.failed = True
        self.source.error(code, message, token.offset, hint=hint)

    def _parameter(self, place: int) -> tuple[Bound, ...]:
        token = self.tokens[place]
        path = tuple(token.text[1:].split("."))
        slice_hint = self._slice_hint(place)
        try:
            meaning = self.names.meaning(path)
        except UnknownNameError as error:
            self._error(error.code, error.message, token, slice_hint or error.hint)
            return ()
        if slice_hint is not None:
            self._error(
                "ambiguous-colon",
                f"'{token.text}' stands directly behind '{self.tokens[place - 1].text}'",
                token,
                slice_hint,
            )
            return ()
        return self._bound(place, path, meaning)

    def _slice_hint(self, place: int) -> str | None:
        """How to write a colon that no value follows, where one is likely meant."""
        if place == 0 or self.tokens[place - 1].kind not in _ADJACENT | {Lexeme.SIGN}:
            return None
        before, name = self.tokens[place - 1], self.tokens[place].text[1:]
        if before.kind is Lexeme.SIGN and before.text not in (")", "]"):
            return f"for a slice write '1 : {name}'" if self._starts_slice(place, name) else None
        if self._open_bracket(place) is None and before.kind is not Lexeme.PARAMETER:
            return None
        return f"write '{before.text} : {name}' for the name, ': :{name}' for the parameter"

    def _starts_slice(self, place: int, name: str) -> bool:
        return self.tokens[place - 1].text == "[" and name.partition(".")[0] not in self.names.known

    def _open_bracket(self, place: int) -> str | None:
        depth = 0
        for token in reversed(self.tokens[:place]):
            if token.kind is not Lexeme.SIGN:
                continue
            if token.text in (")", "]", "}"):
                depth += 1
            elif token.text in ("(", "[", "{"):
                if depth == 0:
                    return token.text if token.text != "(" else None
                depth -= 1
        return None

    def _bound(self, place: int, path: tuple[str, ...], meaning: Meaning) -> tuple[Bound, ...]:
        token = self.tokens[place]
        before = [item.word for item in self._around(reversed(self.tokens[:place]), 2)]
        after = [item.word for item in self._around(self.tokens[place + 1 :], 1)]
        bare = before[:1] == ["IN"]
        inside = before == ["(", "IN"]
        offset = token.offset + self.source.base
        if not meaning.is_list:
            if bare:
                self._error(
                    "not-a-list",
                    f"expected a list after IN, found '{token.text}' of type {meaning.type}",
                    token,
                    hint=f"write 'IN ({token.text})' for one value",
                )
            return (Bound(path, meaning.type, offset=offset),)
        if self._in_list(place) and not (inside and after == [")"]):
            self._error(
                "mixed-list",
                f"the list '{token.text}' stands beside other values in IN ( )",
                token,
                hint=f"write 'IN {token.text} OR … IN (…)'",
            )
            return ()
        return (
            Bound(
                path,
                meaning.type,
                is_list=True,
                expands=bare or inside,
                offset=offset,
                in_brackets=inside,
            ),
        )

    def _in_list(self, place: int) -> bool:
        """Directly among the values of an `IN ( … )`."""
        depth = 0
        tokens = [item for item in self.tokens[:place] if item.kind not in TRIVIA]
        for step, token in reversed(list(enumerate(tokens))):
            if token.word in (")", "]", "}"):
                depth += 1
            elif token.word in ("(", "[", "{"):
                if depth == 0:
                    opener = token.word == "(" and step > 0 and tokens[step - 1].word == "IN"
                    return opener and not _is_query(tokens[step + 1 :])
                depth -= 1
        return False

    @staticmethod
    def _around(tokens: "Sequence[Token] | Iterator[Token]", count: int) -> list[Token]:
        found: list[Token] = []
        for token in tokens:
            if token.kind in TRIVIA:
                continue
            found.append(token)
            if len(found) == count:
                break
        return found

    def _choice(self, token: Token) -> tuple[str | Chosen, ...]:
        name = token.text[1:-1]
        parameter = self.names.parameters.get(name)
        if parameter is not None and parameter.choose is not None:
            return (Chosen(name, parameter.choose),)
        if parameter is not None or name in self.names.known:
            self._error(
                "not-a-choice",
                f"'{{{name}}}' is text from 'choose', but '{name}' has none",
                token,
                hint=f"write ':{name}' to bind its value",
            )
        else:
            self._error(
                "unknown-choice",
                f"'{{{name}}}' is no choice of this tool",
                token,
                hint=did_you_mean(name, _choices(self.names.parameters))
                or "it needs a parameter with 'choose'",
            )
        return ()


def _is_query(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and tokens[0].word in ("SELECT", "WITH", "VALUES", "TABLE", "FROM")


def _choices(parameters: Mapping[str, Parameter]) -> list[str]:
    return [name for name, item in parameters.items() if item.choose is not None]
