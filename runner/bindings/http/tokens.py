"""What authenticates the server to an API, as headers.

A client-credentials token is fetched when it is first needed, kept until shortly before it ends
and renewed once when the API refuses it; calls that need one at the same time share the fetch.
The caller's own token is not known here.
"""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote_plus

from runner.bindings.http.wire import Answer, Request, Wire
from runner.catalog.sources import ApiAuth, ClientCredentials
from runner.codec.json import JsonFault, decode
from runner.errors import BindingError, Kind

_MAX_TOKEN_BYTES = 64 * 1024
_DEFAULT_LIFE_S = 300.0
"""For a token whose answer does not say how long it holds."""
_EARLY_S = 30.0
"""A token is replaced this long before it ends, or at half its life if that is shorter."""

_TOKEN = re.compile(r"[\x21-\x7e]+\Z")


def fixed_headers(auth: ApiAuth | None) -> Mapping[str, str]:
    """The headers of an authentication that needs no exchange of its own, by lower-case name."""
    if auth is None:
        return {}
    if auth.bearer is not None:
        return {"authorization": f"Bearer {auth.bearer.reveal()}"}
    if auth.basic is not None:
        user, password = (part.reveal() for part in auth.basic)
        return {"authorization": _basic(user, password)}
    if auth.header is not None:
        name, value = auth.header
        return {name.lower(): value.reveal()}
    return {}


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


class TokenSource:
    """The access tokens of one API's client credentials."""

    def __init__(
        self, credentials: ClientCredentials, wire: Wire, *, clock: Callable[[], float]
    ) -> None:
        self._credentials = credentials
        self._wire = wire
        self._clock = clock
        self._lock = asyncio.Lock()
        self._token: str | None = None
        self._ends_at = 0.0

    async def token(self, *, refused: str | None = None) -> str:
        """A token that holds; never `refused`, the one that the API has just turned down.

        Raises:
            BindingError: the token endpoint did not give one.
        """
        async with self._lock:
            is_over = self._clock() >= self._ends_at
            if self._token is None or is_over or self._token == refused:
                self._token, life_s = _token_of(await self._fetch())
                self._ends_at = self._clock() + max(life_s - _EARLY_S, life_s / 2)
            return self._token

    async def _fetch(self) -> Answer:
        credentials = self._credentials
        form = "grant_type=client_credentials"
        if credentials.scopes:
            form += "&scope=" + quote_plus(" ".join(credentials.scopes))
        # The parts are form-encoded before they are joined. Source: RFC 6749, 2.3.1
        secret = _basic(
            quote_plus(credentials.client_id.reveal()),
            quote_plus(credentials.client_secret.reveal()),
        )
        request = Request(
            "POST",
            credentials.token_url,
            headers={
                "authorization": secret,
                "accept": "application/json",
                "content-type": "application/x-www-form-urlencoded",
            },
            content=form.encode("ascii"),
        )
        try:
            return await self._wire.send(request, max_bytes=_MAX_TOKEN_BYTES)
        except BindingError as error:
            raise _no_token(error.kind, error.reason or str(error)) from error


def _token_of(answer: Answer) -> tuple[str, float]:
    """The token and its life in seconds."""
    if answer.status != 200:
        raise _no_token(Kind.UNAVAILABLE, f"the token endpoint answered {answer.status}")
    try:
        body = decode(answer.body)
    except JsonFault as error:
        raise _no_token(Kind.UNAVAILABLE, "the token endpoint's answer is no JSON") from error
    if not isinstance(body, dict):
        body = {}
    token = body.get("access_token")
    if not isinstance(token, str) or not _TOKEN.match(token):
        raise _no_token(Kind.UNAVAILABLE, "the token endpoint's answer has no access token")
    return token, _life_s(body.get("expires_in"))


def _life_s(written: object) -> float:
    match written:
        case bool():
            return _DEFAULT_LIFE_S
        case int() | float():
            return float(written)
        case str() if written.isdecimal():
            return float(written)
        case _:
            return _DEFAULT_LIFE_S


def _no_token(kind: Kind, reason: str) -> BindingError:
    return BindingError(kind, "the server got no access to the API", reason=reason)
