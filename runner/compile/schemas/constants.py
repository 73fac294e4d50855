"""Constants of the file as JSON values: what a plain scalar is, with and without a known type.

A parameter's type decides how its own values (`enum`, `default`, `const`) are read: for text, the
scalar's text, so that `NO`, `0123` and `1e3` stay what was written.
"""

import re
from collections.abc import Iterator, Mapping

from runner.codec.json import MAX_SAFE_INTEGER
from runner.config.nodes import PlainValue, Scalar
from runner.config.spec.leaves import Tree, plain_value

# What YAML 1.1 or 1.2 may read as something else than text.
_AMBIGUOUS = re.compile(
    r"(?:~|null|true|false|yes|no|on|off|[-+]?\.(?:inf|nan)"
    r"|[-+]?0x[0-9a-f_]+|[-+]?0[ob][0-7_]+|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?"
    r"|[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})?\Z",
    re.IGNORECASE,
)
_TEXT_WORDS = frozenset(
    {"string", "uuid", "date", "date-time", "time", "duration", "email", "uri", "decimal"}
)


def typed_scalar(scalar: Scalar, word: str, *, nullable: bool) -> PlainValue:
    """The scalar as a value of a type word; of the wrong type if it cannot be one."""
    value = plain_value(scalar)
    if value is None and scalar.plain and (nullable or word not in _TEXT_WORDS):
        return None
    if word in _TEXT_WORDS:
        return scalar.text
    if word == "int64" and isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
        return scalar.text
    return value


def is_ambiguous(scalar: Scalar, word: str) -> bool:
    """The scalar is meant as text, but a reader of YAML may take it for something else."""
    return (
        word == "string"
        and scalar.plain
        and not scalar.interpolated
        and _AMBIGUOUS.match(scalar.text) is not None
    )


def common_word(options: list[Tree]) -> str:
    """The type word of a bare list of values: text unless all are numbers, or all booleans."""
    values = [plain_value(item) if isinstance(item, Scalar) else None for item in options]
    for word, kinds in (("boolean", (bool,)), ("integer", (int,)), ("number", (int, float))):
        if values and all(type(value) in kinds for value in values):
            return word
    return "string"


def scalars(tree: Tree) -> Iterator[Scalar]:
    """Every scalar of the tree, in order."""
    match tree:
        case Scalar():
            yield tree
        case list():
            for item in tree:
                yield from scalars(item)
        case Mapping():
            for item in tree.values():
                yield from scalars(item)
