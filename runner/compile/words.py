"""`errors` → words by kind of failure or HTTP status."""

from collections.abc import Mapping, Sequence

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
    seen = Names(names.parameters, names.extra | {"response"}) if is_http else names
    words: dict[str, Words] = {}
    for kind, scalar in specs.items():
        if not _is_known(kind, known, site / kind, has_status=is_http):
            continue
        if scalar.text == EMPTY:
            words[kind] = Words(None)
            continue
        template = compile_template(scalar, site / kind, seen)
        if template is not None:
            words[kind] = Words(template)
    return words


def _is_known(kind: str, known: Sequence[str], site: Site, *, has_status: bool) -> bool:
    is_status = kind.isdecimal() and FIRST_STATUS <= int(kind) <= LAST_STATUS
    if kind in known or (has_status and is_status):
        return True
    statuses = f", and statuses {FIRST_STATUS} to {LAST_STATUS}" if has_status else ""
    site.error_at_key(
        "unknown-kind",
        f"no failure of this tool is named '{kind}'",
        details=(f"known kinds: {', '.join(known)}{statuses}",),
        hint=did_you_mean(kind, known),
    )
    return False


def may_be_null(words: Mapping[str, Words]) -> bool:
    """A row or a value can be null: to find nothing is no error, or some failure is `empty`."""
    return Kind.MISSING not in words or any(word.template is None for word in words.values())
