"""The end of a query: which LIMIT decides how many rows come, which columns order them."""

from collections.abc import Sequence

from runner.compile.sql.lexer import Lexeme, Token

_COUNTS = frozenset({Lexeme.PARAMETER, Lexeme.NUMBER})
_AFTER_ORDER = frozenset({"LIMIT", "OFFSET", "FETCH", "FOR"})


def limit_token(tokens: Sequence[Token]) -> Token | None:
    """The count of the LIMIT (or FETCH FIRST) that stands last, where it is one plain value."""
    outer = _outer(tokens)
    for place in range(len(outer) - 1, -1, -1):
        if outer[place].word == "LIMIT":
            return _of_limit(outer[place + 1 :])
        if outer[place].word == "FETCH":
            return _of_fetch(outer[place + 1 :])
    return None


def _of_limit(tokens: Sequence[Token]) -> Token | None:
    values, rest = _value(tokens)
    if rest and rest[0].word == ",":
        # MySQL and SQLite: LIMIT offset, count.
        values, rest = _value(rest[1:])
    elif rest and rest[0].word == "OFFSET":
        _, rest = _value(rest[1:])
        rest = rest[1:] if rest and rest[0].word in ("ROW", "ROWS") else rest
    return values if not rest else None


def _of_fetch(tokens: Sequence[Token]) -> Token | None:
    if not tokens or tokens[0].word not in ("FIRST", "NEXT"):
        return None
    value, rest = _value(tokens[1:])
    return value if [token.word for token in rest[1:]] == ["ONLY"] else None


def _value(tokens: Sequence[Token]) -> tuple[Token | None, Sequence[Token]]:
    """One plain value at the beginning, a cast included, and what follows it."""
    if not tokens or tokens[0].kind not in _COUNTS:
        return None, tokens
    if len(tokens) > 2 and tokens[1].text == "::":
        return tokens[0], tokens[3:]
    return tokens[0], tokens[1:]


def _outer(tokens: Sequence[Token]) -> list[Token]:
    """Tokens outside brackets; a bracket of one value around it counts as the value."""
    outer: list[Token] = []
    depth = 0
    for place, token in enumerate(tokens):
        if token.word in ("(", "[", "{"):
            depth += 1
        elif token.word in (")", "]", "}"):
            depth -= 1
        elif depth == 0 or (depth == 1 and _is_alone(tokens, place)):
            outer.append(token)
    return outer


def _is_alone(tokens: Sequence[Token], place: int) -> bool:
    around = [token.word for token in tokens[max(place - 2, 0) : place]]
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return (
        tokens[place].kind in _COUNTS
        and around in (["LIMIT", "("], ["FIRST", "("], ["NEXT", "("], ["OFFSET", "("])
        and after == ")"
    )


def order_columns(tokens: Sequence[Token]) -> tuple[str | None, ...]:
    """What the outermost ORDER BY names, lower case; None for each that is no plain column."""
    return tuple(_column(item) for item in _order_items(tokens))


def is_descending(tokens: Sequence[Token]) -> bool:
    """Whether the first column of the outermost ORDER BY goes down."""
    items = _order_items(tokens)
    return bool(items) and any(token.word == "DESC" for token in items[0])


def _order_items(tokens: Sequence[Token]) -> list[list[Token]]:
    start = _order_start(tokens)
    if start is None:
        return []
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[start:]:
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(token.word, 0)
        if depth == 0 and token.word in _AFTER_ORDER:
            break
        if depth == 0 and token.word == ",":
            items.append([])
        else:
            items[-1].append(token)
    return items


def _order_start(tokens: Sequence[Token]) -> int | None:
    depth, start = 0, None
    for place, token in enumerate(tokens):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(token.word, 0)
        if depth == 0 and token.word == "BY" and place and tokens[place - 1].word == "ORDER":
            start = place + 1
    return start


def _column(tokens: Sequence[Token]) -> str | None:
    kept = [token for token in tokens if token.word not in ("ASC", "DESC", "NULLS", "LAST")]
    kept = kept[:-1] if len(kept) > 1 and kept[-1].word == "FIRST" else kept
    names, dots = kept[::2], kept[1::2]
    is_path = all(token.kind in (Lexeme.WORD, Lexeme.NAME) for token in names)
    if not names or not is_path or any(token.text != "." for token in dots):
        return None
    return kept[-1].text.strip('"`[]').lower() if len(kept) % 2 else None
