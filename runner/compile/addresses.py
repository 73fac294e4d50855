"""The address of a database, read and never dialled: engine, driver, host, options.

A fault is told without the address: it may hold a password. A port is not repeated either, for a
password behind which the host was forgotten looks like one.
"""

import re
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from runner.catalog.options import Form, options_of
from runner.compile.site import Site
from runner.diagnostics import did_you_mean
from runner.secret import Secret

ENGINES: Final = ("sqlite", "postgresql", "duckdb", "mysql", "mariadb")
"""Engines that are tested alike; any other is what DB-API makes of it."""
EMBEDDED: Final = ("sqlite", "duckdb")
_DRIVERS: Final[Mapping[str, str]] = {
    "sqlite": "pysqlite",
    "postgresql": "psycopg",
    "mysql": "pymysql",
    "mariadb": "pymysql",
}
_GREATEST_PORT: Final = 65535
_PORT: Final = re.compile(r"://(?:[^@]*@)?(?:\[[^\]]*\]|[^:/?@]*):[^/?@]*(?:[/?][^@]*)?\Z")
"""A host, a colon, and no `@` behind that: else the password has characters of the address."""
_OPTION_HINTS: Final[Mapping[str, str]] = {
    "sqlite": "SQLite has options for 'sqlite:///file:PATH?mode=ro&uri=true' alone",
    "duckdb": "a file that no tool writes to is opened read-only; settings stand in 'connect'",
}


def compile_url(secret: Secret, site: Site) -> URL | None:
    """The address; None where it has faults (reported)."""
    try:
        url = make_url(secret.reveal())
    except (ArgumentError, ValueError):
        _report_unread(secret.reveal(), site)
        return None
    if not (_check_engine(url, site) and _check_driver(url, site) and _check_host(url, site)):
        return None
    options = options_of(url)
    return url if options is None or _check_options(url, options, site) else None


def _report_unread(text: str, site: Site) -> None:
    if _PORT.search(text):
        _report_port(site)
        return
    hint = "write 'sqlite:///' before the path of a file"  # a path alone is the commonest mistake
    if "://" in text:
        hint = "percent-encode special characters of a password: '@' is %40"
    message = "expected a database address such as sqlite:///data/app.db"
    site.error("bad-url", message, hint=hint)


def _report_port(site: Site) -> None:
    site.error(
        "bad-url",
        f"expected a number from 1 to {_GREATEST_PORT} as the port, behind the host's ':'",
        hint="write user:password@host:port/database",
    )


def _check_engine(url: URL, site: Site) -> bool:
    backend = url.get_backend_name()
    if backend == "postgres":
        site.error("unknown-engine", "no engine is named 'postgres'", hint="write postgresql://")
        return False
    if backend in ENGINES or _has_dialect(url):
        return True
    installed = {entry.name.partition(".")[0] for entry in entry_points(group=_DIALECTS)}
    site.error(
        "unknown-engine",
        f"no engine is named '{backend}'",
        details=(f"known engines: {', '.join(ENGINES)}, and installed dialects of SQLAlchemy",),
        hint=did_you_mean(backend, [*ENGINES, *sorted(installed)])
        or "install the package that brings the dialect",
    )
    return False


_DIALECTS: Final = "sqlalchemy.dialects"


def _has_dialect(url: URL) -> bool:
    """SQLAlchemy, or a package that is installed, brings the dialect; its driver may be missing."""
    try:
        url.get_dialect()
    except (NoSuchModuleError, ImportError):
        return False
    return True


def _check_driver(url: URL, site: Site) -> bool:
    """Each of our engines has the one driver that is tested."""
    backend, _, driver = url.drivername.partition("+")
    known = _DRIVERS.get(backend)
    if backend not in ENGINES or driver in ("", known):
        return True
    used = f", which uses {known}" if known is not None else ""
    site.error(
        "unknown-driver",
        f"'{driver}' is no driver that is used for {backend}",
        hint=f"write '{backend}://'{used}",
    )
    return False


def _check_host(url: URL, site: Site) -> bool:
    backend = url.get_backend_name()
    if backend in EMBEDDED and url.host:
        site.error(
            "bad-url",
            f"expected a path behind '{backend}:///', found a host behind '{backend}://'",
            hint="write three slashes before a relative path, four before an absolute one",
        )
        return False
    if url.port is not None and not 0 < url.port <= _GREATEST_PORT:
        _report_port(site)
        return False
    return True


def _check_options(url: URL, options: Mapping[str, Form], site: Site) -> bool:
    """Reports each option that is unknown, or whose value is none that it takes."""
    faultless = True
    for name, value in url.query.items():
        if name not in options:
            faultless = False
            _report_unknown(name, options, url.get_backend_name(), site)
        elif name != "host" and (expected := _expected(options[name], value)) is not None:
            faultless = False
            found = "several values" if isinstance(value, tuple) else f"'{value}'"
            message = f"option '{name}' of the address: expected {expected}, found {found}"
            words = () if isinstance(options[name], type) else options[name]
            hint = did_you_mean(str(value), words)  # type: ignore[arg-type]  # no type, then words
            site.error("url-option", message, hint=hint)
    return faultless


def _report_unknown(name: str, options: Mapping[str, Form], dialect: str, site: Site) -> None:
    known = f"options: {', '.join(sorted(options))}" if options else "it has none"
    site.error(
        "url-option",
        f"the address has no option '{name}'",
        details=(known,),
        hint=did_you_mean(name, options) or _OPTION_HINTS.get(dialect),
    )


def _expected(form: Form, value: str | tuple[str, ...]) -> str | None:
    """What was expected instead of the value; None where it fits."""
    if isinstance(value, tuple):
        return "one value"
    if form is str:
        return None
    if form is int:
        fits = value.isascii() and value.isdecimal() and int(value) > 0
        return None if fits else "a whole number above 0"
    assert not isinstance(form, type)
    if value.lower() in form or value in form:
        return None
    return f"'{form[0]}'" if len(form) == 1 else f"one of {', '.join(form)}"
