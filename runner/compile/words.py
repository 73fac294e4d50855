"""`errors` → words by kind of failure or HTTP status."""

from collections.abc import Mapping

from runner.catalog.tool import Words
from runner.compile.expressions import Names, compile_template
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.diagnostics import did_you_mean
from runner.errors import Kind

EMPTY = "empty"
_SQL = (Kind.MISSING, Kind.UNIQUE, Kind.FOREIGN_KEY, Kind.NOT_NULL, Kind.CHECK, Kind.CONFLICT)
_ANY = (Kind.TIMEOUT, Kind.BUSY, Kind.UNAVAILABLE, Kind.TOO_LARGE)
SQL_KINDS = tuple(str(kind) for kind in (*_SQL, *_ANY))
HTTP_KINDS = tuple(str(kind) for kind in _ANY)
FIRST_STATUS, LAST_STATUS = 400, 599


def compile_words(
    specs: Mapping[str, Scalar], site: Site, names: Names, *, is_sql: bool, is_http: bool
) -> Mapping[str, Words]:
    """The words of each kind that this binding can fail with; others are reported."""
    known = SQL_KINDS if is_sql else HTTP_KINDS
    words: dict[str, Words] = {}
    for kind, scalar in specs.items():
        where = site / kind
        is_status = is_http and kind.isdecimal() and FIRST_STATUS <= int(kind) <= LAST_STATUS
        if kind not in known and not is_status:
            statuses = f", and statuses {FIRST_STATUS} to {LAST_STATUS}" if is_http else ""
            where.error_at_key(
                "unknown-kind",
                f"no failure of this tool is named '{kind}'",
                details=(f"known kinds: {', '.join(known)}{statuses}",),
                hint=did_you_mean(kind, known),
            )
            continue
        if scalar.text == EMPTY:
            words[kind] = Words(None)
            continue
        seen = Names(names.parameters, names.extra | {"response"}) if is_http else names
        template = compile_template(scalar, where, seen)
        if template is not None:
            words[kind] = Words(template)
    return words


def may_be_null(words: Mapping[str, Words]) -> bool:
    """A row or a value can be null: to find nothing is no error, or some failure is `empty`."""
    return Kind.MISSING not in words or any(word.template is None for word in words.values())
