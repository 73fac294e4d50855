"""The type words of the file and the JSON Schema of each, for input and for output: one table.

Input is what a client may send, output what the codec writes: a 64-bit integer goes in as a number
or text and comes out as a number where JavaScript holds it, else as text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runner.arguments.shapes import Kind
from runner.codec.values import Decimals

Fragment = Mapping[str, object]

INT64_TEXT = "^-?(0|[1-9][0-9]{0,18})$"
DECIMAL_TEXT = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
TIME_TEXT = r"^([01][0-9]|2[0-4]):[0-5][0-9](:[0-6][0-9](\.[0-9]+)?)?([Zz]|[+-][0-9:]+)?$"
_NOT_FINITE: Fragment = {"enum": ["NaN", "Infinity", "-Infinity"]}
_FLOAT: Fragment = {"anyOf": [{"type": "number"}, _NOT_FINITE]}
_NUMERIC: Fragment = {"type": ["number", "string"]}
"""Decimals as numbers: those that no number holds exactly stay texts."""


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
    "time": {"type": "string", "pattern": TIME_TEXT},
    "duration": {"type": "string", "pattern": "^-?P"},
    "timestamp": {"type": "string"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "json": {},
}
"""Of a result's columns. `timestamp` is a date and time without offset; the formats `time` and
`duration` of the standard ask for an offset and know no fractions, which results do not keep to."""

_BEYOND: Fragment = {"pattern": "^-?infinity$|^[0-9]{5,}-| BC$|^0000-|^[0-9]{4}-(00-|[0-9]{2}-00)"}
"""Engines know dates that no format does."""

DERIVED_WORDS: Mapping[str, Fragment] = {
    **OUTPUT_WORDS,
    "date": {"type": "string", "anyOf": [{"format": "date"}, _BEYOND]},
    "date-time": {"type": "string", "anyOf": [{"format": "date-time"}, _BEYOND]},
}
"""Of columns that an engine described: they admit all that its type can hold."""

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
    widened = _widened(fragment, "null")
    match widened:
        case {"enum": [*options]} if None not in options:
            widened["enum"] = [*options, None]
    return widened


def _widened(fragment: Fragment, *types: str) -> dict[str, object]:
    """The fragment, admitting every value of `types` too."""
    widened = dict(fragment)
    match fragment:
        case {"anyOf": [*forms]}:
            more = [{"type": name} for name in types]
            widened["anyOf"] = [*forms, *(form for form in more if form not in forms)]
    match fragment:
        case {"type": str() | list() as named}:
            names = [named] if isinstance(named, str) else named
            widened["type"] = [*names, *(name for name in types if name not in names)]
    return widened


def output_fragment(
    word: str | None, *, is_nullable: bool, decimals: Decimals = "text"
) -> dict[str, object]:
    """The schema of a value that the file declares; an unknown word, or none, admits everything.

    `decimals` is `text` or `number`. `T[]` is a list of `T`.
    """
    form = parse_type(word or "")
    if form.item is not None:
        items = output_fragment(form.item.text, is_nullable=form.item.nullable, decimals=decimals)
        fragment: Fragment = {"type": "array", "items": items}
    else:
        fragment = _scalar(form.word, OUTPUT_WORDS, decimals)
    return nullable(fragment) if is_nullable or form.nullable else dict(fragment)


def derived_fragment(
    word: str | None, *, is_nullable: bool, decimals: Decimals = "text"
) -> dict[str, object]:
    """The same for a column as an engine describes it: admits all that its type can hold.

    An engine's array type says neither whether elements are null nor how many dimensions there are.
    """
    form = parse_type(word or "")
    if form.item is not None:
        element = _scalar(form.item.word, DERIVED_WORDS, decimals)
        fragment: Fragment = {"type": "array", "items": _widened(element, "array", "null")}
    else:
        fragment = _scalar(form.word, DERIVED_WORDS, decimals)
    return nullable(fragment) if is_nullable or form.nullable else dict(fragment)


def _scalar(word: str, words: Mapping[str, Fragment], decimals: Decimals) -> Fragment:
    return _NUMERIC if word == "decimal" and decimals == "number" else words.get(word, {})
