"""YAML 1.2, strictly, with the place of every key and value.

Knows text and YAML; nothing of what a key means. Whatever the bytes are, `parse` answers with a
tree or with diagnostics in our own words, never with an exception.
"""

import re
from collections.abc import Iterator

import yaml
from yaml.events import Event

from runner.config.composer import Composer, RefusedError
from runner.config.marks import LINE_BREAK
from runner.config.mending import without_entry
from runner.config.nodes import Document, Lost, Mapping_, Node, Scalar
from runner.config.places import everything
from runner.config.syntax import Source, explain
from runner.diagnostics import Diagnostic, Position

MAX_BYTES = 4 * 1024 * 1024
"""Of one YAML file; the largest hand-written ones seen are a tenth of it."""

MAX_BROKEN = 50
"""Entries that are no YAML, after which the rest is not read."""

# What YAML forbids, and what its parsers take for line breaks or skip although editors do not.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_BOM = "\ufeff"


def decode(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of UTF-8 bytes without byte order mark; empty and a fault if they are none."""
    try:
        return data.decode("utf-8").removeprefix(_BOM), ()
    except UnicodeDecodeError as error:
        start = error.start
    lines = LINE_BREAK.split(data[:start].decode("utf-8").removeprefix(_BOM))
    position = Position(path, len(lines), len(lines[-1]) + 1)
    message = f"expected UTF-8, found the byte 0x{data[start]:02X}"
    hint = "save the file as UTF-8"
    return "", (Diagnostic(position, "not-utf8", message, (), hint),)


def parse(data: bytes, path: str) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    """The document in `data`, and everything wrong with it as YAML, sorted by position.

    The document is None where no mapping can be read at all; where a part was refused it lacks
    that part. `path` is the file's name in diagnostics.
    """
    root, faults, lost = _read(data, path)
    if root is None:
        return None, faults
    if isinstance(root, Mapping_):
        ended = tuple(_ended(root))
        return (None if ended else Document(path, root, (path,), lost)), (*faults, *ended)
    found = "a text" if isinstance(root, Scalar) else "a list"
    if isinstance(root, Scalar) and root.value is None:
        empty = Diagnostic(Position(path, 1, 1), "empty-file", "the file is empty")
        return None, (*faults, empty)
    message = f"expected a mapping of fields, found {found}"
    return None, (*faults, Diagnostic(root.position, "wrong-type", message))


def _ended(root: Mapping_) -> Iterator[Diagnostic]:
    """Texts with an escaped U+0000, where file names, addresses and C libraries end a text."""
    for found in everything(root):
        for scalar in (found.key, found.node):
            if isinstance(scalar, Scalar) and "\0" in scalar.text:
                message = "the character U+0000 is not allowed, also not as an escape"
                yield Diagnostic(scalar.position, "bad-character", message, (), "remove it")


def parse_node(data: bytes, path: str) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """The root of the only document in `data`, whatever its shape, and every fault."""
    root, faults, _ = _read(data, path)
    return root, faults


Read = tuple[Node | None, tuple[Diagnostic, ...], tuple[Lost, ...]]


def _read(data: bytes, path: str) -> Read:
    if len(data) > MAX_BYTES:
        message = f"expected at most {MAX_BYTES} bytes, found {len(data)}"
        return None, (Diagnostic(Position(path, 1, 1), "too-large", message),), ()
    text, faults = decode(data, path)
    if faults:
        return None, faults, ()
    source = Source(path, text, LINE_BREAK.split(text))
    forbidden = tuple(_forbidden(source))
    if forbidden:
        return None, forbidden, ()
    root, found, lost = _composed(source)
    return root, tuple(sorted(dict.fromkeys(found))), lost


def _composed(source: Source) -> Read:
    """The root without the entries that are no YAML, every fault, and what was left out."""
    broken: list[Diagnostic] = []
    lost: list[Lost] = []
    while True:
        composer = Composer(source, _events(source.text))
        try:
            root = composer.compose()
        except RefusedError as refused:
            return None, (*broken, *composer.faults, refused.diagnostic), ()
        except yaml.MarkedYAMLError as error:
            fault = explain(source, error)
            broken.append(fault)
            lines, path = without_entry(source.lines, fault.position.line - 1)
            if lines == source.lines or len(broken) > MAX_BROKEN:
                return None, (*broken, *composer.faults), ()
            lost.append(Lost(path, fault.position))
            source = Source(source.path, "\n".join(lines), lines)
            continue
        if root is None and not broken:
            empty = Diagnostic(Position(source.path, 1, 1), "empty-file", "the file is empty")
            return None, (*composer.faults, empty), ()
        return root, (*broken, *composer.faults), (*lost, *composer.lost)


def _events(text: str) -> Iterator[Event]:
    # libyaml: five times the speed of the pure parser, and its marks count characters.
    return iter(yaml.parse(text, Loader=yaml.CSafeLoader))


def _forbidden(source: Source) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.lines):
        for found in _FORBIDDEN.finditer(line):
            yield source.fault(
                "bad-character",
                f"the character U+{ord(found[0]):04X} is not allowed",
                at=(number, found.start()),
                hint="remove it, or write it in double quotes as an escape",
            )
