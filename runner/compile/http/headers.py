"""Names and values of request headers: what a file may set.

What belongs to one connection, to the framing of the message or to the client itself is refused.
Source: RFC 9110, 5.5, 5.6.2 and 7.6.1
"""

import re
from collections.abc import Collection

from runner.compile.site import Site

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_VALUE = re.compile(r"[\x20-\x7e\t]*\Z")
_RUNNERS = frozenset({
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
    "upgrade", "expect", "proxy-authorization", "proxy-authenticate", "proxy-connection",
    "accept-encoding",
})  # fmt: skip


def check_header_name(name: str, site: Site, *, taken: Collection[str] = ()) -> bool:
    """Whether `name` may be set here; `taken` are lower-case names that the API's `auth` sets."""
    if not _NAME.match(name):
        site.error_at_key("bad-header", f"'{name}' is no name of a header")
        return False
    if name.lower() in _RUNNERS:
        site.error_at_key("bad-header", f"'{name}' is set by the runner itself")
        return False
    if name.lower() in taken:
        site.error_at_key(
            "bad-header", f"'{name}' is set by the API's 'auth'", hint="leave it out here"
        )
        return False
    return True


def is_header_value(text: str) -> bool:
    """Whether `text` can be sent as it is: ASCII, no line break, no other control character."""
    return bool(_VALUE.match(text))
