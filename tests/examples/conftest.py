"""The prompt library as users meet it: the command serves it, the official SDK's client asks."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.examples.talking import LEGACY, MODERN, ROOT, Talk, over_stdio, talking
from tests.run.processes import serving

FILE = ROOT / "mcp.yaml"
OTHER_USER = """
mcp: 1
server: {name: library-of-sam, version: 1.0.0}
databases: {library: {url: "${DATABASE_URL}"}}
callers: {sam: {user_id: sam}}
auth: {anonymous: {caller: sam}}
defaults: {bind: {owner: caller.user_id}}
include: [tools/*.yaml]
"""
WAYS = ("http modern", "http legacy", "stdio modern", "stdio legacy")


@dataclass(frozen=True)
class Served:
    """The library behind every way to it; `sam` is another user of the same database."""

    demo: Mapping[str, Talk]
    sam: Talk
    database: Path
    fresh: Path

    def renew(self) -> None:
        """Makes the database what it was at the start, while the servers go on."""
        with (
            closing(sqlite3.connect(self.fresh)) as fresh,
            closing(sqlite3.connect(self.database)) as used,
        ):
            fresh.backup(used)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The servers and their clients, started once."""
    folder = tmp_path_factory.mktemp("library")
    database, fresh, other = folder / "library.db", folder / "fresh.db", folder / "mcp.yaml"
    other.write_text(OTHER_USER, encoding="utf-8")
    shutil.copytree(ROOT / "tools", folder / "tools")
    environment = {"DATABASE_URL": f"sqlite:///{database}"}
    stdio = over_stdio(FILE, **environment)
    with ExitStack() as stack:
        url = stack.enter_context(serving(FILE, environment=environment)).url
        with closing(sqlite3.connect(database)) as made:
            made.execute("VACUUM INTO ?", (str(fresh),))
        sam = stack.enter_context(serving(other, environment=environment)).url
        demo = {
            f"{name} {era}": stack.enter_context(talking(target, mode))
            for name, target in (("http", url), ("stdio", stdio))
            for era, mode in (("modern", MODERN), ("legacy", LEGACY))
        }
        yield Served(
            demo,
            stack.enter_context(talking(sam, MODERN)),
            database,
            fresh,
        )


@pytest.fixture(params=WAYS)
def demo(request: pytest.FixtureRequest, served: Served) -> Talk:
    """The user `demo` of a library as it is at the start, over each transport, in each era."""
    served.renew()
    return served.demo[request.param]


@pytest.fixture
def sam(served: Served) -> Talk:
    """Another user of the same library."""
    return served.sam


@pytest.fixture
def database(served: Served) -> Iterator[sqlite3.Connection]:
    """A connection of the test's own to the library's database."""
    with closing(sqlite3.connect(served.database)) as connection:
        yield connection
