"""The client of one API: credentials, redirects, retries and the total time limit.

One is made an API when the catalog is provisioned, and all calls share its connections. Chance,
waiting and the look-up of names come in as arguments.
"""

import asyncio
import contextlib
import random
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import httpx2

from runner.bindings.http.guard import Resolve, guarded_pool, system_resolve
from runner.bindings.http.tokens import TokenSource, fixed_headers
from runner.bindings.http.urls import Base
from runner.bindings.http.wire import Answer, BrokenError, Limits, Request, Wire
from runner.catalog.sources import Api
from runner.errors import BindingError, Kind

_MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({429, 502, 503, 504})
"""Statuses of failures that may pass."""
IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""Methods that may be sent again."""
_FIRST_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class Outside:
    """What a client takes from outside; the defaults are the real things."""

    resolve: Resolve = system_resolve
    jitter: Callable[[], float] = random.random
    """From 0 to 1; stretches pauses so that clients do not come back all at once."""
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Returns after that many seconds."""
    tls: ssl.SSLContext | None = None
    """Which certificates are trusted; None means those of the system."""


class ApiClient:
    """Requests of one API; made by `open_api`."""

    def __init__(
        self, api: Api, wire: Wire, *, tokens: TokenSource | None, outside: Outside
    ) -> None:
        self.api = api
        self.base = Base.of(api.url)
        self._wire = wire
        self._tokens = tokens
        self._fixed = fixed_headers(api.auth)
        self._outside = outside

    async def exchange(
        self, request: Request, *, retries: int | None, max_bytes: int, now: datetime
    ) -> Answer:
        """The answer to `request`, redirects and retries done, within the API's total time.

        `now` is what a date in Retry-After is compared with where the answer has no date.

        Raises:
            BindingError: no answer could be had; an answer of any status is no error here.
        """
        total_s = self.api.total_timeout_s
        try:
            async with asyncio.timeout(total_s) as limit:
                count = self.api.retries if retries is None else retries
                left = count if request.method in IDEMPOTENT else 0
                deadline = limit.when() or 0.0
                return await self._retried(request, max_bytes, left, _Patience(deadline, now))
        except TimeoutError as error:
            message = f"the API did not finish within {total_s:g} s"
            raise BindingError(Kind.TIMEOUT, message) from error

    async def _retried(
        self, request: Request, max_bytes: int, retries: int, patience: "_Patience"
    ) -> Answer:
        for attempt in range(retries + 1):
            is_last = attempt == retries
            pause_s = _FIRST_PAUSE_S * 2**attempt * (1 + self._outside.jitter())
            try:
                answer = await self._authorised(request, max_bytes)
            except BrokenError:
                if is_last or not patience.lasts(pause_s):
                    raise
            else:
                pause_s = max(pause_s, retry_after_s(answer, patience.now) or 0.0)
                if is_last or answer.status not in _PASSING or not patience.lasts(pause_s):
                    return answer
            await self._outside.wait(pause_s)
        raise AssertionError("the last attempt returns or raises")

    async def _authorised(self, request: Request, max_bytes: int) -> Answer:
        if self._tokens is None:
            return await self._redirected(request.with_headers(self._fixed), max_bytes)
        token = await self._tokens.token()
        answer = await self._redirected(request.with_headers(_bearer(token)), max_bytes)
        if answer.status != HTTPStatus.UNAUTHORIZED:
            return answer
        token = await self._tokens.token(refused=token)
        return await self._redirected(request.with_headers(_bearer(token)), max_bytes)

    async def _redirected(self, request: Request, max_bytes: int) -> Answer:
        for _ in range(_MAX_REDIRECTS + 1):
            answer = await self._wire.send(request, max_bytes=max_bytes)
            location = answer.headers.get("location", "")
            is_followed = answer.status in _REDIRECTS and request.method in ("GET", "HEAD")
            if not is_followed or not location:
                return answer
            request = replace(request, url=self.below(answer, location), pairs=())
        raise BindingError(
            Kind.STATUS, "the API redirects without end", status=answer.status, reason="redirects"
        )

    def below(self, answer: Answer, link: str) -> str:
        """The address that `link` of an answer names; it stays below the API's base.

        Raises:
            BindingError: it leads elsewhere: another host, scheme, port or path.
        """
        try:
            url = answer.url.join(link).copy_with(fragment=None)
        except (httpx2.InvalidURL, ValueError) as error:
            raise _astray(answer) from error
        if not self.base.holds(url):
            raise _astray(answer)
        return str(url)


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long an exchange may still take."""

    deadline: float
    """By the event loop's clock."""
    now: datetime

    def lasts(self, pause_s: float) -> bool:
        """Whether there is time left after a pause."""
        return asyncio.get_running_loop().time() + pause_s < self.deadline


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _astray(answer: Answer) -> BindingError:
    return BindingError(
        Kind.STATUS,
        "the API points to an address outside of it, which is not followed",
        status=answer.status,
    )


def retry_after_s(answer: Answer, now: datetime) -> float | None:
    """How many seconds the answer asks to wait, from its Retry-After header; None without one."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    at = _date(text)
    if at is None:
        return None
    # The server's own clock, where it tells it, is the one that the date was made with.
    return max((at - (_date(answer.headers.get("date", "")) or now)).total_seconds(), 0.0)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@contextlib.asynccontextmanager
async def open_api(api: Api, *, outside: Outside = Outside()) -> AsyncIterator[ApiClient]:
    """The client of `api`; nothing is dialled before the first request, all is closed after."""
    tls = outside.tls or httpx2.create_ssl_context(trust_env=False)
    credentials = api.auth.client_credentials if api.auth else None
    async with contextlib.AsyncExitStack() as stack:

        async def wire(url: str) -> Wire:
            pool = guarded_pool(
                Base.of(url).host, tls=tls, resolve=outside.resolve, allow_private=api.allow_private
            )
            await stack.enter_async_context(pool)
            return Wire(pool, Limits(api.connect_timeout_s, api.read_timeout_s))

        clock = asyncio.get_running_loop().time
        tokens = (
            TokenSource(credentials, await wire(credentials.token_url), clock=clock)
            if credentials
            else None
        )
        yield ApiClient(api, await wire(api.url), tokens=tokens, outside=outside)
