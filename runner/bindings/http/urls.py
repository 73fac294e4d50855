"""Addresses of requests: encoded segments, and the base that none may leave.

A value is one segment or it is refused; servers that decode early, twice, or read a back-slash as
a slash must not see more than that. Knows text only, no call and no socket.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

import httpx2

_SEPARATOR = re.compile(r"[/\\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MAX_DECODINGS = 5


def has_dot_segment(path: str) -> bool:
    """Whether a reader of `path` may see `.` or `..` as a segment, however often it decodes."""
    for _ in range(_MAX_DECODINGS):
        parts = _SEPARATOR.split(path)
        if any(part.partition(";")[0] in (".", "..") for part in parts):
            return True
        decoded = unquote(path)
        if decoded == path:
            return False
        path = decoded
    return True


def is_segment(text: str) -> bool:
    """Whether `text` can be sent as one segment: not empty, no dots alone, no control character."""
    return bool(text) and not _CONTROL.search(text) and not has_dot_segment(text)


def encoded(text: str) -> str:
    """`text` with everything but letters, digits and `-._~` percent-encoded as UTF-8."""
    return quote(text, safe="")


@dataclass(frozen=True, slots=True)
class Base:
    """The part of an API's URL under which every request stays."""

    scheme: str
    host: str
    port: int | None
    path: str
    """Encoded, without a slash at the end."""

    @classmethod
    def of(cls, url: str) -> "Base":
        """The base that `url` names."""
        parsed = httpx2.URL(url)
        path = parsed.raw_path.decode("ascii").partition("?")[0]
        return cls(parsed.scheme, parsed.raw_host.decode("ascii"), parsed.port, path.rstrip("/"))

    @property
    def url(self) -> str:
        """The base as text, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    def holds(self, url: httpx2.URL) -> bool:
        """Whether `url` is the base or below it, of the same scheme, host and port."""
        path = url.raw_path.decode("ascii").partition("?")[0]
        is_same_origin = (
            url.scheme == self.scheme
            and url.raw_host.decode("ascii") == self.host
            and url.port == self.port
            and not url.userinfo
        )
        is_below = path == self.path or path.startswith(f"{self.path}/")
        return is_same_origin and is_below and not has_dot_segment(path)
