"""Rules for names that authors choose.

Knows which places hold names; nothing of what the names stand for.
"""

import re
from collections.abc import Iterator

from runner.config.nodes import Mapping_, Scalar
from runner.config.places import Found, everything, name_of, places
from runner.diagnostics import Diagnostic
from runner.reserved import RESERVED

_TOOL = re.compile(r"[A-Za-z0-9_.-]{1,128}\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_REFERENCE = re.compile(r"\$\{[A-Za-z_]")
_SECTIONS = (
    "tools.*.input",
    "tools.*.bind",
    "resources.*.input",
    "resources.*.bind",
    "prompts.*.arguments",
    "prompts.*.bind",
    "defaults.bind",
    "vars",
)
_WITH_MARKS = ("input", "arguments")
"""Sections whose names may end in `?`."""
_AS = ("tools.*.steps.*.as", "tools.*.sql.*.as", "tools.*.sql.as", "tools.*.steps.*.sql.*.as")


def bad_names(root: Mapping_) -> Iterator[Diagnostic]:
    """Every name that cannot be used, or that some clients will not take."""
    for word in ("tool", "prompt"):
        yield from _served(root, word)
    for pattern in _SECTIONS:
        for section in places(root, pattern):
            yield from _section(section, is_namespaced=pattern == "vars")
    for pattern in _AS:
        for found in places(root, pattern):
            if isinstance(found.node, Scalar):
                yield from _identifier(found.node, found.node.text, "`as`")
    yield from _references(root)


def _served(root: Mapping_, word: str) -> Iterator[Diagnostic]:
    """Of what clients ask for by its name: tools and prompts."""
    seen: dict[str, Scalar] = {}
    for found in places(root, f"{word}s.*"):
        key = found.key
        if key is None:
            continue
        if not _TOOL.match(key.text):
            why = "is too long" if len(key.text) > 128 else "has characters that names cannot have"
            message = f"the {word} name '{key.text}' {why}"
            hint = "use 1 to 128 of A-Z a-z 0-9 _ - ."
            yield Diagnostic(key.position, "bad-name", message, (), hint)
        elif len(key.text) > 64 or "." in key.text:
            message = f"some clients refuse the {word} name '{key.text}'"
            hint = "use at most 64 of A-Z a-z 0-9 _ -"
            yield Diagnostic(key.position, "unportable-name", message, (), hint, "warning")
        first = seen.setdefault(key.text.lower(), key)
        if first is not key:
            message = f"the {word}s '{first.text}' and '{key.text}' differ only in case"
            details = (f"the first is at {first.position}",)
            yield Diagnostic(key.position, "name-taken", message, details)


def _section(section: Found, *, is_namespaced: bool) -> Iterator[Diagnostic]:
    seen: dict[str, Scalar] = {}
    may_be_marked = section.path[-1] in _WITH_MARKS
    for entry in section.entries.values():
        name = entry.key.text.removesuffix("?") if may_be_marked else entry.key.text
        where = "`vars`" if is_namespaced else "parameters"
        yield from _identifier(entry.key, name, where, is_namespaced=is_namespaced)
        first = seen.setdefault(name, entry.key)
        if first is not entry.key:
            message = f"the parameter '{name}' is given twice"
            details = (f"first as '{first.text}' at {first.position}",)
            yield Diagnostic(entry.key.position, "name-taken", message, details)


def _identifier(
    scalar: Scalar, name: str, where: str, *, is_namespaced: bool = False
) -> Iterator[Diagnostic]:
    if not _IDENTIFIER.match(name):
        message = f"expected an identifier, found '{name}'"
        hint = f"names of {where} are letters, digits and _, and do not start with a digit"
        yield Diagnostic(scalar.position, "bad-name", message, (), hint)
    elif name in RESERVED and not is_namespaced:
        message = f"the name '{name}' is reserved"
        hint = "expressions, SQL and templates use it; choose another"
        yield Diagnostic(scalar.position, "reserved-name", message, (), hint)


def _references(root: Mapping_) -> Iterator[Diagnostic]:
    for found in everything(root):
        if found.key is not None and _REFERENCE.search(found.key.text):
            message = f"${{…}} is not replaced in a key, as in '{name_of(found.path)}'"
            yield Diagnostic(found.key.position, "interpolation-refused", message)
