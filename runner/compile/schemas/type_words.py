"""The type words of the file and the JSON Schema of each, for input and for output: one table.

Input is what a client may send, output what the codec writes: a 64-bit integer goes in as a number
or text and comes out as a number where JavaScript holds it, else as text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.arguments.shapes import Kind

Fragment = Mapping[str, object]

INT64_TEXT = "^-?(0|[1-9][0-9]{0,18})$"
DECIMAL_TEXT = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
_NOT_FINITE: Fragment = {"enum": ["NaN", "Infinity", "-Infinity"]}
_FLOAT: Fragment = {"anyOf": [{"type": "number"}, _NOT_FINITE]}


@dataclass(frozen=True, slots=True)
class TypeWord:
    """One type word."""

    kind: Kind
    """How a value is coerced."""
    listed: Fragment
    """What clients are told that they may send."""
    output: Fragment
    """What a result's value looks like."""
    checked: Fragment | None = None
    """What a coerced value must be, where that differs from `listed`."""


def _text(form: str) -> TypeWord:
    fragment: Fragment = {"type": "string", "format": form}
    return TypeWord("string", fragment, fragment)


FORMAT_WORDS = ("uuid", "date", "date-time", "time", "duration", "email", "uri")

TYPE_WORDS: Mapping[str, TypeWord] = {
    "string": TypeWord("string", {"type": "string"}, {"type": "string"}),
    "integer": TypeWord("integer", {"type": "integer"}, {"type": "integer"}),
    "number": TypeWord("number", {"type": "number"}, _FLOAT),
    "boolean": TypeWord("boolean", {"type": "boolean"}, {"type": "boolean"}),
    "object": TypeWord("object", {"type": "object"}, {"type": "object"}),
    "decimal": TypeWord(
        "decimal",
        {"type": ["number", "string"], "pattern": DECIMAL_TEXT},
        {"type": "string"},
        {"type": "number"},
    ),
    "int64": TypeWord(
        "int64",
        {"type": ["integer", "string"], "pattern": INT64_TEXT},
        {"type": ["integer", "string"], "pattern": INT64_TEXT},
        {"type": "integer"},
    ),
    **{word: _text(word) for word in FORMAT_WORDS},
}
"""By the word; `T[]` and `T|null` are forms of these, see `parse_type`."""

OUTPUT_WORDS: Mapping[str, Fragment] = {
    **{word: entry.output for word, entry in TYPE_WORDS.items()},
    "timestamp": {"type": "string"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "json": {},
}
"""Of a result's columns; `timestamp` is a date and time without offset."""

ALIASES: Mapping[str, str] = {
    "str": "string", "text": "string", "varchar": "string", "int": "integer", "long": "int64",
    "bigint": "int64", "float": "number", "double": "number", "numeric": "decimal",
    "bool": "boolean", "dict": "object", "map": "object", "json": "object",
    "datetime": "date-time", "timestamp": "date-time", "url": "uri", "array": "string[]",
    "list": "string[]",
}  # fmt: skip
"""Words of other languages → the word that is meant, for hints."""


@dataclass(frozen=True, slots=True)
class TypeForm:
    """A type as written: a word, or a list of another form."""

    word: str = ""
    """Empty for a list."""
    item: "TypeForm | None" = None
    nullable: bool = False

    @property
    def text(self) -> str:
        """As it is written in the file."""
        text = self.word if self.item is None else f"{self.item.text}[]"
        return f"{text}|null" if self.nullable else text


def parse_type(text: str) -> TypeForm:
    """The form of a type word; a word that is not in the table stays as it is.

    `[]` without an element type gives a list of the empty word.
    """
    stripped = text.strip()
    if stripped.endswith("|null"):
        inner = parse_type(stripped[: -len("|null")])
        return TypeForm(inner.word, inner.item, nullable=True)
    if stripped.endswith("[]"):
        return TypeForm(item=parse_type(stripped[:-2]))
    return TypeForm(stripped)


def nullable(fragment: Fragment) -> dict[str, object]:
    """The fragment, admitting null too."""
    match fragment:
        case {"anyOf": [*forms]}:
            return {**fragment, "anyOf": [*forms, {"type": "null"}]}
        case {"type": str(name)}:
            widened: dict[str, object] = {**fragment, "type": [name, "null"]}
        case {"type": [*names]}:
            widened = {**fragment, "type": [*names, "null"]}
        case _:
            widened = dict(fragment)
    match widened:
        case {"enum": [*options]} if None not in options:
            widened["enum"] = [*options, None]
    return widened


def output_fragment(
    word: str | None, *, is_nullable: bool, decimals: str = "text"
) -> dict[str, object]:
    """The schema of a result's value; an unknown word, or none, admits everything.

    `decimals` is `text` or `number`. `T[]` is a list of `T`.
    """
    form = parse_type(word or "")
    if form.item is not None:
        items = output_fragment(form.item.text, is_nullable=form.item.nullable, decimals=decimals)
        fragment: Fragment = {"type": "array", "items": items}
    elif form.word == "decimal" and decimals == "number":
        fragment = _FLOAT
    else:
        fragment = OUTPUT_WORDS.get(form.word, {})
    return nullable(fragment) if is_nullable or form.nullable else dict(fragment)
