"""One exchange with one host: a request goes out, a capped answer comes back.

No redirect, no retry, no cookie, no proxy of the environment: what is more than one exchange is
`client`'s. Failures are `BindingError`s with neutral words; the library's own words stay in the
chain of causes and nothing of address or body is in them.
"""

import contextlib
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import httpcore2
import httpx2

from runner.bindings.http.decompress import COMPRESSED, PLAIN, Decompression
from runner.bindings.http.guard import RefusedAddressError
from runner.errors import BindingError, Kind

_MAX_FAILURE_BYTES = 64 * 1024
"""Of the body of a status of 400 or more, which only words and logs read: the rest is cut."""
ACCEPTED_ENCODINGS = "gzip, deflate"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent, without credentials."""

    method: str
    url: str
    """Without query; encoded."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The query, each part encoded."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By lower-case name."""
    content: bytes | None = field(default=None, repr=False)

    @property
    def target(self) -> str:
        """The whole URL."""
        query = "&".join(f"{name}={value}" for name, value in self.pairs)
        return f"{self.url}?{query}" if query else self.url

    def with_headers(self, headers: Mapping[str, str]) -> "Request":
        """The request with `headers` on top of its own."""
        return replace(self, headers={**self.headers, **headers})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the body decompressed and within its cap."""

    status: int
    headers: httpx2.Headers
    body: bytes
    url: httpx2.URL
    """Where it came from; links in it are relative to that."""


class BrokenError(BindingError):
    """The exchange failed on the way; a request that may be repeated may be tried again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of one exchange."""

    connect_s: float
    read_s: float

    def of_library(self) -> dict[str, float]:
        """The limits by the library's names; a connection of the pool is waited for as for one."""
        return {
            "connect": self.connect_s,
            "pool": self.connect_s,
            "read": self.read_s,
            "write": self.read_s,
        }


class Wire:
    """Exchanges with one host over one pool of connections."""

    def __init__(self, pool: httpcore2.AsyncConnectionPool, limits: Limits) -> None:
        self._pool = pool
        self._limits = limits

    async def send(self, request: Request, *, max_bytes: int) -> Answer:
        """The answer to `request`; its body is at most `max_bytes` after decompression.

        Raises:
            BindingError: refused, too large, too slow, broken (`BrokenError`) or not readable.
        """
        with _worded(self._limits):
            async with contextlib.aclosing(await self._answer_to(request)) as response:
                return await _read(response, max_bytes)

    async def _answer_to(self, request: Request) -> httpx2.Response:
        outgoing = httpx2.Request(
            request.method,
            request.target,
            headers=dict(request.headers),
            content=request.content,
        )
        url = outgoing.url
        answer = await self._pool.handle_async_request(
            httpcore2.Request(
                request.method,
                httpcore2.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=outgoing.headers.raw,
                content=request.content,
                extensions={"timeout": self._limits.of_library()},
            )
        )
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=_Stream(answer), request=outgoing
        )


class _Stream(httpx2.AsyncByteStream):
    """The body of the pool's response as the other library reads it."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.aiter_stream():
            yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


async def _read(response: httpx2.Response, max_bytes: int) -> Answer:
    is_failure = response.status_code >= HTTPStatus.BAD_REQUEST
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in PLAIN | COMPRESSED:
        if is_failure:  # its number says enough
            return Answer(response.status_code, response.headers, b"", response.url)
        raise BindingError(Kind.INVALID, "the API's answer has an encoding that was not asked for")
    cap = min(max_bytes, _MAX_FAILURE_BYTES) if is_failure else max_bytes
    try:
        body = await _content(response, encoding, cap)
    except zlib.error as error:
        if is_failure:
            return Answer(response.status_code, response.headers, b"", response.url)
        message = "the API's answer cannot be decompressed"
        raise BindingError(Kind.INVALID, message, reason=_name(error)) from error
    if len(body) > cap and not is_failure:
        raise BindingError(Kind.TOO_LARGE, f"the API's answer is larger than {cap} bytes")
    return Answer(response.status_code, response.headers, body[:cap], response.url)


async def _content(response: httpx2.Response, encoding: str, cap: int) -> bytes:
    """The body, or as much of it as shows that it exceeds `cap`."""
    body = bytearray()
    is_empty = True
    decompression = Decompression(encoding)
    async with contextlib.aclosing(response.aiter_raw()) as pieces:
        async for piece in pieces:
            is_empty = is_empty and not piece
            body += decompression.add(piece, cap + 1 - len(body))
            if len(body) > cap:
                return bytes(body)
    if not is_empty:
        decompression.end()
    return bytes(body)


@contextlib.contextmanager
def _worded(limits: Limits) -> Iterator[None]:
    """Turns what the libraries raise into binding errors with words of ours."""
    try:
        yield
    except RefusedAddressError as error:
        message = "the API's address may not be called"
        raise BindingError(Kind.UNAVAILABLE, message, reason=str(error)) from error
    except (httpcore2.LocalProtocolError, httpx2.InvalidURL) as error:
        message = "the request cannot be sent to the API"
        raise BindingError(Kind.INVALID, message, reason=_name(error)) from error
    except httpcore2.TimeoutException as error:
        raise _timeout(error, limits) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as error:
        is_dialling = isinstance(error, httpcore2.ConnectError)
        message = "the API cannot be reached" if is_dialling else "the connection to the API broke"
        raise BrokenError(Kind.UNAVAILABLE, message, reason=_name(error)) from error


def _timeout(error: httpcore2.TimeoutException, limits: Limits) -> BindingError:
    match error:
        case httpcore2.ConnectTimeout():
            message = f"the API did not accept a connection within {limits.connect_s:g} s"
            return BrokenError(Kind.TIMEOUT, message, reason=_name(error))
        case httpcore2.PoolTimeout():
            return BindingError(Kind.BUSY, "all connections to the API are in use")
        case httpcore2.WriteTimeout():
            message = f"the API took nothing of the request for {limits.read_s:g} s"
        case _:
            message = f"the API sent nothing for {limits.read_s:g} s"
    return BindingError(Kind.TIMEOUT, message, reason=_name(error))


def _name(error: Exception) -> str:
    """The kind of failure for the operator; the library's text may hold an address."""
    return type(error).__name__
