"""The dialler: a host is looked up once, checked, and the checked address is connected to.

Nothing else of the HTTP client opens a socket, so that a redirect, a changed DNS entry or a number
in disguise meets the same check. Knows hosts and addresses; nothing of HTTP.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence

import httpcore2

from runner.catalog.addresses import is_disguised, reach

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Looks a host up: its addresses as texts, in the order in which they are tried.

Raises:
    OSError: the name is unknown.
"""
_MAX_ADDRESSES = 4
_MAX_CONNECTIONS = 64
_KEEPALIVE_S = 30.0
SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)


class RefusedAddressError(Exception):
    """The host has an address that may not be dialled; the text is for the operator."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of `host` as the operating system knows them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to checked addresses only; one bad address of a host refuses the host."""

    def __init__(self, *, host: str, allow_private: bool, resolve: Resolve) -> None:
        self._host = host
        self._allowed = ("public", "private") if allow_private else ("public",)
        self._resolve = resolve
        self._dialler = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to one of the host's addresses, all of them checked.

        Raises:
            RefusedAddressError: an address may not be dialled, or the host is not the API's.
        """
        if host != self._host:
            raise RefusedAddressError("another host than the API's")
        deadline = None if timeout is None else time.monotonic() + timeout
        addresses = (await self._look_up(host, port, timeout))[:_MAX_ADDRESSES]
        for index, address in enumerate(addresses):
            # Each address gets its share of what is left, so that a dead one costs not all.
            left = None if deadline is None else max(deadline - time.monotonic(), 0.001)
            share = None if left is None else left / (len(addresses) - index)
            try:
                return await self._dialler.connect_tcp(
                    address, port, share, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if index == len(addresses) - 1:
                    raise
        raise httpcore2.ConnectError("the host has no address")

    async def _look_up(self, host: str, port: int, limit_s: float | None) -> Sequence[str]:
        if is_disguised(host):
            raise RefusedAddressError("a number in place of a host name")
        try:
            async with asyncio.timeout(limit_s):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("the look-up of the host took too long") from error
        except OSError as error:
            raise httpcore2.ConnectError("the host is unknown") from error
        if any(reach(address) not in self._allowed for address in addresses):
            raise RefusedAddressError("the host has an address that is not public")
        return addresses


def guarded_pool(
    host: str, *, tls: ssl.SSLContext, resolve: Resolve, allow_private: bool
) -> httpcore2.AsyncConnectionPool:
    """A connection pool that dials `host` alone, at checked addresses, with HTTP/2 over TLS."""
    return httpcore2.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=_MAX_CONNECTIONS,
        max_keepalive_connections=_MAX_CONNECTIONS,
        keepalive_expiry=_KEEPALIVE_S,
        http2=True,
        network_backend=GuardedBackend(host=host, allow_private=allow_private, resolve=resolve),
    )
