"""What network addresses mean: this machine, or what an API may have; without a look-up.

Compile asks them about a host that is written as an address; the HTTP client asks again about each
address that it dials. Knows no socket and no resolver.
Source: the IANA special-purpose address registries (RFC 6890 and its successors).
"""

import ipaddress
import re
from typing import Literal

Reach = Literal["public", "private", "never"]
"""`private` needs `allow_private`; `never` (multicast, unspecified, reserved) is not dialled."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*texts: str) -> tuple[_Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


_PRIVATE = _networks(
    "10.0.0.0/8",
    "100.64.0.0/10",  # shared by carriers and overlay networks
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "198.18.0.0/15",  # benchmarks; used by proxies for addresses of their own
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)
_NEVER_IPV4 = _networks(
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
_GLOBAL_IPV6 = ipaddress.IPv6Network("2000::/3")
# Within the global range: protocol assignments and Teredo, examples, 6to4, examples.
_NEVER_IPV6 = _networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]*|[0-9]+)\Z")


def is_loopback(host: str) -> bool:
    """`host`, a name or an address, in brackets or not, means this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def reach(address: str) -> Reach:
    """How far `address`, an IP address as text, reaches; `never` where it is none.

    An IPv4 address within an IPv6 one (mapped, NAT64) counts as itself; other transitions (6to4,
    Teredo, IPv4-compatible) are never dialled.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "never"
    if isinstance(parsed, ipaddress.IPv6Address):
        return _reach_of_ipv6(parsed)
    return _reach_of_ipv4(parsed)


def _reach_of_ipv4(address: ipaddress.IPv4Address) -> Reach:
    if any(address in network for network in _NEVER_IPV4):
        return "never"
    return "private" if any(address in network for network in _PRIVATE) else "public"


def _reach_of_ipv6(address: ipaddress.IPv6Address) -> Reach:
    if address.ipv4_mapped is not None:
        return _reach_of_ipv4(address.ipv4_mapped)
    if address in _NAT64:
        return _reach_of_ipv4(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if any(address in network for network in _PRIVATE):
        return "private"
    if address not in _GLOBAL_IPV6 or any(address in network for network in _NEVER_IPV6):
        return "never"
    return "public"


def is_disguised(host: str) -> bool:
    """Whether `host` is a number that resolvers read as an address: `2130706433`, `0x7f.1`.

    The four-part decimal form without leading zeros is no disguise. Source: WHATWG URL, "ends in
    a number".
    """
    last = host.rstrip(".").rpartition(".")[2]
    if not _NUMBER.match(last):
        return False
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return True
    return False


def reach_of_host(host: str) -> Reach | None:
    """How far `host` reaches, as far as its text tells: None for a name to be looked up."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "private"
    if is_disguised(host):
        return "never"
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return reach(host)
