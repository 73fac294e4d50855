"""What only DuckDB has: files that statements read, and one process that writes to a database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import make_url

from runner.catalog.plans import Plan, PythonPlan, StepsPlan
from runner.catalog.sources import Database
from runner.catalog.sql import SqlPlan
from runner.compile.site import Site

DIALECT = "duckdb"


def compile_external(
    paths: Sequence[str], site: Site, *, dialect: str, folder: str
) -> tuple[str, ...]:
    """The paths, absolute, as their files will be read."""
    if paths and dialect != DIALECT:
        site.error_at_key(
            "external-not-duckdb",
            f"'external' is for DuckDB, which reads files in place, and this database is {dialect}",
            hint="remove it, or give a database with 'url: duckdb://'",
        )
    for index, path in enumerate(paths):
        if not path.strip():
            (site / index).error("out-of-range", "expected a path, found an empty text")
    return tuple(str(Path(folder, path)) for path in paths)


def with_writers(
    databases: Mapping[str, Database], plans: Iterable[Plan], workers: int, site: Site
) -> Mapping[str, Database]:
    """The databases, each knowing whether a tool may write to it; `site` is `databases`.

    Who only reads a DuckDB file opens it read-only, so that several processes can.
    """
    written = _written(databases, plans)
    files = {item.url.reveal() for name, item in databases.items() if name in written}
    found = {
        name: replace(item, is_written=item.url.reveal() in files)
        for name, item in databases.items()
    }
    for name in found if workers > 1 else ():
        if has_one_writer(found[name]):
            (site / name / "url").error(
                "several-writers",
                f"a tool writes to the DuckDB file of '{name}', and 'serve.workers' is {workers}",
                details=("DuckDB lets one process write to a file, and no other read it then",),
                hint="set 'serve.workers' to 1",
            )
    return found


def has_one_writer(database: Database) -> bool:
    """It cannot be served by several processes."""
    path = make_url(database.url.reveal()).database
    is_file = path not in (None, "", ":memory:")
    return database.dialect == DIALECT and database.is_written and is_file


def _written(databases: Mapping[str, Database], plans: Iterable[Plan]) -> set[str]:
    """The names of those that some plan may write to; a function may use any."""
    written: set[str] = set()
    for plan in plans:
        match plan:
            case SqlPlan() if plan.writes:
                written.add(plan.database)
            case PythonPlan() if plan.writes:
                written |= set(databases)
            case StepsPlan():
                inline = [step.inline for step in plan.steps if step.inline is not None]
                written |= _written(databases, inline)
    return written
