"""The trace that a request belongs to, as its metadata says: passed on as it came, or dropped.

What is malformed is no error and goes nowhere: these values become headers of other requests.
Source: MCP 2026-07-28, basic, "Request Metadata"; W3C Trace Context; W3C Baggage.
"""

import re
from collections.abc import Mapping
from typing import Final

from runner.codec.json import Json

PARENT, STATE, BAGGAGE = "traceparent", "tracestate", "baggage"
TRACE_KEYS: Final = frozenset({PARENT, STATE, BAGGAGE})
MAX_STATE: Final = 512
"""Characters; what the recommendation wants to be passed on."""
MAX_STATES: Final = 32
MAX_BAGGAGE: Final = 8192
MAX_BAGGAGES: Final = 180

_PARENT: Final = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
    r"(?P<more>-[\x21-\x7e]*)?"
)
_VENDOR: Final = re.compile(
    r"(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})"
    r"=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]"
)
_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALUE: Final = r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*"
_BAGGAGE: Final = re.compile(
    rf"{_TOKEN}[ \t]*=[ \t]*{_VALUE}(?:[ \t]*;[ \t]*{_TOKEN}(?:[ \t]*=[ \t]*{_VALUE})?)*"
)
_BLANK: Final = " \t"


def read_trace(meta: Mapping[str, Json]) -> Mapping[str, str]:
    """The well-formed ones of `traceparent`, `tracestate`, `baggage`, by name.

    A state belongs to a parent, and goes with it.
    """
    found: dict[str, str] = {}
    parent, state, baggage = meta.get(PARENT), meta.get(STATE), meta.get(BAGGAGE)
    if isinstance(parent, str) and _is_parent(parent):
        found[PARENT] = parent
        if isinstance(state, str) and _is_list(state, _VENDOR, MAX_STATE, MAX_STATES):
            found[STATE] = state
    if isinstance(baggage, str) and _is_list(baggage, _BAGGAGE, MAX_BAGGAGE, MAX_BAGGAGES):
        found[BAGGAGE] = baggage
    return found


def _is_parent(text: str) -> bool:
    """Later versions may say more than the first."""
    match = _PARENT.fullmatch(text)
    return match is not None and (match["more"] is None or match["version"] != "00")


def _is_list(text: str, member: re.Pattern[str], most: int, most_members: int) -> bool:
    if len(text) > most:
        return False
    members = [piece for part in text.split(",") if (piece := part.strip(_BLANK))]
    return 0 < len(members) <= most_members and all(map(member.fullmatch, members))
