"""Which `Origin` and which `Host` may call: what keeps web pages out of a local server.

A page of a foreign site can make a browser call a server on the user's machine, and by rebinding
its name even read the answers; both headers are beyond the page's reach.
Source: MCP 2026-07-28, basic/transports/streamable-http, "Security Warning".
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from runner.catalog.addresses import is_loopback
from runner.catalog.catalog import Listen
from runner.protocol.headers import Headers

ANY: Final = "any"
_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([0-9]{1,5}))?")
_ORIGIN: Final = re.compile(
    r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[^\s/:@?#\[\]]+)(?::([0-9]{1,5}))?"
)
_EVERYWHERE: Final = ("0.0.0.0", "::", "")
"""Names no machine."""
_REMEMBERED: Final = 1024


class Guard:
    """The rule of one server, made once."""

    def __init__(self, listen: Listen) -> None:
        public = urlsplit(listen.public_url) if listen.public_url else None
        self._is_local = is_loopback(listen.host)
        self._any_origin = ANY in listen.allowed_origins
        self._any_host = ANY in listen.allowed_hosts
        origins = [*listen.allowed_origins]
        hosts = [*listen.allowed_hosts]
        if listen.host not in _EVERYWHERE:
            hosts.append(_bracketed(listen.host))
        if public is not None:
            origins.append(f"{public.scheme}://{public.netloc}")
            hosts.append(public.netloc)
        self._origins = frozenset(_origin(text) for text in origins) - {None}
        self._hosts = frozenset(text.lower().rstrip(".") for text in hosts)
        self._proxies = tuple(ip_network(text, strict=False) for text in listen.trusted_proxies)
        self._passed: set[tuple[bytes | None, bytes | None]] = set()

    def fault(self, headers: Headers, peer: str | None) -> str | None:
        """Why the request is refused, with the setting that would admit it; None: it passes."""
        host, origin = self._host(headers, peer), headers.get(b"origin")
        if (host, origin) in self._passed:
            return None
        if not self._admits_host(host):
            return f"The Host {_shown(host)} is not served; serve.allowed_hosts lists what is"
        if not self._admits_origin(origin):
            return f"The Origin {_shown(origin)} may not call; serve.allowed_origins lists who may"
        if len(self._passed) >= _REMEMBERED:
            self._passed.clear()
        self._passed.add((host, origin))
        return None

    def _host(self, headers: Headers, peer: str | None) -> bytes | None:
        """The host that the client called; a proxy's word counts only if the proxy is trusted."""
        host = headers.get(b"host")
        if not self._proxies or b"x-forwarded-host" not in headers or not self._trusts(peer):
            return host
        return headers[b"x-forwarded-host"].replace(b"\n", b",").rsplit(b",", 1)[-1].strip()

    def _trusts(self, peer: str | None) -> bool:
        try:
            address = ip_address(peer or "")
        except ValueError:
            return False
        return any(address in network for network in self._proxies)

    def _admits_host(self, raw: bytes | None) -> bool:
        if self._any_host:
            return True
        found = None if raw is None else _HOST.fullmatch(raw.decode("latin-1").lower())
        if found is None:
            return False
        name = found[1].rstrip(".")
        return is_loopback(name) or not self._hosts.isdisjoint(_spellings(name, found[2]))

    def _admits_origin(self, raw: bytes | None) -> bool:
        if raw is None:
            return True
        origin = _origin(raw.decode("latin-1"))
        if origin is None:
            return False
        scheme, host, _ = origin
        if self._is_local and scheme in ("http", "https") and is_loopback(host):
            return True
        return self._any_origin or origin in self._origins


def _origin(text: str) -> tuple[str, str, str] | None:
    found = _ORIGIN.fullmatch(text.lower().rstrip("/"))
    if found is None:
        return None
    scheme, host, port = found.groups()
    return scheme, host, port or _PORTS.get(scheme, "")


def _spellings(name: str, port: str | None) -> Iterable[str]:
    return (name,) if port is None else (name, f"{name}:{port}")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _shown(raw: bytes | None) -> str:
    return "(none)" if raw is None else f"'{raw[:100].decode('ascii', 'backslashreplace')}'"
