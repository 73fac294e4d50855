"""MySQL's and MariaDB's errors as ours, by number; the log's `reason` never has a value.

The engine's own sentence may quote a value, so that it stays in the cause; what it names of the
schema (a table, a column, a key) is taken from it by pattern. Sessions are told to speak English.
"""

import re
from collections.abc import Sequence
from typing import Final

from runner.bindings.sql.mysql_packets import ServerError
from runner.bindings.sql.offsets import author_offset, word_offset
from runner.bindings.sql.session import SessionLostError
from runner.bindings.sql.wording import Fault, FaultKind, refused
from runner.catalog.proving import Refusal, RefusalKind
from runner.errors import BindingError, Kind

INTERRUPTED: Final = 1317
LOST_VALUE: Final = 1301
"""A warning: a value larger than `max_allowed_packet` became NULL."""
READ_ONLY: Final = 1792
UNIQUE: Final = frozenset({1062, 1169, 1586, 1859})
_BY_KIND: Final[dict[Kind, Sequence[int]]] = {
    Kind.UNIQUE: tuple(UNIQUE),
    Kind.FOREIGN_KEY: (1216, 1217, 1451, 1452, 1761, 1762),
    Kind.NOT_NULL: (1048, 1364),
    Kind.CHECK: (1369, 1644, 3819, 4025),
    Kind.CONFLICT: (1020, 1213, 3101),
    Kind.BUSY: (1040, 1203, 1205, 1226, 3572),
    Kind.READ_ONLY: (1044, 1142, 1143, 1227, 1290, 1370, READ_ONLY, 1836),
    Kind.TIMEOUT: (1969, 3024),
    Kind.CANCELLED: (INTERRUPTED, 1028),
    Kind.TOO_LARGE: (1118, 1153, LOST_VALUE, 1390, 1436),
    Kind.UNAVAILABLE: (3, 1021, 1030, 1037, 1038, 1041, 1114, 1135, 1194, 1195),
}
_KINDS: Final = {code: kind for kind, codes in _BY_KIND.items() for code in codes}
_LOST: Final = frozenset({1053, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 4031})
_TIME_LIMITS: Final = {1969: "max_statement_time exceeded", 3024: "max_execution_time exceeded"}
_NAMING: Final = frozenset({1044, 1049, 1054, 1109, 1142, 1143, 1146, 1305, 1370})
"""Their sentences name what the statement names: a table, a column, a function."""
_COLUMN = re.compile(r"(?:[Cc]olumn|Field) '([^']+)'")
_TYPED_COLUMN = re.compile(r"for column (?:`[^`]*`\.`[^`]*`\.)?[`']([^`']+)[`'] at row")
_REFERRING = re.compile(r"FOREIGN KEY \(([^)]+)\)")
_RULE = re.compile(r"(?:CONSTRAINT|[Cc]onstraint) [`'](?:[^`']*\.)?([^`'.]+)[`']")
_KEY = re.compile(r"for key '(?:[^']*\.)?([^'.]+)'$")
_NEAR = re.compile(r"near '(.*)' at line \d+$", re.DOTALL)
_WORD = re.compile(r"\w+|\W")
_REFUSALS: Final[dict[int, tuple[RefusalKind, re.Pattern[str] | None]]] = {
    1064: ("syntax", _NEAR),
    1065: ("syntax", None),
    1149: ("syntax", None),
    1054: ("unknown-column", re.compile(r"'(?:[^']*\.)?([^'.]+)'")),
    1109: ("unknown-table", re.compile(r"'(?:[^']*\.)?([^'.]+)'")),
    1146: ("unknown-table", re.compile(r"'(?:[^']*\.)?([^'.]+)'")),
    1046: ("no-database", None),
    1051: ("unknown-table", re.compile(r"'(?:[^']*\.)?([^'.]+)'")),
    1305: ("unknown-function", re.compile(r" (?:[^ ]*\.)?([^ .]+) does not exist")),
    1052: ("ambiguous-column", re.compile(r"'(?:[^']*\.)?([^'.]+)'")),
    READ_ONLY: ("writes", None),
    1290: ("writes", None),
    1142: ("permission", re.compile(r"for table [`'](?:[^`']*[`']\.[`'])?([^`']+)")),
    1044: ("permission", None),
    1143: ("permission", None),
    1227: ("permission", None),
    1370: ("permission", None),
    1969: ("timeout", None),
    3024: ("timeout", None),
    INTERRUPTED: ("timeout", None),
}
_FAULTS: Final[dict[int, tuple[FaultKind, re.Pattern[str] | None]]] = {
    1365: ("division-by-zero", None),
    **dict.fromkeys((1264, 1690), ("out-of-range", None)),
    **dict.fromkeys((1292, 1366, 1367, 1411, 1525), ("misfit", None)),
    1406: ("too-long", None),
    **dict.fromkeys((1055, 1140), ("grouping", None)),
    1242: ("cardinality", None),
    1222: ("column-count", None),
    1582: ("arguments", re.compile(r"native function '([^']+)'")),
    **dict.fromkeys((1193, 4161), ("unknown-name", re.compile(r"'([^']+)'"))),
    1630: ("unknown-function", re.compile(r"FUNCTION (?:[^ ]*\.)?([^ .]+) does not exist")),
}


