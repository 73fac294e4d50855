"""`databases` → what a database is and how it is pooled; addresses are read, never dialled."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from sqlalchemy.engine import URL

from runner.catalog.plans import Plan, own_plans
from runner.catalog.sources import KEEP_READ_ONLY, Create, Database
from runner.catalog.sql import SqlPlan
from runner.compile.addresses import EMBEDDED, ENGINES, compile_url
from runner.compile.duckdb import compile_external
from runner.compile.site import Site
from runner.config.nodes import Scalar
from runner.config.spec.sources import CreateSection, DatabaseSpec
from runner.secret import Secret

_MEMORY = ("", ":memory:")


def compile_database(
    name: str, spec: DatabaseSpec, site: Site, *, folder: str, texts: Mapping[str, Scalar]
) -> Database | None:
    """The database, its path made absolute; None where its address has faults (reported)."""
    url = compile_url(spec.url, site / "url")
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
        url=absolute(spec.url, url, folder),
        dialect=dialect,
        create=create,
        pool_size=spec.pool.size,
        pool_wait_s=spec.pool.wait,
        pool_recycle_s=spec.pool.recycle,
        connect=tuple(statement.text for statement in spec.connect),
        is_lazy=spec.startup == "lazy",
        external=external,
        folder=folder if external else "",
        counts=dialect in ENGINES or url.get_dialect().supports_sane_rowcount,
    )


def warn_of_logins(databases: Mapping[str, Database], plans: Iterable[Plan], site: Site) -> None:
    """Warns where no engine holds tools that read to reading; `site` is `databases`."""
    own = (part for plan in plans for part in own_plans(plan))
    read = {part.database for part in own if isinstance(part, SqlPlan) and not part.writes}
    for name, database in databases.items():
        if name in read and database.dialect not in KEEP_READ_ONLY:
            (site / name / "url").warning(
                "not-read-only",
                f"nothing but the parser keeps the tools that read '{name}' from writing:"
                f" no read-only transactions of {database.dialect} are known",
                details=("a function or a procedure that a query calls may write",),
                hint="give the server a login that may only read",
            )


def _create(spec: CreateSection, texts: Mapping[str, Scalar]) -> Create | None:
    """The scripts' texts; None where one could not be read, which is reported at its place."""
    if any(path is not None and path not in texts for path in (spec.schema_, spec.seed)):
        return None
    seed = None if spec.seed is None else texts[spec.seed].text
    return Create(texts[spec.schema_].text, seed)


def absolute(written: Secret, url: URL, folder: str) -> Secret:
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
