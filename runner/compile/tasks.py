"""`tasks` → where tasks are kept and how long; the address of the store is read, never dialled."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy.engine import URL

from runner.catalog.catalog import TaskSettings
from runner.catalog.tool import Tool
from runner.compile.addresses import compile_url
from runner.compile.databases import absolute
from runner.compile.site import Site
from runner.config.spec.root import ServerSpec
from runner.config.spec.server import TasksSection
from runner.secret import Secret

STORES: Final = ("sqlite", "postgresql")
LONGEST_TTL_S: Final = 30 * 24 * 3600.0
"""Thirty days: results are kept for clients that come back, not for good."""
LONGEST_POLL_S: Final = 60.0
SHORTEST_POLL_S: Final = 0.1
_DAYS: Final = int(LONGEST_TTL_S / 24 / 3600)
_STORE: Final = Secret("sqlite:///data/tasks.db")
_IN_MEMORY: Final = ("", ":memory:")


def compile_tasks(
    spec: ServerSpec, root: Site, tools: Iterable[Tool], *, folder: str
) -> TaskSettings | None:
    """Where tasks are kept; None where no tool runs as one, or after a report."""
    section, site = spec.tasks, root / "tasks"
    _check_spans(section, site)
    written = section.store or _STORE
    url = compile_url(written, site / "store")
    if url is None or not _is_store(url, site / "store"):
        return None
    if section.resume and url.get_backend_name() != "postgresql":
        (site / "resume").error(
            "task-store",
            f"work is resumed where tasks are kept in PostgreSQL, found {url.get_backend_name()}",
            hint="write an address of PostgreSQL at tasks.store, or remove it",
        )
    runs = [tool for tool in tools if tool.task is not None]
    _check_times(runs, root, section.ttl)
    if not runs:
        return None
    store = absolute(written, url, folder)
    return TaskSettings(store, url.get_backend_name(), section.ttl, section.poll, section.resume)


def _check_spans(section: TasksSection, site: Site) -> None:
    if not 0 < section.ttl <= LONGEST_TTL_S:
        (site / "ttl").error("out-of-range", f"expected more than 0 s and at most {_DAYS} days")
    if not SHORTEST_POLL_S <= section.poll <= LONGEST_POLL_S:
        (site / "poll").error(
            "out-of-range", f"expected {SHORTEST_POLL_S:g} s to {LONGEST_POLL_S:g} s"
        )


def _is_store(url: URL, site: Site) -> bool:
    """Tasks can be kept there; a fault is reported."""
    dialect = url.get_backend_name()
    if dialect not in STORES:
        site.error(
            "task-store",
            f"tasks are not kept in {dialect}",
            hint="write an address of SQLite, or of PostgreSQL where there are replicas",
        )
        return False
    if dialect == "sqlite" and (url.database or "") in _IN_MEMORY:
        site.error(
            "task-store",
            "expected the path of a file, found a database in memory",
            details=("each worker would have tasks of its own",),
            hint="such as sqlite:///data/tasks.db",
        )
        return False
    return True


def _check_times(tools: Iterable[Tool], root: Site, ttl_s: float) -> None:
    """Reports a tool whose calls may outlive their task."""
    for tool in tools:
        if tool.timeout_s > ttl_s:
            (root / "tools" / tool.name / "task").error(
                "task-too-short",
                f"'{tool.name}' may take {tool.timeout_s:g} s, and its task is kept "
                f"{ttl_s:g} s from its creation",
                hint="set tasks.ttl above it, or the tool's timeout below",
            )
