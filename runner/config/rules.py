"""Rules between fields that no single field can say: exactly one of these, only beside that.

Knows the names of fields; sees the tree as written, so that a rule holds although a value is
wrong. What needs a database, a schema or another section is the compiler's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from runner.config.nodes import Entry, Mapping_, Scalar
from runner.config.places import Found, name_of, places
from runner.config.spec.bindings import METHODS
from runner.diagnostics import Diagnostic, did_you_mean

BINDINGS = ("sql", "http", "python", "steps", "value")


@dataclass(frozen=True, slots=True)
class OneOf:
    """At most one of `fields` stands at `pattern`, and one must where `is_needed`."""

    pattern: str
    fields: tuple[str, ...]
    is_needed: bool = True
    unless: str | None = None
    """A field beside which none of them is needed."""


@dataclass(frozen=True, slots=True)
class Beside:
    """`field` at `pattern` means something only where one of `others` stands beside it."""

    pattern: str
    field: str
    others: tuple[str, ...]


_HTTP = ("tools.*.http", "tools.*.steps.*.http", "resources.*.http")
_SQL = ("tools.*.sql", "tools.*.steps.*.sql", "resources.*.sql")
_COMPLETE = ("prompts.*.arguments.*.complete", "resources.*.input.*.complete")
ONE_OF = (
    OneOf("tools.*", BINDINGS),
    OneOf("tools.*", ("input", "input_schema"), is_needed=False),
    OneOf("tools.*.result", ("columns", "schema"), is_needed=False),
    OneOf("defaults.result", ("columns", "schema"), is_needed=False),
    OneOf("tools.*.result.text", ("format", "template")),
    OneOf("resources.*", ("file", "directory", "text", "sql", "http", "python")),
    OneOf("resources.*.result", ("columns", "schema"), is_needed=False),
    OneOf("resources.*.result.text", ("format", "template")),
    OneOf("prompts.*", ("template", "messages")),
    OneOf("prompts.*.template", ("text", "file")),
    OneOf("prompts.*.messages.*", ("text", "resource", "image", "audio")),
    OneOf("prompts.*.messages.*.resource", ("text", "file"), is_needed=False),
    *(OneOf(place, ("values", "sql", "python")) for place in _COMPLETE),
    OneOf("tools.*.steps.*", ("tool", "sql", "http", "python", "value")),
    OneOf("server.instructions", ("text", "file")),
    OneOf("apis.*.auth", ("bearer", "basic", "header", "client_credentials", "forward")),
    *(OneOf(place, ("file", "parameter", "run")) for place in _SQL),
    *(OneOf(place, ("api", "url")) for place in _HTTP),
    *(OneOf(place, METHODS, unless="url") for place in _HTTP),
    *(OneOf(place, ("body", "form", "text"), is_needed=False) for place in _HTTP),
    *(OneOf(f"{place}.paginate", ("next", "page")) for place in _HTTP),
)
BESIDE = (
    Beside("tools.*", "select", ("steps",)),
    Beside("tools.*", "transaction", ("steps",)),
    Beside("resources.*", "database", ("sql",)),
    *(Beside(place, "database", ("sql",)) for place in _COMPLETE),
    Beside("prompts.*.messages.*.resource", "mime", ("text", "file")),
    Beside("tools.*.steps.*", "with", ("tool",)),
    Beside("tools.*.steps.*", "database", ("sql",)),
    *(Beside(f"{place}.paginate", "cursor", ("next",)) for place in _HTTP),
)
OF_ROWS = ("max_rows", "json", "decimals", "page")
"""Fields of a tool's `result` that only SQL reads."""
SCHEMAS = (
    "tools.*.input_schema",
    "tools.*.result.schema",
    "resources.*.result.schema",
    "defaults.result.schema",
)


def broken_rules(root: Mapping_) -> Iterator[Diagnostic]:
    """Every rule that the tree breaks."""
    yield from _version(root)
    for one_of in ONE_OF:
        for found in places(root, one_of.pattern):
            if isinstance(found.node, Mapping_):
                yield from _one_of(found, one_of)
    for beside in BESIDE:
        for found in places(root, beside.pattern):
            yield from _beside(found, beside)
    for found in places(root, "tools.*"):
        yield from _of_rows(found)
    for pattern in SCHEMAS:
        for found in places(root, pattern):
            if not isinstance(found.node, Mapping_):
                message = "expected a JSON Schema or {file: …}, found no mapping"
                yield Diagnostic(found.node.position, "wrong-type", message)


def _version(root: Mapping_) -> Iterator[Diagnostic]:
    entry = root.entries.get("mcp")
    match entry:
        case Entry(_, Scalar() as scalar) if isinstance(scalar.value, int) and scalar.value != 1:
            message = f"expected version 1 of the format, found {scalar.text}"
            yield Diagnostic(scalar.position, "unknown-version", message)
        case _:
            return


def _one_of(found: Found, rule: OneOf) -> Iterator[Diagnostic]:
    entries: Mapping[str, Entry] = found.entries
    given = [key for key in entries if key in rule.fields]
    words = ", ".join(rule.fields)
    if len(given) > 1:
        message = f"expected one of {words}; found {' and '.join(given)}"
        yield Diagnostic(entries[given[1]].key.position, "conflicting-fields", message)
    is_needed = rule.is_needed and rule.unless not in entries
    if is_needed and not given and not _misspelt(entries, rule.fields):
        message = f"{name_of(found.path)} needs one of {words}"
        yield Diagnostic(found.position, "missing-field", message)


def _misspelt(entries: Mapping[str, Entry], fields: tuple[str, ...]) -> bool:
    """A field is there with a fault in its name, which is reported already."""
    return any(did_you_mean(key, fields) for key in entries if key not in fields)


def _of_rows(found: Found) -> Iterator[Diagnostic]:
    """A limit or a form of rows on a tool that has none would promise what nothing keeps."""
    match found.entries.get("result"):
        case Entry(_, Mapping_(entries)) if "sql" not in found.entries:
            if not any(name in found.entries for name in BINDINGS):
                return
            for field in OF_ROWS:
                if field in entries:
                    message = f"'result.{field}' is used only beside sql"
                    yield Diagnostic(entries[field].key.position, "misplaced-field", message)


def _beside(found: Found, rule: Beside) -> Iterator[Diagnostic]:
    entries = found.entries
    if rule.field in entries and not any(other in entries for other in rule.others):
        message = f"'{rule.field}' is used only beside {' or '.join(rule.others)}"
        yield Diagnostic(entries[rule.field].key.position, "misplaced-field", message)
