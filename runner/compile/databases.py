"""`databases` → what a database is and how it is pooled; addresses are read, never dialled.

A fault of an address is told without the address: it may hold a password.
"""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from runner.catalog.sources import Create, Database
from runner.compile.duckdb import compile_external
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.config.spec.sources import CreateSection, DatabaseSpec
from runner.diagnostics import did_you_mean
from runner.secret import Secret

ENGINES = ("sqlite", "postgresql", "duckdb", "mysql", "mariadb")
"""Engines that are tested alike; any other is what DB-API makes of it."""
EMBEDDED = ("sqlite", "duckdb")
_MEMORY = ("", ":memory:")


def compile_database(
    name: str, spec: DatabaseSpec, site: Site, *, folder: str, texts: Mapping[str, Scalar]
) -> Database | None:
    """The database, its path made absolute; None where its address has faults (reported)."""
    url = _url(spec.url, site / "url")
    if url is None:
        return None
    dialect = url.get_backend_name()
    _check_pool(spec, site / "pool")
    create = None
    if spec.create is not None:
        if dialect not in EMBEDDED:
            (site / "create").error_at_key(
                "create-not-embedded",
                f"'create' makes embedded databases only, and this one is {dialect}",
                hint="create its tables with the tools of that database",
            )
        create = _create(spec.create, texts)
    external = compile_external(spec.external, site / "external", dialect=dialect, folder=folder)
    return Database(
        name=name,
        url=_absolute(spec.url, url, folder),
        dialect=dialect,
        create=create,
        pool_size=spec.pool.size,
        pool_wait_s=spec.pool.wait,
        pool_recycle_s=spec.pool.recycle,
        connect=tuple(statement.text for statement in spec.connect),
        is_lazy=spec.startup == "lazy",
        external=external,
        folder=folder if external else "",
    )


def _create(spec: CreateSection, texts: Mapping[str, Scalar]) -> Create | None:
    """The scripts' texts; None where one could not be read, which is reported at its place."""
    if any(path is not None and path not in texts for path in (spec.schema_, spec.seed)):
        return None
    seed = None if spec.seed is None else texts[spec.seed].text
    return Create(texts[spec.schema_].text, seed)


def _url(secret: Secret, site: Site) -> URL | None:
    try:
        url = make_url(secret.reveal())
    except (ArgumentError, ValueError):
        site.error(
            "bad-url",
            "expected a database address such as sqlite:///data/app.db",
            hint=_address_hint(secret.reveal()),
        )
        return None
    backend = url.drivername.split("+")[0]
    if backend == "postgres":
        site.error("unknown-engine", "no engine is named 'postgres'", hint="write postgresql://")
        return None
    if backend not in ENGINES and not _has_dialect(url):
        site.error(
            "unknown-engine",
            f"no engine is named '{backend}'",
            details=(f"known engines: {', '.join(ENGINES)}, and installed dialects of SQLAlchemy",),
            hint=did_you_mean(backend, ENGINES) or "install the package that brings the dialect",
        )
        return None
    if backend in EMBEDDED and url.host:
        site.error(
            "bad-url",
            f"expected a path behind '{backend}:///', found a host behind '{backend}://'",
            hint="write three slashes before a relative path, four before an absolute one",
        )
        return None
    return url


def _has_dialect(url: URL) -> bool:
    """SQLAlchemy, or a package that is installed, brings the dialect; its driver may be missing."""
    try:
        url.get_dialect()
    except (NoSuchModuleError, ImportError):
        return False
    return True


def _address_hint(text: str) -> str:
    """How an address that cannot be read is mended; a path alone is the commonest mistake."""
    if "://" in text:
        return "percent-encode special characters of a password: '@' is %40"
    return "write 'sqlite:///' before the path of a file"


def _absolute(written: Secret, url: URL, folder: str) -> Secret:
    """The address of an embedded database, its path taken from the folder of the file; every other
    one as it was written."""
    path = url.database or ""
    if url.get_backend_name() not in EMBEDDED or path in _MEMORY or path.startswith("file:"):
        return written
    return Secret(url.set(database=str(Path(folder, path))).render_as_string(hide_password=False))


def _check_pool(spec: DatabaseSpec, site: Site) -> None:
    if spec.pool.size < 1:
        (site / "size").error("out-of-range", f"expected at least 1, found {spec.pool.size}")
    for name, value in (("wait", spec.pool.wait), ("recycle", spec.pool.recycle)):
        if value <= 0:
            (site / name).error("out-of-range", "expected more than 0")
