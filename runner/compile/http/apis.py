"""`apis` → where requests go and how they authenticate; nothing is dialled.

An address may come from the environment and hold a secret, so that no fault repeats it.
"""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from runner.catalog.addresses import reach_of_host
from runner.catalog.sources import Api, ApiAuth, ClientCredentials
from runner.compile.http.headers import check_header_name, is_header_value
from runner.compile.site import Site
from runner.config.spec import sources as spec_of
from runner.config.spec.sources import ApiSpec
from runner.secret import Secret

MAX_RETRIES = 10


def compile_api(name: str, spec: ApiSpec, site: Site) -> Api | None:
    """The API; None where its address or its authentication has faults (reported)."""
    url = checked_url(spec.url, site / "url", allow_private=spec.allow_private)
    auth = None if spec.auth is None else _auth(spec.auth, site / "auth", spec)
    headers_are_good = _check_headers(spec.headers, site / "headers", auth_headers(auth))
    numbers_are_good = _check_numbers(spec, site)
    has_auth = spec.auth is None or auth is not None
    if url is None or not (has_auth and headers_are_good and numbers_are_good):
        return None
    _warn_of_plain_http(url, auth, site / "url", spec)
    return Api(
        name=name,
        url=url,
        auth=auth,
        connect_timeout_s=spec.timeout.connect,
        read_timeout_s=spec.timeout.read,
        total_timeout_s=spec.timeout.total,
        headers=spec.headers,
        retries=spec.retries,
        allow_private=spec.allow_private,
    )


def _warn_of_plain_http(url: str, auth: ApiAuth | None, site: Site, spec: ApiSpec) -> None:
    if auth is not None and url.lower().startswith("http://") and not spec.allow_private:
        site.warning(
            "unencrypted", "the API's credentials are sent without encryption", hint="use https"
        )


def auth_headers(auth: ApiAuth | None) -> frozenset[str]:
    """The headers that an authentication sets, in lower case."""
    if auth is None:
        return frozenset()
    return frozenset({auth.header[0].lower() if auth.header is not None else "authorization"})


def checked_url(url: str, site: Site, *, allow_private: bool) -> str | None:
    """The address without a slash at its end; None where it is no base of an API (reported)."""
    parts = _split(url)
    fault = "expected an http or https address" if parts is None else _fault(url, parts)
    if fault is not None or parts is None:
        site.error("bad-url", fault or "", hint="such as https://api.example.com/v1")
        return None
    if not check_host(parts.hostname or "", site, allow_private=allow_private):
        return None
    return url.rstrip("/")


def _split(url: str) -> SplitResult | None:
    # The HTTP client is a good part of the time to the first answer; most files have no API.
    import httpx2  # noqa: PLC0415

    try:
        parts = urlsplit(url)
        httpx2.URL(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, httpx2.InvalidURL):
        return None
    return parts if is_good else None


def _fault(url: str, parts: SplitResult) -> str | None:
    """What keeps the address from being a base, in words that do not repeat it."""
    if any(not letter.isprintable() or letter in " \\" for letter in url):
        return "the address has a space, a back-slash or a control character"
    if "@" in parts.netloc:
        return "the address holds a user or a password; 'auth: {basic: …}' is the place for them"
    if "?" in url or "#" in url:
        return "the address has a query or a fragment; 'query:' of a tool is the place for it"
    if "{" in url or "}" in url:
        return "the address has braces; the path of a tool is the place for parameters"
    if {"..", "."} & set(parts.path.lower().replace("%2e", ".").split("/")):
        return "the address has '.' or '..' as a segment"
    return None


def check_host(host: str, site: Site, *, allow_private: bool) -> bool:
    """Whether the host may be called as far as its text tells; names are checked when dialled."""
    match reach_of_host(host):
        case "never":
            site.error("private-address", "the host is no address that may be called")
            return False
        case "private" if not allow_private:
            site.error(
                "private-address",
                "the host is an address of this machine or of a private network",
                hint="'allow_private: true' at the API under 'apis:' allows it",
            )
            return False
        case _:
            return True


def _auth(spec: spec_of.ApiAuth, site: Site, api: ApiSpec) -> ApiAuth | None:
    if spec.forward is not None:
        (site / "forward").error(
            "not-available", "'forward' is not available in this version", hint="remove it for now"
        )
        return None
    if spec.client_credentials is not None:
        credentials = _credentials(spec.client_credentials, site / "client_credentials", api)
        return None if credentials is None else ApiAuth(client_credentials=credentials)
    if spec.basic is not None:
        return ApiAuth(basic=(spec.basic.username, spec.basic.password))
    if spec.header is not None:
        where = site / "header"
        is_good = check_header_name(spec.header.name, where / "name")
        is_good &= _check_value(spec.header.value, where / "value")
        return ApiAuth(header=(spec.header.name, spec.header.value)) if is_good else None
    if spec.bearer is None:
        return None
    return ApiAuth(bearer=spec.bearer) if _check_value(spec.bearer, site / "bearer") else None


def _credentials(
    spec: spec_of.ClientCredentials, site: Site, api: ApiSpec
) -> ClientCredentials | None:
    url = checked_url(spec.token_url, site / "token_url", allow_private=api.allow_private)
    if url is None:
        return None
    return ClientCredentials(spec.token_url, spec.client_id, spec.client_secret, spec.scopes)


def _check_headers(headers: Mapping[str, Secret], site: Site, taken: frozenset[str]) -> bool:
    names = [check_header_name(name, site / name, taken=taken) for name in headers]
    values = [_check_value(value, site / name) for name, value in headers.items()]
    return all(names) and all(values)


def _check_value(value: Secret, site: Site) -> bool:
    text = value.reveal()
    if text.strip() == text and text and is_header_value(text):
        return True
    site.error(
        "bad-header",
        "expected ASCII text without line breaks and without spaces around it",
        hint="the value is sent as a header; a file often ends with a line break",
    )
    return False


def _check_numbers(spec: ApiSpec, site: Site) -> bool:
    is_good = True
    limits = {name: getattr(spec.timeout, name) for name in ("connect", "read", "total")}
    for name, value in limits.items():
        if value <= 0:
            (site / "timeout" / name).error("out-of-range", "expected more than 0")
            is_good = False
    return check_retries(spec.retries, site / "retries") and is_good


def check_retries(retries: int | None, site: Site) -> bool:
    """Whether the number of retries is one that makes sense."""
    if retries is None or 0 <= retries <= MAX_RETRIES:
        return True
    site.error("out-of-range", f"expected 0 to {MAX_RETRIES}, found {retries}")
    return False
