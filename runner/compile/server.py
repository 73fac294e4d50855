"""`server`, `serve`, `budgets`, `auth`, `callers` → identity, how to listen, limits, who is who.

Pure: values are checked for sense here (a loopback address, an https icon, a network); nothing is
bound, resolved or read.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from runner.catalog.addresses import is_loopback
from runner.catalog.caller import ANONYMOUS, Caller
from runner.catalog.catalog import ALIVE, READY, Budgets, Identities, Identity, Listen, Tls
from runner.catalog.tool import Icon
from runner.compile.site import Site
from runner.compile.trees import compile_constant
from runner.config.spec.root import ServerSpec
from runner.config.spec.security import CallerSpec
from runner.config.spec.server import (
    BudgetsSection,
    IconSpec,
    ServerSection,
    ServeSection,
    TlsSection,
)
from runner.diagnostics import did_you_mean

ANY = "any"
MIN_STATE_KEY_CHARACTERS = 16
MAX_PORT = 65535
MAX_PAGE_SIZE = 1000


def compile_identity(spec: ServerSection, site: Site) -> Identity:
    """What clients are told about the server."""
    return Identity(
        name=spec.name,
        version=spec.version,
        title=spec.title,
        description=spec.description,
        website=spec.website,
        icons=compile_icons(spec.icons, site / "icons"),
    )


def compile_icons(specs: Sequence[IconSpec], site: Site) -> tuple[Icon, ...]:
    """The icons; an address that a client must not load is reported (protocol: https or data)."""
    for index, icon in enumerate(specs):
        if urlsplit(icon.src).scheme not in ("https", "data"):
            (site / index / "src").error(
                "bad-icon", "expected an https or data address", hint="clients load nothing else"
            )
    return tuple(Icon(icon.src, icon.mime_type, icon.sizes, icon.theme) for icon in specs)


def compile_listen(spec: ServeSection, site: Site, *, folder: str) -> Listen:
    """How the server listens; faults of each field are reported at the field."""
    _check_numbers(spec, site)
    _check_addresses(spec, site)
    if spec.tls is not None and spec.engine == "uvicorn":
        (site / "engine").error(
            "conflicting-fields",
            "'uvicorn' is used for plain HTTP only, but 'tls' is configured",
            hint="leave 'engine' out, or write hypercorn",
        )
    engine = spec.engine
    if engine == "auto":
        engine = "uvicorn" if spec.tls is None else "hypercorn"
    return Listen(
        host=spec.host,
        port=spec.port,
        public_url=spec.public_url,
        allowed_origins=spec.allowed_origins,
        allowed_hosts=spec.allowed_hosts,
        trusted_proxies=spec.trusted_proxies,
        workers=spec.workers,
        engine=engine,
        tls=None if spec.tls is None else _tls(spec.tls, folder),
        drain_s=spec.drain,
        legacy=spec.legacy,
        state_keys=spec.state_keys,
        page_size=spec.page_size,
        log_level=None if spec.log_notifications == "off" else spec.log_notifications,
    )


def _tls(spec: TlsSection, folder: str) -> Tls:
    """The paths taken from the folder of the file."""
    return Tls(str(Path(folder, spec.certificate)), str(Path(folder, spec.key)))


def _check_numbers(spec: ServeSection, site: Site) -> None:
    if not 0 <= spec.port <= MAX_PORT:
        (site / "port").error(
            "out-of-range", f"expected a port up to {MAX_PORT}, found {spec.port}"
        )
    if spec.workers < 1:
        (site / "workers").error("out-of-range", f"expected at least 1, found {spec.workers}")
    if not 1 <= spec.page_size <= MAX_PAGE_SIZE:
        (site / "page_size").error(
            "out-of-range", f"expected 1 to {MAX_PAGE_SIZE}, found {spec.page_size}"
        )
    for index, key in enumerate(spec.state_keys):
        if len(key.reveal()) < MIN_STATE_KEY_CHARACTERS:
            (site / "state_keys" / index).error(
                "weak-key",
                f"expected a key of at least {MIN_STATE_KEY_CHARACTERS} characters",
                hint="make one with: openssl rand -hex 32",
            )


def _check_addresses(spec: ServeSection, site: Site) -> None:
    check_path(spec.path, site / "path")
    if not is_loopback(spec.host) and not spec.allowed_hosts:
        (site / "host").error(
            "hosts-needed",
            f"'{spec.host}' is not loopback, and 'allowed_hosts' is not set",
            details=("without it a page in anyone's browser may reach the server by another name",),
            hint="name the hosts that clients use: serve.allowed_hosts: [mcp.example.com]",
        )
    if spec.public_url is not None and not _is_origin_like(spec.public_url):
        (site / "public_url").error("bad-url", "expected an http or https address")
    for index, origin in enumerate(spec.allowed_origins):
        _check_origin(origin, site / "allowed_origins" / index)
    for index, network in enumerate(spec.trusted_proxies):
        _check_network(network, site / "trusted_proxies" / index)


def check_path(path: str, site: Site) -> None:
    """Reports what is no path of an endpoint."""
    if not path.startswith("/") or any(mark in path for mark in "?#{} "):
        site.error("bad-path", f"expected a path such as /mcp, found '{path}'")
    elif path.rstrip("/") in (ALIVE, READY):
        message = f"at '{path}' the server answers probes"
        site.error("reserved-path", message, hint="take another path, such as /mcp")


def _check_origin(origin: str, site: Site) -> None:
    if origin != ANY and (not _is_origin_like(origin) or urlsplit(origin).path):
        site.error(
            "bad-origin",
            f"expected scheme, host and port alone, found '{origin}'",
            hint="such as https://client.example.com, or any",
        )


def _check_network(network: str, site: Site) -> None:
    try:
        ipaddress.ip_network(network)
    except ValueError:
        site.error("bad-network", f"expected a network such as 10.0.0.0/8, found '{network}'")


def _is_origin_like(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def compile_budgets(spec: BudgetsSection, site: Site) -> Budgets:
    """The limits of every call; each must leave room for at least one."""
    for name in (
        "request_body",
        "response_body",
        "input_elements",
        "rows",
        "timeout",
        "concurrency",
    ):
        if getattr(spec, name) <= 0:
            (site / name).error("out-of-range", "expected more than 0")
    return Budgets(
        request_body_bytes=spec.request_body,
        response_body_bytes=spec.response_body,
        input_elements=spec.input_elements,
        rows=spec.rows,
        timeout_s=spec.timeout,
        concurrency=spec.concurrency,
    )


def compile_identities(spec: ServerSpec, site: Site) -> Identities:
    """Who callers are where no token says it."""
    callers = {name: compile_caller(caller) for name, caller in spec.callers.items()}
    auth = spec.auth
    if auth is None:
        return Identities(callers, ANONYMOUS, ANONYMOUS)
    anonymous: Caller | None = None
    if auth.anonymous is not None:
        anonymous = ANONYMOUS
        if auth.anonymous.caller is not None:
            where = site / "auth" / "anonymous" / "caller"
            anonymous = _named(callers, auth.anonymous.caller, where)
            if not is_loopback(spec.serve.host) and not auth.anonymous.public:
                where.error(
                    "anonymous-identity-in-public",
                    f"everyone would be '{auth.anonymous.caller}' beyond loopback",
                    hint="say public: true beside it if that is meant",
                )
    stdio = ANONYMOUS
    if auth.stdio is not None:
        stdio = _named(callers, auth.stdio.caller, site / "auth" / "stdio" / "caller")
    return Identities(callers, anonymous, stdio)


def compile_caller(spec: CallerSpec) -> Caller:
    """A named identity; it counts as authenticated."""
    claims: dict[str, object] = {"sub": spec.user_id, "email": spec.email}
    claims.update({name: compile_constant(value) for name, value in spec.claims.items()})
    return Caller(
        user_id=spec.user_id,
        email=spec.email,
        client_id=spec.client_id,
        scopes=frozenset(spec.scopes),
        claims=claims,
        authenticated=True,
    )


def _named(callers: Mapping[str, Caller], name: str, site: Site) -> Caller:
    if name in callers:
        return callers[name]
    if not site.may_have("callers", name):
        site.error(
            "unknown-caller",
            f"no caller is named '{name}'",
            details=(f"known callers: {', '.join(callers) or 'none'}",),
            hint=did_you_mean(name, callers),
        )
    return ANONYMOUS