def is_loss(error: ServerError) -> bool:
    """The connection is gone."""
    return error.code in _LOST


def said(error: ServerError) -> str:
    """The server's words for the operator; of the text near a fault the first word."""
    near = _NEAR.search(error.message)
    if near is None:
        return error.message
    word = _WORD.match(near[1])
    return f"syntax error near '{word[0]}'" if word else "syntax error at the end"


def key_of(error: ServerError) -> str | None:
    """The name of the unique key that refuses a row; `PRIMARY` is every table's first."""
    found = _KEY.search(error.message)
    return found[1] if found else None


def translated(error: ServerError, *, unique: str | None = None) -> BindingError | SessionLostError:
    """What the client is told; or that the connection is gone.

    `unique` are the columns of the key, where they are known.
    """
    if is_loss(error):
        return SessionLostError(str(error))
    kind = _KINDS.get(error.code, Kind.INVALID)
    field = unique if error.code in UNIQUE else _field(kind, error.message)
    return refused(kind, field=field, reason=_reason(error, field), fault=_fault(error))


def _fault(error: ServerError) -> Fault:
    known = _FAULTS.get(error.code)
    kind, pattern = known or _REFUSALS.get(error.code, ("other", None))
    found = pattern.search(error.message) if pattern is not None else None
    if found is None or kind != "syntax":
        return Fault(kind, found[1] if found else None)
    word = _WORD.match(found[1].lstrip())
    return Fault(kind, word[0] if word else None)


def _reason(error: ServerError, field: str | None) -> str:
    """The number, and what it is about."""
    if error.code in _NAMING:
        return str(error)
    if error.code in _TIME_LIMITS:
        return f"{error.code} {_TIME_LIMITS[error.code]}"
    return f"{error.code} {field}" if field else str(error.code)


def _field(kind: Kind, message: str) -> str | None:
    patterns = {
        Kind.NOT_NULL: (_COLUMN,),
        Kind.CHECK: (_RULE,),
        Kind.FOREIGN_KEY: (_REFERRING,),
        Kind.INVALID: (_TYPED_COLUMN,),
    }
    for pattern in patterns.get(kind, ()):
        if found := pattern.search(message):
            return found[1].replace("`", "")
    return None


def refusal(error: ServerError, texts: Sequence[str], text: str) -> Refusal:
    """What the prover says of an error; `text` has a `?` between each two of `texts`."""
    kind, pattern = _REFUSALS.get(error.code, ("other", None))
    found = pattern.search(error.message) if pattern is not None else None
    if found is None:
        return Refusal(kind, sqlstate=str(error.code))
    if kind == "syntax":
        return _near(found[1], texts, text, error)
    return Refusal(kind, found[1], word_offset(found[1], texts, any_case=True), str(error.code))


def _near(rest: str, texts: Sequence[str], text: str, error: ServerError) -> Refusal:
    """The server quotes what follows the fault, to the end of the text or eighty characters."""
    start = len(text) - len(rest) if text.endswith(rest) else text.find(rest)
    word = _WORD.match(rest)
    if not rest.strip() or start < 0:
        return Refusal("syntax", sqlstate=str(error.code), offset=sum(map(len, texts)))
    name = word[0] if word and word[0] != "?" else None  # a placeholder is not the author's
    return Refusal("syntax", name, author_offset(start, texts, text), str(error.code))
